import ArgumentParser
import HTTP
import Platform
import Transport
import WebSocket

/// Sends every message back, for conformance suites and network measurements.
struct EchoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "echo", abstract: "Sends every WebSocket message back to its sender, on 127.0.0.1.",
    discussion: "For conformance suites and network measurements. It stores nothing and needs no token.")

  @Option(help: "The port to listen on; 0 selects a free one.")
  var port: UInt16 = 7401

  @OptionGroup var tls: TLSOptions

  @Option(help: "Bytes of an inflated message; a longer one closes the connection with 1009.")
  var messageLimit = 16 << 20

  @Option(help: "Fragments of a message.")
  var fragmentLimit = 1 << 20

  @Flag(inversion: .prefixedNo, help: "Accepts permessage-deflate as clients offer it.")
  var deflate = true

  func validate() throws {
    guard messageLimit > 0, fragmentLimit > 0 else { throw ValidationError("A limit is at least 1.") }
  }

  func run() async throws {
    ProcessSignals.ignoreBrokenPipes()
    let server = try tls.server()
    let limits = WebSocket.Limits(
      framePayloadBytes: messageLimit, messageBytes: messageLimit, fragments: fragmentLimit)
    let policy = UpgradePolicy(origins: .any, deflate: deflate ? .asOffered : nil)
    let (stopping, continuation) = AsyncStream<Void>.makeStream()
    let signals = try ProcessSignals([.interrupt, .terminate], poster: SpotPoster()) { _ in continuation.yield() }
    let loop = try EventLoop(name: "echo")
    loop.start { _ in EchoHandler(policy: policy, limits: limits) }
    let listener: Listener
    do {
      listener = try listen(on: loop, server)
    } catch let error as SystemError where error.call == "bind" {
      throw ValidationError("Port \(port) is in use: stop the other program, or choose another with --port.")
    }
    say("Echoing on \(server == nil ? "ws" : "wss")://127.0.0.1:\(listener.port)/")
    for await _ in stopping { break }
    await withCheckedContinuation { done in loop.stop { done.resume() } }
    signals.cancel()
  }

  private func listen(on loop: EventLoop, _ server: TLSServer?) throws -> Listener {
    try Listener(port: port, tls: server, loops: [loop]) { complain("A connection could not be accepted: \($0)") }
  }
}

private final class EchoHandler: LoopHandler {
  private let policy: UpgradePolicy
  private let limits: WebSocket.Limits
  private let pool = DeflatePool()

  init(policy: UpgradePolicy, limits: WebSocket.Limits) {
    self.policy = policy
    self.limits = limits
  }

  func opened(_ stream: any Platform.Stream) -> any StreamHandler {
    EchoConnection(stream, policy: policy, limits: limits, pool: pool)
  }

  func batchEnded() {}
}

/// One connection: an HTTP request, then frames.
private final class EchoConnection: StreamHandler {
  /// Unsent bytes above which the loop stops reading from a peer that does not read.
  private static let unsentLimit = 1 << 20

  private let stream: any Platform.Stream
  private let policy: UpgradePolicy
  private let pool: DeflatePool
  private var parser = RequestParser()
  private let limits: WebSocket.Limits
  /// Set after the upgrade; taken out while it works, so that a partial message is never copied.
  private var receiver: Receiver?
  private var machine = ConnectionMachine(role: .server)
  private var inflater: Inflater?
  private var deflater: Deflater?

  init(_ stream: any Platform.Stream, policy: UpgradePolicy, limits: WebSocket.Limits, pool: DeflatePool) {
    self.stream = stream
    self.policy = policy
    self.pool = pool
    self.limits = limits
  }

  func received(_ bytes: inout MutableSpan<UInt8>) {
    if let receiver = self.receiver.take() { return receiveFrames(&bytes, receiver) }
    let count = bytes.count
    do throws(HTTPError) {
      guard let (head, consumed) = try parser.receive(bytes.span) else { return }
      upgrade(head, unreadByteCount: count - consumed)
    } catch {
      refuse(Response(error.status, headers: ["Connection": "close"], text: error.explanation + "\n"))
    }
  }

  func writable() { stream.isReadingPaused = false }
  func closed(_ reason: StreamEnd) {}

  private func upgrade(_ request: RequestHead, unreadByteCount: Int) {
    do throws(UpgradeError) {
      let upgrade = try policy.accept(request, unreadByteCount: unreadByteCount)
      inflater = upgrade.deflate.map { pool.inflater(for: $0, as: .server) }
      deflater = upgrade.deflate.map { pool.deflater(for: $0, as: .server) }
      stream.send(upgrade.response.encoded().span)
      receiver = Receiver(role: .server, limits: limits)
    } catch {
      refuse(error.response)
    }
  }

  private func refuse(_ response: Response) {
    stream.send(response.encoded().span)
    stream.close()
  }

  private func receiveFrames(_ bytes: inout MutableSpan<UInt8>, _ taken: consuming Receiver) {
    var working = taken
    defer { receiver = working }
    // The kernel did not take what is unsent before this batch's answers, so `writable` will follow.
    if stream.unsentByteCount > Self.unsentLimit { stream.isReadingPaused = true }
    do throws(ProtocolError) {
      try working.receive(&bytes, inflater: inflater) { event, payload in
        self.handle(event, payload)
      }
    } catch {
      carryOut(machine.handle(.failed(error)))
    }
  }

  private func handle(_ event: Receiver.Event, _ payload: Span<UInt8>) {
    let action = machine.handle(.received(event))
    switch action {
    case .deliver: echo(payload, as: event == .text ? .text : .binary)
    case .sendPong: stream.send(Frame.encode(.pong, payload).span)
    default: carryOut(action)
    }
  }

  /// Carries out an action without a payload.
  private func carryOut(_ action: ConnectionMachine.Action) {
    switch action {
    case .sendClose(let code): stream.send(Frame.close(code).span)
    case .sendCloseAndDisconnect(let code):
      stream.send(Frame.close(code).span)
      stream.close()
    case .disconnect: stream.close()
    case .ignore, .deliver, .sendPong: break
    }
  }

  private func echo(_ message: Span<UInt8>, as opcode: Opcode) {
    if let deflater {
      stream.send(Frame.encode(opcode, deflater.compress(message).span, isCompressed: true).span)
    } else {
      stream.send(Frame.encode(opcode, message).span)
    }
  }
}
