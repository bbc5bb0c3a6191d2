internal import Crypto
internal import HTTP
internal import JSON
internal import Platform
internal import Transport
internal import WebSocket

/// One connection on its event loop: between bytes, `ClientCore`, and those who wait for answers.
///
/// `@unchecked`: `HearthClient` only carries the reference; everything in here is touched on the loop alone.
final class Connection: StreamHandler, @unchecked Sendable {
  typealias Completion<Value> = (Result<Value, ClientError>) -> Void

  private unowned let loop: any Loop
  private let options: HearthClient.Options
  private let upgrade: ClientUpgrade
  private var stream: (any Stream)?
  /// Reads the answer to the upgrade; `nil` once that is done.
  private var responseParser: ResponseParser? = ResponseParser()
  private var receiver: Receiver
  private var machine = ConnectionMachine(role: .client)
  private var inflater: Inflater?
  private var core: ClientCore

  private var opened: Completion<Connection>?
  private var calls: [Int: Completion<JSON>] = [:]
  private var queues: [String: [EventQueue]] = [:]
  private var endWaiters: [(ClientError) -> Void] = []
  /// Why it ends, as far as that is known already: the first reason is the true one.
  private var cause: ClientError?
  private var isOver = false

  private var heardAt: Duration
  private var beat: (any LoopTimer)?
  private var deadline: (any LoopTimer)?

  private init(
    _ upgrade: ClientUpgrade, options: HearthClient.Options, loop: any Loop, opened: @escaping Completion<Connection>
  ) {
    self.upgrade = upgrade
    self.options = options
    self.loop = loop
    self.opened = opened
    core = ClientCore(limits: options.limits)
    heardAt = loop.uptime
    let bytes = options.limits.messageBytes
    receiver = Receiver(role: .client, limits: Limits(framePayloadBytes: bytes, messageBytes: bytes, fragments: 1024))
  }

  /// Connects and upgrades. `opened` hears of the result once.
  static func open(
    _ endpoint: Endpoint, _ upgrade: ClientUpgrade, options: HearthClient.Options, on loop: LoopCore,
    opened: @escaping Completion<Connection>
  ) {
    let connection = Connection(upgrade, options: options, loop: loop, opened: opened)
    let connector = Connector(loop: loop, workers: WorkerQueues(name: "hearth-client.names", count: 1))
    connector.connect(
      to: endpoint.host, port: endpoint.port, within: options.connectLimit,
      opened: { stream in
        connection.begin(stream)
        return connection
      },
      failed: { connection.finish(.unreachable($0)) })
  }

