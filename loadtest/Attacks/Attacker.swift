import Crypto
import HTTP
import JSON
import WebSocket

/// One attacker: connects, proceeds like an honest client as far as the attack demands, sends its script at its pace,
/// and records how the server ends it. With an empty script it is an honest newcomer, which gets its greeting and
/// leaves.
final class Attacker {
  private enum Phase {
    case connecting
    case upgrading(ResponseParser)
    case greeting
    case attacking
    /// The attack was an HTTP request; this parses the response.
    case answering(ResponseParser)
    case over
  }

  let token: Int
  private unowned let generator: Generator
  let variant: Attack.Variant
  private let person: Person?
  private var phase = Phase.over
  private var descriptor: Int32 = -1
  private var tls: TLSClient?
  private var receiver = Receiver(role: .client)
  private var upgrade: ClientUpgrade?
  /// Bytes to send: with TLS in clear text, and the sealed bytes in the other buffer.
  private var plain: [UInt8] = []
  private var output: [UInt8] = []
  private var outputStart = 0
  private var interest: UInt32 = 0
  private let script: Attack.Script
  private var nextPiece = 0

  /// The start of the connection and of the attack, in nanoseconds.
  private(set) var startedAt: Int64 = 0
  private(set) var attackedAt: Int64 = 0
  /// When the next piece is due, if pieces go by the clock.
  private(set) var pieceDueAt: Int64?
  /// How and when it ended.
  private(set) var ending: Attack.Ending?
  private(set) var endedAt: Int64 = 0
  /// The reason why the attack could not start.
  private(set) var failure: String?

  init(token: Int, _ generator: Generator, _ variant: Attack.Variant, _ person: Person?) {
    self.token = token
    self.generator = generator
    self.variant = variant
    self.person = person
    script = person.flatMap { variant.personalScript?($0.household) } ?? variant.script
  }

  var isOver: Bool { if case .over = phase { true } else { false } }

  /// The start of the server's deadline.
  var countsFrom: Int64 { variant.entry == .member ? attackedAt : startedAt }

  /// Whether the attack is in progress.
  var isAttacking: Bool {
    switch phase {
    case .attacking, .answering: true
    case .connecting, .upgrading, .greeting, .over: false
    }
  }

  // MARK: opening

  func begin() {
    startedAt = System.nanoseconds
    attackedAt = startedAt
    phase = .connecting
    (ending, failure, nextPiece, pieceDueAt) = (nil, nil, 0, nil)
    do {
      descriptor = try System.connect(
        to: generator.host, port: generator.port, receiveBufferBytes: variant.readsNothing ? 4096 : nil)
      interest = Poller.readable | Poller.writable
      try generator.poller.add(descriptor, token: token, interest: interest)
      if variant.entry != .connected { tls = try generator.tls.map { try TLSClient($0) } }
    } catch {
      fail("\(error)")
    }
  }

  /// Continues after the socket, and TLS if used, is connected.
  private func connected() {
    switch variant.entry {
    case .connected, .secured: attack()
    case .upgraded, .member:
      guard let target = Target("/sync") else { return }
      let upgrade = ClientUpgrade(
        host: generator.host, target: target, key: SystemRandom.bytes(16), subprotocols: ["hearth.v1"],
        deflate: variant.offersDeflate ? DeflateOffer() : nil)
      self.upgrade = upgrade
      receiver = Receiver(role: .client, limits: Limits(framePayloadBytes: 4 << 20, messageBytes: 4 << 20))
      phase = .upgrading(ResponseParser())
      send(upgrade.request.encoded())
    }
  }

  private func upgraded() {
    guard variant.entry == .member, let person else { return attack() }
    phase = .greeting
    let writer = generator.writer
    writer.clear()
    writer.raw("{\"jsonrpc\":\"2.0\",\"id\":\"hello\",\"method\":\"hello\",\"params\":{")
    writer.key("token")
    writer.string(person.token)
    writer.key("client")
    writer.string(randomUUID())
    writer.raw("}}")
    writer.withSpan { send(Frame.encode(.text, $0, mask: 0x1234_5678)) }
  }

  private func attack() {
    attackedAt = System.nanoseconds
    guard !script.first.isEmpty || script.count > 0 else { return end(.admitted) }
    phase = variant.entry == .secured ? .answering(ResponseParser()) : .attacking
    if !script.first.isEmpty { send(script.first) }
    if script.pause > 0, script.count > 0 { pieceDueAt = attackedAt + Int64(script.pause * 1e9) }
    if variant.readsNothing { updateInterest() }
  }

  // MARK: sending

  /// Sends the next piece if it is due, and returns when to call again.
  func tick(at now: Int64) -> Int64? {
    guard let due = pieceDueAt, due <= now, isAttacking else { return nil }
    sendPiece()
    pieceDueAt = nextPiece < script.count ? now + Int64(script.pause * 1e9) : nil
    flush()
    return pieceDueAt
  }

  private func sendPiece() {
    send(script.piece(nextPiece))
    nextPiece += 1
  }

  private func send(_ bytes: some Collection<UInt8>) {
    if tls == nil { output.append(contentsOf: bytes) } else { plain.append(contentsOf: bytes) }
  }

