import Crypto
import Foundation
import HearthClient
import JSON
import Rooms
import Testing

@testable import HearthCommand
@testable import Server

/// Proof of work before what strangers could do in masses (SEC-10).
@Suite("Puzzles")
struct PuzzleTests {
  // MARK: verdicts

  private static let key = Array("a key".utf8)
  private static let end = Instant(milliseconds: 1_900_000_000_000)

  private static let puzzle = Puzzle(
    nonce: [UInt8](0..<12), number: 7, maxNumber: 100, expires: end.milliseconds / 1000, key: key)

  /// A solution as the widget sends it, with changes.
  private static func payload(_ changes: [String: JSON?] = [:]) -> String {
    var members: [String: JSON] = [
      "algorithm": "SHA-256", "challenge": .string(puzzle.challenge), "number": 7, "salt": .string(puzzle.salt),
      "signature": .string(puzzle.signature), "took": 12,
    ]
    for (name, value) in changes { members[name] = value }
    return Base64.standard.encode(JSON.object(members).bytes)
  }

  private static func verdict(_ solution: String?, after age: Duration = .seconds(1)) -> PuzzleVerdict {
    PuzzleVerdict(of: solution, key: key, at: end - PuzzleDesk.life + age, life: PuzzleDesk.life)
  }

  @Test("SEC-10: a solution counts from the making of its puzzle on, for ten minutes")
  func times() {
    let solved = PuzzleVerdict.solved(challenge: Hex.decode(Self.puzzle.challenge) ?? [], until: Self.end)
    #expect(Self.verdict(Self.payload(), after: .zero) == solved)
    #expect(Self.verdict(Self.payload(), after: .milliseconds(599_999)) == solved)
    #expect(Self.verdict(Self.payload(), after: .seconds(600)) == .expired)
    #expect(Self.verdict(Self.payload(), after: .milliseconds(-1)) == .expired, "the clock was set back")
  }

