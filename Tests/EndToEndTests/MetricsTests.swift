import Foundation
import JSON
import Rooms
import TestSupport
import Testing

@testable import HearthCommand
@testable import Server

/// OPS-2: the server's metrics, and access to them.
@Suite("Metrics")
struct MetricsTests {
  /// A strict parser of the exposition format.
  struct Exposition {
    var types: [String: String] = [:]
    var samples: [(name: String, labels: [String: String], value: Double)] = []

    init(_ text: String) throws {
      guard text.hasSuffix("\n") else { throw Unexpected("the last line is not terminated") }
      var helped: Set<String> = []
      var current = ""
      for line in text.dropLast().components(separatedBy: "\n") {
        if let match = line.wholeMatch(of: /# HELP ([a-z][a-z0-9_]*) (.+)/) {
          guard helped.insert(String(match.output.1)).inserted else { throw Unexpected("repeated: \(line)") }
        } else if let match = line.wholeMatch(of: /# TYPE ([a-z][a-z0-9_]*) (counter|gauge|histogram)/) {
          current = String(match.output.1)
          guard helped.contains(current), types.updateValue(String(match.output.2), forKey: current) == nil else {
            throw Unexpected("a type without help, or repeated: \(line)")
          }
        } else if let match = line.wholeMatch(of: /([a-z][a-z0-9_]*)(?:\{([^{}]*)\})? (-?[0-9.e+-]+)/) {
          let name = String(match.output.1)
          let base = types[current] == "histogram" ? name.replacing(/_(bucket|sum|count)$/, with: "") : name
          guard base == current, let value = Double(match.output.3) else { throw Unexpected("wrong place: \(line)") }
          var labels: [String: String] = [:]
          let inside = match.output.2 ?? ""
          for pair in inside.split(separator: ",") {
            guard let label = pair.wholeMatch(of: /([a-z_]+)="([^"\\]*)"/) else { throw Unexpected("\(line)") }
            labels[String(label.output.1)] = String(label.output.2)
          }
          if samples.contains(where: { $0.name == name && $0.labels == labels }) {
            throw Unexpected("repeated: \(line)")
          }
          samples.append((name, labels, value))
        } else {
          throw Unexpected("invalid line: \(line)")
        }
      }
    }

    subscript(name: String, labels: [String: String]) -> Double {
      samples.first { $0.name == name && $0.labels == labels }?.value ?? 0
    }

