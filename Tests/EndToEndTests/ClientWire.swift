import Crypto
import HTTP
import Platform
import Synchronization
import TestSupport
import Transport
import WebSocket

/// A client's connection to the server: a real socket, the opening handshake, then frames.
final class ClientWire: @unchecked Sendable {
  // @unchecked: everything but `open`, `send` and `drop` is used only on the loop.
  enum Event: Sendable {
    case message([UInt8])
    case closed(UInt16?)
  }

  /// The loop for the clients of all tests.
  static let loop: EventLoop = {
    guard let loop = try? EventLoop(name: "test.clients") else { preconditionFailure("no loop for the clients") }
    loop.start()
    return loop
  }()
  static let workers = WorkerQueues(name: "test.names")

  private var stream: (any Stream)?
  private var parser = ResponseParser()
  private var receiver: Receiver?
  private var closeCode: UInt16?
  private var upgraded: CheckedContinuation<Void, any Error>?
  private var handle: @Sendable (Event) -> Void = { _ in }
  private var upgrade: ClientUpgrade?

  static func open(host: String, port: UInt16, tls: TLSClient?) async throws -> ClientWire {
    let wire = ClientWire()
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      loop.run { core in
        Connector(loop: core, workers: workers).connect(
          to: host, port: port, tls: tls,
          opened: { stream in
            wire.stream = stream
            continuation.resume()
            return wire
          }, failed: { continuation.resume(throwing: $0) })
      }
    }
    return wire
  }

  func upgrade(headers: [String: String], _ handle: @escaping @Sendable (Event) -> Void) async throws {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      Self.loop.run { [self] _ in
        guard stream != nil else { return continuation.resume(throwing: Unexpected("closed before the handshake")) }
        self.handle = handle
        upgraded = continuation
        var all = Headers()
        for (name, value) in headers { all.add(name, value) }
        guard let target = Target("/sync") else { return }
        let upgrade = ClientUpgrade(
          host: "localhost", target: target, key: SystemRandom.bytes(16), subprotocols: ["hearth.v1"], deflate: nil,
          headers: all)
        self.upgrade = upgrade
        stream?.send(upgrade.request.encoded().span)
      }
    }
  }

  func send(_ bytes: [UInt8]) { Self.loop.run { [self] _ in stream?.send(bytes.span) } }

  /// Waits until the kernel has accepted all output.
  func flush() async {
    // Work that runs after a batch runs when the batch's output has been sent.
    for _ in 0..<2 {
      await withCheckedContinuation { continuation in Self.loop.run { _ in continuation.resume() } }
    }
  }

  /// Pauses or resumes reading. While paused, the server's output fills the kernel's buffers, then the server's own.
  func pauseReading(_ isPaused: Bool) { Self.loop.run { [self] _ in stream?.isReadingPaused = isPaused } }

  /// Breaks the connection without a close, as a dead phone does.
  func drop() { Self.loop.run { [self] _ in stream?.abort() } }
}

extension ClientWire: StreamHandler {
  func received(_ bytes: inout MutableSpan<UInt8>) {
    if receiver != nil { return receiveFrames(&bytes) }
    do {
      guard let (head, consumed) = try parser.receive(bytes.span) else { return }
      _ = try upgrade?.accept(head)
      receiver = Receiver(role: .client, limits: Limits(framePayloadBytes: 4 << 20, messageBytes: 4 << 20))
      upgraded?.resume()
      upgraded = nil
      var rest = bytes._mutatingExtracting(consumed..<bytes.count)
      receiveFrames(&rest)
    } catch {
      upgraded?.resume(throwing: error)
      upgraded = nil
    }
  }

  private func receiveFrames(_ bytes: inout MutableSpan<UInt8>) {
    do throws(ProtocolError) {
      try receiver?.receive(&bytes) { event, payload in
        switch event {
        case .text: handle(.message(Array(payload)))
        case .close(let code): closeCode = code?.rawValue
        case .ping: stream?.send(Frame.encode(.pong, payload, mask: 7).span)
        case .binary, .pong: break
        }
      }
    } catch {
      handle(.message(Array("\"broken frame\"".utf8)))
    }
  }

  func writable() {}

  func closed(_ reason: StreamEnd) {
    stream = nil
    upgraded?.resume(throwing: Unexpected("closed during the handshake"))
    upgraded = nil
    handle(.closed(closeCode))
  }
}

extension Array where Element == UInt8 {
  init(_ span: Span<UInt8>) {
    self = []
    reserveCapacity(span.count)
    for index in span.indices { append(span[index]) }
  }
}
