import Home
import JSON
import Platform
import Rooms

/// Carries out one call of the server's owner (OPS-4).
///
/// It knows rooms and accounts by their protocols only, so that it works with every store.
struct AdminDesk {
  private let shard: Shard
  private let caller: Caller

  init(_ shard: Shard, _ caller: Caller) {
    self.shard = shard
    self.caller = caller
  }

  private var directory: any Directory { shard.services.directory }

  // MARK: accounts

  func list(_ parameters: AccountsParameters) {
    if parameters.person != nil || parameters.email != nil {
      guard parameters.after == nil else { return refuse(.invalid("after", "cannot stand beside person or email")) }
      return find(parameters.person, parameters.email) { account in
        fetch {
          directory.sessions(of: account.person, reply: $0)
        } then: { sessions in
          answer(AccountPage(accounts: [ListedAccount(account, sessions)]))
        }
      }
    }
    let limit = parameters.limit ?? Self.pageLimit
    fetch {
      directory.accounts(after: parameters.after, limit: limit, reply: $0)
    } then: { page in
      answer(
        AccountPage(
          accounts: page.map { ListedAccount($0.account, $0.sessions) },
          next: page.count == limit ? page.last?.account.person : nil))
    }
  }

  func listSessions(_ parameters: PersonParameters) {
    find(parameters.person, parameters.email) { account in
      let person = account.person
      fetch {
        directory.sessions(of: person, reply: $0)
      } then: { sessions in
        shard.neighbours.ask(.connected(person), of: shard.shards.home(of: person)) { reply in
          guard case .places(let places) = reply else { return }
          let listed = sessions.map { session in
            ListedSession(session, connections: places.count { $0.session == session.id })
          }
          answer(SessionList(person: person, email: account.email, sessions: listed))
        }
      }
    }
  }

  /// Finds the account of a person that the call names by id or address.
  private func find(_ person: ID<Person>?, _ email: String?, then done: @escaping (Account) -> Void) {
    let key: AccountKey
    switch (person, email) {
    case (let person?, nil): key = .person(person)
    case (nil, let email?):
      guard let email = HomeRooms.normalisedEmail(email) else {
        return refuse(.invalid("email", "must be an e-mail address"))
      }
      key = .email(email)
    default: return refuse(.invalid("person", "or email must be given, not both"))
    }
    fetch {
      directory.account(by: key, reply: $0)
    } then: { account in
      guard let account else { return refuse(.noAccount) }
      done(account)
    }
  }

  // MARK: sessions

  /// Ends sessions, as their person could: their tokens die, and their connections are told and closed.
  func revoke(_ parameters: RevokeParameters) {
    guard let id = parameters.session else {
      return find(parameters.person, parameters.email) { account in
        end(.endOtherSessions(than: nil), of: account.person)
      }
    }
    guard parameters.person == nil, parameters.email == nil else {
      return refuse(.invalid("session", "cannot stand beside person or email"))
    }
    fetch {
      directory.session(id, reply: $0)
    } then: { session in
      guard let session else { return refuse(.noSession) }
      end(.endSessions([id]), naming: [id], of: session.person)
    }
  }

  private func end(_ change: AccountChange, naming ids: [ID<Rooms.Session>] = [], of person: ID<Person>) {
    fetch {
      directory.change(person, expecting: nil, [change], reply: $0)
    } then: { outcome in
      guard case .changed(let others) = outcome else { return refuse(.unavailable) }
      let ended = ids + others
      shard.accounts.endConnections(of: person, Dictionary(ended.map { ($0, "revoked") }) { $1 }) {
        answer(Revoked(person: person, ended: ended.count))
        shard.accounts.mirror.update(of: person)
      }
    }
  }

  // MARK: codes

  /// Makes a code that replaces a forgotten password, for the owner to hand on (ACC-10).
  func makeResetCode(_ parameters: PersonParameters) {
    find(parameters.person, parameters.email) { account in
      guard let email = account.email else { return refuse(.noAddress) }
      let mailed = MailedCode(
        .reset, for: account.person, to: email, at: shard.loop.now, shard.services.randomness)
      fetch {
        // The owner may make as many as they like.
        directory.change(account.person, expecting: nil, [.setCode(mailed.code, limit: .max)], reply: $0)
      } then: { outcome in
        guard case .changed = outcome else { return refuse(.unavailable) }
        answer(ResetCode(person: account.person, email: email, code: mailed.text, until: mailed.code.until))
      }
    }
  }

  // MARK: rooms

  func list(_ parameters: RoomsParameters) {
    var after: RoomID?
    if let text = parameters.after {
      guard let room = RoomID(text: Array(text.utf8).span) else {
        return refuse(.invalid("after", "must be a room of an earlier page"))
      }
      after = room
    }
    let limit = parameters.limit ?? Self.pageLimit
    shard.neighbours.askAll(.loaded(after: after, limit: limit)) { answers in
      var rooms: [LoadedRoom] = []
      for case .loaded(let some) in answers { rooms += some }
      let page = rooms.sorted { $0.room < $1.room }.prefix(limit)
      answer(RoomPage(rooms: page.map { ListedRoom($0) }, next: page.count == limit ? page.last?.room.text : nil))
    }
  }

