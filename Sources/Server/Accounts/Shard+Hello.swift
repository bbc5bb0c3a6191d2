import Crypto
import Home
import JSON
import Platform
import Rooms
import WebSocket

/// Who is there: the first call of every connection, and the end of a session.
extension Shard {
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
    inSteps(caller) { finish in
      services.directory.session(
        tokenHash: SHA256.hash(key),
        reply: Reply(on: loop.poster) { [unowned self] result in
          switch result {
          case .failure: finish(.refused(.unavailable))
          case .success(let record?) where isExpired(record):
            refuse(caller, Refusal(.unauthorized, "expired", "This token has expired: log in again."))
            endSession(session, reason: "expired", .expired)
            finish(.settled)
          case .success(let record?):
            session.answerKey = AnswerKey(token: key)
            greet(record, caller, finish)
          case .success:
            refuseToken(caller)
            finish(.settled)
          }
        })
    }
  }

  private func refuseToken(_ caller: Caller) {
    refuse(caller, Refusal(.unauthorized, "token", "This token is not valid (any more): log in again."))
    endSession(caller.session, reason: "badToken", .badToken)
  }

  private func greet(_ record: SessionRecord, _ caller: Caller, _ finish: @escaping (Outcome) -> Void) {
    let session = caller.session
    services.directory.touchSession(record.id, at: loop.now)
    look(into: .person(record.person)) {
      $0.room.map { HomeRooms.rooms(of: $0).map(\.name) }
    } then: { [unowned self] rooms in
      guard let rooms, session.isOpen else { return finish(.refused(.unavailable)) }
      let key = SessionKey(shard: index, number: session.number)
      let seated = Seated(key: key, session: record.id, client: session.client)
      ask(shards.home(of: record.person), { $0.seat(record.person, seated) }) { [unowned self] seating in
        switch seating {
        case .full: return finish(.refused(.clients(configuration.connectionsPerPerson)))
        case .ended: refuseToken(caller)
        case .seated where session.isOpen: open(session, for: record, seated, rooms, caller)
        case .seated: tell(shards.home(of: record.person)) { $0.unseat(record.person, key) }
        }
        finish(.settled)
      }
    }
  }

  /// A connection's owner is known.
  private func open(
    _ session: Session, for record: SessionRecord, _ seated: Seated, _ rooms: [String], _ caller: Caller
  ) {
    if let host = session.stream?.peer.host { noteKnown(session, from: host) }
    session.person = record.person
    session.sessionID = record.id
    session.usedAt = loop.now
    session.isUsed = false
    services.log(
      .debug, "session.opened", ["connection": "\(index).\(session.number)", "rooms": .number(rooms.count)])
    tell(shards.home(of: record.person)) { $0.claim(record.person, seated) }
    noteUse(of: record.id, by: record.person)
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

  // MARK: how many connections somebody has

  private enum Seating { case seated, full, ended }

  /// Gives a connection one of its person's places, if there is one. The same client comes back to its own. Whoever has
  /// a place is found by `places(of:toEnd:)`; a session that has ended since its token was looked up gets none.
  private func seat(_ person: ID<Person>, _ seated: Seated) -> Seating {
    guard endedSessions[seated.session] == nil else { return .ended }
    let others = crowds[person]?.count { $0.key != seated.key && !$0.isSameClient(as: seated) } ?? 0
    guard others < configuration.connectionsPerPerson else { return .full }
    unseat(person, seated.key)
    crowds[person, default: []].append(seated)
    return .seated
  }

  /// Gives a place back.
  func unseat(_ person: ID<Person>, _ key: SessionKey) {
    crowds[person]?.removeAll { $0.key == key }
    if crowds[person]?.isEmpty == true { crowds[person] = nil }
  }

  // MARK: greeting

  private func writeGreeting(to writer: Writer) {
    writer.key("now")
    loop.now.write(to: writer)
    writer.key("heartbeat")
    writer.int(Int(configuration.heartbeat.milliseconds))
    writer.key("limits")
    writer.openObject()
    for (name, value) in limits {
      writer.key(name)
      writer.int(value)
    }
    writer.closeObject()
  }

  // MARK: who holds a session

  /// One connection per session and client: the newer one stays (DESIGN "Exactly once").
  private func claim(_ person: ID<Person>, _ seated: Seated) {
    guard var crowd = crowds[person] else { return }
    var older: [SessionKey] = []
    for place in crowd.indices where crowd[place].isSameClient(as: seated) {
      if crowd[place].isHolder, crowd[place].key != seated.key { older.append(crowd[place].key) }
      crowd[place].isHolder = crowd[place].key == seated.key
    }
    crowds[person] = crowd
    for key in older {
      tell(key.shard) { shard in
        guard let session = shard.connection(key.number), session.sessionID == seated.session else { return }
        session.close(.replaced, "another connection of this client has said hello")
      }
    }
  }

  /// Ends sessions of somebody, whose tokens are dead already, on all their connections but `own`, and goes on when
  /// none of these is told anything more.
  ///
  /// - Parameter endings: why, for each of them.
  func endConnections(
    of person: ID<Person>, _ endings: [ID<Rooms.Session>: String], but own: SessionKey? = nil,
    then done: @escaping () -> Void
  ) {
    ask(shards.home(of: person)) {
      $0.places(of: person, toEnd: Set(endings.keys)).filter { $0.key != own }
    } then: { [unowned self] places in
      end(places[...], endings, then: done)
    }
  }

  private func end(
    _ places: ArraySlice<Seated>, _ endings: [ID<Rooms.Session>: String], then done: @escaping () -> Void
  ) {
    guard let place = places.first else { return done() }
    let reason = endings[place.session] ?? ""
    ask(place.key.shard) {
      $0.end(place, reason: reason)
    } then: { [unowned self] in
      end(places.dropFirst(), endings, then: done)
    }
  }

  /// The connections of sessions that are to end, also those that are only saying hello; no other gets a place.
  private func places(of person: ID<Person>, toEnd ids: Set<ID<Rooms.Session>>) -> [Seated] {
    endedSessions = endedSessions.filter { loop.uptime - $0.value < .seconds(60) }
    for id in ids { endedSessions[id] = loop.uptime }
    return (crowds[person] ?? []).filter { ids.contains($0.session) }
  }

  private func end(_ place: Seated, reason: String) {
    guard let session = connection(place.key.number), session.sessionID == place.session else { return }
    endSession(session, reason: reason, .revoked)
  }

  /// Tells a connection why its session is over, and closes it (ACC-14); one that does not take what waits for it is
  /// told when it says hello again, for nothing of that shall come any more (RELIABILITY I9).
  func endSession(_ session: Session, reason: String, _ code: CloseCode) {
    if session.stream?.stalledSince != nil { return session.stream?.abort() ?? () }
    notify(session, "session.ended") { writer in
      writer.key("reason")
      writer.string(reason)
    }
    session.close(code, reason)
  }

  // MARK: log out

  /// Ends sessions, those of others before the caller hears of it, and his own, if it is among them, behind that.
  func answerAsEnded(_ caller: Caller, _ person: ID<Person>, _ endings: [ID<Rooms.Session>: String]) {
    let session = caller.session
    let own = session.sessionID
    endConnections(of: person, endings, but: SessionKey(shard: index, number: session.number)) { [unowned self] in
      answer(caller) { _ in }
      if let own, let reason = endings[own], session.sessionID == own, !session.isExchange {
        endSession(session, reason: reason, .revoked)
      }
      listDevices(of: person)
    }
  }

  /// Ends the session everywhere: its token is dead, its sockets are told and closed (ACC-6).
  func logOut(_ caller: Caller) {
    guard let id = caller.session.sessionID, let person = caller.session.person else {
      return refuse(caller, .unauthorized)
    }
    services.directory.revokeSessions(
      [id],
      reply: Reply(on: loop.poster) { [unowned self] result in
        guard case .success = result else { return refuse(caller, .unavailable) }
        answerAsEnded(caller, person, [id: "loggedOut"])
      })
  }
}

