import Foundation
import JSON
import Testing

/// The program on a machine whose clock is set. `SimulationTests` has the rules.
@Suite("A clock that is set")
struct ClockTests {
  static func signUp(_ name: String, at port: UInt16) async throws -> Member {
    let client = try await TestClient.connect(port: port)
    let email = "\(name.lowercased())@example.org"
    let answer = try await client.call(
      "auth.signUp", ["email": .string(email), "password": "correct horse", "name": .string(name)])
    let member = Member(
      client: client, name: name, email: email, id: try #require(answer["me"]?.string),
      token: try #require(answer["token"]?.string))
    try await member.hello()
    return member
  }

  @Test("R-031: with the clock set back an hour, ticks go on, and a silent sharer is lost in time")
  func setBack() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "hearth-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let clock = try SteeredClock()
    let server = try await ServerProcess.start(data: folder, through: clock.command)
    let ana = try await Self.signUp("Ana", at: server.port)
    let bo = try await Self.signUp("Bo", at: server.port)
    try await ana.letIn([bo], to: try await ana.makeHousehold())
    let room = try await ana.share(with: bo)
    try await ana.report(fix(52.5, 13.4))
    let share = try await bo.watch(room)
    bo.client.hearTicks()
    try clock.setWall(by: .seconds(-3600))
    for number in 1...8 {
      try await clock.pass(seconds: 25) { try await bo.client.fence() }
      _ = try await bo.client.notification("room.tick")
      // The time that the test takes passes, too, so this is not tried right before the 180 s.
      if number == 4 { #expect(try await bo.watch(room).state["share"]?["lost"] == nil) }
    }
    try await share.follow { $0["share"]?["lost"] == "noContact" }
    await server.stop()
  }
}
