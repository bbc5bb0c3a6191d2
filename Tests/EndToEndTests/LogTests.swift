import Foundation
import JSON
import Platform
import Rooms
import TestSupport
import Testing

@testable import HearthCommand

/// OPS-2: the server's log, and the data that it must never contain.
@Suite("Logs")
struct LogTests {
  @Test("OPS-2: an event is one line, as text or as JSON, whatever its fields contain")
  func lines() throws {
    var event: LogEvent?
    let log = LogTests.logger { event = $0 }
    log(.warning, "room.dropped", ["room": "household/1", "why": "two\nlines and \"quotes\"", "count": 3])
    let written = try #require(event)
    let time = try #require(Instant("2026-05-01T09:00:00.000Z"))
    #expect(
      LogFormat.text.line(written, at: time)
        == #"2026-05-01T09:00:00.000Z warning room.dropped room=household/1 why="two\nlines and \"quotes\"" count=3"#)
    #expect(
      LogFormat.json.line(written, at: time)
        == #"{"time":"2026-05-01T09:00:00.000Z","level":"warning","event":"room.dropped","room":"household/1","#
        + #""why":"two\nlines and \"quotes\"","count":3}"#)
  }

  private static func logger(_ take: @escaping (LogEvent) -> Void) -> Logger {
    let taken = Locked<[LogEvent]>([])
    nonisolated(unsafe) let take = take
    return Logger(from: .debug) { event in
      taken.withLock { $0.append(event) }
      take(event)
    }
  }

  @Test("events below the level are not created")
  func level() {
    let count = Locked(0)
    let log = Logger(from: .warning) { _ in count.withLock { $0 += 1 } }
    func field() -> LogEvent.Value {
      Issue.record("a field was evaluated although the event is below the level")
      return 1
    }
    log(.debug, "a", ["b": field()])
    log(.info, "a", ["b": field()])
    log(.warning, "a")
    log(.error, "a")
    #expect(count.withLock { $0 } == 2)
  }

  @Test("OPS-2, F2: at the most verbose level the log has no name, email, secret, text or position")
  func canaries() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "hearth-canary-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let errors = folder.appending(path: "log")
    let server = try await LoggedServer(
      ["--data", folder.path, "--port", "0", "--log-level", "debug", "--log-format", "json", "--hello-timeout", "60s"],
      errors: errors)
    let client = try await TestClient.connect(port: server.port)
    func text(_ canary: String) -> JSON { .string("\(canary)-7z3q9") }
    let credentials: [String: JSON] = ["email": "canarymail-7z3q9@example.org", "password": text("canarypassword")]
    let account = try await client.call("auth.signUp", credentials.merging(["name": text("canaryname")]) { $1 })
    let token = try #require(account["token"]?.string)
    for _ in 0..<6 {
      _ = try await client.refusal("auth.logIn", ["email": "canarymail-7z3q9@example.org", "password": text("wrong")])
    }
    try await client.call("hello", ["token": .string(token), "client": .string(newID()), "app": text("canaryapp")])
    let made = try await client.call(
      "households.create", ["name": text("canaryhome"), "timeZone": "Europe/Berlin", "currency": "EUR"])
    let room: JSON = .string("household/\(made["household"]?.string ?? "")")
    try await client.call("room.subscribe", ["room": room])
    try await client.call("notes.add", ["room": room, "text": text("canarynote")])
    try await client.call("groceries.add", ["room": room, "name": text("canaryitem")])
    let code = try await client.call("joinCodes.create", ["room": room])
    try await client.call(
      "invitations.send", ["household": made["household"] ?? .null, "email": "canaryguest-7z3q9@example.org"])
    _ = try await client.refusal("notes.add", ["room": room, "text": text("canaryrefused"), "canaryfield": 1])
    let bo = try await TestClient.connect(port: server.port)
    let other = try await bo.call(
      "auth.signUp", ["email": "canarybo-7z3q9@example.org", "password": text("canarypassword"), "name": text("bo")])
    try await bo.call("hello", ["token": try #require(other["token"]), "client": .string(newID())])
    try await bo.call("households.join", ["code": try #require(code["code"])])
    for _ in 0..<6 { _ = try await bo.refusal("households.join", ["code": "CANARYCODE"]) }
    try await client.call(
      "shares.start", ["receivers": [try #require(other["me"])], "until": (Instant.now + .seconds(3600)).json])
    _ = try? await client.call(
      "positions.report",
      ["sentAt": Instant.now.json, "fixes": [fix(47.137913, 11.975312)]])
    client.send("{\"canaryjunk-7z3q9")
    let wrong = try await TestClient.connect(port: server.port)
    _ = try await wrong.refusal("hello", ["token": text("canarytoken"), "client": .string(newID())])
    let path = "GET /canarypath-7z3q9 HTTP/1.1\r\nHost: a\r\nCookie: canarycookie\r\nConnection: close\r\n\r\n"
    _ = try await HTTPExchange.send(path, to: server.port)
    _ = try await HTTPExchange.send("GET /sync HTTP/1.1\r\nHost: a\r\nCookie: canarycookie\r\n\r\n", to: server.port)
    bo.drop()
    try await client.fence()
    await server.stop()

    let log = try String(contentsOf: errors, encoding: .utf8)
    for secret in [
      "canary", "CANARY", "7z3q9", token, other["token"]?.string ?? "", code["code"]?.string ?? "", "47.13791",
      "11.97531", account["me"]?.string ?? "",
    ] {
      #expect(!secret.isEmpty && !log.contains(secret), "\(secret) is in the log")
    }
    let events = try log.split(separator: "\n").map { try JSON.parse(String($0)) }
    let names = Set(events.compactMap { $0["event"]?.string })
    for name in [
      "server.started", "session.opened", "session.ended", "connection.refused", "guessing.slowed", "server.stopping",
      "server.stopped",
    ] { #expect(names.contains(name), "\(name) is missing in \(names.sorted())") }
    #expect(events.allSatisfy { $0["time"]?.string.flatMap { Instant($0) } != nil && $0["level"]?.string != nil })
    let started = events.first { $0["event"] == "server.started" }
    #expect(started?["port"]?.int == Int(server.port) && started?["loops"] != nil && started?["version"] != nil)
  }

  /// The server program with its log in a file.
  private final class LoggedServer: Sendable {
    private let process: ChildProcess
    let port: UInt16

    init(_ arguments: [String], errors: URL) async throws {
      let process = try ChildProcess([ServerProcess.program.path, "serve"] + arguments, errors: .file(errors))
      self.process = process
      port = try await withCheckedThrowingContinuation { continuation in
        ChildProcess.aside {
          var line = ""
          while !line.contains("/sync") {
            let data = process.output.availableData
            if data.isEmpty { break }
            line += String(decoding: data, as: UTF8.self)
          }
          let port = line.firstMatch(of: /:(\d+)\/sync/).flatMap { UInt16($0.1) }
          continuation.resume(with: port.map { .success($0) } ?? .failure(Unexpected("it does not start")))
        }
      }
    }

    func stop() async {
      process.send(SIGINT)
      await process.wait()
    }
  }
}
