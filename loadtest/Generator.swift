import HTTP
import JSON
import WebSocket

/// What is done on the connections, and what is counted. All but `turn` is told by connections to Hearth.
protocol Scenario: AnyObject {
  /// The connection has said hello, and all its subscriptions are answered.
  func ready(_ connection: Connection)
  /// A room is answered, with its state or a patch.
  func subscribed(_ connection: Connection, _ room: Int, _ result: View)
  /// Another call that has a text as its id is answered.
  func answered(_ connection: Connection, _ id: String, _ message: View)
  /// The connection was lost, and it is closed now. `true` says that the scenario sees to it.
  func lost(_ connection: Connection, _ reason: String) -> Bool
  /// A message that is no answer to a call before the load.
  func received(_ message: View, _ connection: Connection)
  /// Runs after each batch of events, and answers when it wants to run again at the latest.
  func turn(at now: Int64) -> Int64
  /// Whether this refusal of a call before the load is as good as its success.
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

/// Sockets that are no connections of the generator's, and are watched along with them.
protocol Outsiders: AnyObject {
  func ready(_ token: Int, isReadable: Bool, isWritable: Bool)
}

/// One thread, one epoll set, any number of connections: each event is handled, then what was written is sent, with one
/// system call per connection and batch.
final class Generator {
  let host: String
  let port: UInt16
  let offersDeflate: Bool
  let tls: TLSContext?
  let poller: Poller
  private(set) var connections: [WebSocketConnection] = []
  var scenario: (any Scenario)?
  /// Whose tokens are none of the connections' numbers.
  weak var outsiders: (any Outsiders)?
  var dirty: [WebSocketConnection] = []
  var receivedByteCount = 0

  // Shared by all connections, since only one is handled at a time.
  let tape = Tape(depthLimit: 32, nodeLimit: 1_000_000, byteLimit: 4 << 20)
  let writer = Writer(capacity: 4096)
  let inflater = Inflater()
  var buffer = [UInt8](repeating: 0, count: 256 * 1024)
  var plainBuffer = [UInt8](repeating: 0, count: 32 * 1024)

  /// Why connections were lost, and how many for each reason.
  private(set) var losses: [String: Int] = [:]
  private var waiting: ArraySlice<WebSocketConnection> = []
  private var openingCount = 0
  private var openingLimit = 1
  private(set) var readyCount = 0
  private(set) var now = System.nanoseconds
  /// When the bytes that are being handled came to this machine, however long they waited for this thread.
  private(set) var arrivedAt = System.nanoseconds
  /// From the clock that arrivals are noted by to that of `now`.
  private var sinceWallTime: Int64 = 0

  init(_ target: TargetOptions) throws {
    host = target.host
    port = target.port
    offersDeflate = target.deflate
    tls = target.tls ? try TLSContext(authority: target.authority, address: target.host) : nil
    poller = try Poller()
    if let processor = target.cpu { try System.pin(to: processor) }
  }

  /// Reads what is there from a socket, and through TLS what it says: how many bytes there were, and why the connection
  /// is over, if it is.
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

  /// Adds a connection whose number is the count of those before it.
  func add(_ connection: WebSocketConnection) {
    connections.append(connection)
    waiting.append(connection)
  }

  /// Opens what was added, so many at once, and returns when all are ready.
  func openAll(atOnce limit: Int = 100) throws {
    openingLimit = limit
    run { !isOpening }
    if let (reason, count) = losses.first { throw LoadError("\(count) connections could not be set up: \(reason)") }
  }

  /// Some connections are not ready yet.
  var isOpening: Bool { !waiting.isEmpty || openingCount > 0 }

  /// Opens a connection that was lost or closed once more.
  func reopen(_ connection: WebSocketConnection) {
    connection.renew()
    waiting.append(connection)
  }

  /// How many connections are set up at once from now on.
  func setOpeningLimit(_ limit: Int) { openingLimit = limit }

  /// Opens some of those that wait, and says whether more could be opened at once: those that are open have their turn
  /// between them, as if each were a machine of its own.
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
    // One that could not even be opened is counted as being opened, too.
    if connection.isReady { readyCount -= 1 } else { openingCount -= 1 }
    connection.close()
    if !connection.wasLost(reason) { losses[reason, default: 0] += 1 }
  }

  func close(_ connection: WebSocketConnection) {
    if connection.isReady { readyCount -= 1 }
    connection.close()
  }

  // MARK: running

  /// Handles events until `isDone`, which is asked after each batch.
  func run(until isDone: () -> Bool) {
    while true {
      now = System.nanoseconds
      sinceWallTime = now - System.wallNanoseconds
      let due = scenario?.turn(at: now) ?? .max
      let isHurried = openNext()
      flush()
      if isDone() { return }
      // Never for long: `isDone` may look at the clock.
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
    // What fails to be sent is lost, which may add nothing here.
    for connection in dirty { connection.flush() }
    dirty.removeAll(keepingCapacity: true)
  }
}

/// Why a run makes no sense.
struct LoadError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
