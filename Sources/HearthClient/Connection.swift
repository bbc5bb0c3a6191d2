internal import Crypto
internal import HTTP
internal import JSON
internal import Platform
internal import Transport
internal import WebSocket

/// Receives the events of a connection, on its loop.
protocol ConnectionOwner: AnyObject {
  /// Reports that the connection is established and the protocol negotiated.
  func opened(_ connection: Connection)
  /// Passes on a text message from the server.
  func received(_ text: [UInt8], on connection: Connection)
  /// Reports that the connection ended or could not be made. No event follows.
  func ended(_ connection: Connection, _ reason: ClientError)
}

/// A WebSocket connection on its event loop: converts between bytes and text messages.
///
/// It answers pings, detects silence, and closes in order. It does not interpret messages.
final class Connection: StreamHandler {
  private unowned let loop: any Loop
  private let options: ServerConnection.Options
  private let upgrade: ClientUpgrade
  private var stream: (any Stream)?
  /// Parses the response to the upgrade; `nil` afterwards.
  private var responseParser: ResponseParser? = ResponseParser()
  private var receiver: Receiver
  private var machine = ConnectionMachine(role: .client)
  private var inflater: Inflater?

  /// Released when the connection is over.
  private var owner: (any ConnectionOwner)?
  /// The first known reason for the end of the connection.
  private var cause: ClientError?
  private var isOver = false

  private var heardAt: Duration
  private var beat: (any LoopTimer)?
  private var deadline: (any LoopTimer)?

  private init(
    _ upgrade: ClientUpgrade, options: ServerConnection.Options, loop: any Loop, owner: any ConnectionOwner
  ) {
    self.upgrade = upgrade
    self.options = options
    self.loop = loop
    self.owner = owner
    heardAt = loop.uptime
    let bytes = options.limits.messageBytes
    receiver = Receiver(role: .client, limits: Limits(framePayloadBytes: bytes, messageBytes: bytes, fragments: 1024))
  }

  /// Connects and upgrades. The owner receives the result after this call returns.
  static func open(
    _ endpoint: Endpoint, _ upgrade: ClientUpgrade, options: ServerConnection.Options, on loop: LoopCore,
    owner: any ConnectionOwner
  ) -> Connection {
    let connection = Connection(upgrade, options: options, loop: loop, owner: owner)
    let tls: TLSClient?
    do throws(TLSError) {
      tls = endpoint.isSecure ? try TLSClient(authorities: options.authorities) : nil
    } catch {
      loop.schedule(after: .zero) { connection.finish(.unreachable(.notSecured(error.description))) }
      return connection
    }
    let connector = Connector(loop: loop, workers: WorkerQueues(name: "hearth-client.names", count: 1))
    connector.connect(
      to: endpoint.host, port: endpoint.port, tls: tls, within: options.connectLimit,
      opened: { stream in
        connection.begin(stream)
        return connection
      },
      failed: { connection.finish(.unreachable($0)) })
    return connection
  }

  private func begin(_ stream: any Stream) {
    self.stream = stream
    if isOver { return stream.abort() }
    stream.send(upgrade.request.encoded().span)
    setDeadline(options.connectLimit) { connection in
      connection.cause = connection.cause ?? .unreachable(.timedOut)
      connection.stream?.abort()
    }
  }

  private func setDeadline(_ delay: Duration, _ action: @escaping (Connection) -> Void) {
    deadline?.cancel()
    deadline = loop.schedule(after: delay) { [weak self] in
      if let self { action(self) }
    }
  }

  // MARK: bytes

  func received(_ bytes: inout MutableSpan<UInt8>) {
    heardAt = loop.uptime
    guard responseParser != nil else { return receiveFrames(&bytes) }
    do throws(ClientError) {
      guard var rest = try readResponse(bytes.span) else { return }
      responseParser = nil
      deadline?.cancel()
      scheduleBeat()
      owner?.opened(self)
      var span = rest.mutableSpan
      receiveFrames(&span)
    } catch {
      cause = cause ?? error
      stream?.abort()
    }
  }

