import Testing

@testable import HearthCommand

@Suite("Release of freed memory")
struct MemoryKeeperTests {
  private func dueLooks(_ times: [Int]) -> [Int] {
    var keeper = MemoryKeeper()
    return times.indices.filter { keeper.isDue(processorTime: .milliseconds(times[$0])) }
  }

  @Test("freed memory is returned to the kernel once, at the first idle moment after some work")
  func calm() {
    #expect(dueLooks([50, 60, 90]) == [])
    #expect(dueLooks([500, 1400, 1450, 1460, 1500]) == [2])
    #expect(dueLooks([500, 501, 900, 1300, 1301]) == [1, 4])
  }

  @Test("freed memory is returned to the kernel after a minute of work without an idle moment")
  func patience() {
    #expect(dueLooks((1...150).map { $0 * 900 }) == [59, 119])
  }
}