  private func begin(_ stream: any Stream) {
    self.stream = stream
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
      opened.take()?(.success(self))
      var span = rest.mutableSpan
      receiveFrames(&span)
    } catch {
      cause = cause ?? error
      stream?.abort()
    }
  }

  /// Reads on in the answer to the upgrade; answers the bytes behind it when it is whole.
  private func readResponse(_ bytes: Span<UInt8>) throws(ClientError) -> [UInt8]? {
    do {
      guard let (head, consumed) = try responseParser?.receive(bytes) else { return nil }
      let agreed = try upgrade.accept(head)
      guard agreed.subprotocol == HearthClient.subprotocol else { throw ClientUpgradeError.malformed("subprotocol") }
      inflater = agreed.deflate.map { DeflatePool().inflater(for: $0, as: .client) }
      return (consumed..<bytes.count).map { bytes[$0] }
    } catch ClientUpgradeError.refused(let status) {
      throw .refused(status)
    } catch {
      throw .malformed("its answer to the upgrade (\(error))")
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
    let payload = payload.indices.map { payload[$0] }
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
      // The server is given a moment to close in turn.
      setDeadline(options.closeLimit) { $0.carryOut($0.machine.handle(.timedOut), []) }
    case .sendCloseAndDisconnect(let code):
      send(Frame.close(code, mask: randomMask()))
      stream?.close()
    case .disconnect: stream?.abort()
    case .ignore: break
    }
  }

  /// Unpredictable, so that no peer can choose what stands on the wire (RFC 6455 §5.3).
  private func randomMask() -> UInt32 { SystemRandom.bytes(4).reduce(0) { $0 << 8 | UInt32($1) } }

  private func send(_ frame: [UInt8]) { stream?.send(frame.span) }

  /// Not compressed: what we send is small, and some of it secret.
  private func send(text: [UInt8]) { send(Frame.encode(.text, text.span, mask: randomMask())) }

  // MARK: messages

  private func receive(_ text: [UInt8]) {
    do throws(ClientError) {
      for output in try core.receive(text) { carryOut(output) }
    } catch {
      if case .tooMuch = error { fail(error, .messageTooBig) } else { fail(error, .protocolError) }
    }
  }

  private func carryOut(_ output: ClientCore.Output) {
    switch output {
    case .send(let text): send(text: text)
    case .answered(let number, let result): calls.removeValue(forKey: number)?(result.mapError(ClientError.server))
    case .event(let room, let event):
      for queue in queues[room] ?? [] { queue.put(event, snapshot: core.snapshot(of: room)) }
      if case .closed = event { dropQueues(of: room) }
    case .sessionEnded(let reason): cause = cause ?? .sessionEnded(reason: reason)
    case .leaving(let delay): cause = cause ?? .leaving(reconnectAfter: delay)
    }
  }

  private func dropQueues(of room: String) {
    for queue in queues.removeValue(forKey: room) ?? [] { queue.finish() }
  }

  private func fail(_ error: ClientError, _ code: CloseCode) {
    cause = cause ?? error
    carryOut(machine.handle(.close(code)), [])
  }

  // MARK: what the client asks for

  /// Sends what `make` makes and remembers who waits for the answer.
  private func perform(
    _ completion: @escaping Completion<JSON>,
    _ make: (inout ClientCore) throws(ClientError) -> (number: Int, text: [UInt8])
  ) {
    guard !isOver, machine.state == .open else { return completion(.failure(cause ?? .lost)) }
    do throws(ClientError) {
      let call = try make(&core)
      calls[call.number] = completion
      send(text: call.text)
    } catch {
      completion(.failure(error))
    }
  }

  func call(_ method: String, _ parameters: JSON, room: String?, seq: Int64?, _ completion: @escaping Completion<JSON>)
  {
    perform(completion) { core throws(ClientError) in try core.call(method, parameters, room: room, seq: seq) }
  }

  func subscribe(to room: String, _ completion: @escaping Completion<EventQueue>) {
    let queue = EventQueue()
    if let known = core.snapshot(of: room), !isOver {
      queue.put(.state(known, reason: "new"), snapshot: known)
      queues[room, default: []].append(queue)
      return completion(.success(queue))
    }
    queues[room, default: []].append(queue)
    perform(
      { [unowned self] result in
        if case .failure = result { queues[room]?.removeAll { $0 === queue } }
        completion(result.map { _ in queue })
      },
      { core throws(ClientError) in try core.subscribe(to: room) })
  }

  func unsubscribe(from room: String, _ completion: @escaping Completion<JSON>) {
    dropQueues(of: room)
    perform(completion) { core throws(ClientError) in try core.unsubscribe(from: room) }
  }

  func snapshot(of room: String) -> RoomSnapshot? { core.snapshot(of: room) }

  // MARK: the end

  /// Starts the closing handshake; `done` once the connection is over.
  func close(_ done: @escaping (ClientError) -> Void) {
    whenOver(done)
    if !isOver { fail(.closed, .normal) }
  }

  func whenOver(_ done: @escaping (ClientError) -> Void) {
    if isOver { done(cause ?? .lost) } else { endWaiters.append(done) }
  }

  func writable() {}

  func closed(_ reason: StreamEnd) { finish(cause ?? .lost) }

  private func finish(_ error: ClientError) {
    isOver = true
    cause = error
    stream = nil
    deadline?.cancel()
    beat?.cancel()
    opened.take()?(.failure(error))
    for completion in exchange(&calls, with: [:]).values { completion(.failure(error)) }
    for room in queues.keys { dropQueues(of: room) }
    for waiter in exchange(&endWaiters, with: []) { waiter(error) }
  }

  /// Looks twice per limit whether the server is still there, and asks when it is quiet.
  private func scheduleBeat() {
    beat = loop.schedule(after: options.silenceLimit / 2) { [weak self] in
      guard let self, !isOver else { return }
      let silence = loop.uptime - heardAt
      if silence >= options.silenceLimit {
        cause = cause ?? .silent
        stream?.abort()
        return
      }
      if machine.state == .open, silence >= options.silenceLimit / 2 {
        send(Frame.encode(.ping, [UInt8]().span, mask: randomMask()))
      }
      scheduleBeat()
    }
  }
}