/// A connection in one of its person's places, and which client of which session it is.
struct Seated: Sendable {
  let key: SessionKey
  let session: ID<Rooms.Session>
  let client: ID<Client>
  /// The newest connection of its client that has said hello.
  var isHolder = false

  func isSameClient(as other: Seated) -> Bool { session == other.session && client == other.client }
}

extension Refusal {
  fileprivate static func clients(_ limit: Int) -> Refusal {
    Refusal(.tooLarge, "clients", "You have \(limit) connections already: close one of them.")
  }
}

/// The limits that a client needs to know, by name, as `hello` publishes them.
enum PublishedLimits {
  static func all(_ configuration: Configuration = Configuration()) -> [(String, Int)] {
    [
      ("frameBytes", WireLimits.frame), ("messageBytes", WireLimits.message),
      ("messageBytesBeforeHello", WireLimits.messageBeforeHello), ("fragments", WireLimits.fragments),
      ("depth", WireLimits.depth), ("nodes", WireLimits.nodes), ("batchCalls", WireLimits.batch),
      ("subscriptions", WireLimits.subscriptions),
      ("clients", configuration.connectionsPerPerson), ("callsPerSecond", configuration.callsPerSecond),
      ("pingsPerMinute", WireLimits.pingsPerMinute),
      ("unansweredCalls", WireLimits.unanswered),
    ] + Limits.published.map { ($0.name, $0.range.upperBound) }
  }
}
