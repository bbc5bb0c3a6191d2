import Crypto
import HTTP
import JSON
import WebSocket

/// One connection to the server: the opening handshake, hello, subscriptions, then whatever the scenario sends.
final class Connection {
  enum Phase {
    case waiting
    case upgrading(ResponseParser)
    case open
    case closed
  }

  let number: Int
  let person: Person
  /// The installation that this is, however often it comes back.
  let client = randomUUID()
  /// The rooms to watch, by their names on the wire.
  private(set) var rooms: [String]
  private var roomNames: [[UInt8]]
  private unowned let generator: Generator
  private(set) var phase = Phase.waiting
  private(set) var descriptor: Int32 = -1
  private static let limits = Limits(framePayloadBytes: 4 << 20, messageBytes: 4 << 20)
  private var receiver = Receiver(role: .client, limits: Connection.limits)
  private var upgrade: ClientUpgrade?
  /// What is to be sent, as the protocol has it; and as it goes over the socket, which without TLS is the same.
  private var plain: [UInt8] = []
  private var output: [UInt8] = []
  private var tls: TLSClient?
  /// Bytes that the system may keep for us, for a connection that is slow on purpose.
  var receiveBufferBytes: Int32?
  private var isWriteWaiting = false
  private var isDirty = false
  /// Whether anything is taken from the socket; a connection that reads nothing is a slow one.
  private(set) var isReading = true
  /// Answers to the scenario's calls before the load that are still to come; and of hello and the subscriptions.
  private var awaited = 0
  private(set) var isReady = false
  /// The version of each room that the answers and patches so far have led to, and the log that it is a version of.
  var positions: [Int]
  private var epochs: [String]

  init(_ number: Int, _ person: Person, rooms: [String], _ generator: Generator) {
    self.number = number
    self.person = person
    self.rooms = rooms
    self.generator = generator
    roomNames = rooms.map { Array($0.utf8) }
    positions = Array(repeating: 0, count: rooms.count)
    epochs = Array(repeating: "", count: rooms.count)
  }

  /// All calls before the load are answered.
  var isSettled: Bool { isReady && awaited == 0 }
  var isOpen: Bool { if case .open = phase { true } else { false } }
  /// Between the first byte and the last answer of setting up.
  var isOpening: Bool {
    switch phase {
    case .upgrading: true
    case .open: !isReady
    case .waiting, .closed: false
    }
  }

  /// Which of the connection's rooms a frame speaks of.
  func index(of room: View?) -> Int? {
    room?.withBytes { name in
      roomNames.firstIndex { own in
        own.count == name.count && own.indices.allSatisfy { own[$0] == name[$0] }
      }
    }
  }

  // MARK: opening

  func open() throws {
    guard let target = Target("/sync") else { return }
    tls = try generator.tls.map { try TLSClient($0) }
    descriptor = try System.connect(
      to: generator.host, port: generator.port, receiveBufferBytes: receiveBufferBytes)
    try generator.poller.add(descriptor, token: number, interest: Poller.readable)
    let upgrade = ClientUpgrade(
      host: generator.host, target: target, key: SystemRandom.bytes(16), subprotocols: ["hearth.v1"],
      deflate: generator.offersDeflate ? DeflateOffer() : nil)
    self.upgrade = upgrade
    phase = .upgrading(ResponseParser())
    send(upgrade.request.encoded())
  }

  /// Makes a connection that was lost or closed ready to be opened again: it will resume where it was.
  func renew() {
    close()
    phase = .waiting
    receiver = Receiver(role: .client, limits: Self.limits)
    isReady = false
    isReading = true
    awaited = 0
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
    sayHello()
    var rest = bytes._mutatingExtracting(consumed..<bytes.count)
    try takeFrames(&rest)
  }

  private func sayHello() {
    call("hello", id: "hello") { writer in
      writer.key("token")
      writer.string(person.token)
      writer.key("client")
      writer.string(client)
    }
    for index in rooms.indices { subscribe(index) }
  }

  /// Begins to watch one more room.
  func watch(_ room: String) {
    rooms.append(room)
    roomNames.append(Array(room.utf8))
    positions.append(0)
    epochs.append("")
    subscribe(rooms.count - 1)
  }

  private func subscribe(_ index: Int) {
    call("room.subscribe", id: "room\(index)") { writer in
      writer.key("room")
      writer.string(rooms[index])
      guard !epochs[index].isEmpty else { return }
      writer.key("epoch")
      writer.string(epochs[index])
      writer.key("version")
      writer.int(positions[index])
    }
  }

