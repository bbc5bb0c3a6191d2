import JSON

/// A request's id as it was written (JSON-RPC 2.0 §4), to stand in its answer. Most are numbers of a few digits, and
/// such take no memory of their own.
struct RequestID {
  // No enumeration: a copy of one with both kinds takes a hundred instructions.
  /// Up to sixteen bytes, the first in the lowest bits.
  private var words: (UInt64, UInt64) = (0, 0)
  private let count: Int
  /// All of them, where they are more.
  private var long: [UInt8]?

  static let null = RequestID("null")

  private init(_ text: StaticString) {
    let writer = Writer(capacity: 16)
    writer.raw(text)
    self = writer.withSpan { RequestID($0) }
  }

  init(_ bytes: Span<UInt8>) {
    count = bytes.count
    guard count <= 16 else {
      long = bytes.copied
      return
    }
    func word(_ range: Range<Int>) -> UInt64 {
      var word: UInt64 = 0
      for index in range.reversed() { word = word << 8 | UInt64(bytes[index]) }
      return word
    }
    let middle = min(8, count)
    words = (word(0..<middle), word(middle..<count))
  }

  func write(to writer: Writer) {
    if let long { return writer.raw(long) }
    writer.raw(words.0, count: min(8, count))
    if count > 8 { writer.raw(words.1, count: count - 8) }
  }
}
