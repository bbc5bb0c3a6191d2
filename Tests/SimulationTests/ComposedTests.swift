import Testing

@testable import Simulation

@Suite("Bytes of a link, by when they were composed")
struct ComposedTests {
  @Test("bytes that are taken off a list keep the moments at which they were composed")
  func take() {
    let list = [Composed(count: 3, at: .seconds(1)), Composed(count: 5, at: .seconds(2))]
    for cut in 0...8 {
      var rest = list[...]
      let taken = Composed.take(cut, from: &rest)
      let moments = (taken + rest).flatMap { Array(repeating: $0.at, count: $0.count) }
      #expect(moments == Array(repeating: .seconds(1), count: 3) + Array(repeating: .seconds(2), count: 5), "\(cut)")
      #expect(taken.reduce(0) { $0 + $1.count } == cut)
    }
  }
}
