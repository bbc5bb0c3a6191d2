/// Encodes whole frames into new arrays, for senders without a buffer of their own.
public enum Frame {
  /// Encodes a frame. Clients pass four unpredictable bytes as `mask` (RFC 6455 §5.3), servers `nil`.
  ///
  /// The payload of a control frame may have at most 125 bytes.
  public static func encode(
    _ opcode: Opcode, _ payload: Span<UInt8>, isFinal: Bool = true, isCompressed: Bool = false, mask: UInt32? = nil
  ) -> [UInt8] {
    precondition(!opcode.isControl || payload.count <= 125)
    let header = FrameHeader(
      isFinal: isFinal, isCompressed: isCompressed, opcode: opcode, mask: mask, payloadLength: payload.count)
    var frame: [UInt8] = []
    frame.reserveCapacity(header.encodedSize + payload.count)
    frame.append(contentsOf: repeatElement(0, count: header.encodedSize))
    frame.append(payload)
    var bytes = frame.mutableSpan
    header.encode(into: &bytes, at: 0)
    if let mask { bytes.applyMask(mask, in: header.encodedSize..<bytes.count) }
    return frame
  }

  /// Encodes a text frame.
  public static func text(_ text: String, mask: UInt32? = nil) -> [UInt8] {
    encode(.text, Array(text.utf8).span, mask: mask)
  }

  /// Encodes a close frame; a reason that does not fit is cut after a character.
  public static func close(_ code: CloseCode?, reason: String = "", mask: UInt32? = nil) -> [UInt8] {
    encode(.close, ClosePayload.encode(code, reason: reason).span, mask: mask)
  }
}

/// The payload of a close frame: empty, or a code and an optional reason (RFC 6455 §5.5.1).
public enum ClosePayload {
  /// Parses the code and the range of the reason in `payload`.
  public static func parse(
    _ payload: Span<UInt8>
  ) throws(ProtocolError) -> (code: CloseCode?, reason: Range<Int>) {
    guard payload.count > 0 else { return (nil, 0..<0) }
    guard payload.count > 1 else { throw .malformedClose }
    let code = CloseCode(rawValue: UInt16(payload[0]) << 8 | UInt16(payload[1]))
    guard code.isAllowedOnWire else { throw .invalidCloseCode(code.rawValue) }
    let reason = 2..<payload.count
    guard payload.extracting(reason).isUTF8 else { throw .invalidUTF8 }
    return (code, reason)
  }

  /// Encodes at most 125 bytes; a longer reason is cut after a character. Without a code the payload is empty.
  public static func encode(_ code: CloseCode?, reason: String = "") -> [UInt8] {
    guard let code else { return [] }
    var payload = [UInt8(truncatingIfNeeded: code.rawValue >> 8), UInt8(truncatingIfNeeded: code.rawValue)]
    for character in reason {
      guard payload.count + character.utf8.count <= 125 else { break }
      payload.append(contentsOf: character.utf8)
    }
    return payload
  }
}
