internal import GRDB
public import Platform
public import Rooms

extension SQLiteStore: Directory {
  public func createAccount(
    _ account: Account, by proof: AccountProof, room: RoomCommit, session: SessionRecord,
    reply: Reply<Result<AccountCreation, StoreError>>
  ) {
    submit(
      Job(
        scope: .commits([room]),
        write: { writer, database in
          if let email = account.email, try AccountTable.contains(email: email, database) {
            return { reply(.success(.emailTaken)) }
          }
          if case .identity(let proof) = proof {
            if try NonceTable.contains(proof.nonce, database) { return { reply(.success(.nonceSpent)) } }
            if try AccountTable.account(by: .identity(proof.identity), database) != nil {
              return { reply(.success(.identityTaken)) }
            }
          }
          if let conflict = try writer.commit([room], database) { return { reply(.failure(conflict)) } }
          try AccountTable.insert(account, database)
          try SessionTable.insert(session, database)
          switch proof {
          case .none: break
          case .claim(let claim): try Self.note(claim, of: account.person, database)
          case .identity(let proof):
            try NonceTable.insert(proof.nonce, at: account.createdAt, database)
            try IdentityTable.insert(IdentityTable.Row(identity: proof.identity, person: account.person), database)
          }
          return { reply(.success(.created)) }
        }, fail: { reply(.failure($0)) }))
  }

  public func account(by key: AccountKey, reply: Reply<Result<Account?, StoreError>>) {
    read(reply) { try AccountTable.account(by: key, $0) }
  }

  public func change(
    _ person: ID<Person>, expecting revision: Revision?, _ changes: [AccountChange],
    reply: Reply<Result<AccountOutcome, StoreError>>
  ) {
    submit(
      Job(
        scope: .directory,
        write: { [queue] _, database in
          if let revision, try AccountTable.account(by: .person(person), database)?.revision != revision {
            return { reply(.success(.outdated)) }
          }
          // All or none, but for the count of wrong codes: what may be refused stands first.
          for case .spend(let nonce, _) in changes where try NonceTable.contains(nonce, database) {
            return { reply(.success(.nonceSpent)) }
          }
          var ended: [ID<Session>] = []
          for change in changes {
            if let refusal = try Self.refusal(of: change, for: person, database) { return { reply(.success(refusal)) } }
            ended += try Self.make(change, of: person, queue, database)
          }
          return { [ended] in reply(.success(.changed(ended: ended))) }
        }, fail: { reply(.failure($0)) }))
  }

  private static func note(_ claim: AddressClaim, of person: ID<Person>, _ database: Database) throws {
    let isTaken = try AccountTable.contains(email: claim.code.email, database)
    _ = try CodeTable.set(claim.code, of: person, limit: .max, database)
    try DeliveryTable.insert(isTaken ? claim.warning : claim.letter, of: .person(person), database)
  }

  /// Makes a change that may be refused; `nil` if it was not.
  private static func refusal(
    of change: AccountChange, for person: ID<Person>, _ database: Database
  ) throws -> AccountOutcome? {
    switch change {
    case .setCode(let code, let limit):
      return try CodeTable.set(code, of: person, limit: limit, database).map { .tooManyCodes(until: $0) }
    case .useCode(let purpose, let hash, let now):
      guard let email = try CodeTable.use(purpose, hash: hash, of: person, at: now, database) else {
        return .wrongCode
      }
      guard purpose == .address else { return nil }
      return try AccountTable.setEmail(email, of: person, verifiedAt: now, database) ? nil : .emailTaken
    case .setEmail(let email):
      return try AccountTable.setEmail(email, of: person, verifiedAt: nil, database) ? nil : .emailTaken
    default: return nil
    }
  }

  /// Makes a change, and returns the sessions that it has ended without naming them.
  private static func make(
    _ change: AccountChange, of person: ID<Person>, _ queue: Locked<WriteQueue>, _ database: Database
  ) throws -> [ID<Session>] {
    switch change {
    case .setCode, .useCode, .setEmail: break
    case .verifyAddress(let now): try AccountTable.verify(person, at: now, database)
    case .deliver(let delivery): try DeliveryTable.insert(delivery, of: .person(person), database)
    case .setPasswordHash(let hash): try AccountTable.setPasswordHash(hash, of: person, database)
    case .setPINHash(let hash): try AccountTable.setPINHash(hash, of: person, database)
    case .confirm(let id, let confirmation, let now):
      try SessionTable.confirm(id, of: person, by: confirmation, at: now, database)
    case .noteWrongPIN(let id, let now, let limit, let time):
      let count = try SessionTable.noteWrongPIN(of: id, of: person, at: now, since: now - time, database)
      guard count >= limit else { return [] }
      try SessionTable.delete(id, of: person, database)
      return [id]
    case .renameSession(let id, let name): try SessionTable.rename(id, of: person, to: name, database)
    case .endSessions(let ids):
      for id in ids { try SessionTable.delete(id, of: person, database) }
    case .endOtherSessions(let own):
      let ended = try SessionTable.sessions(of: person, database).map(\.id).filter { $0 != own }
      for id in ended { try SessionTable.delete(id, of: person, database) }
      return ended
    case .addSession(let session, let limit):
      let others = try SessionTable.sessions(of: person, database).map { $0.used(queue) }
        .sorted { ($0.lastUsedAt, $0.id) < ($1.lastUsedAt, $1.id) }
      let ended = others.prefix(max(0, others.count + 1 - limit)).map(\.id)
      for id in ended { try SessionTable.delete(id, of: person, database) }
      try SessionTable.insert(session, database)
      return ended
    case .spend(let nonce, let now): try NonceTable.insert(nonce, at: now, database)
    }
    return []
  }

  public func session(tokenHash: [UInt8], reply: Reply<Result<SessionRecord?, StoreError>>) {
    read(reply) { [queue] in try SessionTable.session(tokenHash: tokenHash, $0)?.used(queue) }
  }

  public func session(_ id: ID<Session>, reply: Reply<Result<SessionRecord?, StoreError>>) {
    read(reply) { [queue] in try SessionTable.session(id, $0)?.used(queue) }
  }

  public func accounts(after person: ID<Person>?, limit: Int, reply: Reply<Result<[ListedAccount], StoreError>>) {
    readAlone(reply) { [queue] database in
      try AccountTable.page(after: person, limit: limit, database).map { account in
        let sessions = try SessionTable.sessions(of: account.person, database)
        return ListedAccount(account, sessions: sessions.map { $0.used(queue) })
      }
    }
  }

  public func count(reply: Reply<Result<DirectoryCount, StoreError>>) {
    readAlone(reply) { database in
      DirectoryCount(
        accounts: try Query(database, "SELECT count(*) FROM account").first { Int($0.integer(0)) } ?? 0,
        sessions: try Query(database, "SELECT count(*) FROM session").first { Int($0.integer(0)) } ?? 0)
    }
  }

  public func sessions(of person: ID<Person>, reply: Reply<Result<[SessionRecord], StoreError>>) {
    read(reply) { [queue] in try SessionTable.sessions(of: person, $0).map { $0.used(queue) } }
  }

  public func secret(reply: Reply<Result<[UInt8], StoreError>>) { read(reply) { try MetaTable.secret($0) } }

  public func spend(
    puzzle challenge: [UInt8], by call: [UInt8], until end: Instant, at now: Instant,
    reply: Reply<Result<Bool, StoreError>>
  ) {
    submit(
      Job(
        scope: .directory,
        write: { _, database in
          let isUnused = try PuzzleTable.spend(challenge, by: call, until: end, at: now, database)
          return { reply(.success(isUnused)) }
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
