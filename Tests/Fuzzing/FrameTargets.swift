import JSON
import WebSocket

/// The result of a connection's bytes.
struct FrameReading: Equatable {
  struct Event: Equatable {
    var kind: Receiver.Event
    var payload: [UInt8]
  }

  var events: [Event] = []
  /// The code to close with, if the peer violated the protocol.
  var closing: CloseCode?
}

private let frameLimits = Limits(framePayloadBytes: 300, messageBytes: 260, fragments: 4)

private func read(_ pieces: [[UInt8]], as role: Role, _ inflater: Inflater?) -> FrameReading {
  var receiver = Receiver(role: role, limits: frameLimits)
  var reading = FrameReading()
  for piece in pieces where reading.closing == nil {
    var bytes = piece
    var span = bytes.mutableSpan
    do throws(ProtocolError) {
      try receiver.receive(&span, inflater: inflater) { kind, payload in
        reading.events.append(.init(kind: kind, payload: payload.copied))
      }
    } catch {
      reading.closing = error.closeCode
    }
  }
  return reading
}

func fuzzFrames(_ input: [UInt8]) throws {
  var input = Input(input)
  let way = input.byte()
  let flags = input.byte()
  let role = flags & 1 == 0 ? Role.server : .client
  func inflater() -> Inflater? { flags & 2 == 0 ? nil : Inflater(keepsContext: flags & 4 != 0) }
  let whole = read(input.pieces(0), as: role, inflater())
  let cut = read(input.pieces(way), as: role, inflater())
  try expect(cut == whole, "the result depends on the pieces: \(cut) in pieces, \(whole) as a whole")
  for event in whole.events { try expect(event.payload.count <= 260, "a message above the limit was delivered") }
  var model = FrameModel(role: role, limits: frameLimits, inflater: inflater())
  model.read(input.rest)
  try expect(model.events == whole.events, "the model reads \(model.events), the receiver \(whole.events)")
  try expect(
    whole.closing.map(model.mayCloseWith.contains) ?? model.mayCloseWith.isEmpty,
    "the model closes with one of \(model.mayCloseWith), the receiver with \(String(describing: whole.closing))")
}

func fuzzInflate(_ input: [UInt8]) throws {
  var input = Input(input)
  let limit = Int(input.byte()) << 3
  let keepsContext = input.byte() & 1 == 1
  let inflater = Inflater(keepsContext: keepsContext)
  let deflater = Deflater(keepsContext: keepsContext)
  let mirror = Inflater(keepsContext: keepsContext)
  for message in input.parts(0xA5) {
    let inflated: [UInt8]
    do throws(ProtocolError) {
      inflated = try expand(message, inflater, limit: limit)
    } catch {
      try expect(error == .malformedDeflate || error == .messageTooLarge(limit: limit), "it failed with \(error)")
      return
    }
    try expect(inflated.count <= limit, "\(inflated.count) bytes passed a limit of \(limit)")
    let compressed = deflater.compress(inflated.span)
    let again = try expand(compressed, mirror, limit: inflated.count)
    try expect(again == inflated, "the inflated message differs from the compressed one")
    // With a limit one byte lower the message must be rejected.
    guard !keepsContext, !inflated.isEmpty else { continue }
    let lower = inflated.count - 1
    let refusal: ProtocolError?
    do throws(ProtocolError) {
      _ = try expand(message, Inflater(), limit: lower)
      refusal = nil
    } catch {
      refusal = error
    }
    try expect(
      refusal == .messageTooLarge(limit: lower), "\(inflated.count) bytes, and \(lower) allowed: \(refusal as Any)")
  }
}

private func expand(_ message: [UInt8], _ inflater: Inflater, limit: Int) throws(ProtocolError) -> [UInt8] {
  var inflated: [UInt8] = []
  try inflater.withInflated(message.span, limit: limit) { span throws(ProtocolError) in
    inflated = span.copied
  }
  return inflated
}
