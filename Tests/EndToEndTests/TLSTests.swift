import Foundation
import JSON
import Rooms
import TestSupport
import Testing
import Transport

@testable import HearthCommand

@Suite("TLS")
struct TLSTests {
  private static func makeFolder() -> URL {
    FileManager.default.temporaryDirectory.appending(path: "hearth-tls-\(UUID())")
  }

  private static func household(_ name: String) -> String {
    #"{"name":"\#(name)","timeZone":"Europe/Berlin","currency":"EUR"}"#
  }

  /// A foreign client: signs up, says hello, watches its own room, and waits for a line of input.
  private static let python = """
    import asyncio, json, ssl, sys, websockets

    async def main(url, authorities):
        context = ssl.create_default_context(cafile=authorities)
        async with websockets.connect(url, subprotocols=["hearth.v1"], ssl=context) as socket:
            async def call(method, **parameters):
                await socket.send(json.dumps({"jsonrpc": "2.0", "id": method, "method": method, "params": parameters}))
                while True:
                    message = json.loads(await socket.recv())
                    if message.get("id") == method:
                        return message["result"]
            client = "11111111-1111-4111-8111-111111111111"
            account = await call("auth.signUp", email="ana@x.example", password="correct horse battery", name="Ana")
            await call("hello", client=client, token=account["token"])
            state = await call("room.subscribe", room="me")
            version = socket.transport.get_extra_info("ssl_object").version()
            print(version, state["state"]["profile"]["name"], flush=True)
            print("token", account["token"], flush=True)
            for number in range(100):
                await call("hello", client=client, token=account["token"])
                print("alive", number, flush=True)
                await asyncio.sleep(0.05)

    asyncio.run(main(*sys.argv[1:]))
    """

  @Test("LOC-31, SEC-5: the program serves wss to foreign and own clients, and a new certificate drops no connection")
  func program() async throws {
    let folder = Self.makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let first = try await Certificate(in: folder.appending(path: "used"))
    let authorities = folder.appending(path: "first.pem")
    try FileManager.default.copyItem(at: first.file, to: authorities)
    let server = try await ServerProcess.start(
      data: folder, arguments: ["--certificate", first.file.path, "--key", first.key.path])
    let url = "wss://localhost:\(server.port)/sync"

    let script = folder.appending(path: "client.py")
    try Self.python.write(to: script, atomically: true, encoding: .utf8)
    let interpreter = ProcessInfo.processInfo.environment["HEARTH_PYTHON"] ?? "python3"
    let stranger = try Running("\(interpreter) \(script.path) \(url) \(authorities.path)")
    #expect(try await stranger.output(until: "TLSv1.3 Ana\n").contains("TLSv1.3 Ana\n"))
    let printed = try await stranger.output(until: "alive 1\n")
    let token = String(try #require(printed.firstMatch(of: #/token (\S+)/#)).output.1)

    let ours = try Program(["watch", "me", "--url", url, "--ca", authorities.path], token: token)
    #expect(try await ours.line { $0.hasPrefix("me") } != nil)
    func call(_ arguments: String...) async throws -> Program.Outcome {
      try await Program.run(
        ["call", "households.create", Self.household("Anna"), "--url", url] + arguments, token: token)
    }
    let mistrust = try await call()
    #expect(mistrust.status == 1)
    #expect(
      mistrust.errors.hasPrefix("The server's certificate is not trusted (self-signed certificate)."), "\(mistrust)")
    #expect(try await call("--ca", authorities.path).status == 0)
    #expect(try await ours.line { $0.contains("Anna") } != nil)

    // A broken certificate changes nothing; a valid one applies to new connections.
    let good = try Data(contentsOf: first.key)
    try Data("nothing".utf8).write(to: first.key)
    server.hangUp()
    try await Task.sleep(for: .milliseconds(300))
    #expect(try await call("--ca", authorities.path).status == 0)
    try good.write(to: first.key)
    let second = try await Certificate(in: first.folder, name: "second")
    server.hangUp()
    var outcome = try await call("--ca", second.file.path)
    for _ in 0..<100 where outcome.status != 0 {
      try await Task.sleep(for: .milliseconds(50))
      outcome = try await call("--ca", second.file.path)
    }
    #expect(outcome.status == 0, "\(outcome)")
    #expect(try await call("--ca", authorities.path).status == 1, "the old certificate is no longer used")

    let before = try await stranger.output(until: "alive").matches(of: #/alive/#).count
    #expect(before > 0)
    _ = try await stranger.output(until: "alive \(before + 2)\n")
    #expect(
      try await Program.run(
        ["call", "households.create", Self.household("Ada"), "--url", url, "--ca", second.file.path], token: token
      ).status == 0)
    #expect(try await ours.line { $0.contains("Ada") } != nil, "existing connections still receive changes")
    await server.stop()
  }

