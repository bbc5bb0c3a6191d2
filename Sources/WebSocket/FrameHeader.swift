/// The header of a frame (RFC 6455 §5.2).
///
///      0                   1                   2                   3
///      0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
///     +-+-+-+-+-------+-+-------------+-------------------------------+
///     |F|R|R|R| opcode|M| length      | length, if that was 126:      |
///     |I|S|S|S|       |A|             | 16 bits, 127: 64 bits         |
///     |N|V|V|V|       |S|             |                               |
///     | |1|2|3|       |K|             | mask, if M: 32 bits; payload  |
///     +-+-+-+-+-------+-+-------------+-------------------------------+
public struct FrameHeader: Hashable, Sendable {
  /// Whether this is the last frame of its message.
  public var isFinal: Bool
  /// RSV1. The header does not know whether compression was negotiated; the receiver checks that.
  public var isCompressed: Bool
  public var opcode: Opcode
  /// The masking key, its first byte on the wire in the highest bits; `nil` if the payload is unmasked.
  public var mask: UInt32?
  /// Length in bytes, never negative.
  public var payloadLength: Int

  public init(
    isFinal: Bool = true, isCompressed: Bool = false, opcode: Opcode, mask: UInt32? = nil, payloadLength: Int
  ) {
    self.isFinal = isFinal
    self.isCompressed = isCompressed
    self.opcode = opcode
    self.mask = mask
    self.payloadLength = payloadLength
  }

  /// Parses a header from the front of `bytes`, as received by `role`.
  ///
  /// Returns `nil` if `bytes` ends inside the header; nothing is consumed, so the caller may try again with more.
  /// Checks every rule that needs only the header, before any payload is buffered.
  public static func parse(
    _ bytes: Span<UInt8>, as role: Role, payloadLimit: Int
  ) throws(ProtocolError) -> (header: FrameHeader, size: Int)? {
    guard bytes.count >= 2 else { return nil }
    guard bytes[0] & 0x30 == 0 else { throw .reservedBits }
    guard let opcode = Opcode(rawValue: bytes[0] & 0x0F) else { throw .reservedOpcode(bytes[0] & 0x0F) }
    let isFinal = bytes[0] & 0x80 != 0
    let isMasked = bytes[1] & 0x80 != 0
    switch role {
    case .server: guard isMasked else { throw .unmasked }
    case .client: guard !isMasked else { throw .masked }
    }
    let shortLength = bytes[1] & 0x7F
    if opcode.isControl {
      guard isFinal else { throw .fragmentedControl }
      guard shortLength <= 125 else { throw .oversizedControl }
    }

    let lengthWidth = shortLength == 127 ? 8 : shortLength == 126 ? 2 : 0
    guard bytes.count >= 2 + lengthWidth else { return nil }
    // Kept unsigned until checked: a length of 2^63 must not become a negative Int.
    let length = lengthWidth == 0 ? UInt64(shortLength) : bytes.bigEndian(at: 2, width: lengthWidth)
    guard lengthWidth == 0 || length > (lengthWidth == 2 ? 125 : 0xFFFF), length >> 63 == 0 else {
      throw .malformedLength
    }
    guard length <= UInt64(clamping: payloadLimit) else { throw .frameTooLarge(length) }

    let size = 2 + lengthWidth + (isMasked ? 4 : 0)
    guard bytes.count >= size else { return nil }
    let mask = isMasked ? UInt32(truncatingIfNeeded: bytes.bigEndian(at: size - 4, width: 4)) : nil
    let header = FrameHeader(
      isFinal: isFinal, isCompressed: bytes[0] & 0x40 != 0, opcode: opcode, mask: mask, payloadLength: Int(length))
    return (header, size)
  }

  /// The size of the header for a payload of this length: 2 to 14 bytes.
  public static func encodedSize(payloadLength: Int, masked: Bool) -> Int {
    2 + (payloadLength < 126 ? 0 : payloadLength <= 0xFFFF ? 2 : 8) + (masked ? 4 : 0)
  }

  /// The size of this header in bytes.
  public var encodedSize: Int { Self.encodedSize(payloadLength: payloadLength, masked: mask != nil) }

  /// Writes the header to `output` at `offset`, which must have room for `encodedSize` bytes.
  ///
  /// To prepend a header to a payload, write it at the payload's offset minus `encodedSize`.
  public func encode(into output: inout MutableSpan<UInt8>, at offset: Int) {
    precondition(payloadLength >= 0)
    output[offset] = (isFinal ? 0x80 : 0) | (isCompressed ? 0x40 : 0) | opcode.rawValue
    let size = encodedSize
    let lengthWidth = size - 2 - (mask == nil ? 0 : 4)
    let maskBit: UInt8 = mask == nil ? 0 : 0x80
    let length = UInt64(payloadLength)
    output[offset + 1] = maskBit | (lengthWidth == 0 ? UInt8(length) : lengthWidth == 2 ? 126 : 127)
    output.storeBigEndian(length, at: offset + 2, width: lengthWidth)
    if let mask { output.storeBigEndian(UInt64(mask), at: offset + size - 4, width: 4) }
  }
}

extension Span<UInt8> {
  fileprivate func bigEndian(at offset: Int, width: Int) -> UInt64 {
    (offset..<offset + width).reduce(0) { $0 << 8 | UInt64(self[$1]) }
  }
}

extension MutableSpan<UInt8> {
  fileprivate mutating func storeBigEndian(_ value: UInt64, at offset: Int, width: Int) {
    for index in 0..<width {
      self[offset + index] = UInt8(truncatingIfNeeded: value >> UInt64(8 * (width - 1 - index)))
    }
  }
}
