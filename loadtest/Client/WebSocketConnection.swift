import Crypto
import HTTP
import WebSocket

/// A connection to a server with TLS, opening handshake and frames in both directions. Subclasses interpret messages.
class WebSocketConnection {
  enum Phase {
    case waiting
    case upgrading(ResponseParser)
    case open
    case closed
  }

  let number: Int
  unowned let generator: Generator
  private(set) var phase = Phase.waiting
  /// Whether the connection is open, and everything before the load is done.
  private(set) var isReady = false
  private let path: String
  private let subprotocols: [String]
  private var descriptor: Int32 = -1
  private static let limits = Limits(framePayloadBytes: 4 << 20, messageBytes: 4 << 20)
  private var receiver = Receiver(role: .client, limits: WebSocketConnection.limits)
  private var upgrade: ClientUpgrade?
  /// The output before and after encryption; without TLS both are the same.
  private var plain: [UInt8] = []
  private var output: [UInt8] = []
  private var tls: TLSClient?
  /// The size of the kernel's receive buffer, for connections that are slow on purpose.
  var receiveBufferBytes: Int32?
  private var isWriteWaiting = false
  private var isDirty = false
  /// Whether anything is read from the socket; a connection that reads nothing is a slow one.
  private(set) var isReading = true

  init(_ number: Int, _ generator: Generator, path: String, subprotocols: [String]) {
    self.number = number
    self.generator = generator
    self.path = path
    self.subprotocols = subprotocols
  }

  // MARK: for subclasses

  /// Reports the end of the handshake.
  func opened() {}
  /// Passes on a received message.
  func received(_ text: Span<UInt8>) {}
  /// Reports that the connection is ready.
  func wasReadied() {}
  /// Reports that the connection was lost and is closed now. Returns `true` if the loss is handled.
  func wasLost(_ reason: String) -> Bool { false }
  /// Whether all calls before the load are answered.
  var isSettled: Bool { isReady }

  final func becomeReady() {
    isReady = true
    generator.becameReady(self)
  }

  final var isOpen: Bool { if case .open = phase { true } else { false } }
  /// Whether setting up is in progress: between the first byte and the last answer.
  final var isOpening: Bool {
    switch phase {
    case .upgrading: true
    case .open: !isReady
    case .waiting, .closed: false
    }
  }

  // MARK: opening

  func open() throws {
    guard let target = Target(path) else { return }
    tls = try generator.tls.map { try TLSClient($0) }
    descriptor = try System.connect(
      to: generator.host, port: generator.port, receiveBufferBytes: receiveBufferBytes)
    try generator.poller.add(descriptor, token: number, interest: Poller.readable)
    let upgrade = ClientUpgrade(
      host: generator.host, target: target, key: SystemRandom.bytes(16), subprotocols: subprotocols,
      deflate: generator.offersDeflate ? DeflateOffer() : nil)
    self.upgrade = upgrade
    phase = .upgrading(ResponseParser())
    send(upgrade.request.encoded())
  }

  /// Prepares a lost or closed connection for opening again; it will resume from its versions.
  func renew() {
    close()
    phase = .waiting
    receiver = Receiver(role: .client, limits: Self.limits)
    isReading = true
  }

  private func takeHead(_ bytes: inout MutableSpan<UInt8>) throws {
    guard case .upgrading(var parser) = phase else { return }
    guard let (head, consumed) = try parser.receive(bytes.span) else {
      phase = .upgrading(parser)
      return
    }
    _ = try upgrade?.accept(head)
    upgrade = nil
    phase = .open
    opened()
    var rest = bytes._mutatingExtracting(consumed..<bytes.count)
    try takeFrames(&rest)
  }

  // MARK: receiving

  func readable() {
    guard descriptor >= 0 else { return }
    // While nothing is read, only the end of a connection is reported.
    guard isReading else { return generator.lose(self, "the connection has ended") }
    let (count, failure) = generator.receive(from: descriptor, over: tls) { try take(&$0) }
    // The handshake sends answers, and output that waited for its end can be sent.
    if tls != nil { markDirty() }
    generator.receivedByteCount += count
    if let failure { generator.lose(self, failure) }
  }

  private func take(_ bytes: inout MutableSpan<UInt8>) throws {
    if case .upgrading = phase { try takeHead(&bytes) } else { try takeFrames(&bytes) }
  }

  /// Stops or resumes reading from the socket.
  func setReading(_ isWanted: Bool) {
    guard isReading != isWanted, descriptor >= 0 else { return }
    isReading = isWanted
    changeInterest()
  }

  private func takeFrames(_ bytes: inout MutableSpan<UInt8>) throws(ProtocolError) {
    try receiver.receive(&bytes, inflater: generator.offersDeflate ? generator.inflater : nil) { event, payload in
      switch event {
      case .text: received(payload)
      case .ping: send(Frame.encode(.pong, payload, mask: Self.mask))
      case .close(let code): generator.lose(self, "closed with \(code?.rawValue ?? 0)")
      case .binary, .pong: break
      }
    }
  }

  // MARK: sending

  /// A constant mask: it protects against pages in a browser that choose the bytes on the wire, and there are none
  /// here.
  private static let mask: UInt32 = 0x5A17_C3E9

  final func send(message text: Span<UInt8>) { send(Frame.encode(.text, text, mask: Self.mask)) }

  private func send(_ frame: [UInt8]) {
    if tls == nil { output.append(contentsOf: frame) } else { plain.append(contentsOf: frame) }
    markDirty()
  }

  private func markDirty() {
    guard !isDirty else { return }
    isDirty = true
    generator.dirty.append(self)
  }

  /// Sends waiting output as far as the kernel accepts it.
  func flush() {
    isDirty = false
    guard descriptor >= 0 else { return }
    if let tls {
      do {
        if tls.isConnected, !plain.isEmpty {
          try tls.send(plain.span)
          plain.removeAll()
        }
      } catch {
        return generator.lose(self, "\(error)")
      }
      tls.takeOutput(into: &output)
    }
    guard !output.isEmpty else { return }
    let count = System.send(descriptor, output.span)
    if count == output.count {
      output.removeAll(keepingCapacity: output.capacity <= 16_384)
    } else if count > 0 {
      output.removeFirst(count)
    } else if !System.isTemporary(count) {
      return generator.lose(self, System.text(of: count))
    }
    guard isWriteWaiting == output.isEmpty else { return }
    isWriteWaiting = !output.isEmpty
    changeInterest()
  }

  func writable() { flush() }

  private func changeInterest() {
    try? generator.poller.change(
      descriptor, token: number,
      interest: (isReading ? Poller.readable : 0) | (isWriteWaiting ? Poller.writable : 0))
  }

  func close() {
    phase = .closed
    isReady = false
    if descriptor >= 0 { System.close(descriptor) }
    descriptor = -1
    plain = []
    output = []
    tls = nil
    isWriteWaiting = false
  }
}
