import HTTP
import JSON
import Platform
import Transport
import WebSocket

/// A WebSocket server on a loopback socket that reacts as a test demands.
final class ScriptedServer: Sendable {
  /// An event on a connection.
  enum Event: Sendable, Equatable {
    case call(method: String, id: Int, parameters: JSON)
    case pong(String)
    case close(UInt16?)
    /// The connection has ended.
    case end
  }

  /// A reaction to an event.
  enum Step: Sendable {
    case text(String)
    case compressed(String)
    case ping(String)
    case close(UInt16, String)
    case bytes([UInt8])
    case drop
  }

  typealias Responder = @Sendable (Event) -> [Step]

  let port: UInt16
  private let loop: EventLoop
  private let log = Locked<[Event]>([])
  private let masks = Locked<[UInt32]>([])
  private let isStopped = Locked(false)

  /// All events so far.
  var received: [Event] { log.withLock { $0 } }
  /// The masks of those frames that started a read.
  var seenMasks: [UInt32] { masks.withLock { $0 } }

  /// With `upgrades: false` the server does not answer the upgrade.
  init(deflate: DeflatePolicy? = nil, upgrades: Bool = true, _ script: @escaping Responder) throws {
    loop = try EventLoop(name: "scripted-server")
    let policy = UpgradePolicy(subprotocols: ["hearth.v1"], deflate: deflate)
    let acceptor = Acceptor(policy: upgrades ? policy : nil, script: script)
    loop.start { _ in acceptor }
    port = try Listener(port: 0, loops: [loop]) { _ in }.port
    acceptor.server.withLock { $0 = self }
  }

  func stop() async {
    // A loop can be stopped only once.
    if isStopped.withLock({ exchange(&$0, with: true) }) { return }
    await withCheckedContinuation { continuation in loop.stop { continuation.resume() } }
  }

  fileprivate func note(_ received: Event) { log.withLock { $0.append(received) } }
  fileprivate func note(mask: UInt32) { masks.withLock { $0.append(mask) } }
}

private final class Acceptor: LoopHandler, Sendable {
  let policy: UpgradePolicy?
  let script: ScriptedServer.Responder
  let server = Locked<ScriptedServer?>(nil)

  init(policy: UpgradePolicy?, script: @escaping ScriptedServer.Responder) {
    self.policy = policy
    self.script = script
  }

  func opened(_ stream: any Stream) -> any StreamHandler { Peer(stream, self) }
  func batchEnded() {}
}

private final class Peer: StreamHandler {
  let acceptor: Acceptor
  var stream: (any Stream)?
  var parser: RequestParser? = RequestParser()
  var receiver = Receiver(role: .server)

  init(_ stream: any Stream, _ acceptor: Acceptor) {
    self.stream = stream
    self.acceptor = acceptor
  }

  func received(_ bytes: inout MutableSpan<UInt8>) {
    guard parser != nil else { return receiveFrames(&bytes) }
    guard let policy = acceptor.policy, let (head, _) = try? parser?.receive(bytes.span) else { return }
    parser = nil
    guard head.target.path == "/sync", let upgrade = try? policy.accept(head) else {
      stream?.send(Response(.notFound, text: "").encoded().span)
      stream?.close()
      return
    }
    stream?.send(upgrade.response.encoded().span)
  }

  func receiveFrames(_ bytes: inout MutableSpan<UInt8>) {
    if let header = try? FrameHeader.parse(bytes.span, as: .server, payloadLimit: 1 << 20)?.header,
      let mask = header.mask
    {
      acceptor.server.withLock { $0 }?.note(mask: mask)
    }
    try? receiver.receive(&bytes) { event, payload in
      let bytes = payload.copied
      switch event {
      case .text:
        guard let call = try? JSON.parse(bytes) else { return }
        handle(
          .call(method: call["method"]?.string ?? "", id: call["id"]?.int ?? 0, parameters: call["params"] ?? .null))
      case .pong: handle(.pong(String(decoding: bytes, as: UTF8.self)))
      case .close(let code):
        handle(.close(code?.rawValue))
        stream?.send(Frame.close(code).span)
        stream?.close()
      case .ping, .binary: break
      }
    }
  }

  func handle(_ received: ScriptedServer.Event) {
    acceptor.server.withLock { $0 }?.note(received)
    for step in acceptor.script(received) {
      switch step {
      case .text(let text): stream?.send(Frame.text(text).span)
      case .compressed(let text):
        let payload = Deflater().compress(Array(text.utf8).span)
        stream?.send(Frame.encode(.text, payload.span, isCompressed: true).span)
      case .ping(let text): stream?.send(Frame.encode(.ping, Array(text.utf8).span).span)
      case .close(let code, let reason): stream?.send(Frame.close(CloseCode(rawValue: code), reason: reason).span)
      case .bytes(let bytes): stream?.send(bytes.span)
      case .drop: stream?.abort()
      }
    }
  }

  func writable() {}

  func closed(_ reason: StreamEnd) {
    stream = nil
    handle(.end)
  }
}
