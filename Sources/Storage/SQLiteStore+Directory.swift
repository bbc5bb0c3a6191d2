internal import GRDB
public import Platform
public import Rooms

extension SQLiteStore: Directory {
  public func createAccount(
    _ account: Account, room: RoomCommit, session: SessionRecord,
    reply: Reply<Result<AccountCreation, StoreError>>
  ) {
    submit(
      Job(
        scope: .commits([room]),
        write: { writer, database in
          let isTaken = try Query(database, "SELECT 1 FROM account WHERE email = ?")
            .first(.text(account.email)) { _ in true }
          if isTaken == true { return { reply(.success(.emailTaken)) } }
          if let conflict = try writer.commit([room], database) { return { reply(.failure(conflict)) } }
          try account.insert(into: database)
          try session.insert(into: database)
          return { reply(.success(.created)) }
        }, fail: { reply(.failure($0)) }))
  }

  public func account(email: String, reply: Reply<Result<Account?, StoreError>>) {
    read(reply) { try Account.first(in: $0, where: "email", is: .text(email)) }
  }

  public func account(person: ID<Person>, reply: Reply<Result<Account?, StoreError>>) {
    read(reply) { try Account.first(in: $0, where: "person", is: .bytes(person.bytes)) }
  }

  public func setPasswordHash(_ hash: String, of person: ID<Person>, reply: Reply<Result<Void, StoreError>>) {
    change(reply) { database in
      try Query(database, "UPDATE account SET passwordHash = ? WHERE person = ?")
        .run(.text(hash), .bytes(person.bytes))
    }
  }

  public func createSession(
    _ session: SessionRecord, limit: Int, reply: Reply<Result<[ID<Session>], StoreError>>
  ) {
    submit(
      Job(
        scope: .directory,
        write: { [queue] _, database in
          var others: [SessionRecord] = []
          try Query(database, SessionRecord.columns + " WHERE person = ?")
            .rows(.bytes(session.person.bytes)) { others.append(try SessionRecord($0, queue)) }
          others.sort { ($0.lastUsedAt, $0.id) < ($1.lastUsedAt, $1.id) }
          let ended = others.prefix(max(0, others.count + 1 - limit)).map(\.id)
          for id in ended { try SessionRecord.delete(id, from: database) }
          try session.insert(into: database)
          return { reply(.success(ended)) }
        }, fail: { reply(.failure($0)) }))
  }

  public func session(tokenHash: [UInt8], reply: Reply<Result<SessionRecord?, StoreError>>) {
    read(reply) { [queue] database in
      let sql = SessionRecord.columns + " WHERE tokenHash = ?"
      return try Query(database, sql).first(.bytes(tokenHash)) { try SessionRecord($0, queue) }
    }
  }

  public func sessions(of person: ID<Person>, reply: Reply<Result<[SessionRecord], StoreError>>) {
    read(reply) { [queue] database in
      var sessions: [SessionRecord] = []
      try Query(database, SessionRecord.columns + " WHERE person = ? ORDER BY createdAt, id")
        .rows(.bytes(person.bytes)) { sessions.append(try SessionRecord($0, queue)) }
      return sessions
    }
  }

  public func renameSession(_ session: ID<Session>, to name: String, reply: Reply<Result<Void, StoreError>>) {
    change(reply) {
      try Query($0, "UPDATE session SET name = ? WHERE id = ?").run(.text(name), .bytes(session.bytes))
    }
  }

  public func revokeSessions(_ sessions: [ID<Session>], reply: Reply<Result<Void, StoreError>>) {
    change(reply) { database in
      for session in sessions { try SessionRecord.delete(session, from: database) }
    }
  }

  private func change(
    _ reply: Reply<Result<Void, StoreError>>, _ body: @escaping @Sendable (Database) throws -> Void
  ) {
    submit(
      Job(
        scope: .directory,
        write: { _, database in
          try body(database)
          return { reply(.success(())) }
        }, fail: { reply(.failure($0)) }))
  }
}

extension Account {
  fileprivate static func first(in database: Database, where column: String, is value: SQLValue) throws -> Account? {
    try Query(database, columns + " WHERE \(column) = ?").first(value) { try Account($0) }
  }
}

extension Account {
  static let columns = "SELECT person, email, passwordHash, createdAt FROM account"

  init(_ row: Query) throws {
    self.init(
      person: try row.id(0), email: row.text(1), passwordHash: row.optionalText(2),
      createdAt: Instant(milliseconds: row.integer(3)))
  }

  func insert(into database: Database) throws {
    let sql = "INSERT INTO account (person, keyNumber, email, passwordHash, createdAt) VALUES (?, 0, ?, ?, ?)"
    try Query(database, sql).run(
      .bytes(person.bytes), .text(email), .optional(passwordHash), .integer(createdAt.milliseconds))
  }
}

extension SessionRecord {
  static let columns = "SELECT id, person, tokenHash, name, createdAt, lastUsedAt FROM session"

  /// `queue` knows of uses that are not written yet, where a store is open.
  init(_ row: Query, _ queue: Locked<WriteQueue>? = nil) throws {
    let id: ID<Session> = try row.id(0)
    let written = Instant(milliseconds: row.integer(5))
    let lastUsedAt = max(written, queue?.withLock { $0.touch(of: id) } ?? written)
    self.init(
      id: id, person: try row.id(1), tokenHash: row.bytes(2), name: row.text(3),
      createdAt: Instant(milliseconds: row.integer(4)), lastUsedAt: lastUsedAt)
  }

  fileprivate static func delete(_ id: ID<Session>, from database: Database) throws {
    try Query(database, "DELETE FROM session WHERE id = ?").run(.bytes(id.bytes))
  }

  func insert(into database: Database) throws {
    let sql = """
      INSERT INTO session (id, person, tokenHash, keyNumber, name, createdAt, lastUsedAt) VALUES (?, ?, ?, 0, ?, ?, ?)
      """
    try Query(database, sql).run(
      .bytes(id.bytes), .bytes(person.bytes), .bytes(tokenHash), .text(name), .integer(createdAt.milliseconds),
      .integer(lastUsedAt.milliseconds))
  }
}

extension Query {
  fileprivate func id<Of>(_ column: Int32) throws -> ID<Of> {
    guard let id = ID<Of>(bytes: bytes(column)) else {
      throw SQLiteFailure(code: 11, message: "an id is not sixteen bytes long")
    }
    return id
  }
}
