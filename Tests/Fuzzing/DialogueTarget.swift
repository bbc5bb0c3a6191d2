import HTTP
import WebSocket

/// The reaction of a client to a server's bytes.
private struct Conversation: Equatable {
  var subprotocol: String?
  var isRefused = false
  var texts: [[UInt8]] = []
  var actions: [ConnectionMachine.Action] = []
  var state = ConnectionMachine.State.open
}

private let dialogueLimits = Limits(framePayloadBytes: 300, messageBytes: 260, fragments: 4)

private func upgrade(_ flags: UInt8) -> ClientUpgrade? {
  let offer = DeflateOffer(
    serverNoContextTakeover: flags & 2 != 0, clientNoContextTakeover: flags & 4 != 0,
    serverMaxWindowBits: flags & 8 != 0 ? 10 : nil, clientMaxWindowBits: flags & 16 != 0 ? 11 : nil)
  return Target("/sync").map {
    ClientUpgrade(
      host: "localhost", target: $0, key: [UInt8](repeating: 7, count: 16),
      subprotocols: flags & 32 != 0 ? [] : ["hearth.v1"], deflate: flags & 1 != 0 ? offer : nil)
  }
}

private func converse(_ pieces: [[UInt8]], _ upgrade: ClientUpgrade) -> Conversation {
  var conversation = Conversation()
  var parser: ResponseParser? = ResponseParser(limits: HeadLimits(sizeBytes: 600, headerCount: 12))
  var receiver = Receiver(role: .client, limits: dialogueLimits)
  var machine = ConnectionMachine(role: .client)
  var inflater: Inflater?
  let pool = DeflatePool()
  for piece in pieces {
    var rest = piece
    if parser != nil {
      do {
        guard let (head, consumed) = try parser?.receive(piece.span) else { continue }
        let agreed = try upgrade.accept(head)
        conversation.subprotocol = agreed.subprotocol
        inflater = agreed.deflate.map { pool.inflater(for: $0, as: .client) }
        _ = agreed.deflate.map { pool.deflater(for: $0, as: .client) }
        parser = nil
        rest = Array(piece[consumed...])
      } catch {
        conversation.isRefused = true
        return conversation
      }
    }
    var span = rest.mutableSpan
    do throws(ProtocolError) {
      try receiver.receive(&span, inflater: inflater) { event, payload in
        let action = machine.handle(.received(event))
        if action != .ignore { conversation.actions.append(action) }
        if action == .deliver { conversation.texts.append(payload.copied) }
      }
    } catch {
      conversation.actions.append(machine.handle(.failed(error)))
      break
    }
  }
  conversation.state = machine.state
  // The client closes in any case, and the server does not answer.
  conversation.actions += [machine.handle(.close(.normal)), machine.handle(.timedOut)]
  return conversation
}

func fuzzDialogue(_ input: [UInt8]) throws {
  var input = Input(input)
  let way = input.byte()
  guard let upgrade = upgrade(input.byte()) else { return }
  let whole = converse(input.pieces(0), upgrade)
  let cut = converse(input.pieces(way), upgrade)
  try expect(cut == whole, "the result depends on the pieces: \(cut) in pieces, \(whole) as a whole")
  for text in whole.texts { try expect(text.count <= 260, "a message above the limit was delivered") }
  // RFC 6455 §5.5.1: one close frame, and nothing after it.
  let closes = whole.actions.indices.filter {
    switch whole.actions[$0] {
    case .sendClose, .sendCloseAndDisconnect: true
    case .deliver, .sendPong, .disconnect, .ignore: false
    }
  }
  try expect(closes.count == (whole.isRefused ? 0 : 1), "\(closes.count) close frames: \(whole.actions)")
  let behind = closes.first.map { whole.actions[($0 + 1)...] } ?? []
  try expect(!behind.contains(.deliver) && !behind.contains(.sendPong), "activity after the close: \(behind)")
}
