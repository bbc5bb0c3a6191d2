import JSON

/// A request's id as it was written (JSON-RPC 2.0 §4), to stand in its answer. Most are numbers of a few digits, and
/// such take no memory of their own.
enum RequestID {
  /// Up to sixteen bytes, the first in the lowest bits.
  case short(UInt64, UInt64, count: Int)
  case long([UInt8])

  static let null = RequestID("null")

  private init(_ text: StaticString) {
    let writer = Writer(capacity: 16)
    writer.raw(text)
    self = writer.withSpan { RequestID($0) }
  }

  init(_ bytes: Span<UInt8>) {
    guard bytes.count <= 16 else {
      self = .long(bytes.copied)
      return
    }
    func word(_ range: Range<Int>) -> UInt64 {
      var word: UInt64 = 0
      for index in range.reversed() { word = word << 8 | UInt64(bytes[index]) }
      return word
    }
    let middle = min(8, bytes.count)
    self = .short(word(0..<middle), word(middle..<bytes.count), count: bytes.count)
  }

  func write(to writer: Writer) {
    switch self {
    case .short(let first, let second, let count):
      writer.raw(first, count: min(8, count))
      if count > 8 { writer.raw(second, count: count - 8) }
    case .long(let bytes): writer.raw(bytes)
    }
  }
}
