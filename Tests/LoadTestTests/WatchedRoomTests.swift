import JSON
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

  @Test("CHO-9: statistics must grow by what was done, no more and no less")
  func chores() {
    let room = WatchedRoom([], .chores)
    room.choreSums = [70]
    #expect(!room.countsChoresOnce)
    room.completionCount = 5
    for (after, isRight) in [(74, false), (75, true), (76, false)] {
      room.choreSums = [70, after]
      #expect(room.countsChoresOnce == isRight)
    }
  }

  @Test("a round of chores goes on with the occurrence that comes next, and does each errand once")
  func round() throws {
    var round = ChoreRound()
    let tape = Tape()
    var errands: [String] = []
    for number in 1...64 {
      round.goOn()
      let writer = Writer()
      writer.openObject()
      round.write(to: writer)
      writer.closeObject()
      let parameters = try JSON.parse(writer.bytes())
      if round.step == .complete { #expect(parameters["id"]?.string == round.occurrence) }
      if round.step == .completeErrand { errands.append(parameters["id"]?.string ?? "") }
      round.answered(try tape.parse(Array("{\"next\":\"number \(number)\"}".utf8).span))
    }
    #expect(errands.count == 4 && Set(errands).count == 4)
    // The last step of a round completes the chore.
    #expect(round.occurrence == "number 64")
  }
}