  /// Takes the answer to a call that has a text as its id: one of those that come before the load.
  private func takeAnswer(_ id: String, _ message: View) {
    if let error = message[key: "error"], generator.scenario?.mayFail(id, error) != true {
      return generator.lose(self, "\(id) was refused: \(JSON(error).text)")
    }
    if id.hasPrefix("room"), let index = Int(id.dropFirst(4)), rooms.indices.contains(index) {
      guard let result = message[key: "result"], let version = result[key: "version"]?.int,
        let epoch = result[key: "epoch"]?.string
      else { return generator.lose(self, "an answer to subscribing is not complete") }
      positions[index] = version
      epochs[index] = epoch
      generator.scenario?.subscribed(self, index, result)
    } else {
      generator.scenario?.answered(self, id, message)
    }
    awaited -= 1
    guard awaited == 0, !isReady else { return }
    isReady = true
    generator.becameReady(self)
  }

  // MARK: receiving

  func readable() {
    guard descriptor >= 0 else { return }
    // Nothing but its end is told of a connection from which nothing is to be read.
    guard isReading else { return generator.lose(self, "the connection has ended") }
    var failure: String?
    let count = System.receive(descriptor, into: &generator.buffer) { bytes in
      do {
        if let tls {
          try tls.receive(bytes.span, through: &generator.plainBuffer) { try take(&$0) }
          // The handshake answers, and what waited for its end can go.
          markDirty()
          if tls.isEnded { failure = "the server has ended TLS" }
        } else {
          try take(&bytes)
        }
      } catch {
        failure = "\(error)"
      }
    }
    if count == 0 { failure = failure ?? "the server has closed the connection" }
    if count < 0, !System.isTemporary(count) { failure = System.text(of: count) }
    if count > 0 { generator.receivedByteCount += count }
    if let failure { generator.lose(self, failure) }
  }

  private func take(_ bytes: inout MutableSpan<UInt8>) throws {
    if case .upgrading = phase { try takeHead(&bytes) } else { try takeFrames(&bytes) }
  }

  /// Stops taking anything from the socket, or begins again.
  func setReading(_ isWanted: Bool) {
    guard isReading != isWanted, descriptor >= 0 else { return }
    isReading = isWanted
    changeInterest()
  }

  private func takeFrames(_ bytes: inout MutableSpan<UInt8>) throws(ProtocolError) {
    try receiver.receive(&bytes, inflater: generator.offersDeflate ? generator.inflater : nil) { event, payload in
      switch event {
      case .text: take(payload)
      case .ping: send(Frame.encode(.pong, payload, mask: Self.mask))
      case .close(let code): generator.lose(self, "closed with \(code?.rawValue ?? 0)")
      case .binary, .pong: break
      }
    }
  }

  private func take(_ text: Span<UInt8>) {
    guard let message = try? generator.tape.parse(text) else { return generator.lose(self, "a message is not JSON") }
    if let id = message[key: "id"]?.string {
      takeAnswer(id, message)
    } else {
      generator.scenario?.received(message, self)
    }
  }

  // MARK: sending

  /// Masks are to keep pages in a browser from choosing the bytes on the wire; nobody chooses ours.
  private static let mask: UInt32 = 0x5A17_C3E9

  /// A call before the load, whose answer the connection takes itself.
  func call(_ method: StaticString, id: String, _ parameters: (Writer) -> Void) {
    awaited += 1
    let writer = generator.writer
    writer.clear()
    writer.openObject()
    writer.key("jsonrpc")
    writer.string("2.0")
    writer.key("id")
    writer.string(id)
    writer.key("method")
    writer.string(method)
    writer.key("params")
    writer.openObject()
    parameters(writer)
    writer.closeObject()
    writer.closeObject()
    send(message: writer)
  }

  func send(message writer: Writer) {
    writer.withSpan { send(Frame.encode(.text, $0, mask: Self.mask)) }
  }

  private func send(_ frame: [UInt8]) {
    if tls == nil { output.append(contentsOf: frame) } else { plain.append(contentsOf: frame) }
    markDirty()
  }

  private func markDirty() {
    guard !isDirty else { return }
    isDirty = true
    generator.dirty.append(self)
  }

  /// Sends what is waiting, as far as the system takes it.
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
    if descriptor >= 0 { System.close(descriptor) }
    descriptor = -1
    plain = []
    output = []
    tls = nil
    isWriteWaiting = false
  }
}
