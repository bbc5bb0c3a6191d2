import JSON
import Rooms
import Testing

@testable import HearthCommand

/// The calendar and special events from beginning to end.
@Suite("Use cases of events")
struct EventUseCaseTests {
  @Test("S1.11: a special event: description, the time that each needs, availability, the best time, in the calendar")
  func specialEvent() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo", "Cy")
    let (ana, bo, cy) = (members[0], members[1], members[2])
    let (board, bell) = (try await bo.watch(room), try await cy.watch("me"))
    // Whole hours, so that quarters of an hour begin there.
    let hour = Instant(milliseconds: Instant.now.milliseconds / 3_600_000 * 3_600_000)
    func at(_ hours: Int) -> JSON { (hour + .seconds(3600 * hours)).json }
    let minutes: JSON = .object([ana.id: 90, bo.id: 60, cy.id: 30])
    let special = try await ana.call(
      "specialEvents.create", in: room,
      [
        "title": "End of the semester", "description": "Everything, windows too", "minutes": minutes,
        "window": ["from": at(24), "to": at(48)],
      ])
    let id = try #require(special["id"])
    // All three are asked, and say when they cannot come.
    try await bell.follow { $0["inbox"]?.object?.values.contains { $0["kind"] == "specialEvent" } == true }
    try await ana.call("specialEvents.busy", in: room, ["id": id, "intervals": [["from": at(24), "to": at(30)]]])
    try await bo.call("specialEvents.busy", in: room, ["id": id, "intervals": [["from": at(31), "to": at(40)]]])
    try await cy.call("specialEvents.busy", in: room, ["id": id, "intervals": []])
    try await board.follow { $0["specialEvents"]?.object?.values.first?["busy"]?.object?.count == 3 }
    // From 30 to 31 all can come: Ana stays half an hour longer than Bo.
    let slots = try await bo.call("specialEvents.slots", in: room, ["id": id, "limit": 2])
    let best = try #require(slots["items"]?.array)
    #expect(best.map { $0["start"] } == [at(30), at(40)] && best.allSatisfy { $0["people"]?.array?.count == 3 })
    #expect(Instant(best[0]["end"]) == Instant(best[0]["start"]).map { $0 + .seconds(90 * 60) })
    // Bo is neither author nor host; Ana confirms.
    let chosen: [String: JSON] = ["id": id, "start": at(30)]
    #expect(try await bo.refusal("specialEvents.confirm", in: room, chosen).code == 2)
    let event = try await ana.call("specialEvents.confirm", in: room, chosen)
    try await board.follow { $0["specialEvents"] == nil && $0["events"] != nil }
    let made = try #require(board["events"][event["id"]?.string ?? ""])
    #expect(made["title"] == "End of the semester" && made["note"] == "Everything, windows too")
    #expect(made["who"]?.object?.count == 3)
    try await bell.follow { $0["inbox"]?.object?.values.contains { $0["kind"] == "event" } == true }
  }

  @Test("CHO-27: an event in the calendar is seen by all, changed by its author and the host only, and can be restored")
  func calendar() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo", "Cy")
    let (ana, bo, cy) = (members[0], members[1], members[2])
    let (wall, bell) = (try await cy.watch(room), try await ana.watch("me"))
    let day = String((Instant.now + .seconds(10 * 86_400)).description.prefix(10))
    let added = try await bo.call(
      "events.add", in: room, ["title": "House party", "start": .string(day + "T20:00"), "note": "Bring chairs"])
    let id = try #require(added["id"])
    try await wall.follow { $0["events"]?.object?.count == 1 }
    try await bell.follow { $0["inbox"]?.object?.values.contains { $0["kind"] == "event" } == true }
    #expect(try await cy.refusal("events.remove", in: room, ["id": id]).code == 2)
    try await ana.call("events.edit", in: room, ["id": id, "start": .string(day + "T21:00")])
    try await wall.follow { $0["events"]?.object?.values.first?["start"]?.string == day + "T21:00" }
    try await bo.call("events.remove", in: room, ["id": id])
    try await wall.follow { $0["events"] == nil }
    try await bo.call("events.restore", in: room, ["id": id])
    try await wall.follow { $0["events"]?.object?.values.first?["was"] == id }
  }
}
