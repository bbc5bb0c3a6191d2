import Foundation
import JSON
import Testing

/// LOC-24: the memory of a process whose share is over, which a core dump would hold.
@Suite("Forgotten positions")
struct ForgottenPositionTests {
  /// A position that occurs nowhere else, as it is written and as it is stored in memory.
  private struct Canary {
    let lat: Double
    let lon: Double

    /// With its name, for a failure.
    var patterns: [(String, Data)] {
      [lat, lon].flatMap { value in
        [("\(value)", Data("\(value)".utf8)), ("bits of \(value)", withUnsafeBytes(of: value) { Data($0) })]
      }
    }
  }

  @Test(
    "LOC-24: a minute after the end of a share no position, place or way is in the server's memory, files or output",
    arguments: [["--loops", "1"], ["--loops", "2"]])
  func forgotten(arguments: [String]) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "hearth-forgotten-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let clock = try SteeredClock()
    let server = try await ServerProcess.start(data: folder, arguments: arguments, through: clock.command)
    let ana = try await ClockTests.signUp("Ana", at: server.port)
    let bo = try await ClockTests.signUp("Bo", at: server.port)
    let home = try await ana.makeHousehold()
    try await ana.letIn([bo], to: home)
    // Five decimals, so that what is sent, kept and told is the same.
    let canaries = (0..<8).map { number -> Canary in
      let step = Double(number) * 1237
      return Canary(lat: (5_123_457 + step) / 1e5, lon: (476_543 + step) / 1e5)
    }
    func json(_ value: Double) throws -> JSON { .number(try #require(JSON.Number(value))) }
    let place = canaries[7]
    let walk = try await ana.share(
      with: [bo],
      [
        "place": ["lat": try json(place.lat), "lon": try json(place.lon), "r": 100, "label": "home"], "trail": true,
      ])
    _ = try await bo.watch(walk)
    for (number, canary) in canaries.dropLast().enumerated() {
      try await ana.report(fix(try json(canary.lat), try json(canary.lon)))
      _ = try await bo.client.notification("room.live")
      // Hashing a password wakes another thread, on which the loop may run next.
      _ = try await ClockTests.signUp("Guest\(number)", at: server.port)
    }
    let patterns = canaries.flatMap(\.patterns)
    #expect(try server.mappings(containing: patterns.map(\.1)).contains { $0 != nil }, "a running share is found")
    try await ana.call("shares.stop", in: walk)
    try await bo.call("shares.answerStop", in: walk, ["confirm": true])
    _ = try await bo.client.notification("room.closed")
    // Life goes on for a minute.
    for number in 1...12 {
      for member in [ana, bo] {
        try await member.call("notes.add", in: home, ["text": .string("Note \(number) of \(member.name)")])
        try await member.call("groceries.add", in: home, ["name": .string("Milk \(number)"), "quantity": 1.5])
      }
      try await clock.pass(seconds: 5) { try await bo.client.fence() }
    }
    for ((name, _), mapping) in zip(patterns, try server.mappings(containing: patterns.map(\.1))) {
      #expect(mapping == nil, "\(name)")
    }
    for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    where file.pathExtension != "sock" {
      let content = try Data(contentsOf: file)
      for (name, pattern) in patterns { #expect(content.range(of: pattern) == nil, "\(name) in \(file)") }
    }
    await server.stop()
  }
}
