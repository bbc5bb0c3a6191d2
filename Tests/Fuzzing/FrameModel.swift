import JSON
import WebSocket

/// An independent model of RFC 6455 §5 to §7 and RFC 7692 §6, written for simplicity (RELIABILITY D4).
///
/// When a frame breaks several rules, the RFC does not define which one counts, so any of their codes is accepted.
struct FrameModel {
  private let role: Role
  private let limits: Limits
  private let inflater: Inflater?
  private(set) var events: [FrameReading.Event] = []
  /// The possible close codes; empty if the frames are valid.
  private(set) var mayCloseWith: Set<CloseCode> = []
  private var hasClosed = false
  /// Payloads of the incomplete message, as received.
  private var fragments: [[UInt8]]?
  private var isText = false
  private var isCompressed = false

  init(role: Role, limits: Limits, inflater: Inflater?) {
    self.role = role
    self.limits = limits
    self.inflater = inflater
  }

  mutating func read(_ bytes: ArraySlice<UInt8>) {
    var rest = Array(bytes)
    while !rest.isEmpty, !hasClosed, mayCloseWith.isEmpty {
      guard let size = frame(rest) else { return }
      rest.removeFirst(min(size, rest.count))
    }
  }

  /// Reads one frame and returns its length; `nil` if nothing can follow it.
  private mutating func frame(_ bytes: [UInt8]) -> Int? {
    guard bytes.count >= 2 else { return nil }
    let isFinal = bytes[0] >= 128
    let reserved = bytes[0] / 16 % 8
    let opcode = bytes[0] % 16
    let isMasked = bytes[1] >= 128
    let short = Int(bytes[1] % 128)
    let isControl = opcode >= 8

    if ![0, 1, 2, 8, 9, 10].contains(opcode) { mayCloseWith.insert(.protocolError) }
    if reserved & 3 != 0 { mayCloseWith.insert(.protocolError) }
    if reserved & 4 != 0, isControl || opcode == 0 || inflater == nil { mayCloseWith.insert(.protocolError) }
    if isMasked != (role == .server) { mayCloseWith.insert(.protocolError) }
    if isControl, !isFinal || short > 125 { mayCloseWith.insert(.protocolError) }
    if opcode == 0, fragments == nil { mayCloseWith.insert(.protocolError) }
    if opcode == 1 || opcode == 2, fragments != nil { mayCloseWith.insert(.protocolError) }

    let width = short == 127 ? 8 : short == 126 ? 2 : 0
    let headerSize = 2 + width + (isMasked ? 4 : 0)
    guard bytes.count >= 2 + width else { return settleHeader(bytes) }
    var length = UInt64(short)
    if width > 0 { length = bytes[2..<2 + width].reduce(0) { $0 * 256 + UInt64($1) } }
    if width == 2, length < 126 { mayCloseWith.insert(.protocolError) }
    if width == 8, length < 65_536 || length >= 1 << 63 { mayCloseWith.insert(.protocolError) }
    if length > UInt64(limits.framePayloadBytes) { mayCloseWith.insert(.messageTooBig) }
    if !isControl {
      let before = opcode == 0 ? fragments ?? [] : []
      if length > UInt64(limits.messageBytes - before.joined().count) { mayCloseWith.insert(.messageTooBig) }
      if before.count + 1 > limits.fragments { mayCloseWith.insert(.policyViolation) }
    }
    guard bytes.count >= headerSize else { return settleHeader(bytes) }
    guard mayCloseWith.isEmpty else { return nil }

    let mask = isMasked ? Array(bytes[headerSize - 4..<headerSize]) : [0, 0, 0, 0]
    let size = headerSize + Int(length)
    let payload = bytes[headerSize..<min(size, bytes.count)].enumerated().map { $1 ^ mask[$0 % 4] }
    let isWhole = bytes.count >= size
    if isControl {
      if isWhole { control(opcode, payload) }
    } else {
      data(opcode, payload, isCompressed: reserved & 4 != 0, isLast: isFinal, isWhole: isWhole)
    }
    return isWhole ? size : nil
  }

