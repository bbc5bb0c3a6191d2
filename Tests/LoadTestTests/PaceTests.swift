import Testing

@testable import loadtest

@Suite("Load test: pace")
struct PaceTests {
  @Test("due moments come on time, missed ones come at once, and the pace does not drift")
  func moments() {
    var pace = Pace(from: 1000, rate: 3)
    #expect(pace.take(at: 999) == nil)
    #expect(pace.take(at: 1000) == 1000)
    #expect(pace.take(at: 1000) == nil && pace.count == 1)
    #expect(pace.due == 333_334_333)
    var taken: [Int64] = []
    while let due = pace.take(at: 1_000_001_000) { taken.append(due) }
    #expect(taken == [333_334_333, 666_667_666, 1_000_001_000] && pace.count == 4)
  }
}
