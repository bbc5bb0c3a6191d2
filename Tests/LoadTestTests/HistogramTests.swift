import Testing

@testable import loadtest

@Suite("Load test: histogram")
struct HistogramTests {
  @Test("a single value is reported within 1 %, and never too low", arguments: [1.0, 1.003, 1.5, 1.97, 1.999])
  func precision(factor: Double) {
    for power in 0..<62 {
      let value = Int64(Double(Int64(1) << power) * factor)
      // A second, larger value, so that the percentile is the end of a bucket instead of the maximum.
      var histogram = Histogram()
      for _ in 0..<99 { histogram.record(value) }
      histogram.record(.max)
      let read = histogram.percentile(0.5)
      #expect(read >= value, "\(value)")
      #expect(Double(read - value) <= Double(value) * 0.01, "\(value) was reported as \(read)")
    }
  }

  @Test("percentiles match those of the sorted values")
  func percentiles() {
    var histogram = Histogram()
    #expect(histogram.percentile(0.99) == 0)
    for value in 1...100 { histogram.record(Int64(value)) }
    for percent in 1...100 { #expect(histogram.percentile(Double(percent) / 100) == percent) }
    histogram.record(-5)
    #expect(histogram.percentile(0) == 0)
    histogram.record(.max)
    #expect(histogram.percentile(1) == .max)
    #expect(histogram.largest == .max)
    #expect(histogram.count == 102)
  }
}
