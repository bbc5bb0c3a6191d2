/// Limits on the head of a message.
public struct HeadLimits: Sendable {
  /// The largest head in bytes, including the empty line at its end.
  public var sizeBytes: Int
  public var headerCount: Int

  public init(sizeBytes: Int = 8192, headerCount: Int = 64) {
    self.sizeBytes = sizeBytes
    self.headerCount = headerCount
  }
}

/// Collects the lines of a head from pieces of any size, reading each byte once (RFC 9112 §2.2).
///
/// Strict where leniency has allowed request smuggling: a line ends only with CR LF, the tab is the only control
/// character, and no line is folded.
struct HeadScanner: Sendable {
  let limits: HeadLimits
  private(set) var bytes: [UInt8] = []
  /// The range of each line in `bytes`, without its line end.
  private(set) var lines: [Range<Int>] = []
  private var lineStart = 0
  private var hasSkippedEmptyLine = false

  init(limits: HeadLimits) { self.limits = limits }

  /// Takes bytes up to the end of the head. Returns how many of `input` belong to it, or `nil` if all do and more must
  /// follow.
  mutating func scan(_ input: Span<UInt8>) throws(HTTPError) -> Int? {
    for index in input.indices {
      guard bytes.count < limits.sizeBytes else {
        throw lines.isEmpty ? .targetTooLong(limits.sizeBytes) : .headTooLarge(limits.sizeBytes)
      }
      if try take(input[index]) { return index + 1 }
    }
    return nil
  }

  /// Takes one byte and returns whether it ended the head.
  private mutating func take(_ byte: UInt8) throws(HTTPError) -> Bool {
    let isAfterReturn = bytes.last == .carriageReturn
    guard isAfterReturn == (byte == .lineFeed) else { throw .invalidByte(isAfterReturn ? .carriageReturn : byte) }
    guard byte.isFieldCharacter || byte == .carriageReturn || byte == .lineFeed else { throw .invalidByte(byte) }
    if bytes.count == lineStart && byte.isBlank { throw lines.isEmpty ? .malformedStartLine : .obsoleteFolding }
    bytes.append(byte)
    return byte == .lineFeed ? try endLine() : false
  }

  private mutating func endLine() throws(HTTPError) -> Bool {
    let line = lineStart..<(bytes.count - 2)
    lineStart = bytes.count
    if line.isEmpty {
      if !lines.isEmpty { return true }
      // One empty line is allowed before a request, since some clients end a body with one (RFC 9112 §2.2).
      guard !hasSkippedEmptyLine else { throw .malformedStartLine }
      hasSkippedEmptyLine = true
      bytes.removeAll(keepingCapacity: true)
      lineStart = 0
      return false
    }
    guard lines.count <= limits.headerCount else { throw .tooManyHeaders(limits.headerCount) }
    lines.append(line)
    return false
  }

  func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  /// Parses all lines but the first as fields.
  func headers() throws(HTTPError) -> Headers {
    var headers = Headers()
    for line in lines.dropFirst() {
      let bytes = bytes[line]
      guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon > line.lowerBound else {
        throw .malformedHeader
      }
      guard bytes[..<colon].allSatisfy(\.isTokenCharacter) else { throw .malformedHeader }
      let value = bytes[(colon + 1)...].trimmingBlanks()
      headers.add(String(decoding: bytes[..<colon], as: UTF8.self), String(decoding: value, as: UTF8.self))
    }
    return headers
  }
}