  @Test("SEC-5: only answers over TLS have Strict-Transport-Security")
  func strictTransport() async throws {
    let folder = Self.makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let certificate = try await Certificate(in: folder)
    let tls = try certificate.server()
    let server = try await TestServer.start { $0.tls = tls }
    defer { server.end() }
    for path in ["/healthz", "/nowhere", "/sync"] {
      let answer = try await HTTPExchange.send(HTTPCaller.last(path), to: server.port, tls: certificate.client())
      #expect(answer.contains("\r\nStrict-Transport-Security: max-age=31536000\r\n"), "\(path)")
    }
    let plain = try await TestServer.start()
    defer { plain.end() }
    let answer = try await HTTPExchange.send(HTTPCaller.last("/healthz"), to: plain.port)
    #expect(answer.hasPrefix("HTTP/1.1 200 ") && !answer.contains("Strict-Transport-Security"))
  }

  private static let fieldsOfShares: Set = ["until", "cause", "fixedAt", "battery", "place", "pickup", "reason"]

  @Test(
    "LOC-31: from other machines, positions and all details of shares need TLS",
    .enabled(if: Certificate.ownAddress != nil))
  func positions() async throws {
    let folder = Self.makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let certificate = try await Certificate(in: folder)
    let tls = try certificate.server()
    let own = try #require(Certificate.ownAddress)
    let server = try await TestServer.start { $0.address = .literal("0.0.0.0") }
    defer { server.end() }
    let (household, members) = try await server.household("Ana", "Bo")
    let (ana, bo) = (members[0], members[1])
    let share = try await ana.share(with: bo)
    let receivers: JSON = [.string(bo.id)]
    let until = (Instant.now + .seconds(3600)).json

    func refused(_ member: Member) async throws {
      let calls: [(String, String?, [String: JSON])] = [
        ("shares.start", nil, ["receivers": receivers, "until": until]),
        ("shares.extend", share, ["until": until]),
        ("positions.report", nil, ["sentAt": Instant.now.json, "fixes": [fix(52, 4)]]),
        ("room.subscribe", share, [:]),
      ]
      for (method, room, parameters) in calls {
        let refusal = try await member.refusal(method, in: room, parameters)
        #expect(refusal.code == 2 && refusal.reason == "clearText", "\(method): \(refusal)")
      }
    }
    func arrive(_ member: Member, _ client: TestClient) async throws -> Member {
      let other = Member(client: client, name: member.name, email: member.email, id: member.id, token: member.token)
      try await other.hello()
      return other
    }

    let far = try await arrive(bo, TestClient.connect(host: own, port: server.port))
    try await refused(far)
    let mine = try await far.watch("me")
    #expect(mine["shares"].isEmpty && mine["inbox"].keys.count == 1)
    try await far.call("room.subscribe", in: household)
    try await far.call("notes.add", in: household, ["text": "All else goes on."])
    // On the same machine clear text is allowed, and the refusals changed nothing.
    #expect(try await bo.watch(share).answer["live"] != nil)
    #expect(try await ana.report(fix(52, 4))["shares"] == 1)

    // A notification of a share arrives without its place, time and battery.
    let place: JSON = ["lat": 52, "lon": 5, "label": "canaryplace"]
    _ = try await ana.share(with: [bo], ["place": place])
    try await mine.follow { $0["inbox"]?.object?.count == 2 }
    for row in mine["inbox"].values { #expect(Set((row.object ?? [:]).keys).isDisjoint(with: Self.fieldsOfShares)) }
    #expect(mine["shares"].isEmpty)
    #expect(!far.client.messagesNow.contains { $0.text.contains("canaryplace") })
    let version: [String: JSON] = ["epoch": mine.answer["epoch"] ?? .null, "version": 1]
    let again = try await far.call("room.subscribe", in: "me", version)
    #expect(again["from"] == 1 && again["patch"]?["shares"] == nil)
    #expect(try await bo.watch("me")["shares"].keys.count >= 1)

    try await server.restart {
      $0.address = .literal("0.0.0.0")
      $0.tls = tls
    }
    let safe = try await arrive(
      bo, TestClient.connect(host: own, port: server.port, tls: certificate.client()))
    #expect(try await safe.watch(share).answer["live"]?["position"]?["lat"] == 52)
    let whole = try await safe.call("room.subscribe", in: "me", version)
    #expect(whole["reason"] == "epoch" && whole["state"]?["shares"]?.object?.isEmpty == false)
  }

  @Test("LOC-31: clear text for other machines must be enabled, and contradictory settings are refused at the start")
  func refusedAtStart() async throws {
    let folder = Self.makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let certificate = try await Certificate(in: folder.appending(path: "certificate"))
    let rows: [(arguments: [String], sentence: String)] = [
      (["--address", "0.0.0.0"], "--allow-plain-text"),
      (["--address", "::"], "--allow-plain-text"),
      (["--address", "example.org"], "must be a literal address"),
      (["--address", "192.0.2.77", "--allow-plain-text"], "Cannot listen on 192.0.2.77, port 0 (bind: "),
      (["--certificate", certificate.file.path], "certificate and key belong together"),
      (
        ["--certificate", certificate.key.path, "--key", certificate.key.path],
        "The certificate file \(certificate.key.path) holds no certificate"
      ),
      (
        ["--certificate", certificate.file.path, "--key", "/none"],
        "The key file /none cannot be read (No such file or directory)."
      ),
      (["--sample", "--address", "127.0.0.1"], "--sample is for trying"),
    ]
    for (arguments, sentence) in rows {
      let outcome = try await Program.run(["serve", "--data", folder.path, "--port", "0"] + arguments)
      #expect(outcome.status == 64 && outcome.errors.contains(sentence), "\(arguments): \(outcome)")
      #expect(outcome.output.isEmpty)
    }
    let asked = try Program(
      ["serve", "--data", folder.path, "--port", "0", "--address", "0.0.0.0", "--allow-plain-text"])
    #expect(try await asked.line { $0.contains("ws://0.0.0.0:") } != nil)
    asked.interrupt()
    #expect(await asked.wait() == 0)
  }

  @Test("`hearth echo` serves wss, too")
  func echo() async throws {
    let folder = Self.makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let certificate = try await Certificate(in: folder)
    let echo = try Program([
      "echo", "--port", "0", "--certificate", certificate.file.path, "--key", certificate.key.path,
    ])
    let line = try #require(try await echo.line { $0.contains("wss://127.0.0.1:") })
    let text = try #require(line.firstMatch(of: #/:(\d+)\//#))
    let port = try #require(UInt16(text.output.1))
    let client = try await TestClient.connect(host: "localhost", port: port, tls: certificate.client())
    client.send(#"{"a":1}"#)
    #expect(try await client.next() == ["a": 1])
    echo.interrupt()
    #expect(await echo.wait() == 0)
  }
}
