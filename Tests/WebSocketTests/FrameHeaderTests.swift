import TestSupport
import Testing
import WebSocket

@Suite("Frame headers")
struct FrameHeaderTests {
  /// A masked binary frame of 126 bytes: the shortest that needs the two-byte length.
  static let header: [UInt8] = [0x82, 0xFE, 0x00, 0x7E, 0xDE, 0xAD, 0xBE, 0xEF]

  @Test("a header cut anywhere asks for more bytes until it is complete", arguments: 0...header.count)
  func splitAnywhere(at split: Int) throws {
    let received = Array(Self.header.prefix(split))
    let parsed = try FrameHeader.parse(received.span, as: .server, payloadLimit: 1 << 16)
    #expect((parsed == nil) == (split < Self.header.count))
    guard let parsed else { return }
    #expect(parsed.size == 8)
    #expect(parsed.header == FrameHeader(opcode: .binary, mask: 0xDEAD_BEEF, payloadLength: 126))
  }

  @Test(
    "a header that RFC 6455 forbids is rejected",
    arguments: [
      ([0x91, 0x80], .server, .reservedBits),
      ([0xA1, 0x80], .server, .reservedBits),
      ([0xF1, 0x80], .server, .reservedBits),
      ([0x83, 0x80], .server, .reservedOpcode(3)),
      ([0x87, 0x80], .server, .reservedOpcode(7)),
      ([0x8B, 0x80], .server, .reservedOpcode(11)),
      ([0x8F, 0x80], .server, .reservedOpcode(15)),
      ([0x81, 0x00], .server, .unmasked),
      ([0x81, 0x80], .client, .masked),
      ([0x09, 0x80], .server, .fragmentedControl),
      ([0x08, 0x00], .client, .fragmentedControl),
      ([0x89, 0xFE], .server, .oversizedControl),
      ([0x8A, 0x7F], .client, .oversizedControl),
    ] as [([UInt8], Role, ProtocolError)])
  func refusal(bytes: [UInt8], role: Role, reason: ProtocolError) {
    #expect(throws: reason) { try FrameHeader.parse(bytes.span, as: role, payloadLimit: 1 << 20) }
  }

  /// Lengths with a payload limit of 2^16 (RELIABILITY E5).
  @Test(
    "a length is accepted only in its shortest form and up to the limit",
    arguments: [
      (0, 0, nil), (0, 1, nil), (0, 125, nil),
      (2, 0, .malformedLength), (2, 125, .malformedLength), (2, 126, nil), (2, 127, nil), (2, 0xFFFF, nil),
      (8, 0, .malformedLength), (8, 125, .malformedLength), (8, 126, .malformedLength),
      (8, 0xFFFF, .malformedLength), (8, 0x1_0000, nil), (8, 0x1_0001, .frameTooLarge(0x1_0001)),
      (8, 0x7FFF_FFFF, .frameTooLarge(0x7FFF_FFFF)), (8, 0x8000_0000, .frameTooLarge(0x8000_0000)),
      (8, 0x8000_0001, .frameTooLarge(0x8000_0001)), (8, 0xFFFF_FFFF, .frameTooLarge(0xFFFF_FFFF)),
      (8, 0x1_0000_0000, .frameTooLarge(0x1_0000_0000)), (8, 0x1_0000_0001, .frameTooLarge(0x1_0000_0001)),
      (8, 0x7FFF_FFFF_FFFF_FFFF, .frameTooLarge(0x7FFF_FFFF_FFFF_FFFF)),
      (8, 0x8000_0000_0000_0000, .malformedLength), (8, 0x8000_0000_0000_0001, .malformedLength),
      (8, 0xFFFF_FFFF_FFFF_FFFF, .malformedLength),
    ] as [(Int, UInt64, ProtocolError?)])
  func lengths(width: Int, length: UInt64, error: ProtocolError?) throws {
    let short = width == 0 ? UInt8(length) : width == 2 ? 126 : 127
    let long = (0..<width).map { UInt8(truncatingIfNeeded: length >> UInt64(8 * (width - 1 - $0))) }
    let bytes = [0x82, 0x80 | short] + long + [1, 2, 3, 4]
    if let error {
      // Rejected before the mask has arrived, so before any payload could be buffered.
      let withoutMask = Array(bytes.dropLast(4))
      #expect(throws: error) { try FrameHeader.parse(withoutMask.span, as: .server, payloadLimit: 0x1_0000) }
    } else {
      let parsed = try FrameHeader.parse(bytes.span, as: .server, payloadLimit: 0x1_0000)
      #expect(parsed?.header == FrameHeader(opcode: .binary, mask: 0x0102_0304, payloadLength: Int(length)))
      #expect(parsed?.size == bytes.count)
    }
  }

