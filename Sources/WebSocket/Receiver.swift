/// Parses the bytes of a connection, in pieces of any size, into messages and control frames (RFC 6455 §5 and §6.2).
///
/// A message that arrives as one frame in one piece is unmasked in place and delivered without a copy. The receiver
/// holds memory only while a frame or message is incomplete. It checks text as it arrives, so an invalid byte is
/// rejected before the message is complete. `ConnectionMachine` decides the answers.
public struct Receiver: Sendable {
  /// A complete message or control frame. Its payload is passed separately: for `close`, the reason.
  public enum Event: Hashable, Sendable {
    /// Valid UTF-8.
    case text
    case binary
    case ping
    case pong
    /// The peer's close frame; `nil` if it has no code. The reason is valid UTF-8. No event follows.
    case close(CloseCode?)
  }

  public let role: Role
  /// The current limits. They may change between calls, such as after authentication.
  public var limits: Limits

  private enum Phase {
    case header
    case payload(FrameHeader, received: Int)
    case finished
  }

  /// The incomplete message, from its first header on.
  private struct Message {
    let isText: Bool
    let isCompressed: Bool
    var fragments = 0
    var bytes: [UInt8] = []
    var text = UTF8Validator()
  }

  private var phase = Phase.header
  private var message: Message?
  /// The start of an incomplete header, or of a control frame's payload.
  private var partial: [UInt8] = []

  public init(role: Role, limits: Limits = Limits()) {
    self.role = role
    self.limits = limits
  }

  /// Whether a frame or message is incomplete; the driver sets a deadline on it.
  public var isIncomplete: Bool {
    switch phase {
    case .header: message != nil || !partial.isEmpty
    case .payload: true
    case .finished: false
    }
  }

  /// Whether a close frame or an error has ended the input. Further bytes are ignored.
  public var isFinished: Bool {
    if case .finished = phase { true } else { false }
  }

  /// Takes the next bytes of the connection and calls `handle` for each event they complete, in order.
  ///
  /// Events before an error are handled before it is thrown. `handle` must not use this receiver.
  ///
  /// - Parameters:
  ///   - bytes: are unmasked in place; their content is undefined afterwards.
  ///   - inflater: required if permessage-deflate was negotiated; if it keeps context, always the same one. Without
  ///     one, compressed messages are rejected.
  public mutating func receive(
    _ bytes: inout MutableSpan<UInt8>, inflater: Inflater? = nil, _ handle: (Event, Span<UInt8>) -> Void
  ) throws(ProtocolError) {
    do throws(ProtocolError) {
      var offset = 0
      while offset < bytes.count && !isFinished { try advance(&bytes, &offset, inflater, handle) }
    } catch {
      finish()
      throw error
    }
  }

  private mutating func finish() {
    phase = .finished
    message = nil
    partial = []
  }

  /// Handles one frame, or the part of it that has arrived.
  private mutating func advance(
    _ bytes: inout MutableSpan<UInt8>, _ offset: inout Int, _ inflater: Inflater?,
    _ handle: (Event, Span<UInt8>) -> Void
  ) throws(ProtocolError) {
    let header: FrameHeader
    let received: Int
    switch phase {
    case .finished: return
    case .payload(let current, let count): (header, received) = (current, count)
    case .header:
      guard let next = try readHeader(bytes.span, &offset) else { return }
      try begin(next, mayInflate: inflater != nil)
      (header, received) = (next, 0)
    }

    let count = min(header.payloadLength - received, bytes.count - offset)
    let range = offset..<(offset + count)
    offset += count
    if let mask = header.mask { bytes.applyMask(mask, in: range, phase: received) }
    let isWhole = received + count == header.payloadLength
    phase = isWhole ? .header : .payload(header, received: received + count)
    let payload = bytes.span.extracting(range)
    if header.opcode.isControl {
      try receiveControl(header.opcode, payload, isWhole: isWhole, handle)
    } else {
      try receiveData(payload, isLast: isWhole && header.isFinal, inflater, handle)
    }
  }

