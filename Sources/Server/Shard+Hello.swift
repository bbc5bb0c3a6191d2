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
    withSeat(.person(record.person)) { [unowned self] seat in
      defer { session.release() }
      guard let me = seat.room, session.isOpen else { return refuse(caller, .unavailable) }
      replaceOlder(record.id, session)
      session.person = record.person
      session.sessionID = record.id
      bySession[record.id, default: []].append(session)
      answer(caller) { writer in
        writer.key("me")
        record.person.write(to: writer)
        writer.key("session")
        record.id.write(to: writer)
        writeGreeting(to: writer)
        writer.key("rooms")
        writer.openArray()
        for room in HomeRooms.rooms(of: me) { writer.string(room.name) }
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

  /// One socket per session and client: the newer one stays (DESIGN "Exactly once").
  private func replaceOlder(_ id: ID<Rooms.Session>, _ session: Session) {
    for other in bySession[id] ?? [] where other !== session && other.client == session.client {
      other.close(.replaced, "another connection of this client has said hello")
    }
  }

  func endSession(_ session: Session, reason: String, _ code: CloseCode) {
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
        for session in bySession[id] ?? [] { endSession(session, reason: "loggedOut", .revoked) }
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
