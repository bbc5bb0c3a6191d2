/// Letters as ASCII, for the names of domains (RFC 3492).
enum Punycode {
  // RFC 3492 §5.
  private static let base = 36
  private static let leastThreshold = 1
  private static let mostThreshold = 26
  private static let skew = 38
  private static let damp = 700
  private static let initialBias = 72
  private static let initialScalar = 128
  /// A label of a domain has at most 63 bytes, and each of its scalars takes at least one.
  private static let limit = 63

  /// Encodes a label, without the prefix `xn--` (RFC 3492 §6.3). `nil` for more than 63 scalars: then no sum below can
  /// overflow.
  static func encode(_ label: String) -> String? {
    let scalars = label.unicodeScalars.map { Int($0.value) }
    guard scalars.count <= limit else { return nil }
    var output = label.unicodeScalars.filter(\.isASCII).map { Character($0) }
    let basicCount = output.count
    if basicCount > 0 { output.append("-") }
    var (scalar, delta, bias, handled) = (initialScalar, 0, initialBias, basicCount)
    while handled < scalars.count, let next = scalars.lazy.filter({ $0 >= scalar }).min() {
      delta += (next - scalar) * (handled + 1)
      scalar = next
      for other in scalars {
        if other < scalar { delta += 1 }
        guard other == scalar else { continue }
        write(delta, bias, to: &output)
        bias = adapted(delta, count: handled + 1, isFirst: handled == basicCount)
        delta = 0
        handled += 1
      }
      delta += 1
      scalar += 1
    }
    return String(output)
  }

  /// Writes a number in digits of which the last one tells that it is the last.
  private static func write(_ delta: Int, _ bias: Int, to output: inout [Character]) {
    var rest = delta
    var position = base
    while true {
      let threshold = min(max(position - bias, leastThreshold), mostThreshold)
      if rest < threshold { break }
      output.append(digit(threshold + (rest - threshold) % (base - threshold)))
      rest = (rest - threshold) / (base - threshold)
      position += base
    }
    output.append(digit(rest))
  }

  /// RFC 3492 §6.1.
  private static func adapted(_ delta: Int, count: Int, isFirst: Bool) -> Int {
    var delta = isFirst ? delta / damp : delta / 2
    delta += delta / count
    var position = 0
    while delta > (base - leastThreshold) * mostThreshold / 2 {
      delta /= base - leastThreshold
      position += base
    }
    return position + (base - leastThreshold + 1) * delta / (delta + skew)
  }

  /// `a` to `z`, then `0` to `9`.
  private static func digit(_ value: Int) -> Character {
    Character(Unicode.Scalar(UInt8(value < 26 ? 0x61 + value : 0x30 + value - 26)))
  }
}
