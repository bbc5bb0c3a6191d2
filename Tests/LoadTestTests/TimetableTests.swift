import Testing

@testable import loadtest

@Suite("Load test: timetable")
struct TimetableTests {
  private static let ms: Int64 = 1_000_000

  @Test("every entry is due once, never early, and at most two slots late")
  func order() {
    var table = Timetable<Int>(from: 1000 * Self.ms)
    let moments: [Int64] = [1000, 1001, 1009, 1010, 1011, 1500, 90_000]
    for (index, moment) in moments.enumerated() { table.add(index, at: moment * Self.ms) }
    var called: [Int: Int64] = [:]
    var now: Int64 = 1000
    while now < 91_000 {
      for item in table.take(at: now * Self.ms) {
        #expect(called[item] == nil)
        called[item] = now
      }
      now += now < 2000 ? 1 : 7
    }
    for (index, moment) in moments.enumerated() {
      let late = (called[index] ?? .max) - moment
      #expect(0...30 ~= late, "\(moment)")
    }
    #expect(table.next == .max)
  }

  @Test("an entry in the past is due at once")
  func past() {
    var table = Timetable<Int>(from: 1000 * Self.ms)
    #expect(table.take(at: 5000 * Self.ms).isEmpty)
    table.add(1, at: 0)
    #expect(table.next <= 5020 * Self.ms)
    #expect(table.take(at: 5020 * Self.ms) == [1])
  }
}
