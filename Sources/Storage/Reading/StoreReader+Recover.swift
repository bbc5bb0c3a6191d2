internal import GRDB
public import Platform
public import Rooms

extension StoreReader {
  /// The numbers of rows that a recovery has saved.
  public struct Saved: Sendable, Equatable {
    public var rooms = 0
    public var accounts = 0
    public var sessions = 0
  }

  /// Copies all that is whole into a new store in the file at `path`; what is lost is among the problems.
  ///
  /// `rebuild` answers a room's whole state as a snapshot, or what is wrong with it. The new store is a generation of
  /// its own, so clients take the state anew, and older changes are of no use.
  public func recover(
    to path: String, _ rebuild: (RoomID, StoredRoom) -> Result<[UInt8], UnreadableRoom>
  ) throws(StoreOpeningError) -> Saved {
    guard !isFile(path) else { throw .inaccessible(path: path, "there is such a file already") }
    let target = try SQLiteStore(path: path)
    defer { target.close() }
    openKeys()
    var saved = Saved()
    var people: Set<ID<Person>> = []
    let messages = Dictionary(grouping: messages(), by: \.source)
    var sources = Set(messages.keys)
    do {
      for room in rooms() {
        guard let stored = load(room) else { continue }
        switch rebuild(room, stored) {
        case .failure(let damage): note("room \(room.text) is lost: \(damage.what)")
        case .success(let snapshot):
          let extras = extras(of: room)
          var commit = RoomCommit(room: room, expectedVersion: 0, version: stored.version)
          commit.random = stored.random
          commit.snapshot = snapshot
          commit.due = .set(stored.due)
          commit.history = extras.history
          commit.secrets = extras.secrets.map { SecretChange(hash: $0, isValid: true) }
          commit.sent = (messages[room] ?? []).map(\.message)
          sources.remove(room)
          try target.insert(commit, live: stored.live)
          saved.rooms += 1
          if case .person(let person) = room { people.insert(person) }
        }
      }
      for room in sources.sorted(by: { $0.text < $1.text }) {
        note("messages of \(room.text) are lost: \(messages[room]?.count ?? 0)")
      }
      let (accounts, sessions, erased) = (accounts(), sessions(), erased())
      let kept = accounts.filter { people.contains($0.person) }
      for account in accounts where !people.contains(account.person) {
        note("account \(account.person) is lost: its room is")
      }
      let owners = Set(kept.map(\.person))
      let keptSessions = sessions.filter { owners.contains($0.person) }
      try target.insert(
        kept, keptSessions, identities().filter { owners.contains($0.person) },
        codes().filter { owners.contains($0.person) }, deliveries(), erased: erased)
      saved.accounts = kept.count
      saved.sessions = keptSessions.count
      return saved
    } catch {
      throw openingError(error, path: path)
    }
  }
}

/// Why what is stored of a room is of no use.
public struct UnreadableRoom: Error, Equatable {
  public var what: String

  public init(_ what: String) { self.what = what }
}

extension SQLiteStore {
  /// Writes a room as one that is new, whatever its version.
  fileprivate func insert(_ commit: RoomCommit, live: [UInt8]?) throws {
    try transaction { writer, database in
      if let conflict = try writer.commit([commit], database) {
        throw SQLiteFailure(code: 1, message: "\(conflict)")
      }
      if let live { try writer.keepLive([commit.room: live], database) }
    }
  }

  fileprivate func insert(
    _ accounts: [Account], _ sessions: [SessionRecord], _ identities: [IdentityTable.Row],
    _ codes: [(person: ID<Person>, code: CodeTable.Row)], _ deliveries: [StoredDelivery], erased: [[UInt8]]
  ) throws {
    try transaction { _, database in
      for account in accounts { try AccountTable.insert(account, database) }
      for session in sessions { try SessionTable.insert(session, database) }
      for row in identities { try IdentityTable.insert(row, database) }
      for (person, code) in codes { try CodeTable.insert(code, of: person, database) }
      for stored in deliveries { try DeliveryTable.insert(stored.delivery, of: stored.room, database) }
      for key in erased { try ErasedTable.insert(key: key, database) }
    }
  }

  private func transaction(_ body: (inout RoomWriter, Database) throws -> Void) throws {
    try pool.writeWithoutTransaction { database in
      try writer.withLock { writer in
        writer.begin()
        do {
          try database.writingTransaction { try body(&writer, database) }
        } catch {
          writer.rollBack()
          throw error
        }
        writer.finish()
      }
    }
  }
}
