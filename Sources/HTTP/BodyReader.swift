/// Reads one body, up to a limit: whole into memory, or piece by piece.
public struct BodyReader: Sendable {
  private enum Phase: Sendable {
    case data(remaining: Int)
    case untilClose
    case chunkSize
    case chunk(remaining: Int)
    case chunkEnd
    case trailer
    case complete
  }

  /// The most bytes of a chunk's size line with its extensions, and of all trailer lines together.
  private static let lineLimit = 256
  private static let trailerLimit = 1024

  /// The bytes received so far.
  public private(set) var body: [UInt8] = []
  private var phase: Phase
  private var line: [UInt8] = []
  private var trailerSize = 0
  /// The bytes that `body` may have, beside those that were drained.
  private var limit: Int

  /// `limit` is the largest body in bytes. Throws `bodyTooLarge` at once if the declared length exceeds it.
  public init(_ framing: BodyFraming, limit: Int) throws(HTTPError) {
    self.limit = max(limit, 0)
    switch framing {
    case .none: phase = .complete
    case .length(let length):
      guard length <= UInt64(self.limit) else { throw .bodyTooLarge(length) }
      phase = length == 0 ? .complete : .data(remaining: Int(length))
    case .chunked: phase = .chunkSize
    case .untilClose: phase = .untilClose
    }
  }

  /// Takes what has been read so far out of the reader. It still counts towards the limit.
  public mutating func drain() -> [UInt8] {
    limit -= body.count
    defer { body = [] }
    return body
  }

  /// Whether the body has ended.
  public var isComplete: Bool {
    if case .complete = phase { true } else { false }
  }

  /// Takes the next bytes of the connection and returns how many of them belong to the body.
  public mutating func receive(_ bytes: Span<UInt8>) throws(HTTPError) -> Int {
    var offset = 0
    while offset < bytes.count {
      switch phase {
      case .complete: return offset
      case .data(let remaining):
        let count = take(bytes.extracting(offset...), atMost: remaining)
        offset += count
        phase = count == remaining ? .complete : .data(remaining: remaining - count)
      case .untilClose:
        guard bytes.count - offset <= limit - body.count else { throw .bodyTooLarge(UInt64(limit) + 1) }
        offset += take(bytes.extracting(offset...), atMost: limit)
      case .chunk(let remaining):
        let count = take(bytes.extracting(offset...), atMost: remaining)
        offset += count
        phase = count == remaining ? .chunkEnd : .chunk(remaining: remaining - count)
      case .chunkSize, .chunkEnd, .trailer:
        let byte = bytes[offset]
        offset += 1
        if try endsLine(byte) { try lineEnded() }
      }
    }
    return offset
  }

  /// Reports the end of the connection. Throws `incomplete` if the body is not complete then.
  public mutating func end() throws(HTTPError) {
    switch phase {
    case .complete, .untilClose: phase = .complete
    default: throw .incomplete
    }
  }

  private mutating func take(_ bytes: Span<UInt8>, atMost limit: Int) -> Int {
    let count = min(bytes.count, limit)
    for index in 0..<count { body.append(bytes[index]) }
    return count
  }

  /// Collects a line of the chunked coding and returns whether `byte` ended it.
  private mutating func endsLine(_ byte: UInt8) throws(HTTPError) -> Bool {
    let isAfterReturn = line.last == .carriageReturn
    guard isAfterReturn == (byte == .lineFeed) else { throw .malformedChunk }
    guard byte.isFieldCharacter || byte == .carriageReturn || byte == .lineFeed else { throw .malformedChunk }
    if byte == .lineFeed {
      line.removeLast()
      return true
    }
    guard line.count < Self.lineLimit else { throw .malformedChunk }
    line.append(byte)
    return false
  }

  private mutating func lineEnded() throws(HTTPError) {
    defer { line.removeAll(keepingCapacity: true) }
    switch phase {
    case .chunkSize:
      let size = try chunkSize()
      guard size <= UInt64(limit - body.count) else { throw .bodyTooLarge(UInt64(body.count) + size) }
      phase = size == 0 ? .trailer : .chunk(remaining: Int(size))
    case .chunkEnd:
      guard line.isEmpty else { throw .malformedChunk }
      phase = .chunkSize
    default:
      // Trailers are ignored.
      trailerSize += line.count
      guard trailerSize <= Self.trailerLimit else { throw .malformedChunk }
      if line.isEmpty { phase = .complete }
    }
  }

  /// Parses hexadecimal digits and ignores extensions after them (RFC 9112 §7.1.1).
  private func chunkSize() throws(HTTPError) -> UInt64 {
    let digits = line.prefix { $0.hexDigitValue != nil }
    guard !digits.isEmpty, digits.count <= 8 else { throw .malformedChunk }
    let rest = line.dropFirst(digits.count).trimmingBlanks()
    guard rest.isEmpty || rest.first == UInt8(ascii: ";") else { throw .malformedChunk }
    return digits.reduce(0) { $0 << 4 | UInt64($1.hexDigitValue ?? 0) }
  }
}
