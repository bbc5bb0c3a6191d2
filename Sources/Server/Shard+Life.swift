import JSON
import Platform
import Rooms
import WebSocket

/// The start and the end of a shard.
extension Shard {
  /// Delivers the messages that were in flight when the server stopped, then calls `ready`: connections may come.
  ///
  /// Messages between rooms are numbered, so earlier ones must be in their queues before a room can send another.
  public func start(_ ready: @escaping () -> Void) {
    rooms.outbox.deliverStored { [unowned self] error in
      if let error { services.log(.error, "messages.unreadable", ["why": "\(error)"]) }
      rooms.start()
      deliveries.serve()
      if !isLeaving { stage = .serving }
      ready()
    }
  }

  /// Takes no further connection and no further call (SYN-10). Earlier calls are still answered.
  ///
  /// All shards stop taking before the first of them leaves: they call each other's rooms.
  public func stopTaking() -> Census {
    stage = .leaving
    let connections = connections.all.count { $0.origin == nil }
    return Census(connections: connections, rooms: rooms.count)
  }

  /// The number of connections and rooms of a shard.
  public struct Census: Sendable {
    public var connections: Int
    public var rooms: Int

    public init(connections: Int = 0, rooms: Int = 0) {
      self.connections = connections
      self.rooms = rooms
    }
  }

  /// Calls `done` when all that was accepted is on disk and answered, or after `limit`: a call that is not answered
  /// then is sent again to the next server.
  public func settle(within limit: Duration, _ done: @escaping () -> Void) {
    settle(until: loop.uptime + limit, done)
  }

  private func settle(until deadline: Duration, _ done: @escaping () -> Void) {
    commits.handOver()
    let isSettled = commits.isSettled && waiters.isEmpty && neighbours.isSettled
    if isSettled || loop.uptime >= deadline { return done() }
    loop.schedule(after: .milliseconds(2)) { [unowned self] in settle(until: deadline, done) }
  }

  /// Tells each client when to reconnect, each at another moment, and closes.
  public func leave() {
    teller.live.tellNow()
    let leaving = connections.all.filter { $0.origin == nil && !$0.isExchange }
    let spread = Int(configuration.returnSpread.milliseconds)
    for (place, session) in leaving.enumerated() {
      if case .http(let connection) = session.phase {
        connection.leave()
        continue
      }
      guard session.isOpen else {
        session.drop()
        continue
      }
      // Each client gets a part of the time and a random moment in it, so that they do not come together.
      let part = services.randomness.bytes(2).reduce(0) { $0 << 8 | Int($1) }
      notify(session, "server.leaving") { writer in
        writer.key("reconnectAfter")
        writer.int((place << 16 + part) * spread / (leaving.count << 16))
      }
      session.close(.leaving, "the server is stopping")
    }
  }
}