  /// Applies the rules that an incomplete header already decides.
  private mutating func settleHeader(_ bytes: [UInt8]) -> Int? {
    // Rules that depend on earlier frames are checked when the header is complete.
    let reserved = bytes[0] / 16 % 8
    let opcode = bytes[0] % 16
    let short = bytes[1] % 128
    let isWrongByItself =
      reserved & 3 != 0 || ![0, 1, 2, 8, 9, 10].contains(opcode) || (bytes[1] >= 128) != (role == .server)
      || opcode >= 8 && (bytes[0] < 128 || short > 125)
    let width = short == 127 ? 8 : short == 126 ? 2 : 0
    var isLengthWrong = false
    if bytes.count >= 2 + width {
      let length = width == 0 ? UInt64(short) : bytes[2..<2 + Int(width)].reduce(0) { $0 * 256 + UInt64($1) }
      isLengthWrong =
        width == 2 && length < 126 || width == 8 && (length < 65_536 || length >= 1 << 63)
        || length > UInt64(limits.framePayloadBytes)
    }
    if !isWrongByItself, !isLengthWrong { mayCloseWith = [] }
    return nil
  }

  private mutating func control(_ opcode: UInt8, _ payload: [UInt8]) {
    switch opcode {
    case 9: events.append(.init(kind: .ping, payload: payload))
    case 10: events.append(.init(kind: .pong, payload: payload))
    default: close(payload)
    }
  }

  private mutating func close(_ payload: [UInt8]) {
    if payload.isEmpty {
      hasClosed = true
      return events.append(.init(kind: .close(nil), payload: []))
    }
    guard payload.count >= 2 else {
      mayCloseWith = [.protocolError]
      return
    }
    let code = UInt16(payload[0]) * 256 + UInt16(payload[1])
    let reason = Array(payload[2...])
    // RFC 6455 §7.4.1, and the codes registered since.
    let isKnown = (1000...1003).contains(code) || (1007...1014).contains(code) || (3000...4999).contains(code)
    if !isKnown { mayCloseWith.insert(.protocolError) }
    if String(validating: reason, as: UTF8.self) == nil { mayCloseWith.insert(.invalidPayload) }
    guard mayCloseWith.isEmpty else { return }
    hasClosed = true
    events.append(.init(kind: .close(CloseCode(rawValue: code)), payload: reason))
  }

  private mutating func data(_ opcode: UInt8, _ payload: [UInt8], isCompressed: Bool, isLast: Bool, isWhole: Bool) {
    if opcode != 0 {
      fragments = []
      isText = opcode == 1
      self.isCompressed = isCompressed
    }
    let text = (fragments ?? []).joined() + payload
    if isText, !self.isCompressed, !Self.mayBecomeUTF8(text) {
      mayCloseWith = [.invalidPayload]
      return
    }
    guard isWhole else { return }
    fragments?.append(payload)
    guard isLast else { return }
    fragments = nil
    var message = text
    if self.isCompressed {
      guard let inflated = inflate(text) else { return }
      message = inflated
    }
    if isText, String(validating: message, as: UTF8.self) == nil {
      mayCloseWith = [.invalidPayload]
      return
    }
    events.append(.init(kind: isText ? .text : .binary, payload: message))
  }

  /// Uses the inflater under test: zlib itself is not tested here.
  private mutating func inflate(_ bytes: [UInt8]) -> [UInt8]? {
    var inflated: [UInt8] = []
    do throws(ProtocolError) {
      try inflater?.withInflated(bytes.span, limit: limits.messageBytes) { span throws(ProtocolError) in
        inflated = span.copied
      }
      return inflated
    } catch {
      mayCloseWith = [error.closeCode]
      return nil
    }
  }

  /// Whether the bytes can start valid UTF-8: at most three more bytes complete a character.
  private static func mayBecomeUTF8(_ bytes: [UInt8]) -> Bool {
    func isValid(_ bytes: [UInt8]) -> Bool { String(validating: bytes, as: UTF8.self) != nil }
    if isValid(bytes) { return true }
    let last = Array(bytes.suffix(3))
    guard let start = last.lastIndex(where: { $0 >= 0xC0 }) else { return false }
    let character = Array(last[start...])
    guard isValid(Array(bytes.dropLast(character.count))) else { return false }
    // Only the first continuation byte has a restricted range (RFC 3629 §4).
    let firsts: [UInt8] = character.count == 1 ? [0x80, 0x90, 0xA0, 0xBF, 0x8F] : [0x80]
    return firsts.contains { first in
      (0...2).contains { more in isValid(character + [first] + [UInt8](repeating: 0x80, count: more)) }
    }
  }
}
