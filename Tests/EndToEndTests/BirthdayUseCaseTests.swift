import Foundation
import JSON
import Rooms
import Testing

@testable import HearthCommand
@testable import Home

@Suite("Use cases: birthdays")
struct BirthdayUseCaseTests {
  @Test("S1.10: the others hear of a birthday a week and a day before and on the day, and on no other day")
  func birthday() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "hearth-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let clock = try SteeredClock()
    let server = try await ServerProcess.start(data: folder, through: clock.command)
    let ana = try await ClockTests.signUp("Ana", at: server.port)
    let bo = try await ClockTests.signUp("Bo", at: server.port)
    let room = try await ana.makeHousehold()
    try await ana.letIn([bo], to: room)
    for member in [ana, bo] {
      try await member.call("settings.edit", ["hour": "00:00", "timeZone": "Europe/Berlin"])
    }
    let home = try await ana.watch(room)
    let today = ZoneTime("Europe/Berlin").day(at: .now)
    try await bo.call("profile.update", ["birthday": .string("1992" + today.adding(10).text.dropFirst(4))])
    // Ana's own room is told with the patch that Ana sees, and takes a call after that.
    try await home.follow { $0["occurrences"]?.object?.count == 1 }
    try await ana.call("settings.edit", ["boardColour": "blue"])

    /// How often a person has heard of a birthday so far.
    func heard(_ me: JSON) -> Int { (me["inbox"]?.object ?? [:]).values.count { $0["kind"] == "birthday" } }
    func pass(days: Int) async throws {
      try clock.setWall(by: .seconds(days * 86_400))
      try await clock.passMinutes(for: [ana, bo])
    }
    #expect(try await heard(ana.watch("me").state) == 0)
    // From ten days before to seven, six, one, the day itself, and the day after.
    for (days, count) in [(3, 1), (1, 1), (5, 2), (1, 3), (1, 3)] {
      try await pass(days: days)
      let me = try await ana.watch("me")
      try await me.follow { heard($0) >= count }
      #expect(heard(me.state) == count)
    }
    let news = try await (ana.watch("me").state["inbox"]?.object ?? [:]).values.filter { $0["kind"] == "birthday" }
    #expect(news.allSatisfy { $0["actor"]?.string == bo.id && $0["actorName"] == "Bo" })
    #expect(try await heard(bo.watch("me").state) == 0, "it is the others' to know")
    await server.stop()
  }
}
