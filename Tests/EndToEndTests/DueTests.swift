import Foundation
import JSON
import Testing

@testable import HearthCommand

@Suite("Due times")
struct DueTests {
  @Test("thousands of rooms that were due before the start are served at once, a bounded number in memory at a time")
  func afterDowntime() async throws {
    let count = 2500
    let folder = FileManager.default.temporaryDirectory.appending(path: "hearth-due-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let outcome = try await Program.run([
      "seed", "--data", folder.path, "--out", folder.appending(path: "people").path, "--households", "\(count)",
      "--members", "1", "--expire-after", "900",
    ])
    #expect(outcome.status == 0, "\(outcome)")
    let server = try await TestServer.start(in: folder) {
      $0.loopCount = 1
      $0.wrap = { LaterStore($0, after: .seconds(1000)) }
    }
    defer { server.end() }
    var served = 0
    var most = 0
    let limit = ContinuousClock.now + .seconds(60)
    while served < count, ContinuousClock.now < limit {
      try await Task.sleep(for: .milliseconds(50))
      let text = try await server.caller().send("", method: "GET", path: "/metrics", Self.plain).body
      served = Self.value("hearth_due_total", in: text) ?? 0
      most = max(most, Self.value("hearth_rooms{kind=\"household\"}", in: text) ?? 0)
    }
    #expect(served == count)
    #expect(most > 0 && most <= 2100)
  }

  private static let plain: [String: String?] = ["Content-Type": nil, "Content-Length": nil]

  private static func value(_ name: String, in text: String) -> Int? {
    text.split(separator: "\n").first { $0.hasPrefix("\(name) ") }.flatMap { Int($0.dropFirst(name.count + 1)) }
  }
}