    subscript(name: String) -> Double { self[name, [:]] }
  }

  private func read(_ server: TestServer) async throws -> Exposition {
    let answer = try await server.caller().send("", method: "GET", path: "/metrics", Self.plain)
    #expect(answer.status == 200 && answer.headers["content-type"]?.hasPrefix("text/plain; version=0.0.4") == true)
    return try Exposition(answer.body)
  }

  private static let plain: [String: String?] = ["Content-Type": nil, "Content-Length": nil]

  @Test(
    "OPS-2: durations are converted to seconds, below and above nine seconds",
    arguments: [
      (.zero, 0), (.microseconds(125), 0.000125), (.milliseconds(-250), -0.25), (.seconds(9), 9),
      (.milliseconds(10_500), 10.5), (.seconds(86_400), 86_400), (.milliseconds(-10_500), -10.5),
    ] as [(Duration, Double)])
  func seconds(duration: Duration, seconds: Double) { #expect(duration.seconds == seconds) }

  @Test("OPS-2: metrics have the right format and change with the server's activity")
  func numbers() async throws {
    let gate = Gate()
    let server = try await TestServer.start { $0.wrap = { gate.wrap($0) } }
    defer { server.end() }
    let before = try await read(server)
    #expect(before["hearth_subscriptions"] == 0 && before["hearth_commits_total"] == 0)
    let (room, members) = try await server.household("Ana", "Bo")
    let copy = try await members[1].watch(room)
    for number in 1...5 { try await members[0].call("notes.add", in: room, ["text": "\(number)"]) }
    _ = try await members[0].refusal("notes.add", in: room, ["text": ""])
    _ = try await members[0].refusal("notes.burn", in: room)
    try await copy.follow { $0["notes"]?.object?.count == 5 }
    try await server.caller(members[0]).call("notes.add", ["room": .string(room), "text": "six"])
    #expect(try await server.caller().send("{}").status == 401)
    let epoch = try #require(copy.answer["epoch"])
    try await members[1].call("room.subscribe", in: room, ["epoch": epoch, "version": 2])
    let share = try await members[0].share(with: members[1])
    try await members[1].call("room.subscribe", in: share)
    for lon in [1, 2, 3] as [JSON] { try await members[0].report(fix(52.5, lon)) }
    let after = try await read(server)
    let add = "notes.add"
    #expect(after["hearth_calls_total", ["method": add, "outcome": "answered"]] == 6)
    #expect(after["hearth_calls_total", ["method": add, "outcome": "refused"]] == 1)
    #expect(after["hearth_calls_total", ["method": "unknown", "outcome": "refused"]] >= 1)
    #expect(after["hearth_refusals_total", ["reason": "invalidParams"]] == 1)
    #expect(after["hearth_http_responses_total", ["status": "200"]] == 2, "one call, and the first reading")
    #expect(after["hearth_http_responses_total", ["status": "401"]] == 1)
    #expect(after["hearth_resumes_total", ["outcome": "patch"]] == 1)
    #expect(after["hearth_resumes_total", ["outcome": "new"]] >= 3)
    #expect(after["hearth_connections", ["kind": "member"]] == 2)
    #expect(after["hearth_rooms", ["kind": "household"]] == 1 && after["hearth_rooms", ["kind": "share"]] == 1)
    #expect(after["hearth_subscriptions"] == 3)
    #expect(after["hearth_patches_total"] >= 10 && after["hearth_patch_bytes_total"] > 1000)
    #expect(after["hearth_commits_total"] > 6 && after["hearth_commit_seconds_count"] == after["hearth_commits_total"])
    #expect(after["hearth_commit_rooms_bucket", ["le": "+Inf"]] == after["hearth_commits_total"])
    #expect(after["hearth_commit_rooms_sum"] >= after["hearth_commits_total"])
    #expect(after["hearth_position_gap_seconds_count"] == 2)
    #expect(after["hearth_uptime_seconds"] > 0 && after["hearth_uptime_seconds"] >= before["hearth_uptime_seconds"])
    #expect(after["process_resident_memory_bytes"] > 1e6 && after["process_cpu_seconds_total"] > 0)
    #expect(after["hearth_build_info", ["protocol": "hearth.v1"]] == 1)
    gate.failOnce(in: room)
    _ = try await members[0].refusal("notes.add", in: room, ["text": "x"])
    #expect(try await read(server)["hearth_commit_failures_total", ["kind": "full"]] == 1)
    // Counters only increase.
    for (name, type) in after.types where type == "counter" { #expect(after[name] >= before[name], "\(name)") }
  }

  @Test("OPS-2: slow clients, their merged changes, and rooms that leave memory are counted")
  func slow() async throws {
    let server = try await TestServer.start { $0.configuration.roomIdleLimit = .seconds(1) }
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo")
    try await members[0].fill(room)
    members[1].stopReading(whileWatching: room)
    let start = Date()
    while try await read(server)["hearth_fell_behind_total"] == 0, Date().timeIntervalSince(start) < 20 {
      try await members[0].call("notes.add", in: room, ["text": "x"])
    }
    #expect(try await read(server)["hearth_slow_connections"] >= 1)
    members[1].client.pauseReading(false)
    let limit = Date().addingTimeInterval(20)
    while try await read(server)["hearth_merged_patches_total"] == 0, Date() < limit {
      try await Task.sleep(for: .milliseconds(50))
    }
    #expect(try await read(server)["hearth_merged_patches_total"] > 0)
    for member in members { member.client.drop() }
    while try await read(server)["hearth_room_evictions_total"] == 0, Date() < limit {
      try await Task.sleep(for: .milliseconds(100))
    }
    #expect(try await read(server)["hearth_room_evictions_total"] > 0)
  }

  @Test("OPS-2: neither metrics nor log contain a name, address, text, id, token or position")
  func canaries() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let ana = try await server.member("Canarina", email: "canary@yellow.example")
    let bo = try await server.member("Kanarek")
    let room = try await ana.makeHousehold("Birdcage")
    try await ana.letIn([bo], to: room)
    try await ana.call("notes.add", in: room, ["text": "feathers"])
    try await ana.invite("serin@yellow.example", to: room)
    let share = try await ana.share(with: bo)
    // Southern and western coordinates, since no metric is negative: a CPU time of 29.4 s is not a position.
    try await ana.report(fix(-41.1234, -129.4321))
    _ = try await ana.refusal("feathers.count", in: room)
    _ = try await server.caller().send(HTTPCaller.message("feathers"), ["Authorization": "Bearer feathers"])
    let answer = try await server.caller(ana).send("", method: "GET", path: "/metrics", Self.plain)
    let told = answer.body + server.log.joined(separator: "\n")
    for canary in [
      "Canarina", "Kanarek", "canary", "serin", "yellow", "Birdcage", "feathers", "-41.1", "-129.4", ana.id, bo.id,
      ana.token, String(room.dropFirst(10)), String(share.dropFirst(6)),
    ] {
      #expect(!told.localizedCaseInsensitiveContains(canary), "\(canary)")
    }
  }

  @Test("OPS-2: metrics are available only from this machine without a proxy, or with a token")
  func access() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let stranger = server.caller()
    func status(_ changes: [String: String?], method: String = "GET") async throws -> Int {
      let all = Self.plain.merging(changes) { $1 }
      return try await stranger.send("", method: method, path: "/metrics", all).status
    }
    #expect(try await status([:]) == 200)
    #expect(try await status([:], method: "POST") == 405)
    for header in ["X-Forwarded-For", "Forwarded", "Via", "Origin"] {
      #expect(try await status([header: "http://elsewhere.example"]) == 403, "\(header)")
    }
    try await server.restart { $0.configuration.metricsToken = "prometheus" }
    let later = server.caller()
    for (header, status) in [
      (nil, 403), ("Bearer prometheu", 403), ("Bearer prometheus ", 200), ("bearer prometheus", 403),
      ("Bearer prometheus", 200),
    ] as [(String?, Int)] {
      let all = Self.plain.merging(["Authorization": header, "X-Forwarded-For": "198.51.100.7"]) { $1 }
      let answer = try await later.send("", method: "GET", path: "/metrics", all)
      #expect(answer.status == status, "\(header ?? "none")")
    }
  }
}
