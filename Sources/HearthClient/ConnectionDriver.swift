internal import JSON
internal import WebSocket

/// The calls of one connection and those who wait for their answers: between `Connection` and `ConnectionCore`.
///
/// `@unchecked`: `ServerConnection` only carries the reference; everything in here is touched on the loop alone.
final class ConnectionDriver: ConnectionOwner, @unchecked Sendable {
  typealias Completion<Value> = (Result<Value, ClientError>) -> Void

  private var core: ConnectionCore
  private var connection: Connection?
  private var begun: Completion<ConnectionDriver>?
  private var calls: [Int: Completion<JSON>] = [:]
  private var queues: [String: [EventQueue]] = [:]
  private var endWaiters: [(ClientError) -> Void] = []
  /// Why it is over.
  private var end: ClientError?

  /// `begun` hears once whether there is a connection.
  init(limits: ConnectionCore.Limits, begun: @escaping Completion<ConnectionDriver>) {
    core = ConnectionCore(limits: limits)
    self.begun = begun
  }

  // MARK: the connection

  func opened(_ connection: Connection) {
    self.connection = connection
    begun.take()?(.success(self))
  }

  func received(_ text: [UInt8], on connection: Connection) {
    do throws(ClientError) {
      for output in try core.receive(text) { carryOut(output) }
    } catch {
      connection.fail(error, error.closeCode)
    }
  }

  func ended(_ connection: Connection, _ reason: ClientError) {
    self.connection = nil
    end = reason
    begun.take()?(.failure(reason))
    for completion in exchange(&calls, with: [:]).values { completion(.failure(reason)) }
    for room in queues.keys { dropQueues(of: room) }
    for waiter in exchange(&endWaiters, with: []) { waiter(reason) }
  }

  private func carryOut(_ output: ConnectionCore.Output) {
    switch output {
    case .send(let text): connection?.send(text: text)
    case .answered(let number, let result): calls.removeValue(forKey: number)?(result.mapError(ClientError.server))
    case .event(let room, let event): publish(event, of: room)
    // Whoever has one connection only is told at once, and may ask again.
    case .postponed(let room, let error):
      core.forget(room)
      publish(.closed(reason: error.reason), of: room)
    case .confirmed: break
    case .sessionEnded(let reason): connection?.note(.sessionEnded(reason: reason))
    case .leaving(let delay): connection?.note(.leaving(reconnectAfter: delay))
    }
  }

  private func publish(_ event: RoomEvent, of room: String) {
    for queue in queues[room] ?? [] { queue.put(event, snapshot: core.snapshot(of: room)) }
    if case .closed = event { dropQueues(of: room) }
  }

  private func dropQueues(of room: String) {
    for queue in queues.removeValue(forKey: room) ?? [] { queue.finish() }
  }

  // MARK: what the client asks for

  /// Sends what `make` makes and remembers who waits for the answer.
  private func perform(
    _ completion: @escaping Completion<JSON>,
    _ make: (inout ConnectionCore) throws(ClientError) -> (number: Int, text: [UInt8])
  ) {
    guard let connection, connection.isOpen else { return completion(.failure(end ?? connection?.end ?? .lost)) }
    do throws(ClientError) {
      let call = try make(&core)
      calls[call.number] = completion
      connection.send(text: call.text)
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
    if let known = core.snapshot(of: room), end == nil {
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
    connection?.fail(.closed, .normal)
  }

  func whenOver(_ done: @escaping (ClientError) -> Void) {
    if let end { done(end) } else { endWaiters.append(done) }
  }
}

extension ClientError {
  /// With which code a connection is closed on which this has gone wrong.
  var closeCode: CloseCode {
    if case .tooMuch = self { .messageTooBig } else { .protocolError }
  }
}