  private mutating func readHeader(_ bytes: Span<UInt8>, _ offset: inout Int) throws(ProtocolError) -> FrameHeader? {
    if partial.isEmpty {
      let rest = bytes.extracting(offset...)
      if let (header, size) = try FrameHeader.parse(rest, as: role, payloadLimit: limits.framePayloadBytes) {
        offset += size
        return header
      }
      partial.append(rest)
      offset = bytes.count
      return nil
    }
    while offset < bytes.count {
      partial.append(bytes[offset])
      offset += 1
      if let (header, _) = try FrameHeader.parse(partial.span, as: role, payloadLimit: limits.framePayloadBytes) {
        partial = []
        return header
      }
    }
    return nil
  }

  /// Checks the rules for a header that depend on earlier frames (RFC 6455 §5.4, RFC 7692 §6).
  private mutating func begin(_ header: FrameHeader, mayInflate: Bool) throws(ProtocolError) {
    switch header.opcode {
    case .close, .ping, .pong:
      guard !header.isCompressed else { throw .reservedBits }
      return
    case .text, .binary:
      guard !header.isCompressed || mayInflate else { throw .reservedBits }
      guard message == nil else { throw .interruptedMessage }
      message = Message(isText: header.opcode == .text, isCompressed: header.isCompressed)
    case .continuation:
      guard !header.isCompressed else { throw .reservedBits }
      guard message != nil else { throw .unexpectedContinuation }
    }
    let size = message?.bytes.count ?? 0
    guard header.payloadLength <= limits.messageBytes - size else {
      throw .messageTooLarge(limit: limits.messageBytes)
    }
    message?.fragments += 1
    guard message?.fragments ?? 0 <= limits.fragments else { throw .tooManyFragments(limit: limits.fragments) }
  }

  private mutating func receiveData(
    _ payload: Span<UInt8>, isLast: Bool, _ inflater: Inflater?, _ handle: (Event, Span<UInt8>) -> Void
  ) throws(ProtocolError) {
    if message?.isText == true && message?.isCompressed == false {
      guard message?.text.accepts(payload) == true else { throw .invalidUTF8 }
    }
    guard isLast else {
      message?.bytes.append(payload)
      return
    }
    guard var whole = message.take() else { return }
    guard whole.text.isComplete else { throw .invalidUTF8 }
    if whole.bytes.isEmpty {
      try deliver(whole, payload, inflater, handle)
    } else {
      whole.bytes.append(payload)
      try deliver(whole, whole.bytes.span, inflater, handle)
    }
  }

  private func deliver(
    _ message: Message, _ payload: Span<UInt8>, _ inflater: Inflater?, _ handle: (Event, Span<UInt8>) -> Void
  ) throws(ProtocolError) {
    let event = message.isText ? Event.text : .binary
    guard message.isCompressed else { return handle(event, payload) }
    guard let inflater else { throw .reservedBits }
    try inflater.withInflated(payload, limit: limits.messageBytes) { inflated throws(ProtocolError) in
      guard !message.isText || inflated.isUTF8 else { throw .invalidUTF8 }
      handle(event, inflated)
    }
  }

  private mutating func receiveControl(
    _ opcode: Opcode, _ payload: Span<UInt8>, isWhole: Bool, _ handle: (Event, Span<UInt8>) -> Void
  ) throws(ProtocolError) {
    if isWhole && partial.isEmpty { return try deliverControl(opcode, payload, handle) }
    partial.append(payload)
    guard isWhole else { return }
    let whole = partial
    partial = []
    try deliverControl(opcode, whole.span, handle)
  }

  private mutating func deliverControl(
    _ opcode: Opcode, _ payload: Span<UInt8>, _ handle: (Event, Span<UInt8>) -> Void
  ) throws(ProtocolError) {
    switch opcode {
    case .ping: handle(.ping, payload)
    case .pong: handle(.pong, payload)
    case .close:
      let (code, reason) = try ClosePayload.parse(payload)
      finish()
      handle(.close(code), payload.extracting(reason))
    case .continuation, .text, .binary: break
    }
  }
}
