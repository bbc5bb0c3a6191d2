import JSON
import Platform
import WebSocket

/// Puts messages into frames; one for all connections of a loop.
///
/// No connection keeps a compression context, so a frame for many is compressed once and idle connections own no zlib
/// state (DESIGN §5).
final class FrameCodec {
  /// Bytes that a writer leaves free in front of a payload for the header of an unmasked frame.
  static let headerSpace = 10
  private(set) var inflater = Inflater()
  private var deflater = Deflater()

  /// Forgets what was compressed and expanded last: zlib's windows hold it.
  func wipe() {
    inflater = Inflater()
    deflater = Deflater()
  }

  /// Puts the header right in front of a payload that has `headerSpace` before it; answers where the frame is.
  func finish(_ writer: Writer, _ payload: Range<Int>) -> Range<Int> {
    let header = FrameHeader(opcode: .text, payloadLength: payload.count)
    let start = payload.lowerBound - header.encodedSize
    writer.withMutableSpan { header.encode(into: &$0, at: start) }
    return start..<payload.upperBound
  }

  /// A payload as a whole compressed frame.
  func compress(_ writer: Writer, _ payload: Range<Int>) -> [UInt8] {
    var bytes = writer.withSpan(from: payload.lowerBound, to: payload.upperBound) {
      deflater.compress($0, headroom: Self.headerSpace)
    }
    let header = FrameHeader(isCompressed: true, opcode: .text, payloadLength: bytes.count - Self.headerSpace)
    let start = Self.headerSpace - header.encodedSize
    var span = bytes.mutableSpan
    header.encode(into: &span, at: start)
    bytes.removeFirst(start)
    return bytes
  }

  /// Sends the payload behind `headerSpace` as one frame.
  func send(_ writer: Writer, to stream: any Stream, compressed: Bool) {
    let payload = Self.headerSpace..<writer.count
    if compressed { return stream.send(compress(writer, payload).span) }
    send(writer, finish(writer, payload), to: stream)
  }

  /// Sends what stands in a part of a writer.
  func send(_ writer: Writer, _ part: Range<Int>, to stream: any Stream) {
    writer.withSpan(from: part.lowerBound, to: part.upperBound) { stream.send($0) }
  }
}

extension CloseCode {
  // The protocol's own codes (DESIGN §3): 4000–4099 come back and resume, 4100–4199 do not.
  static let leaving = CloseCode(rawValue: 4001)
  static let expired = CloseCode(rawValue: 4002)
  static let noPong = CloseCode(rawValue: 4003)
  static let overloaded = CloseCode(rawValue: 4005)
  static let replaced = CloseCode(rawValue: 4006)
  static let badToken = CloseCode(rawValue: 4101)
  static let revoked = CloseCode(rawValue: 4102)
  static let unsupported = CloseCode(rawValue: 4104)
  static let tooManyErrors = CloseCode(rawValue: 4105)
  static let noHello = CloseCode(rawValue: 4108)
  static let ours = [
    leaving, expired, noPong, overloaded, replaced, badToken, revoked, unsupported, tooManyErrors, noHello,
  ]
}