  @Test("SEC-10: any text that is no solution is wrong")
  func junk() {
    #expect(Self.verdict(nil) == .missing)
    let rows: [[String: JSON?]] = [
      ["number": 8], ["number": "7"], ["number": 7.5], ["number": -7], ["number": nil], ["number": .null],
      ["algorithm": "SHA-512"], ["algorithm": nil], ["salt": nil], ["salt": 1], ["challenge": nil],
      ["signature": nil], ["signature": .string(Self.puzzle.challenge)], ["salt": "00?expires=1&"],
      ["took": .array([[[[[]]]]])], ["took": .array(Array(repeating: 1, count: 100))],
    ]
    for row in rows { #expect(Self.verdict(Self.payload(row)) == .wrong, "\(row)") }
    let good = Self.payload()
    for text in [
      "", "!", "e30=", "e30", "W10=", "bnVsbA==", good + "=", good + "\n", " " + good, String(good.dropLast(4)),
      good.replacing("e", with: "-"), String(repeating: "A", count: 1024), good + good,
      Self.payload(["more": .string(String(repeating: "x", count: 600))]),
    ] {
      #expect(Self.verdict(text) == .wrong, "\(text)")
    }
    #expect(Self.verdict(Self.payload(["more": .string(String(repeating: "x", count: 300))])) != .wrong)
  }

  // MARK: foreign programs

  private static let python = """
    import base64, json, sys
    from datetime import datetime, timedelta, timezone
    from altcha import ChallengeV1, PayloadV1, create_challenge_v1, solve_challenge_v1, verify_solution_v1

    key = bytes.fromhex(sys.argv[2])
    if sys.argv[1] == "make":
        end = datetime.now(timezone.utc) + timedelta(minutes=5)
        made = create_challenge_v1(hmac_key=key, max_number=2000, expires=end)
        print(json.dumps({"algorithm": made.algorithm, "challenge": made.challenge, "maxnumber": made.max_number,
                          "salt": made.salt, "signature": made.signature}))
    elif sys.argv[1] == "verify":
        print(*verify_solution_v1(sys.argv[3], key, True))
    else:
        asked = json.loads(sys.argv[3])
        solution = solve_challenge_v1(asked["challenge"], asked["salt"], asked["algorithm"], asked["maxnumber"])
        print(PayloadV1(asked["algorithm"], asked["challenge"], solution.number, asked["salt"],
                        asked["signature"]).to_base64())
    """

  /// Runs the public package `altcha` of PyPI.
  private static func altcha(_ arguments: String...) async throws -> String {
    let interpreter = ProcessInfo.processInfo.environment["HEARTH_PYTHON"] ?? "python3"
    let quoted = ([python] + arguments).map { "'\($0.replacing("'", with: "'\\''"))'" }
    let process = try Running("\(interpreter) -c \(quoted.joined(separator: " "))")
    return try await process.output(until: "\n").trimmingCharacters(in: .whitespacesAndNewlines)
  }

  @Test("SEC-10: the package `altcha` solves the server's puzzles, and its solution is taken")
  func solvedByAltcha() async throws {
    let server = try await TestServer.start(Self.always)
    defer { server.end() }
    let client = try await server.connect()
    let puzzle = try await client.call("auth.puzzle")
    #expect(puzzle["need"] == true && puzzle["maxnumber"] == 2000)
    let solution = try await Self.altcha("solve", "", puzzle.text)
    let account = try await client.call("auth.signUp", Self.account("ana", solution))
    #expect(account["me"] != nil)
  }

  @Test("SEC-10: puzzles of the package `altcha` are solved, and it verifies the solution as the server does")
  func madeByAltcha() async throws {
    let key = Hex.encode(Self.key)
    let puzzle = try JSON.parse(try await Self.altcha("make", key))
    let asked = ServerError(code: 2, message: "", reason: "puzzleNeeded", data: ["puzzle": puzzle])
    let solution = try #require(await asked.solvePuzzle())
    #expect(try await Self.altcha("verify", key, solution) == "True None")
    #expect(try await Self.altcha("verify", "00", solution) == "False None")
    guard case .solved = PuzzleVerdict(of: solution, key: Self.key, at: .now, life: PuzzleDesk.life) else {
      Issue.record("the server does not take it")
      return
    }
  }

  // MARK: the server

  @Sendable private static func always(_ options: inout Node.Options) {
    options.configuration.puzzle = .always
    options.configuration.puzzleNumbers = 2000
  }

  private static func account(_ name: String, _ solution: String? = nil) -> [String: JSON] {
    var parameters: [String: JSON] = [
      "email": .string("\(name)@example.org"), "password": .string(TestServer.password), "name": .string(name),
    ]
    parameters["puzzle"] = solution.map(JSON.string)
    return parameters
  }

  /// Solves the puzzle that a refusal holds.
  private static func solution(of refusal: WireError) async throws -> String {
    #expect(refusal.code == 2 && refusal.reason == "puzzleNeeded", "\(refusal)")
    let asked = ServerError(
      code: 2, message: "", reason: refusal.reason ?? "", data: refusal.error["data"] ?? [:])
    return try #require(await asked.solvePuzzle())
  }

  @Test("SEC-10: sign-up needs a solved puzzle, whose solution works once, also after a restart")
  func once() async throws {
    let server = try await TestServer.start(Self.always)
    defer { server.end() }
    let client = try await server.connect()
    // Bad fields are told first, and use up no solution.
    #expect(try await client.refusal("auth.signUp", ["email": "x"]).code == -32602)
    let missing = try await client.refusal("auth.signUp", Self.account("ana"))
    #expect(missing.description.contains("has none"))
    let solution = try await Self.solution(of: missing)
    let bad = Self.account("ana", solution).merging(["name": ""]) { $1 }
    #expect(try await client.refusal("auth.signUp", bad).code == -32602)
    #expect(try await client.call("auth.signUp", Self.account("ana", solution))["me"] != nil)

    let used = try await client.refusal("auth.signUp", Self.account("bo", solution))
    #expect(used.description.contains("used before"))
    let other = try await Self.solution(of: used)
    try await server.restart(Self.always)
    let again = try await server.connect()
    let afterwards = try await again.refusal("auth.signUp", Self.account("bo", solution))
    #expect(afterwards.description.contains("used before"))
    // A puzzle outlives the server that has made it.
    #expect(try await again.call("auth.signUp", Self.account("bo", other))["me"] != nil)
    let wrong = try await again.refusal("auth.signUp", Self.account("cy", "x"))
    #expect(wrong.description.contains("wrong"))
  }

  @Test("SEC-10: a log-in needs a puzzle unless its device is known, and uses it up though the password is wrong")
  func logIn() async throws {
    let server = try await TestServer.start(Self.always)
    defer { server.end() }
    let ana = try await server.member("Ana", email: "ana@example.org")
    let client = try await server.connect()
    func login(_ more: [String: JSON] = [:]) -> [String: JSON] {
      ["email": .string(ana.email), "password": .string(TestServer.password)].merging(more) { $1 }
    }
    let first = try await Self.solution(of: try await client.refusal("auth.logIn", login()))
    let wrong = login(["password": "wrong horse", "puzzle": .string(first)])
    #expect(try await client.refusal("auth.logIn", wrong).reason == "login")
    let second = try await Self.solution(of: try await client.refusal("auth.logIn", wrong))
    let answer = try await client.call("auth.logIn", login(["puzzle": .string(second)]))
    let device = try #require(answer["deviceToken"])
    #expect(try await client.call("auth.logIn", login(["deviceToken": device]))["me"]?.string == ana.id)
    // A token of another account, or of nobody, does not help.
    _ = try await Self.solution(of: try await client.refusal("auth.logIn", login(["deviceToken": "x"])))
    let nobody = login(["email": "nobody@example.org", "deviceToken": device])
    _ = try await Self.solution(of: try await client.refusal("auth.logIn", nobody))
  }

  @Test("SEC-10, SYN-3: a household needs a puzzle, on whatever loop and way; its call may be sent again as it was")
  func households() async throws {
    let server = try await TestServer.start(Self.always)
    defer { server.end() }
    // Persons' own rooms are on different loops, and most are not on their connection's.
    for number in 1...4 {
      let ana = try await server.member("Ana\(number)")
      let facts: [String: JSON] = ["name": "Home", "timeZone": "UTC", "currency": "EUR", "seq": 1]
      let solution = try await Self.solution(of: try await ana.refusal("households.create", facts))
      let solved = facts.merging(["puzzle": .string(solution)]) { $1 }
      let made = try await ana.call("households.create", solved)
      #expect(made["household"] != nil)
      // The same call again, and another one with its solution.
      #expect(try await ana.call("households.create", solved) == made)
      let next = solved.merging(["seq": 2]) { $1 }
      #expect(try await ana.refusal("households.create", next).reason == "puzzleNeeded")

      // Bad fields are told without a puzzle.
      #expect(try await ana.refusal("households.create", ["name": "Home"]).code == -32602)
      let batch = #"""
        [{"jsonrpc":"2.0","id":1,"method":"households.create","params":{"name":"A","timeZone":"UTC","currency":"EUR"}},
        {"jsonrpc":"2.0","id":2,"method":"households.create","params":{"name":"B","timeZone":"UTC","currency":"EUR"}}]
        """#
      let answers = try await server.caller(ana).send(batch)
      for answer in answers.json?.array ?? [] { #expect(answer["error"]?["data"]?["reason"] == "puzzleNeeded") }
      #expect(answers.json?.array?.count == 2)
      let households = try await ana.call("room.subscribe", in: "me")["state"]?["households"]?.object
      #expect(households?.count == 1)
    }
  }

  @Test("SEC-10: a batch that has waited runs in its order, though one of its calls is refused at once")
  func order() async throws {
    let server = try await TestServer.start {
      Self.always(&$0)
      $0.loopCount = 1
    }
    defer { server.end() }
    let ana = try await server.member("Ana")
    func call(_ id: Int, _ method: String, _ parameters: String) -> String {
      #"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":\#(parameters)}"#
    }
    let household = #"{"name":"A","timeZone":"UTC","currency":"EUR"}"#
    // The first one waits for the store's secret, and the others for it.
    ana.client.send([
      call(901, "households.create", household),
      "[\(call(902, "households.create", household)),\(call(903, "settings.edit", #"{"timeZone":"Europe/Paris"}"#))]",
      call(904, "settings.edit", #"{"timeZone":"Europe/Rome"}"#),
    ])
    #expect(try await ana.client.next()["id"] == 901)
    let batch = try await ana.client.next()
    #expect(batch.array?.map { $0["id"] } == [902, 903], "\(batch.text)")
    let last = try await ana.client.next()
    #expect(last["id"] == 904)
    let versions = [batch[1], last].map { $0?["result"]?["version"]?.int ?? 0 }
    #expect(versions[0] > 0 && versions[0] < versions[1], "\(versions)")
  }

  @Test("SEC-10: by default a puzzle is needed from beyond loopback, as a trusted proxy says where a client is")
  func byDefault() async throws {
    let server = try await TestServer.start {
      $0.configuration.trustedProxies = ["127.0.0.1"]
      $0.configuration.puzzleNumbers = 2000
    }
    defer { server.end() }
    let caller = server.caller()
    func need(_ headers: [String: String]) async throws -> JSON? {
      try await caller.call("auth.puzzle", [:], headers: headers)["need"]
    }
    #expect(try await need([:]) == false)
    for address in ["127.0.0.9", "::1"] { #expect(try await need(["X-Forwarded-For": address]) == false) }
    for address in ["192.0.2.1", "2001:db8::1", "::2", "128.0.0.1", "126.255.255.255"] {
      #expect(try await need(["X-Forwarded-For": address]) == true, "\(address)")
    }
    let outside = ["X-Forwarded-For": "192.0.2.1"]
    let refusal = try await caller.refusal("auth.signUp", Self.account("ana"), headers: outside)
    let solution = try await Self.solution(of: refusal)
    let answer = try await caller.call("auth.signUp", Self.account("ana", solution), headers: outside)
    #expect(answer["me"] != nil)
    #expect(try await caller.call("auth.signUp", Self.account("bo"))["me"] != nil)
    try await server.restart {
      $0.configuration.trustedProxies = ["127.0.0.1"]
      $0.configuration.puzzle = .never
    }
    let answered = try await server.caller().call("auth.signUp", Self.account("cy"), headers: outside)
    #expect(answered["me"] != nil)
  }

  @Test("SEC-10: `hearth serve --puzzle always` asks, and `hearth login` and `hearth call` solve by themselves")
  func program() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "hearth-puzzle-\(UUID())")
    let settings = folder.appending(path: "settings")
    defer { try? FileManager.default.removeItem(at: folder) }
    let server = try await ServerProcess.start(
      data: folder.appending(path: "data"), arguments: ["--puzzle", "always", "--puzzle-numbers", "1000"])
    let url = "ws://127.0.0.1:\(server.port)/sync"
    func hearth(_ arguments: String..., input: String = "") async throws -> Program.Outcome {
      try await Program.run(arguments + ["--url", url], input: input, settings: settings)
    }
    let stranger = try await TestClient.connect(port: server.port)
    #expect(try await stranger.refusal("auth.signUp", Self.account("ana")).reason == "puzzleNeeded")
    let made = try await hearth("call", "auth.signUp", "-", input: JSON.object(Self.account("ana")).text)
    #expect(made.status == 0, "\(made)")
    let login = try await hearth("login", "ana@example.org", input: "\(TestServer.password)\n")
    #expect(login.status == 0 && login.output.contains("as ana"), "\(login)")
    let household = try await hearth(
      "call", "households.create", #"{"name":"Home","timeZone":"UTC","currency":"EUR"}"#)
    #expect(household.status == 0 && household.output.contains("household"), "\(household)")
    await server.stop()
  }
}