  @Test(
    "a header is the same after encoding and parsing, and is written only to its own bytes",
    arguments: [0, 1, 125, 126, 127, 65_535, 65_536, 1 << 40], [nil, 0, 0xDEAD_BEEF] as [UInt32?])
  func roundTrip(length: Int, mask: UInt32?) throws {
    for opcode in [Opcode.continuation, .text, .binary, .close, .ping, .pong] where !opcode.isControl || length < 126 {
      let header = FrameHeader(
        isFinal: opcode != .text, isCompressed: opcode == .binary, opcode: opcode, mask: mask, payloadLength: length)
      var bytes = [UInt8](repeating: 0xAA, count: 20)
      let offset = 14 - header.encodedSize
      var span = bytes.mutableSpan
      header.encode(into: &span, at: offset)
      #expect(bytes.prefix(offset).allSatisfy { $0 == 0xAA })
      #expect(bytes.suffix(6).allSatisfy { $0 == 0xAA })
      let role: Role = mask == nil ? .client : .server
      let written = Array(bytes[offset...])
      let parsed = try FrameHeader.parse(written.span, as: role, payloadLimit: .max)
      #expect(parsed?.header == header)
      #expect(parsed?.size == header.encodedSize)
    }
  }

  @Test("frames are encoded as in the examples of RFC 6455 §5.7")
  func examples() {
    #expect(Frame.text("Hello") == [0x81, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F])
    #expect(
      Frame.text("Hello", mask: 0x37FA_213D)
        == [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58])
    #expect(Frame.encode(.text, Array("Hel".utf8).span, isFinal: false) == [0x01, 0x03, 0x48, 0x65, 0x6C])
    #expect(Frame.encode(.continuation, Array("lo".utf8).span) == [0x80, 0x02, 0x6C, 0x6F])
    #expect(Frame.encode(.ping, Array("Hello".utf8).span).prefix(2) == [0x89, 0x05])
    #expect(
      Frame.encode(.binary, [UInt8](repeating: 0, count: 256).span).prefix(4) == [0x82, 0x7E, 0x01, 0x00])
    #expect(
      Frame.encode(.binary, [UInt8](repeating: 0, count: 65_536).span).prefix(10)
        == [0x82, 0x7F, 0, 0, 0, 0, 0, 1, 0, 0])
  }

  @Test("a close frame carries the code and as much of the reason as fits")
  func closeFrames() throws {
    #expect(Frame.close(nil) == [0x88, 0x00])
    #expect(Frame.close(.normal) == [0x88, 0x02, 0x03, 0xE8])
    #expect(Frame.close(.goingAway, reason: "bye") == [0x88, 0x05, 0x03, 0xE9, 0x62, 0x79, 0x65])
    let long = ClosePayload.encode(.normal, reason: String(repeating: "é", count: 100))
    #expect(long.count == 124)
    #expect(try ClosePayload.parse(long.span).reason == 2..<124)
  }
}

@Suite("Masking")
struct MaskTests {
  @Test("masking words gives the same bytes as masking byte by byte, from any phase")
  func phases() {
    var random = SeededGenerator(seed: 1)
    let key: [UInt8] = [0x11, 0x22, 0x44, 0x88]
    for count in 0..<40 {
      let payload = random.bytes(count)
      for start in 0...min(count, 9) {
        for phase in 0..<9 {
          var bytes = payload
          var span = bytes.mutableSpan
          span.applyMask(0x1122_4488, in: start..<count, phase: phase)
          let expected = payload.enumerated().map { index, byte in
            index < start ? byte : byte ^ key[(index - start + phase) % 4]
          }
          #expect(bytes == expected)
        }
      }
    }
  }
}
