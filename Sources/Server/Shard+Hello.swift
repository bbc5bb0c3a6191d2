import Crypto
import Home
import JSON
import Platform
import Rooms
import WebSocket

/// Who is there: the first call of every connection, and the end of a session.
extension Shard {
  /// A token dies this long after its last use.
  static let tokenLife = Duration.seconds(90 * 24 * 3600)

  struct HelloParameters: Record {
    var token: String?
    var client: ID<Client> = ID()
    var app: String?
    static func fields(_ field: inout some FieldVisitor<Self>) {
      field("token", \.token, 1...128)
      field("client", \.client)
      field("app", \.app, 1...100)
    }
  }

  func hello(_ parameters: HelloParameters, _ caller: Caller) {
    let session = caller.session
    leaveRooms(session)
    session.client = parameters.client
    guard let token = parameters.token else {
      return answer(caller) { writeGreeting(to: $0) }
    }
    let key = Array(token.utf8)
    session.hold()
    services.directory.session(
      tokenHash: SHA256.hash(key),
      reply: Reply(on: loop.poster) { [unowned self] result in
        switch result {
        case .failure:
          refuse(caller, .unavailable)
          session.release()
        case .success(let record?) where loop.now - record.lastUsedAt < Self.tokenLife:
          session.answerKey = HMACSHA256.authenticate(key: key, Array("answers".utf8))
          greet(record, caller)
        case .success: refuseToken(caller)
        }
      })
  }

  private func refuseToken(_ caller: Caller) {
    refuse(caller, Refusal(.unauthorized, "token", "This token is not valid (any more): log in again."))
    endSession(caller.session, reason: "badToken", .badToken)
    caller.session.release()
  }

  private func greet(_ record: SessionRecord, _ caller: Caller) {
    let session = caller.session
    services.directory.touchSession(record.id, at: loop.now)
    look(into: .person(record.person)) {
      $0.room.map { HomeRooms.rooms(of: $0).map(\.name) }
    } then: { [unowned self] rooms in
      defer { session.release() }
      guard let rooms, session.isOpen else { return refuse(caller, .unavailable) }
      session.person = record.person
      session.sessionID = record.id
      let key = SessionKey(shard: index, number: session.number)
      tell(shards.home(of: record.id)) { [client = session.client] in $0.claim(record.id, client, key) }
      answer(caller) { writer in
        writer.key("me")
        record.person.write(to: writer)
        writer.key("session")
        record.id.write(to: writer)
        writeGreeting(to: writer)
        writer.key("rooms")
        writer.openArray()
        for room in rooms { writer.string(room) }
        writer.closeArray()
      }
    }
  }

  private func writeGreeting(to writer: Writer) {
    writer.key("now")
    loop.now.write(to: writer)
    writer.key("heartbeat")
    writer.int(Int(configuration.heartbeat.milliseconds))
    writer.key("limits")
    writer.openObject()
    for (name, value) in PublishedLimits.all {
      writer.key(name)
      writer.int(value)
    }
    writer.closeObject()
  }

  // MARK: who holds a session

  /// One connection per session and client: the newer one stays (DESIGN "Exactly once").
  private func claim(_ id: ID<Rooms.Session>, _ client: ID<Client>, _ key: SessionKey) {
    if let older = holders[id]?.updateValue(key, forKey: client), older != key {
      tell(older.shard) { shard in
        guard let session = shard.connection(older.number), session.sessionID == id else { return }
        session.close(.replaced, "another connection of this client has said hello")
      }
    }
    holders[id, default: [:]][client] = key
  }

  /// A connection gives up its place, unless another has taken it.
  func release(_ id: ID<Rooms.Session>, _ client: ID<Client>, _ key: SessionKey) {
    guard holders[id]?[client] == key else { return }
    holders[id]?[client] = nil
    if holders[id]?.isEmpty == true { holders[id] = nil }
  }

  /// Ends a session on all its connections.
  private func endConnections(of id: ID<Rooms.Session>) {
    for key in holders[id]?.values.map(\.self) ?? [] {
      tell(key.shard) { shard in
        guard let session = shard.connection(key.number), session.sessionID == id else { return }
        shard.endSession(session, reason: "loggedOut", .revoked)
      }
    }
  }

  private func endSession(_ session: Session, reason: String, _ code: CloseCode) {
    notify(session, "session.ended") { writer in
      writer.key("reason")
      writer.string(reason)
    }
    session.close(code, reason)
  }

  // MARK: log out

  /// Ends the session everywhere: its token is dead, its sockets are told and closed (ACC-6).
  func logOut(_ caller: Caller) {
    guard let id = caller.session.sessionID else { return refuse(caller, .unauthorized) }
    services.directory.revokeSession(
      id,
      reply: Reply(on: loop.poster) { [unowned self] result in
        guard case .success = result else { return refuse(caller, .unavailable) }
        answer(caller) { _ in }
        tell(shards.home(of: id)) { $0.endConnections(of: id) }
      })
  }
}

/// The limits that a client needs to know, by name, as `hello` publishes them.
enum PublishedLimits {
  static let all: [(String, Int)] =
    [
      ("frameBytes", WireLimits.frame), ("messageBytes", WireLimits.message),
      ("messageBytesBeforeHello", WireLimits.messageBeforeHello), ("fragments", WireLimits.fragments),
      ("depth", WireLimits.depth), ("nodes", WireLimits.nodes), ("batchCalls", WireLimits.batch),
      ("subscriptions", WireLimits.subscriptions), ("unansweredCalls", WireLimits.unanswered),
    ] + Limits.published.map { ($0.name, $0.range.upperBound) }
}