  /// Sends waiting bytes and, for an attack without a clock, one large or several small pieces: others need their turn.
  private func flush() {
    for _ in 0..<(script.step < 64 ? 16 : 1) {
      guard descriptor >= 0, write() else { break }
      guard isAttacking, script.pause == 0, nextPiece < script.count else { break }
      sendPiece()
    }
    updateInterest()
  }

  /// Passes waiting bytes to the kernel; returns false if it does not accept all of them now.
  private func write() -> Bool {
    if let tls {
      do {
        if tls.isConnected, !plain.isEmpty {
          try tls.send(plain.span)
          plain.removeAll(keepingCapacity: true)
        }
      } catch {
        hangUp("\(error)")
        return false
      }
      tls.takeOutput(into: &output)
    }
    while outputStart < output.count {
      let count = System.send(descriptor, output.span.extracting(outputStart...))
      if System.isTemporary(count) { return false }
      guard count > 0 else {
        // Bytes that the server sent before it closed may still be readable.
        discardOutput()
        nextPiece = script.count
        return false
      }
      outputStart += count
    }
    discardOutput()
    return true
  }

  private func discardOutput() {
    output.removeAll(keepingCapacity: true)
    outputStart = 0
  }

  private func updateInterest() {
    guard descriptor >= 0 else { return }
    let isWaiting = outputStart < output.count || tls?.isConnected == true && !plain.isEmpty
    let isWriting = isWaiting || isAttacking && script.pause == 0 && nextPiece < script.count
    let reads = !(variant.readsNothing && isAttacking)
    let wanted = (reads ? Poller.readable : 0) | (isWriting ? Poller.writable : 0)
    guard wanted != interest else { return }
    interest = wanted
    try? generator.poller.change(descriptor, token: token, interest: wanted)
  }

  // MARK: events

  func ready(isReadable: Bool, isWritable: Bool) {
    guard descriptor >= 0 else { return }
    if isWritable, case .connecting = phase, tls == nil { connected() }
    if isReadable { read() }
    flush()
  }

  private func read() {
    // While nothing is read, only the end of a connection is reported.
    if variant.readsNothing, isAttacking { return hangUp("the connection has ended") }
    let wasConnected = tls?.isConnected
    let (_, failure) = generator.receive(from: descriptor, over: tls) { try take(&$0) }
    if wasConnected == false, tls?.isConnected == true { connected() }
    if let failure { hangUp(failure) }
  }

  private func take(_ bytes: inout MutableSpan<UInt8>) throws {
    switch phase {
    case .upgrading(var parser):
      guard let (head, consumed) = try parser.receive(bytes.span) else {
        phase = .upgrading(parser)
        return
      }
      _ = try upgrade?.accept(head)
      upgrade = nil
      upgraded()
      var rest = bytes._mutatingExtracting(consumed..<bytes.count)
      try takeFrames(&rest)
    case .answering(var parser):
      let head = try parser.receive(bytes.span)?.head
      phase = .answering(parser)
      if let head { end(.status(head.status.rawValue)) }
    case .greeting: try takeFrames(&bytes)
    // Without TLS the server's bytes are an alert instead of frames.
    case .attacking: if variant.entry != .connected { try takeFrames(&bytes) }
    case .connecting, .over: break
    }
  }

  private func takeFrames(_ bytes: inout MutableSpan<UInt8>) throws(ProtocolError) {
    let inflater = variant.offersDeflate ? generator.inflater : nil
    try receiver.receive(&bytes, inflater: inflater) { event, payload in
      switch event {
      case .text: takeMessage(payload)
      // An attacker may be inside a frame.
      case .ping: if case .greeting = phase { send(Frame.encode(.pong, payload, mask: 0x5A17_C3E9)) }
      case .close(let code):
        if isAttacking { end(.closed(code?.rawValue ?? 1005)) } else { fail("closed with \(code?.rawValue ?? 1005)") }
      case .binary, .pong: break
      }
    }
  }

  private func takeMessage(_ text: Span<UInt8>) {
    guard let message = try? generator.tape.parse(text) else { return fail("a message is not JSON") }
    let code = message[key: "error"]?[key: "code"]?.int
    switch phase {
    case .greeting where message[key: "id"]?.equals("hello") == true:
      if let code { fail("hello was refused with \(code)") } else { attack() }
    case .attacking:
      // Other refusals are caused by the flood itself: the added object already exists.
      guard case .error(let owed) = variant.ending, let code, script.count == 0 || code == owed else { return }
      end(.error(code))
    default: break
    }
  }

  // MARK: ends

  /// Handles a connection that the server ended without a frame.
  private func hangUp(_ reason: String) {
    if isAttacking { end(.dropped) } else if !isOver { fail(reason) }
  }

  /// Handles a deadline that has passed without an end.
  func giveUp() {
    if isAttacking { end(.none) } else if !isOver { fail("it took too long to come in") }
  }

  private func fail(_ reason: String) {
    failure = reason
    close()
  }

  private func end(_ ending: Attack.Ending) {
    guard !isOver else { return }
    self.ending = ending
    close()
  }

  private func close() {
    endedAt = System.nanoseconds
    phase = .over
    pieceDueAt = nil
    if descriptor >= 0 { System.close(descriptor, resetting: variant.vanishes) }
    descriptor = -1
    (plain, output, outputStart, tls, upgrade) = ([], [], 0, nil, nil)
    interest = 0
  }
}
