import Testing

@testable import Transport

@Suite("Load gauge")
struct LoadGaugeTests {
  private static let millisecond: Int64 = 1_000_000

  @Test("the load is the share of work in the measured time")
  func share() {
    var gauge = LoadGauge()
    for number in 0..<5 {
      let start = Int64(number) * 10 * Self.millisecond
      #expect(gauge.load == 0)
      gauge.note(from: start + 2 * Self.millisecond, to: start + 10 * Self.millisecond)
    }
    #expect(abs(gauge.load - 0.8) < 0.001)
  }

  @Test("a batch without an end is a load of 1, and a long wait is a load of 0")
  func extremes() {
    var gauge = LoadGauge()
    gauge.note(from: 0, to: 70 * Self.millisecond)
    #expect(gauge.load == 1)
    gauge.note(from: 10_000 * Self.millisecond, to: 10_001 * Self.millisecond)
    #expect(gauge.load < 0.001)
  }

  @Test("a clock that stands still or goes back adds no load")
  func backwards() {
    var gauge = LoadGauge()
    gauge.note(from: 5, to: 5)
    gauge.note(from: 10, to: 5)
    gauge.note(from: 60 * Self.millisecond, to: 60 * Self.millisecond)
    #expect(gauge.load == 0)
  }
}
