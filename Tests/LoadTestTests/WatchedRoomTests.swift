import Testing

@testable import loadtest

@Suite("Load test: a watched room")
struct WatchedRoomTests {
  @Test("a delivery's latency counts from its cause, whether the answer comes before, between or after deliveries")
  func latency() throws {
    let generator = try Generator(TargetOptions.parse([]))
    let person = Person(token: "", id: "", household: "")
    let room = WatchedRoom((0..<2).map { _ in generator.add(person, rooms: [person.room]) }, .edit)
    room.begin()
    var all = Histogram()
    var last = Histogram()

    room.answered(1, startedAt: 1, deliveries: &all, last: &last)
    room.delivered(1...1, at: 3, deliveries: &all, last: &last)
    #expect(last.count == 0)
    room.delivered(1...1, at: 8, deliveries: &all, last: &last)
    #expect((all.count, last.count, last.largest) == (2, 1, 7))

    room.delivered(2...3, at: 20, deliveries: &all, last: &last)
    room.answered(2, startedAt: 10, deliveries: &all, last: &last)
    room.delivered(2...3, at: 30, deliveries: &all, last: &last)
    #expect((all.count, last.count, last.largest) == (4, 2, 20))

    room.answered(3, startedAt: 5, deliveries: &all, last: &last)
    #expect((all.count, last.count, last.largest) == (6, 3, 25))
  }
}
