import Testing

@testable import hearth

@Suite("Freed memory")
struct MemoryKeeperTests {
  private func dueLooks(_ times: [Int]) -> [Int] {
    var keeper = MemoryKeeper()
    return times.indices.filter { keeper.isDue(processorTime: .milliseconds(times[$0])) }
  }

  @Test("is given back at the first calm moment behind some work, and once")
  func calm() {
    #expect(dueLooks([50, 60, 90]) == [])
    #expect(dueLooks([500, 1400, 1450, 1460, 1500]) == [2])
    #expect(dueLooks([500, 501, 900, 1300, 1301]) == [1, 4])
  }

  @Test("is given back after a minute of work without calm")
  func patience() {
    #expect(dueLooks((1...150).map { $0 * 900 }) == [59, 119])
  }
}
