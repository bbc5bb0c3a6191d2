import HearthClient
import TestSupport
import Testing

@Suite("Backoff")
struct BackoffTests {
  @Test("the longest delay doubles from half a second to thirty seconds")
  func ceilings() {
    var backoff = Backoff()
    var ceilings: [Duration] = []
    for _ in 0..<9 {
      ceilings.append(backoff.ceiling)
      _ = backoff.next(unit: 0.5)
    }
    #expect(
      ceilings == [
        .milliseconds(500), .seconds(1), .seconds(2), .seconds(4), .seconds(8), .seconds(16), .seconds(30),
        .seconds(30), .seconds(30),
      ])
    for _ in 0..<1000 { _ = backoff.next(unit: 0.5) }
    #expect(backoff.ceiling == .seconds(30))
    backoff.reset()
    #expect(backoff.ceiling == .milliseconds(500))
  }

  @Test("delays are spread evenly between zero and the longest delay")
  func jitter() {
    var random = SeededGenerator(seed: 7)
    var tenths = [Int](repeating: 0, count: 10)
    for _ in 0..<10_000 {
      var backoff = Backoff()
      _ = backoff.next(unit: 0)
      let delay = backoff.next(unit: Double.random(in: 0..<1, using: &random))
      #expect(delay >= .zero && delay < .seconds(1))
      tenths[min(9, Int(delay / .milliseconds(100)))] += 1
    }
    for count in tenths { #expect((850...1150).contains(count), "\(tenths)") }
  }
}
