import Home
import JSON
import Platform
import Rooms

/// The devices on which a person is signed in (ACC-15): sessions are in the directory, and listed in the person's room.
extension AccountDesk {
  struct RevokeParameters: Record {
    var id: ID<Rooms.Session>?
    var others: Bool?
    var seq: Int?
    var answered: Int?
    // These calls have the same effect twice, so a number is accepted and not needed.
    static func fields(_ field: inout some FieldVisitor<Self>) {
      field("id", \.id)
      field("others", \.others)
      field("seq", \.seq)
      field("answered", \.answered)
    }
  }

  struct RenameParameters: Record {
    var id = ID<Rooms.Session>()
    var name = ""
    var seq: Int?
    var answered: Int?
    static func fields(_ field: inout some FieldVisitor<Self>) {
      field("id", \.id)
      field("name", \.name)
      field("seq", \.seq)
      field("answered", \.answered)
    }
  }

  /// Logs a device of the caller's out, or all but the one that asks.
  func revokeDevices(_ parameters: RevokeParameters, _ caller: Caller) {
    guard let person = caller.session.person, let current = caller.session.sessionID else {
      return shard.refuse(caller, .unauthorized)
    }
    guard (parameters.id == nil) == (parameters.others == true) else {
      return shard.refuse(caller, .invalid("id", "or others must be given, not both"))
    }
    sessions(of: person, caller) { [unowned self] all in
      let chosen = all.map(\.id).filter { id in parameters.id.map { $0 == id } ?? (id != current) }
      guard parameters.id == nil || !chosen.isEmpty else { return shard.refuse(caller, .noDevice) }
      services.directory.change(
        person, expecting: nil, [.endSessions(chosen)],
        reply: Reply(on: loop.poster) { [unowned self] result in
          guard case .success = result else { return shard.refuse(caller, .unavailable) }
          let endings = chosen.map { ($0, $0 == current ? "loggedOut" : "revoked") }
          answerAsEnded(caller, person, Dictionary(endings) { $1 })
        })
    }
  }

  func renameDevice(_ parameters: RenameParameters, _ caller: Caller) {
    guard let person = caller.session.person else { return shard.refuse(caller, .unauthorized) }
    guard let name = shard.read(for: caller, { HomeRooms.deviceName(parameters.name, "name", $0) }) else { return }
    sessions(of: person, caller) { [unowned self] all in
      guard all.contains(where: { $0.id == parameters.id }) else { return shard.refuse(caller, .noDevice) }
      services.directory.change(
        person, expecting: nil, [.renameSession(parameters.id, to: name)],
        reply: Reply(on: loop.poster) { [unowned self] result in
          guard case .success = result else { return shard.refuse(caller, .unavailable) }
          shard.answer(caller) { _ in }
          mirror.update(of: person)
        })
    }
  }

  private func sessions(of person: ID<Person>, _ caller: Caller, _ done: @escaping ([SessionRecord]) -> Void) {
    services.directory.sessions(
      of: person,
      reply: Reply(on: loop.poster) { [unowned self] result in
        if case .success(let all) = result { done(all) } else { shard.refuse(caller, .unavailable) }
      })
  }

  // MARK: tokens that die

  func isExpired(_ session: SessionRecord) -> Bool { age(of: session.lastUsedAt) >= configuration.tokenLife }

  // The wall clock may be set, and elapsed time begins with a wall clock that may be wrong. No session ends because of
  // either: the later time counts for its use, the earlier one for its age.

  /// The time for the use of a session.
  var timeOfUse: Instant { max(loop.now, steady.now(at: loop.uptime)) }

  private func age(of usedAt: Instant) -> Duration { min(loop.now, steady.now(at: loop.uptime)) - usedAt }

  /// Notes that a connection has been used, and ends one whose token has died of age. Called once a heartbeat.
  func lookAfterToken(of session: Session) {
    guard let id = session.sessionID, let person = session.person else { return }
    if session.isUsed {
      session.isUsed = false
      session.usedAt = timeOfUse
      services.directory.touchSession(id, at: timeOfUse)
      mirror.noteUse(of: id, by: person)
    }
    guard age(of: session.usedAt) >= configuration.tokenLife else { return }
    // Another connection may have used it.
    services.directory.sessions(
      of: person,
      reply: Reply(on: loop.poster) { [unowned self] result in
        guard case .success(let all) = result, session.sessionID == id else { return }
        guard let record = all.first(where: { $0.id == id }) else {
          return endSession(session, reason: "revoked", .revoked)
        }
        session.usedAt = max(session.usedAt, record.lastUsedAt)
        if isExpired(record) { endSession(session, reason: "expired", .expired) }
      })
  }
}

extension HomeRooms.ListedDevice {
  init(_ session: SessionRecord) {
    self.init(name: session.name, createdAt: session.createdAt, lastUsedAt: session.lastUsedAt)
  }
}

extension Refusal {
  fileprivate static var noDevice: Refusal {
    Refusal(.notFound, "gone", "There is no such device of yours (any more).")
  }
}
