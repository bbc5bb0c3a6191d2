import JSON
import Platform
import WebSocket

/// How a shard begins and ends.
extension Shard {
  /// Takes up what was on its way when the server stopped; `ready` is called once connections may come.
  ///
  /// Messages between rooms are numbered, so those from before must be in their queues before a room can send more.
  public func start(_ ready: @escaping () -> Void) {
    services.store.undelivered(
      limit: Int.max,
      reply: Reply(on: loop.poster) { [unowned self] result in
        switch result {
        case .success(let messages):
          deliverAgain(messages)
        case .failure(let error):
          services.log("messages on their way cannot be read: \(error)")
        }
        wakeDueRooms()
        ready()
      })
  }

  /// Tells everybody when to come back, and calls `done` when all that was accepted is on disk (SYN-10).
  public func leave(_ done: @escaping () -> Void) {
    for session in sessions.flatMap(\.values) where session.origin == nil {
      guard session.isOpen else {
        session.stream?.abort()
        continue
      }
      // Spread over two seconds, so that they do not all come at once.
      let delay = services.randomness.bytes(2).reduce(0) { $0 << 8 | Int($1) } % 2000
      notify(session, "server.leaving") { writer in
        writer.key("reconnectAfter")
        writer.int(delay)
      }
      session.close(.leaving, "the server is stopping")
    }
    finishCommits(done)
  }

  private func finishCommits(_ done: @escaping () -> Void) {
    handOver()
    if changed.isEmpty, !isCommitting { return done() }
    loop.schedule(after: .milliseconds(2)) { [unowned self] in finishCommits(done) }
  }
}
