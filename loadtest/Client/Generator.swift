import HTTP
import JSON
import WebSocket

/// The behaviour of the connections and the recording of results. Connections to Hearth call all but `turn`.
protocol Scenario: AnyObject {
  /// Reports that the connection has said hello and all its subscriptions are answered.
  func ready(_ connection: Connection)
  /// Reports the answer to a subscription, with a state or a patch.
  func subscribed(_ connection: Connection, _ room: Int, _ result: View)
  /// Reports the answer to another call with a text id.
  func answered(_ connection: Connection, _ id: String, _ message: View)
  /// Reports that the connection was lost and is closed now. Returns `true` if the scenario handles that.
  func lost(_ connection: Connection, _ reason: String) -> Bool
  /// Reports a message that is not an answer to a call before the load.
  func received(_ message: View, _ connection: Connection)
  /// Runs after each batch of events, and returns when it must run again at the latest.
  func turn(at now: Int64) -> Int64
  /// Whether the refusal of a call before the load counts as success.
  func mayFail(_ id: String, _ error: View) -> Bool
}

extension Scenario {
  func ready(_ connection: Connection) {}
  func subscribed(_ connection: Connection, _ room: Int, _ result: View) {}
  func answered(_ connection: Connection, _ id: String, _ message: View) {}
  func lost(_ connection: Connection, _ reason: String) -> Bool { false }
  func turn(at now: Int64) -> Int64 { .max }
  func received(_ message: View, _ connection: Connection) {}
  func mayFail(_ id: String, _ error: View) -> Bool { false }
}

/// Sockets outside of the generator's connections that it watches, too.
protocol Outsiders: AnyObject {
  func ready(_ token: Int, isReadable: Bool, isWritable: Bool)
}

/// Handles any number of connections on one thread with one epoll set: first all events of a batch, then one send call
/// per connection with output.
final class Generator {
  let host: String
  let port: UInt16
  let offersDeflate: Bool
  let tls: TLSContext?
  let poller: Poller
  private(set) var connections: [WebSocketConnection] = []
  var scenario: (any Scenario)?
  /// The outsiders, whose tokens differ from all connection numbers.
  weak var outsiders: (any Outsiders)?
  var dirty: [WebSocketConnection] = []
  var receivedByteCount = 0

  // Shared by all connections, since only one is handled at a time.
  let tape = Tape(depthLimit: 32, nodeLimit: 1_000_000, byteLimit: 4 << 20)
  let writer = Writer(capacity: 4096)
  let inflater = Inflater()
  var buffer = [UInt8](repeating: 0, count: 256 * 1024)
  var plainBuffer = [UInt8](repeating: 0, count: 32 * 1024)

  /// Lost connections by reason.
  private(set) var losses: [String: Int] = [:]
  private var waiting: ArraySlice<WebSocketConnection> = []
  private var openingCount = 0
  private var openingLimit = 1
  private(set) var readyCount = 0
  private(set) var now = System.nanoseconds
  /// When the bytes being handled reached this machine, however long they waited for this thread.
  private(set) var arrivedAt = System.nanoseconds
  /// The difference between `now` and the clock of arrival times.
  private var sinceWallTime: Int64 = 0

  init(_ target: TargetOptions) throws {
    host = target.host
    port = target.port
    offersDeflate = target.deflate
    tls = target.tls ? try TLSContext(authority: target.authority, address: target.host) : nil
    poller = try Poller()
    if let processor = target.cpu { try System.pin(to: processor) }
  }

  /// Reads from a socket and decrypts with TLS if used. Returns the number of bytes, and the reason if the connection
  /// is over.
  func receive(
    from descriptor: Int32, over tls: TLSClient?, _ take: (inout MutableSpan<UInt8>) throws -> Void
  ) -> (count: Int, failure: String?) {
    var failure: String?
    let count = System.receive(descriptor, into: &buffer) { bytes, wallTime in
      arrivedAt = wallTime.map { min(now, $0 + sinceWallTime) } ?? now
      do {
        if let tls {
          try tls.receive(bytes.span, through: &plainBuffer, take)
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
    return (max(0, count), failure)
  }

  // MARK: opening

  func add(_ person: Person, rooms: [String]) -> Connection {
    let connection = Connection(connections.count, person, rooms: rooms, self)
    add(connection)
    return connection
  }

  /// Adds a connection, whose number must be the count of those before it.
  func add(_ connection: WebSocketConnection) {
    connections.append(connection)
    waiting.append(connection)
  }

  /// Opens the added connections, at most `limit` at a time, and returns when all are ready.
  func openAll(atOnce limit: Int = 100) throws {
    openingLimit = limit
    run { !isOpening }
    if let (reason, count) = losses.first { throw LoadError("\(count) connections could not be set up: \(reason)") }
  }

  /// Whether some connections are not ready yet.
  var isOpening: Bool { !waiting.isEmpty || openingCount > 0 }

  /// Opens a lost or closed connection again.
  func reopen(_ connection: WebSocketConnection) {
    connection.renew()
    waiting.append(connection)
  }

  /// Sets how many connections are opened at the same time.
  func setOpeningLimit(_ limit: Int) { openingLimit = limit }

  /// Opens some of the waiting connections and returns whether more could be opened at once. Open connections have
  /// their turn in between, as if each were on its own machine.
  private func openNext() -> Bool {
    for _ in 0..<64 {
      guard openingCount < openingLimit, let next = waiting.popFirst() else { return false }
      openingCount += 1
      do { try next.open() } catch { lose(next, "\(error)") }
    }
    return !waiting.isEmpty
  }

  func becameReady(_ connection: WebSocketConnection) {
    openingCount -= 1
    readyCount += 1
    connection.wasReadied()
  }

  func lose(_ connection: WebSocketConnection, _ reason: String) {
    if case .closed = connection.phase { return }
    // A connection that could not be opened counts as opening, too.
    if connection.isReady { readyCount -= 1 } else { openingCount -= 1 }
    connection.close()
    if !connection.wasLost(reason) { losses[reason, default: 0] += 1 }
  }

  func close(_ connection: WebSocketConnection) {
    if connection.isReady { readyCount -= 1 }
    connection.close()
  }

  // MARK: running

  /// Handles events until `isDone`, which is called after each batch.
  func run(until isDone: () -> Bool) {
    while true {
      now = System.nanoseconds
      sinceWallTime = now - System.wallNanoseconds
      let due = scenario?.turn(at: now) ?? .max
      let isHurried = openNext()
      flush()
      if isDone() { return }
      // Never wait long: `isDone` may depend on the clock.
      poller.wait(until: isHurried ? now : min(due, now + 100_000_000)) { token, isReadable, isWritable in
        now = System.nanoseconds
        guard connections.indices.contains(token) else {
          outsiders?.ready(token, isReadable: isReadable, isWritable: isWritable)
          return
        }
        if isReadable { connections[token].readable() }
        if isWritable { connections[token].writable() }
      }
    }
  }

  private func flush() {
    // A failed send loses the connection, which must not add to this list.
    for connection in dirty { connection.flush() }
    dirty.removeAll(keepingCapacity: true)
  }
}

/// The reason why a run is impossible.
struct LoadError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
