import TestSupport

extension SeededGenerator {
  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }
  mutating func chance(_ percent: Int) -> Bool { number(1...100) <= percent }
  mutating func pick<Element>(_ list: some Collection<Element>) -> Element? { list.randomElement(using: &self) }

  /// A random time up to `limit`, in microseconds.
  mutating func time(upTo limit: Duration) -> Duration { .microseconds(number(0...limit.microseconds)) }

  mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) } }

  /// A random UUIDv8 as text.
  mutating func id() -> String {
    var bytes = bytes(16)
    bytes[6] = bytes[6] & 0x0F | 0x80
    bytes[8] = bytes[8] & 0x3F | 0x80
    let digits = bytes.map { byte in
      let text = String(byte, radix: 16)
      return text.count == 1 ? "0" + text : text
    }
    func part(_ range: Range<Int>) -> String { digits[range].joined() }
    return [part(0..<4), part(4..<6), part(6..<8), part(8..<10), part(10..<16)].joined(separator: "-")
  }
}

extension Duration {
  var microseconds: Int { Int(components.seconds) * 1_000_000 + Int(components.attoseconds / 1_000_000_000_000) }
}
