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
          if try AccountTable.contains(email: account.email, database) { return { reply(.success(.emailTaken)) } }
          if let conflict = try writer.commit([room], database) { return { reply(.failure(conflict)) } }
          try AccountTable.insert(account, database)
          try SessionTable.insert(session, database)
          return { reply(.success(.created)) }
        }, fail: { reply(.failure($0)) }))
  }

  public func account(email: String, reply: Reply<Result<Account?, StoreError>>) {
    read(reply) { try AccountTable.account(email: email, $0) }
  }

  public func account(person: ID<Person>, reply: Reply<Result<Account?, StoreError>>) {
    read(reply) { try AccountTable.account(person: person, $0) }
  }

  public func setPasswordHash(_ hash: String, of person: ID<Person>, reply: Reply<Result<Void, StoreError>>) {
    change(reply) { try AccountTable.setPasswordHash(hash, of: person, $0) }
  }

  public func createSession(
    _ session: SessionRecord, limit: Int, reply: Reply<Result<[ID<Session>], StoreError>>
  ) {
    submit(
      Job(
        scope: .directory,
        write: { [queue] _, database in
          let others = try SessionTable.sessions(of: session.person, database).map { $0.used(queue) }
            .sorted { ($0.lastUsedAt, $0.id) < ($1.lastUsedAt, $1.id) }
          let ended = others.prefix(max(0, others.count + 1 - limit)).map(\.id)
          for id in ended { try SessionTable.delete(id, database) }
          try SessionTable.insert(session, database)
          return { reply(.success(ended)) }
        }, fail: { reply(.failure($0)) }))
  }

  public func session(tokenHash: [UInt8], reply: Reply<Result<SessionRecord?, StoreError>>) {
    read(reply) { [queue] in try SessionTable.session(tokenHash: tokenHash, $0)?.used(queue) }
  }

  public func sessions(of person: ID<Person>, reply: Reply<Result<[SessionRecord], StoreError>>) {
    read(reply) { [queue] in try SessionTable.sessions(of: person, $0).map { $0.used(queue) } }
  }

  public func renameSession(_ session: ID<Session>, to name: String, reply: Reply<Result<Void, StoreError>>) {
    change(reply) { try SessionTable.rename(session, to: name, $0) }
  }

  public func revokeSessions(_ sessions: [ID<Session>], reply: Reply<Result<Void, StoreError>>) {
    change(reply) { database in
      for session in sessions { try SessionTable.delete(session, database) }
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

extension SessionRecord {
  /// The record with its last use, which the queue may hold unwritten.
  fileprivate func used(_ queue: Locked<WriteQueue>) -> SessionRecord {
    guard let touch = queue.withLock({ $0.touch(of: id) }), touch > lastUsedAt else { return self }
    var session = self
    session.lastUsedAt = touch
    return session
  }
}
