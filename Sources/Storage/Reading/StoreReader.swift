internal import GRDB
public import Platform
public import Rooms

/// The files of a store that no server runs on, read row by row, whatever has become of them.
///
/// Nothing is written. Where rows can not be read, others are found all the same.
public final class StoreReader {
  /// The problems, in words for the operator: they name rows and rooms, never their content.
  public private(set) var problems: [String] = []

  private let path: String
  private let lock: FileLock
  private let queue: DatabaseQueue
  private var keys: Keys?
  /// The rows of the log, by the number of their room.
  private var positions: [Int64: [Int64]] = [:]

  /// Refuses a file that is not a store, one of another format, and one that a server has open.
  public init(path: String) throws(StoreOpeningError) {
    self.path = path
    guard isFile(path) else { throw .inaccessible(path: path, "there is no such file") }
    lock = try FileLock(besides: path)
    do {
      var configuration = Configuration()
      configuration.readonly = true
      configuration.prepareDatabase { try claim($0, path: path, as: Schema.applicationID) }
      queue = try DatabaseQueue(path: path, configuration: configuration)
      let (found, known) = (try queue.read { try Schema.format(of: $0) }, StoreFormat.current)
      if found > known { throw StoreOpeningError.tooNew(path: path, format: found, known: known) }
      if found < known { throw StoreOpeningError.tooOld(path: path, format: found, known: known) }
    } catch {
      throw (error as? StoreOpeningError) ?? openingError(error, path: path)
    }
  }

  /// Looks at everything; `check` says what is wrong with a room's content, `nil` if nothing is.
  public func verify(_ check: (RoomID, StoredRoom) -> String?) {
    checkFile()
    openKeys()
    let rooms = rooms()
    for room in rooms {
      guard let stored = load(room) else { continue }
      if let problem = check(room, stored) { note("room \(room.text): \(problem)") }
      _ = extras(of: room)
      checkSegments(of: room)
    }
    _ = messages()
    _ = deliveries()
    _ = codes()
    let people = Set(rooms.compactMap { room in if case .person(let person) = room { person } else { nil } })
    let accounts = accounts()
    for account in accounts where !people.contains(account.person) {
      note("account \(account.person): its room is missing")
    }
    let known = Set(accounts.map(\.person))
    for session in sessions() where !known.contains(session.person) {
      note("session \(session.id): it belongs to no account")
    }
    for row in identities() where !known.contains(row.person) {
      note("an identity of \(row.identity.issuer): it belongs to no account")
    }
    let strays = ["snapshot", "live", "history", "secret", "segment"].map { table in
      (table, "SELECT count(*) FROM \(table) WHERE room NOT IN (SELECT number FROM room)")
    }
    for (table, sql) in strays {
      let count = attempt("table \(table)") { try Query($0, sql).first { $0.integer(0) } } ?? 0
      if let count, count > 0 { note("table \(table): \(count) rows belong to no room") }
    }
  }

  func note(_ problem: String) { problems.append(problem) }

  /// The value that `body` reads; `nil` after noting the problem if it cannot.
  private func attempt<Value>(_ what: String, _ body: (Database) throws -> Value) -> Value? {
    do {
      return try queue.read(body)
    } catch {
      note("\(what): \(SQLiteFailure(error).message)")
      return nil
    }
  }

  /// Runs the integrity checks of SQLite itself.
  private func checkFile() {
    var lines: [String] = []
    _ = attempt(path) { try Query($0, "PRAGMA integrity_check(20)").rows { lines.append($0.text(0)) } }
    for line in lines where line != "ok" { note("\(path): \(line)") }
  }

  /// Must come before anything sealed is read.
  public func openKeys() {
    do {
      let needs = try queue.read { try KeyNeeds($0) }
      if isFile(Keys.path(besides: path)) || !needs.isEmpty { keys = try needs.openKeys(of: path) }
    } catch {
      note((error as? StoreOpeningError)?.description ?? SQLiteFailure(error).message)
      keys = isFile(Keys.path(besides: path)) ? try? Keys(path: Keys.path(besides: path)) : nil
    }
  }

  // MARK: rows

