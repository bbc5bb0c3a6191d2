import Foundation
import JSON
import TestSupport
import Testing

@Suite("Program")
struct ProgramTests {
  @Test("NFR-2: the program raises its limit of descriptors to the hard limit")
  func descriptors() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "hearth-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let server = try await ServerProcess.start(
      data: folder, through: ["/bin/sh", "-c", #"ulimit -Sn 100 && ulimit -Hn 300 && exec "$@""#, "sh"])
    #expect(try server.descriptorLimits() == [300, 300])
    await server.stop()
  }

  @Test("NFR-2, OPS-2: out of descriptors, the server logs it once in ten seconds and accepts the connection later")
  func exhausted() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "hearth-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let server = try Program(
      ["serve", "--data", folder.path, "--port", "0"], through: ["/bin/sh", "-c", #"ulimit -n 80 && exec "$@""#, "sh"])
    let listening = try #require(try await server.line { $0.contains("/sync") })
    let port = try #require(listening.firstMatch(of: /:(\d+)\/sync/).flatMap { UInt16($0.1) })
    let start = ContinuousClock.now
    var crowd: [RawConnection] = []
    for _ in 0..<80 { crowd.append(try await RawConnection.open(port: port)) }
    func complaints() throws -> Int { try server.errors.components(separatedBy: "accept.failed").count - 1 }
    while try complaints() == 0 { try await Task.sleep(for: .milliseconds(20)) }
    // The server retries ten times a second.
    try await Task.sleep(for: .seconds(2))
    let said = try complaints()
    let seconds = (ContinuousClock.now - start).components.seconds
    #expect((1...1 + seconds / 10).contains(Int64(said)))
    for connection in crowd { connection.drop() }
    try await TestClient.connect(port: port).fence()
  }

  @Test("`watch` prints a change made by `call`, reconnects after a restart, and ends with the session")
  func watchAndCall() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "hearth-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let server = try Program(["serve", "--data", folder.path, "--port", "0"])
    let listening = try #require(try await server.line { $0.contains("/sync") })
    let url = try #require(listening.firstMatch(of: /ws:\/\/\S+\/sync/)).0

