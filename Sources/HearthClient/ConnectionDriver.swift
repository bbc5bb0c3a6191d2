internal import JSON
internal import WebSocket

/// Runs a `ConnectionCore` on a `Connection`, and completes the callers that wait for answers.
///
/// `@unchecked`: `ServerConnection` only passes the reference on; all members are used only on the loop.
final class ConnectionDriver: ConnectionOwner, @unchecked Sendable {
  typealias Completion<Value> = (Result<Value, ClientError>) -> Void

  private var core: ConnectionCore
  private var connection: Connection?
  private var begun: Completion<ConnectionDriver>?
  private var calls: [Int: Completion<JSON>] = [:]
  private var queues: [String: [EventQueue]] = [:]
  private var endWaiters: [(ClientError) -> Void] = []
  /// The reason why the connection ended.
  private var end: ClientError?

  /// `begun` is called once, when the connection is established or has failed.
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
    // A single connection does not retry: report the room as closed, and let the caller subscribe again.
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

  // MARK: requests of the client

  /// Sends the call that `make` creates and keeps the completion for its answer.
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

  /// Starts the closing handshake. Calls `done` when the connection is over.
  func close(_ done: @escaping (ClientError) -> Void) {
    whenOver(done)
    connection?.fail(.closed, .normal)
  }

  func whenOver(_ done: @escaping (ClientError) -> Void) {
    if let end { done(end) } else { endWaiters.append(done) }
  }
}

extension ClientError {
  /// The code for closing a connection after this error.
  var closeCode: CloseCode {
    if case .tooMuch = self { .messageTooBig } else { .protocolError }
  }
}