  /// Parses the response to the upgrade. Returns the bytes after it when it is complete.
  private func readResponse(_ bytes: Span<UInt8>) throws(ClientError) -> [UInt8]? {
    do {
      guard let (head, consumed) = try responseParser?.receive(bytes) else { return nil }
      let agreed = try upgrade.accept(head)
      guard agreed.subprotocol == ServerConnection.subprotocol else {
        throw ClientUpgradeError.malformed("subprotocol")
      }
      inflater = agreed.deflate.map { DeflatePool().inflater(for: $0, as: .client) }
      return bytes.extracting(consumed...).copied
    } catch ClientUpgradeError.refused(let status) {
      throw .refused(status)
    } catch {
      throw .malformed("invalid response to the upgrade (\(error))")
    }
  }

  private func receiveFrames(_ bytes: inout MutableSpan<UInt8>) {
    do throws(ProtocolError) {
      try receiver.receive(&bytes, inflater: inflater) { event, payload in handle(event, payload) }
    } catch {
      cause = cause ?? .malformed("\(error)")
      carryOut(machine.handle(.failed(error)), [])
    }
  }

  private func handle(_ event: Receiver.Event, _ payload: Span<UInt8>) {
    let payload = payload.copied
    if case .close(let code) = event {
      let reason = String(decoding: payload, as: UTF8.self)
      cause = cause ?? .closedByServer(code: code?.rawValue, reason: reason)
    }
    let action = machine.handle(.received(event))
    if action == .deliver, event == .binary { return fail(.malformed("a binary message"), .unsupportedData) }
    carryOut(action, payload)
  }

  private func carryOut(_ action: ConnectionMachine.Action, _ payload: [UInt8]) {
    switch action {
    case .deliver: receive(payload)
    case .sendPong: send(Frame.encode(.pong, payload.span, mask: randomMask()))
    case .sendClose(let code):
      send(Frame.close(code, mask: randomMask()))
      // Wait a limited time for the server's close frame.
      setDeadline(options.closeLimit) { $0.carryOut($0.machine.handle(.timedOut), []) }
    case .sendCloseAndDisconnect(let code):
      send(Frame.close(code, mask: randomMask()))
      stream?.close()
    case .disconnect: stream?.abort()
    case .ignore: break
    }
  }

  /// Returns an unpredictable mask, so that no peer can choose the bytes on the wire (RFC 6455 §5.3).
  private func randomMask() -> UInt32 { SystemRandom.bytes(4).reduce(0) { $0 << 8 | UInt32($1) } }

  private func send(_ frame: [UInt8]) { stream?.send(frame.span) }

  private func receive(_ text: [UInt8]) { owner?.received(text, on: self) }

  // MARK: requests of the owner

  /// Whether text can be sent.
  var isOpen: Bool { !isOver && responseParser == nil && machine.state == .open }

  /// Sends a text message, unless closing has begun. Not compressed: messages are small, and some are secret.
  func send(text: [UInt8]) {
    if isOpen { send(Frame.encode(.text, text.span, mask: randomMask())) }
  }

  /// Records the reason for the coming end, unless one is known.
  func note(_ reason: ClientError) { cause = cause ?? reason }

  /// The reason for the end, past or coming.
  var end: ClientError { cause ?? .lost }

  /// Starts the closing handshake because of `error`.
  func fail(_ error: ClientError, _ code: CloseCode) {
    cause = cause ?? error
    carryOut(machine.handle(.close(code)), [])
  }

  /// Ends at once, without an event to the owner.
  func abandon() {
    isOver = true
    owner = nil
    deadline?.cancel()
    beat?.cancel()
    stream?.abort()
  }

  // MARK: the end

  func writable() {}

  func closed(_ reason: StreamEnd) { finish(cause ?? .lost) }

  private func finish(_ error: ClientError) {
    cause = error
    stream = nil
    deadline?.cancel()
    beat?.cancel()
    isOver = true
    // Release the owner first: owner and connection refer to each other.
    owner.take()?.ended(self, error)
  }

  /// Schedules a ping after half of the silence limit, and the end of the connection at the limit.
  private func scheduleBeat() {
    let limit = options.silenceLimit
    let silence = loop.uptime - heardAt
    beat = loop.schedule(after: silence < limit / 2 ? limit / 2 - silence : limit - silence) { [weak self] in
      guard let self, !isOver else { return }
      let silence = loop.uptime - heardAt
      if silence >= limit {
        cause = cause ?? .silent
        stream?.abort()
        return
      }
      if machine.state == .open, silence >= limit / 2 {
        send(Frame.encode(.ping, [UInt8]().span, mask: randomMask()))
      }
      scheduleBeat()
    }
  }
}