    let account = try await Program.run(
      ["call", "auth.signUp", "-", "--url", "\(url)"],
      input: #"{"email":"ana@x.example","password":"correct horse battery","name":"Ana"}"#)
    #expect(account.status == 0, "\(account)")
    let token = try #require(try JSON.parse(account.output)["token"]?.string)
    func call(_ arguments: String...) async throws -> Program.Outcome {
      try await Program.run(["call", "--url", "\(url)"] + arguments, token: token)
    }
    let made = try await call("households.create", #"{"name":"Ours","timeZone":"Europe/Amsterdam","currency":"EUR"}"#)
    let household = "household/\(try #require(try JSON.parse(made.output)["household"]?.string, "\(made)"))"

    let people = try Program(["watch", household, "--url", "\(url)"], token: token)
    let programs = try Program(["watch", "--json", "me", household, "--url", "\(url)"], token: token)
    #expect(try await people.line { $0.hasPrefix(household) } == "\(household)  version 1")
    for _ in 0..<2 {
      // A change in one room may be printed before the state of another.
      let state = try #require(try await programs.line { $0.contains(#""type":"state""#) })
      #expect(try JSON.parse(state)["type"] == "state")
    }

    #expect(try await call("notes.add", #"{"text":"Milk is out"}"#, "--room", household).status == 0)
    let head = try #require(try await people.line { $0.contains("\(household)  version") })
    #expect(head.hasSuffix("\(household)  version 2, by you"))
    #expect(try await people.line { $0.contains("text") }?.hasSuffix(#".text = "Milk is out""#) == true)
    let patch = try JSON.parse(try #require(try await programs.line { $0.contains("Milk is out") }))
    #expect(patch["room"]?.string == household)
    #expect(patch["patch"]?["notes"]?.object?.values.first?["text"] == "Milk is out")

    let wrong = try await call("notes.add", #"{"text":1,"place":{"x":1},"y":2}"#, "--room", household)
    #expect(wrong.status == 1)
    #expect(wrong.output.isEmpty)
    #expect(wrong.errors.contains("\n  y: unknown field\n"), "\(wrong)")

    people.interrupt()
    #expect(await people.wait() == 0, "Ctrl-C is a regular end")
    server.interrupt()
    #expect(await server.wait() == 0)

    // A call without a server fails; a call in progress waits like `watch`.
    #expect(try await call("notes.add", #"{"text":"Too early"}"#, "--room", household).status == 1)
    let port = try #require(url.firstMatch(of: /:(\d+)\//)).1
    let next = try Program(["serve", "--data", folder.path, "--port", "\(port)"])
    _ = try #require(try await next.line { $0.contains("/sync") })
    #expect(try await call("notes.add", #"{"text":"Milk is back"}"#, "--room", household).status == 0)
    let missed = try #require(try await programs.line { $0.contains("Milk is back") })
    #expect(try JSON.parse(missed)["type"] == "patch", "only the missed changes, not the whole state")
    #expect(try programs.errors.contains("Retrying in "))
    #expect(try programs.errors.contains("Reconnected."))

    #expect(try await call("auth.logOut").status == 0)
    #expect(await programs.wait() == 1, "the end of the session is an error")
    #expect(try programs.errors.contains("log in again"))
    next.interrupt()
    #expect(await next.wait() == 0)
  }

  @Test(
    "usage errors exit with 64 before anything is sent",
    arguments: [
      ["call"], ["call", "a", "[1]"], ["call", "a", "{"], ["call", "a", "--url", "https://h/sync"], ["watch"],
      ["serve", "--port", "70000"], ["serve", "--nonsense"], ["serve", "--config", "/no/such/file"],
      ["serve", "stray"],
      ["watch", "me"], ["watch", "me", "me", "--token", "t"], ["watch", "me", "--token", ""],
    ])
  func usage(arguments: [String]) async throws {
    let outcome = try await Program.run(arguments)
    #expect(outcome.status == 64, "\(outcome)")
    #expect(outcome.output.isEmpty)
  }

  @Test("OPS-3: `serve` prints its settings with their sources and explains each of them")
  func settings() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "hearth-\(UUID()).json")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(#"{"port":7500,"heartbeat":"20s"}"#.utf8).write(to: file)
    let chosen = try await Program.run(["serve", "--config", file.path, "--print-config", "--loops=3"])
    #expect(chosen.status == 0, "\(chosen)")
    for line in ["port = 7500  (\(file.path): port)", "loops = 3  (--loops)", "stallLimit = 1m  (default)"] {
      #expect(chosen.output.contains("\(line)\n"), "\(chosen.output)")
    }
    let wrong = try await Program.run(["serve", "--config", file.path, "--prot", "1", "--loops", "0"])
    #expect(wrong.status == 64 && wrong.output.isEmpty)
    #expect(wrong.errors.contains("--prot: there is no such setting\n"))
    #expect(wrong.errors.contains("--loops: '0' is not allowed; it must be a whole number from 1 to 256\n"))
    let help = try await Program.run(["serve", "--help"])
    #expect(help.status == 0)
    #expect(help.output.contains("--heartbeat …") && help.output.contains("HEARTH_HEARTBEAT, \"heartbeat\""))
  }

  @Test("NFR-3: a refused call says when it may be tried again")
  func tryAgain() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (_, members) = try await server.household("Ana", "Bo")
    let ask = [
      "call", "shares.ask", "{\"person\":\"\(members[1].id)\"}", "--url", "ws://127.0.0.1:\(server.port)/sync",
    ]
    #expect(try await Program.run(ask, token: members[0].token).status == 0)
    let refused = try await Program.run(ask, token: members[0].token)
    #expect(refused.status != 0)
    #expect(
      refused.errors.contains(/You have just asked this person\.\nTry again in 1[45] minutes(, 5\d seconds)?\.\n/))
  }

  @Test("without a server, one sentence reports the failure and suggests a remedy")
  func unreachable() async throws {
    let outcome = try await Program.run(["call", "a", "--url", "ws://127.0.0.1:1/sync"])
    #expect(outcome.status == 1)
    #expect(
      outcome.errors == """
        No connection could be made (connect: Connection refused). Is a server running at ws://127.0.0.1:1/sync? \
        `hearth serve` starts one, --url names another.\n
        """)
  }
}