  // MARK: the server

  func tellStatistics() {
    shard.neighbours.askAll(.reading) { answers in
      var reading = Shard.Reading()
      for case .reading(let part) in answers { reading.add(part) }
      fetch {
        shard.services.store.size(reply: $0)
      } then: { size in
        fetch {
          directory.count(reply: $0)
        } then: { count in
          var statistics = Statistics(reading)
          statistics.loops = shard.shards.count
          statistics.storedRooms = size.rooms
          statistics.storedBytes = size.bytes
          statistics.accounts = count.accounts
          statistics.sessions = count.sessions
          statistics.memoryBytes = shard.services.usage()?.residentBytes
          answer(statistics)
        }
      }
    }
  }

  func drain() {
    shard.services.log(.info, "server.draining")
    shard.answer(caller) { _ in }
    shard.services.stop()
  }

  // MARK: answers

  /// Asks the store, and goes on if it answers.
  private func fetch<Value: Sendable>(
    _ ask: (Reply<Result<Value, StoreError>>) -> Void, then done: @escaping (Value) -> Void
  ) {
    ask(
      Reply(on: shard.loop.poster) { result in
        if case .success(let value) = result { done(value) } else { refuse(.unavailable) }
      })
  }

  private func answer(_ record: some Record) { shard.answer(caller) { record.writeMembers(to: $0) } }
  private func refuse(_ refusal: Refusal) { shard.refuse(caller, refusal) }
}

/// A room in memory, as its shard describes it to others.
struct LoadedRoom: Sendable {
  let room: RoomID
  let version: Int64
  let bytes: Int
  let subscribers: Int
}

extension RoomKeeper {
  /// A page of the rooms in memory, in their order: those behind `cursor`, at most `limit`.
  func loaded(after cursor: RoomID?, limit: Int) -> [LoadedRoom] {
    // The first `limit` of those seen so far. Sorting all of them would hold up the loop.
    var page: [Seat] = []
    for seat in all where seat.room != nil {
      if let cursor, seat.id <= cursor { continue }
      if page.count == limit {
        guard let last = page.last, seat.id < last.id else { continue }
        page.removeLast()
      }
      var (low, high) = (0, page.count)
      while low < high {
        let middle = (low + high) / 2
        if page[middle].id < seat.id { low = middle + 1 } else { high = middle }
      }
      page.insert(seat, at: low)
    }
    return page.compactMap { seat in
      seat.room.map {
        LoadedRoom(
          room: seat.id, version: $0.version, bytes: $0.documentBytes, subscribers: seat.subscriptions.count)
      }
    }
  }
}

extension AdminDesk.ListedAccount {
  fileprivate init(_ account: Account, _ sessions: [SessionRecord]) {
    self.init(
      person: account.person, email: account.email, pending: account.pendingEmail, createdAt: account.createdAt,
      lastUsedAt: sessions.map(\.lastUsedAt).max(), sessions: sessions.count)
  }
}

extension AdminDesk.ListedSession {
  fileprivate init(_ session: SessionRecord, connections: Int) {
    self.init(
      session: session.id, device: session.name, createdAt: session.createdAt, lastUsedAt: session.lastUsedAt,
      connections: connections)
  }
}

extension AdminDesk.ListedRoom {
  fileprivate init(_ loaded: LoadedRoom) {
    self.init(
      room: loaded.room.text, kind: RoomKindName(loaded.room).rawValue, version: Int(loaded.version),
      bytes: loaded.bytes, subscribers: loaded.subscribers)
  }
}

extension AdminDesk.Statistics {
  fileprivate init(_ reading: Shard.Reading) {
    uptimeSeconds = Int(reading.uptime.components.seconds)
    members = reading.connections["member"] ?? 0
    strangers = (reading.connections["stranger"] ?? 0) + (reading.connections["opening"] ?? 0)
    http = reading.connections["http"] ?? 0
    connections = reading.counters.connections
    calls = reading.calls.values.reduce(0) { $0 + $1.answered + $1.refused }
    refusedCalls = reading.calls.values.reduce(0) { $0 + $1.refused }
    commits = reading.counters.commits
    failedCommits = reading.counters.commitFailures.values.reduce(0, +)
    loadedRooms = reading.rooms.values.reduce(0, +)
    subscriptions = reading.subscriptions
  }
}

extension Shard {
  /// The answer to `rpc.discover` over the local socket.
  var adminDiscovery: [UInt8] { Discovery.make(adminMethods, configuration).bytes }
}

extension Refusal {
  fileprivate static var noAccount: Refusal { Refusal(.notFound, "gone", "There is no such account, or no longer.") }
  fileprivate static var noSession: Refusal { Refusal(.notFound, "gone", "There is no such session, or no longer.") }
  fileprivate static var noAddress: Refusal {
    Refusal(.forbidden, "unverified", "This account has no address that is proved, so no code can be used for it.")
  }
}
