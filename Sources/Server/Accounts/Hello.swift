import Crypto
import Home
import JSON
import Platform
import Rooms
import WebSocket

/// The first call of every connection, and the end of a session.
extension AccountDesk {
  struct HelloParameters: Record {
    var token: String?
    var client: ID<Client> = ID()
    var app: Line?
    static func fields(_ field: inout some FieldVisitor<Self>) {
      field("token", \.token, 1...128)
      field("client", \.client)
      field("app", \.app, 1...100)
    }
  }

  func hello(_ parameters: HelloParameters, _ caller: Caller) {
    let session = caller.session
    shard.connections.leaveRooms(session)
    session.client = parameters.client
    guard let token = parameters.token else {
      return shard.answer(caller) { writeGreeting(to: $0) }
    }
    let key = Array(token.utf8)
    shard.inSteps(caller) { finish in
      services.directory.session(
        tokenHash: SHA256.hash(key),
        reply: Reply(on: loop.poster) { [unowned self] result in
          switch result {
          case .failure: finish(.refused(.unavailable))
          case .success(let record?) where isExpired(record):
            shard.refuse(caller, Refusal(.unauthorized, "expired", "This token has expired: log in again."))
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
    shard.refuse(caller, Refusal(.unauthorized, "token", "This token is not valid (any more): log in again."))
    endSession(caller.session, reason: "badToken", .badToken)
  }

  private func greet(_ record: SessionRecord, _ caller: Caller, _ finish: @escaping (Outcome) -> Void) {
    let session = caller.session
    services.directory.touchSession(record.id, at: timeOfUse)
    let home = home(of: record.person)
    shard.neighbours.ask(.rooms(of: record.person), of: home) { [unowned self] answer in
      guard case .rooms(let rooms?) = answer, session.isOpen else { return finish(.refused(.unavailable)) }
      let key = shard.neighbours.key(of: session)
      let seated = Seated(key: key, session: record.id, client: session.client, openedAt: session.openedAt)
      shard.neighbours.ask(.seat(record.person, seated), of: home) { [unowned self] answer in
        switch answer {
        case .seating(.full): return finish(.refused(.clients(configuration.connectionsPerPerson)))
        case .seating(.seated) where session.isOpen: open(session, for: record, seated, rooms, caller)
        case .seating(.seated): unseat(record.person, key)
        default: refuseToken(caller)
        }
        finish(.settled)
      }
    }
  }

  /// A connection's owner is known.
  private func open(
    _ session: Session, for record: SessionRecord, _ seated: Seated, _ rooms: [String], _ caller: Caller
  ) {
    noteKnown(session)
    session.person = record.person
    noteCrowd(session)
    session.sessionID = record.id
    session.usedAt = timeOfUse
    session.isUsed = false
    services.log(
      .debug, "session.opened", ["connection": "\(shard.index).\(session.number)", "rooms": .number(rooms.count)])
    shard.neighbours.send(.claim(record.person, seated), to: home(of: record.person))
    mirror.noteUse(of: record.id, by: record.person)
    shard.answer(caller) { writer in
      writer.key("me")
      record.person.write(to: writer)
      writer.key("session")
      record.id.write(to: writer)
      writeGreeting(to: writer)
      writer.key("rooms")
      writer.openArray()
      // Shares cannot be watched in clear text (LOC-31).
      for room in rooms where !(session.isInClear && room.hasPrefix("share/")) { writer.string(room) }
      writer.closeArray()
    }
  }

  // MARK: places

  private func home(of person: ID<Person>) -> Int { shard.shards.home(of: person) }

  private func unseat(_ person: ID<Person>, _ key: SessionKey) {
    shard.neighbours.send(.unseat(person, key), to: home(of: person))
  }

  /// A connection is closed, or says hello again: it is no longer its person's.
  func close(_ session: Session) {
    guard session.sessionID != nil else { return }
    services.log(.debug, "session.ended", ["connection": "\(shard.index).\(session.number)"])
    if let person = session.person { unseat(person, shard.neighbours.key(of: session)) }
    session.sessionID = nil
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
    if let page = services.web?() {
      writer.key("page")
      writer.openObject()
      writer.key("version")
      writer.string(page.version)
      if let tiles = page.mapTiles {
        writer.key("mapTiles")
        writer.string(tiles.template)
      }
      writer.closeObject()
    }
    if !configuration.openID.isEmpty {
      writer.key("openid")
      writer.openArray()
      for name in configuration.openID.map(\.name).sorted() { writer.string(name) }
      writer.closeArray()
    }
  }

  // MARK: holders and ends

  /// One connection per session and client (DESIGN "Exactly once").
  func claim(_ person: ID<Person>, _ seated: Seated) {
    for key in crowds.claim(person, seated) {
      shard.neighbours.send(.replaced(connection: key.number, session: seated.session), to: key.shard)
    }
  }

  func replace(_ number: UInt64, of id: ID<Rooms.Session>) {
    guard let session = shard.connections[number], session.sessionID == id else { return }
    session.close(.replaced, "another connection of this client has said hello")
  }

  /// Closes all connections but `own` of sessions whose tokens are dead already, and continues when none of these is
  /// sent anything any longer.
  ///
  /// - Parameter endings: why, for each of them.
  func endConnections(
    of person: ID<Person>, _ endings: [ID<Rooms.Session>: String], but own: SessionKey? = nil,
    then done: @escaping () -> Void
  ) {
    shard.neighbours.ask(.places(of: person, toEnd: Set(endings.keys)), of: home(of: person)) {
      [unowned self] answer in
      guard case .places(let places) = answer else { return }
      end(places.filter { $0.key != own }[...], endings, then: done)
    }
  }

  private func end(
    _ places: ArraySlice<Seated>, _ endings: [ID<Rooms.Session>: String], then done: @escaping () -> Void
  ) {
    guard let place = places.first else { return done() }
    let reason = endings[place.session] ?? ""
    shard.neighbours.ask(.end(place, reason: reason), of: place.key.shard) { [unowned self] _ in
      end(places.dropFirst(), endings, then: done)
    }
  }

  /// Ends a connection, if it is still of the session that has ended.
  func end(_ place: Seated, reason: String) {
    guard let session = shard.connections[place.key.number], session.sessionID == place.session else { return }
    endSession(session, reason: reason, .revoked)
  }

  /// Tells a connection why its session is over, and closes it (ACC-14).
  ///
  /// A client that does not take this with the batch is told when it says hello again: of what waits for it, nothing
  /// shall arrive any longer (RELIABILITY I9).
  func endSession(_ session: Session, reason: String, _ code: CloseCode) {
    shard.notify(session, "session.ended") { writer in
      writer.key("reason")
      writer.string(reason)
    }
    session.close(code, reason, lingering: false)
  }

  // MARK: accounts that end

  /// Closes all connections of a person whose account is deleted. This is the shard of the person's own room (ACC-9).
  func ended(_ person: ID<Person>) {
    let places = crowds.end(person, at: loop.uptime)
    let endings = Dictionary(places.map { ($0.session, HomeRooms.endOfAccount) }) { $1 }
    // The answer to the call leaves first: it may have to pass through another shard.
    shard.neighbours.flushRelays()
    end(places[...], endings) {}
  }

  // MARK: log out

  /// Closes the given sessions: other connections before the call is answered, the caller's own after.
  func answerAsEnded(_ caller: Caller, _ person: ID<Person>, _ endings: [ID<Rooms.Session>: String]) {
    let session = caller.session
    let own = session.sessionID
    endConnections(of: person, endings, but: shard.neighbours.key(of: session)) { [unowned self] in
      shard.answer(caller) { _ in }
      if let own, let reason = endings[own], session.sessionID == own, !session.isExchange {
        endSession(session, reason: reason, .revoked)
      }
      mirror.update(of: person)
    }
  }

  /// Ends the session everywhere: its token is dead, its sockets are told and closed (ACC-6).
  func logOut(_ caller: Caller) {
    guard let id = caller.session.sessionID, let person = caller.session.person else {
      return shard.refuse(caller, .unauthorized)
    }
    services.directory.change(
      person, expecting: nil, [.endSessions([id])],
      reply: Reply(on: loop.poster) { [unowned self] result in
        guard case .success = result else { return shard.refuse(caller, .unavailable) }
        answerAsEnded(caller, person, [id: "loggedOut"])
      })
  }
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
      ("documentBytes", Room.documentLimit),
    ] + ranges.map { ($0.name, $0.range.upperBound) }
      + ranges.filter { $0.range.lowerBound > 1 }.map { ($0.name + "Minimum", $0.range.lowerBound) }
  }

  private static var ranges: [(name: String, range: ClosedRange<Int>)] {
    Limits.published + [("password", AccountDesk.passwordLength), ("idToken", IDToken.length)]
  }
}
