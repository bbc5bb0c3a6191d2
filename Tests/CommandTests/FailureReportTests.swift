import Testing

@testable import HearthCommand

@Suite("Reports of repeated failures")
struct FailureReportTests {
  @Test("the first failure is logged at once, further ones once in ten seconds")
  func pause() {
    let report = FailureReport()
    let start = ContinuousClock.now
    let due = [0, 100, 9_999, 10_000, 10_100, 19_999, 20_000, 60_000].filter {
      report.isDue(at: start + .milliseconds($0))
    }
    #expect(due == [0, 10_000, 20_000, 60_000])
  }
}