  /// The rows that any of several ways leads to: a damaged page cuts each way at another place.
  private func all<Value, Key: Hashable>(
    _ what: String, _ ways: [String], by key: (Value) -> Key, _ read: (Query) throws -> Value
  ) -> [Value] {
    var found: [Key: Value] = [:]
    var failure: String?
    for sql in ways {
      do {
        try queue.read { database in
          try Query(database, sql).rows { row in
            let value = try read(row)
            found[key(value)] = value
          }
        }
      } catch {
        failure = SQLiteFailure(error).message
      }
    }
    if let failure { note("\(what): some cannot be read (\(failure))") }
    return Array(found.values)
  }

  public func rooms() -> [RoomID] {
    _ = attempt("the log") { database in
      try LogTable.positions(database) { positions[$0, default: []].append($1) }
    }
    return all("rooms", RoomTable.waysToKeys, by: \.self) { try $0.room(0) }.sorted {
      $0.storageKey.lexicographicallyPrecedes($1.storageKey)
    }
  }

  public func load(_ room: RoomID) -> StoredRoom? {
    attempt("room \(room.text)") { database in
      let number = try RoomTable.number(of: room, database)
      let stored = try SQLiteStore.load(room, positions: positions[number ?? 0] ?? [], keys, database)
      guard let stored else { throw SQLiteFailure.unknownRoom }
      return stored
    }
  }

  /// The rows of a room beside its content.
  struct Extras {
    var history: [HistoryRecord] = []
    var secrets: [[UInt8]] = []
  }

  func extras(of room: RoomID) -> Extras {
    var extras = Extras()
    _ = attempt("room \(room.text), history") { database in
      try HistoryTable.all(of: room, keys, database) { extras.history.append($0) }
    }
    _ = attempt("room \(room.text), secrets") { database in
      try SecretTable.hashes(of: room, database) { extras.secrets.append($0) }
    }
    return extras
  }

  private func checkSegments(of room: RoomID) {
    _ = attempt("room \(room.text), older changes") { database in
      try SegmentTable.segments(of: room, since: -1, keys, database) { _ in }
    }
  }

  /// Messages on their way; numbers that are missing between two of them are noted.
  func messages() -> [StoredMessage] {
    var messages: [StoredMessage] = []
    var last: [[RoomID]: Int64] = [:]
    _ = attempt("messages") { database in
      try OutboxTable.all(keys, database) { address, message in
        let pair = [address.source, address.target]
        let way = "\(address.source.text) to \(address.target.text)"
        if let before = last[pair], address.number != before + 1 {
          note("messages of \(way): \(before + 1) is missing")
        }
        last[pair] = address.number
        switch message {
        case .success(let message): messages.append(message)
        case .failure(let error): note("message \(address.number) of \(way): \(error.message)")
        }
      }
    }
    return messages
  }

  func accounts() -> [Account] {
    all("accounts", AccountTable.ways, by: \.person, AccountTable.read).sorted { $0.person < $1.person }
  }

  func sessions() -> [SessionRecord] {
    all("sessions", SessionTable.ways, by: \.id, SessionTable.read).sorted { $0.id < $1.id }
  }

  func identities() -> [IdentityTable.Row] {
    all("identities", IdentityTable.ways, by: \.identity, IdentityTable.read).sorted { $0.person < $1.person }
  }

  /// Mailed codes, each with its person; one that cannot be read is noted.
  func codes() -> [(person: ID<Person>, code: CodeTable.Row)] {
    var codes: [(ID<Person>, CodeTable.Row)] = []
    _ = attempt("codes") { database in try CodeTable.all(database) { codes.append(($0, $1)) } }
    return codes
  }

  /// Deliveries on their way; those that cannot be read are noted.
  func deliveries() -> [StoredDelivery] {
    var deliveries: [StoredDelivery] = []
    _ = attempt("deliveries") { database in
      try DeliveryTable.all(database) { delivery in
        switch delivery {
        case .success(let delivery): deliveries.append(delivery)
        case .failure(let error): note("a delivery: \(error.message)")
        }
      }
    }
    return deliveries
  }

  func erased() -> [[UInt8]] {
    all("erased rooms", ErasedTable.waysToKeys, by: \.self) { $0.bytes(0) }
  }
}

extension Keys? {
  /// As `Keys.open`; without keys nothing sealed opens.
  func open(_ bytes: [UInt8], _ number: Int64, _ place: SealedPlace, of room: RoomID) throws -> [UInt8] {
    if number == 0 { return bytes }
    guard let self else { throw SQLiteFailure.unopenable }
    return try self.open(bytes, number, place, of: room)
  }
}
