import Foundation
import GRDB
import Platform
import Rooms
import Testing

@testable import Storage

/// The contract of `Directory`, tested only through the protocol.
@Suite("Directory contract")
struct DirectoryTests {
  static let person = ID<Person>(high: 1, low: 1)

  static func account(_ person: ID<Person>, _ email: String) -> Account {
    Account(person: person, email: email, passwordHash: "hash", createdAt: Instant(milliseconds: 5))
  }

  static func session(_ number: UInt64, of person: ID<Person> = person, at milliseconds: Int64 = 10) -> SessionRecord {
    SessionRecord(
      id: ID(high: 9, low: number), person: person, tokenHash: [UInt8](repeating: UInt8(number), count: 32),
      name: "Ana's \u{0} phone 📱", createdAt: Instant(milliseconds: milliseconds),
      lastUsedAt: Instant(milliseconds: milliseconds))
  }

  /// Makes the account of `person`, with the session 1.
  private static func makeAccount(in store: any AnyStore, by caller: Caller) async throws {
    let made = await caller.wait {
      store.createAccount(
        account(person, "ana@example.org"), room: .making(.person(person)), session: session(1), reply: $0)
    }
    #expect(try made.value() == .created)
  }

  @Test("an account is created with its room and session, and all of them are found", arguments: StoreKind.allCases)
  func creation(kind: StoreKind) async throws {
    let account = Self.account(Self.person, "ana@example.org")
    let (store, caller) = try kind.open()
    #expect(try await caller.account(by: .email("ana@example.org"), in: store) == nil)
    let made = await caller.wait {
      store.createAccount(account, room: .making(.person(Self.person)), session: Self.session(1), reply: $0)
    }
    #expect(try made.value() == .created)
    #expect(try await caller.account(by: .email("ana@example.org"), in: store) == account)
    #expect(try await caller.account(by: .person(Self.person), in: store) == account)
    let session = await caller.wait { store.session(tokenHash: Self.session(1).tokenHash, reply: $0) }
    #expect(try session.value() == Self.session(1))
    #expect(try await caller.load(.person(Self.person), from: store)?.version == 1)
    #expect(try await caller.account(by: .email("ANA@example.org"), in: store) == nil)
  }

  @Test(
    "ACC-9: the last commit of a person's room removes the account, and frees its address",
    arguments: StoreKind.allCases)
  func ending(kind: StoreKind) async throws {
    let (store, caller) = try kind.open()
    try await Self.makeAccount(in: store, by: caller)
    try await caller.add(Self.session(2), to: store)
    var commit = RoomCommit(room: .person(Self.person), expectedVersion: 1, version: 2)
    commit.endsAccount = true
    try await caller.commit([commit], to: store)
    #expect(try await caller.account(by: .email("ana@example.org"), in: store) == nil)
    #expect(try await caller.account(by: .person(Self.person), in: store) == nil)
    #expect(try await caller.wait { store.sessions(of: Self.person, reply: $0) }.value().isEmpty)
    let token = await caller.wait { store.session(tokenHash: Self.session(1).tokenHash, reply: $0) }
    #expect(try token.value() == nil)
    let other = ID<Person>(high: 2, low: 2)
    let made = await caller.wait {
      store.createAccount(
        Self.account(other, "ana@example.org"), room: .making(.person(other)), session: Self.session(1, of: other),
        reply: $0)
    }
    #expect(try made.value() == .created)
  }

  @Test("OPS-4: accounts are listed by pages, with their sessions, and counted", arguments: StoreKind.allCases)
  func listing(kind: StoreKind) async throws {
    let (store, caller) = try kind.open()
    let people = (1...5).map { ID<Person>(high: UInt64($0) << 60, low: 9) }
    for (index, person) in people.enumerated().reversed() {
      let made = await caller.wait {
        store.createAccount(
          Self.account(person, "\(index)@example.org"), room: .making(.person(person)),
          session: Self.session(UInt64(10 + index), of: person), reply: $0)
      }
      #expect(try made.value() == .created)
    }
    try await caller.add(Self.session(2, of: people[3], at: 20), to: store)
    func page(after person: ID<Person>?, _ limit: Int) async throws -> [ListedAccount] {
      try await caller.wait { store.accounts(after: person, limit: limit, reply: $0) }.value()
    }
    #expect(try await page(after: nil, 2).map(\.account.person) == [people[0], people[1]])
    let rest = try await page(after: people[1], 10)
    #expect(rest.map(\.account.person) == Array(people[2...]))
    #expect(rest.map { $0.sessions.map(\.id.low) } == [[12], [13, 2], [14]])
    #expect(rest[1].account == Self.account(people[3], "3@example.org"))
    #expect(try await page(after: people[4], 10).isEmpty)
    let count = try await caller.wait { store.count(reply: $0) }.value()
    #expect(count == DirectoryCount(accounts: 5, sessions: 6))
    let found = try await caller.wait { store.session(Self.session(2).id, reply: $0) }.value()
    #expect(found == Self.session(2, of: people[3], at: 20))
    #expect(try await caller.wait { store.session(ID(high: 9, low: 99), reply: $0) }.value() == nil)
  }

  @Test("an address that has an account is refused, and nothing changes", arguments: StoreKind.allCases)
  func emailTaken(kind: StoreKind) async throws {
    let other = ID<Person>(high: 2, low: 2)
    let (store, caller) = try kind.open()
    for (person, number, expected) in [(Self.person, 1, .created), (other, 2, .emailTaken)]
      as [(ID<Person>, UInt64, AccountCreation)]
    {
      let made = await caller.wait {
        store.createAccount(
          Self.account(person, "ana@example.org"), room: .making(.person(person)),
          session: Self.session(number, of: person), reply: $0)
      }
      #expect(try made.value() == expected)
    }
    #expect(try await caller.load(.person(other), from: store) == nil)
    #expect(try await caller.account(by: .person(other), in: store) == nil)
    #expect(try await caller.wait { store.sessions(of: other, reply: $0) }.value() == [])
  }

  @Test("no account is created if its room already exists", arguments: StoreKind.allCases)
  func roomTaken(kind: StoreKind) async throws {
    let (store, caller) = try kind.open()
    try await caller.commit([.making(.person(Self.person))], to: store)
    let made = await caller.wait {
      store.createAccount(
        Self.account(Self.person, "ana@example.org"), room: .making(.person(Self.person)),
        session: Self.session(1), reply: $0)
    }
    #expect(throws: StoreError.conflict([.person(Self.person)])) { try made.value() }
    #expect(try await caller.account(by: .email("ana@example.org"), in: store) == nil)
  }

  @Test("of two concurrent sign-ups with one address, one succeeds", arguments: StoreKind.allCases)
  func race(kind: StoreKind) async throws {
    let people = (1...8).map { ID<Person>(high: 3, low: $0) }
    let (store, caller) = try kind.open()
    let answers = await withTaskGroup(of: AccountCreation?.self) { group in
      for (index, person) in people.enumerated() {
        group.addTask {
          try? await caller.wait {
            store.createAccount(
              Self.account(person, "ana@example.org"), room: .making(.person(person)),
              session: Self.session(UInt64(index), of: person), reply: $0)
          }.value()
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(answers.filter { $0 == .created }.count == 1)
    #expect(answers.filter { $0 == .emailTaken }.count == people.count - 1)
  }

  @Test("a password hash is replaced, which raises the account's revision", arguments: StoreKind.allCases)
  func password(kind: StoreKind) async throws {
    let (store, caller) = try kind.open()
    var account = Self.account(Self.person, "ana@example.org")
    account.passwordHash = nil
    let made = await caller.wait { [account] in
      store.createAccount(account, room: .making(.person(Self.person)), session: Self.session(1), reply: $0)
    }
    #expect(try made.value() == .created)
    #expect(try await caller.account(by: .person(Self.person), in: store) == account)
    try await caller.change(Self.person, .setPasswordHash("new"), in: store)
    account.passwordHash = "new"
    account.revision.number += 1
    #expect(try await caller.account(by: .person(Self.person), in: store) == account)
    // Sessions come and go without that.
    try await caller.add(Self.session(2), to: store)
    try await caller.change(Self.person, .endSessions([Self.session(2).id]), in: store)
    #expect(try await caller.account(by: .person(Self.person), in: store) == account)
  }

  @Test("all changes of a list are made or, if the account has another revision, none", arguments: StoreKind.allCases)
  func expectedRevision(kind: StoreKind) async throws {
    let (store, caller) = try kind.open()
    try await Self.makeAccount(in: store, by: caller)
    let read = try #require(try await caller.account(by: .email("ana@example.org"), in: store))
    // The password is reset: every other device is signed out in the same transaction.
    let reset = try await caller.change(
      Self.person, expecting: read.revision, .setPasswordHash("new"), .endSessions([Self.session(1).id]),
      .addSession(Self.session(2), limit: 9), in: store)
    #expect(reset == .changed(ended: []))
    // A login that rests on the old password comes too late.
    let late = try await caller.change(
      Self.person, expecting: read.revision, .addSession(Self.session(3), limit: 9), .setPasswordHash("old"), in: store)
    #expect(late == .outdated)
    #expect(try await caller.account(by: .person(Self.person), in: store)?.passwordHash == "new")
    let sessions = await caller.wait { store.sessions(of: Self.person, reply: $0) }
    #expect(try sessions.value().map(\.id) == [Self.session(2).id])
    // An account that does not exist has no revision.
    let stranger = ID<Person>(high: 8, low: 8)
    #expect(try await caller.change(stranger, expecting: .first, .setPasswordHash("x"), in: store) == .outdated)
    #expect(try await caller.change(stranger, .setPasswordHash("x"), in: store) == .changed(ended: []))
    #expect(try await caller.account(by: .person(stranger), in: store) == nil)
  }

  @Test("ACC-17: all sessions of a person but one end in one change, which names them", arguments: StoreKind.allCases)
  func allButOne(kind: StoreKind) async throws {
    let (store, caller) = try kind.open()
    try await Self.makeAccount(in: store, by: caller)
    for number in 2...3 { try await caller.add(Self.session(UInt64(number)), to: store) }
    let outcome = try await caller.change(
      Self.person, .setPasswordHash("new"), .endOtherSessions(than: Self.session(2).id), in: store)
    guard case .changed(let ended) = outcome else { throw Missing() }
    #expect(Set(ended) == [Self.session(1).id, Self.session(3).id])
    let left = await caller.wait { store.sessions(of: Self.person, reply: $0) }
    #expect(try left.value().map(\.id) == [Self.session(2).id])
  }

  @Test(
    "BIL-8: a session ends with its fifth wrong PIN in a time, and a confirmation forgives",
    arguments: StoreKind.allCases)
  func wrongPINs(kind: StoreKind) async throws {
    let (store, caller) = try kind.open()
    try await Self.makeAccount(in: store, by: caller)
    try await caller.add(Self.session(2), to: store)
    let (start, id) = (Instant(milliseconds: 1_000_000), Self.session(1).id)
    func wrong(after seconds: Int64) async throws -> AccountOutcome {
      let change = AccountChange.noteWrongPIN(id, at: start + .seconds(seconds), limit: 3, within: .seconds(60))
      return try await caller.change(Self.person, change, in: store)
    }
    #expect(try await wrong(after: 0) == .changed(ended: []))
    #expect(try await wrong(after: 30) == .changed(ended: []))
    // The first is a minute old.
    #expect(try await wrong(after: 61) == .changed(ended: []))
    try await caller.change(Self.person, .confirm(id, by: .pin, at: start + .seconds(62)), in: store)
    let sessions = try await caller.wait { store.sessions(of: Self.person, reply: $0) }.value()
    #expect(
      sessions.map(\.confirmed) == [SessionRecord.Confirmed(by: .pin, at: start + .seconds(62)), nil])
    for second in 63...64 { #expect(try await wrong(after: Int64(second)) == .changed(ended: [])) }
    #expect(try await wrong(after: 65) == .changed(ended: [id]))
    let left = try await caller.wait { store.sessions(of: Self.person, reply: $0) }.value()
    #expect(left.map(\.id) == [Self.session(2).id])
    try await caller.change(Self.person, .setPINHash("hash"), in: store)
    #expect(try await caller.account(by: .person(Self.person), in: store)?.pinHash == "hash")
  }

  // MARK: OpenID

  private static let google = ProviderIdentity(issuer: "https://id.example", subject: "ana")

  private static func proof(_ nonce: UInt8, of identity: ProviderIdentity = google) -> IdentityProof {
    IdentityProof(identity: identity, nonce: IdentityProof.Nonce(bytes: [nonce], end: Instant(milliseconds: 1000)))
  }

  /// Makes an account without an address for an identity.
  private static func make(
    _ person: ID<Person>, by proof: IdentityProof, at now: Int64 = 5, in store: any AnyStore, by caller: Caller
  ) async throws -> AccountCreation {
    let account = Account(
      person: person, email: nil, passwordHash: nil, createdAt: Instant(milliseconds: now))
    return try await caller.wait {
      store.createAccount(
        account, by: .identity(proof), room: .making(.person(person)), session: session(person.low, of: person),
        reply: $0)
    }.value()
  }

  @Test(
    "ACC-4: an account without an address is found by its identity only, which has one account",
    arguments: StoreKind.allCases)
  func identities(kind: StoreKind) async throws {
    let (bo, cy) = (ID<Person>(high: 2, low: 2), ID<Person>(high: 3, low: 3))
    let (store, caller) = try kind.open()
    let elsewhere = ProviderIdentity(issuer: "https://other.example", subject: "ana")
    #expect(try await Self.make(Self.person, by: Self.proof(1), in: store, by: caller) == .created)
    // Several accounts have no address.
    #expect(try await Self.make(bo, by: Self.proof(2, of: elsewhere), in: store, by: caller) == .created)
    #expect(try await Self.make(cy, by: Self.proof(3), in: store, by: caller) == .identityTaken)
    #expect(try await caller.account(by: .person(cy), in: store) == nil)
    #expect(try await caller.load(.person(cy), from: store) == nil)
    let ana = try await caller.account(by: .identity(Self.google), in: store)
    #expect(ana?.person == Self.person && ana?.email == nil && ana?.passwordHash == nil)
    #expect(try await caller.account(by: .identity(elsewhere), in: store)?.person == bo)
    let nobody = ProviderIdentity(issuer: "https://id.example", subject: "Ana")
    #expect(try await caller.account(by: .identity(nobody), in: store) == nil)
    #expect(try await caller.account(by: .email(""), in: store) == nil)
  }

  @Test("ACC-4: a nonce makes or changes an account once, also after a restart", arguments: StoreKind.allCases)
  func nonces(kind: StoreKind) async throws {
    let bo = ID<Person>(high: 2, low: 2)
    let (store, caller) = try kind.open()
    let other = ProviderIdentity(issuer: "https://id.example", subject: "bo")
    #expect(try await Self.make(Self.person, by: Self.proof(1), in: store, by: caller) == .created)
    #expect(try await Self.make(bo, by: Self.proof(1, of: other), in: store, by: caller) == .nonceSpent)
    #expect(try await caller.account(by: .person(bo), in: store) == nil)
    let (first, second) = (Self.proof(1).nonce, Self.proof(2).nonce)
    func change(_ nonce: IdentityProof.Nonce, at now: Int64 = 10) async throws -> AccountOutcome {
      try await caller.change(
        Self.person, .setPINHash("pin"), .spend(nonce, at: Instant(milliseconds: now)), in: store)
    }
    #expect(try await change(first) == .nonceSpent)
    #expect(try await caller.account(by: .person(Self.person), in: store)?.pinHash == nil)
    #expect(try await change(second) == .changed(ended: []))
    #expect(try await change(second, at: 1000) == .nonceSpent)
    #expect(try await caller.account(by: .person(Self.person), in: store)?.pinHash == "pin")
  }

  @Test("ACC-4: an expired nonce is forgotten, and an identity ends with its account")
  func ends() async throws {
    let folder = try TemporaryFolder()
    let store = try SQLiteStore(path: folder.path("store"))
    let caller = Caller()
    #expect(try await Self.make(Self.person, by: Self.proof(1), in: store, by: caller) == .created)
    let later = IdentityProof.Nonce(bytes: [2], end: Instant(milliseconds: 9000))
    try await caller.change(Self.person, .spend(later, at: Instant(milliseconds: 1001)), in: store)
    let left = try await store.pool.read { try Data.fetchAll($0, sql: "SELECT bytes FROM nonce") }
    #expect(left == [Data([2])])
    try await store.pool.writeWithoutTransaction { try $0.execute(sql: "DELETE FROM account") }
    #expect(try await store.pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM identity") } == 0)
    store.close()
  }

  @Test("the store's secret is its own, and stays the same")
  func secret() async throws {
    let folder = try TemporaryFolder()
    let caller = Caller()
    var secrets: [[UInt8]] = []
    for name in ["a", "a", "b"] {
      let store = try SQLiteStore(path: folder.path(name))
      secrets.append(try await caller.wait { store.secret(reply: $0) }.value())
      store.close()
    }
    #expect(secrets[0] == secrets[1] && secrets[0] != secrets[2] && secrets[0].count == 32)
  }

  struct Missing: Error {}

  @Test("a change leaves the sessions of other people alone", arguments: StoreKind.allCases)
  func otherSessions(kind: StoreKind) async throws {
    let other = ID<Person>(high: 2, low: 2)
    let (store, caller) = try kind.open()
    try await caller.add(Self.session(1), to: store)
    try await caller.change(
      other, .endSessions([Self.session(1).id]), .renameSession(Self.session(1).id, to: "Mine"), in: store)
    #expect(try await caller.wait { store.sessions(of: Self.person, reply: $0) }.value() == [Self.session(1)])
  }

  @Test("the sessions of a person are listed, and a revoked session is invalid at once", arguments: StoreKind.allCases)
  func sessions(kind: StoreKind) async throws {
    let other = ID<Person>(high: 2, low: 2)
    let all = [Self.session(1, at: 10), Self.session(2, at: 20), Self.session(3, of: other, at: 30)]
    let (store, caller) = try kind.open()
    for session in all { try await caller.add(session, to: store) }
    #expect(try await caller.wait { store.sessions(of: Self.person, reply: $0) }.value() == Array(all[..<2]))
    try await caller.change(Self.person, .endSessions([all[0].id]), in: store)
    #expect(try await caller.wait { store.session(tokenHash: all[0].tokenHash, reply: $0) }.value() == nil)
    #expect(try await caller.wait { store.sessions(of: Self.person, reply: $0) }.value() == [all[1]])
    #expect(try await caller.wait { store.session(tokenHash: all[2].tokenHash, reply: $0) }.value() == all[2])
    // Revoking twice is not an error, and using the token does not restore the session.
    store.touchSession(all[0].id, at: Instant(milliseconds: 99))
    try await caller.change(Self.person, .endSessions([all[0].id]), in: store)
    #expect(try await caller.wait { store.session(tokenHash: all[0].tokenHash, reply: $0) }.value() == nil)
  }

  @Test("the last use of a session is stored and never moves back", arguments: StoreKind.allCases)
  func touching(kind: StoreKind) async throws {
    let (store, caller) = try kind.open()
    try await caller.add(Self.session(1, at: 100), to: store)
    for (used, expected) in [(50, 100), (150, 150), (120, 150)] as [(Int64, Int64)] {
      store.touchSession(Self.session(1).id, at: Instant(milliseconds: used))
      let found = await caller.wait { store.session(tokenHash: Self.session(1).tokenHash, reply: $0) }
      #expect(try found.value()?.lastUsedAt == Instant(milliseconds: expected))
      let listed = await caller.wait { store.sessions(of: Self.person, reply: $0) }
      #expect(try listed.value().map(\.lastUsedAt) == [Instant(milliseconds: expected)])
    }
  }

  @Test("ACC-15: above the limit of sessions, the least recently used one ends", arguments: StoreKind.allCases)
  func limit(kind: StoreKind) async throws {
    let other = ID<Person>(high: 2, low: 2)
    let (store, caller) = try kind.open()
    func create(_ session: SessionRecord) async throws -> [ID<Session>] {
      try await caller.add(session, limit: 3, to: store)
    }
    for number: UInt64 in 1...3 {
      #expect(try await create(Self.session(number, at: Int64(number))).isEmpty)
      #expect(try await create(Self.session(number + 20, of: other, at: 1)).isEmpty)
    }
    // The oldest session has just been used.
    store.touchSession(Self.session(1).id, at: Instant(milliseconds: 50))
    #expect(try await create(Self.session(4, at: 60)) == [Self.session(2).id])
    let left = try await caller.wait { store.sessions(of: Self.person, reply: $0) }.value().map(\.id.low)
    #expect(left == [1, 3, 4])
    let ended = await caller.wait { store.session(tokenHash: Self.session(2).tokenHash, reply: $0) }
    #expect(try ended.value() == nil)
    #expect(try await caller.wait { store.sessions(of: other, reply: $0) }.value().count == 3)
  }

  @Test("ACC-15: a session is renamed, and several sessions end at once", arguments: StoreKind.allCases)
  func several(kind: StoreKind) async throws {
    let (store, caller) = try kind.open()
    for number: UInt64 in 1...3 {
      try await caller.add(Self.session(number), to: store)
    }
    try await caller.change(Self.person, .renameSession(Self.session(2).id, to: "Tablet"), in: store)
    let ending = [Self.session(1).id, Self.session(3).id, Self.session(7).id]
    try await caller.change(Self.person, .endSessions(ending), in: store)
    let left = try await caller.wait { store.sessions(of: Self.person, reply: $0) }.value()
    #expect(left.map(\.id.low) == [2] && left.map(\.name) == ["Tablet"])
  }

  @Test(
    "SEC-10: a puzzle is used by one call, which may use it again, until it is forgotten",
    arguments: StoreKind.allCases)
  func puzzles(kind: StoreKind) async throws {
    let (store, caller) = try kind.open()
    let start = Instant(milliseconds: 1_000_000)
    func spend(_ puzzle: UInt8, by call: [UInt8] = [], after seconds: Int64 = 0) async throws -> Bool {
      let now = start + .seconds(seconds)
      return try await caller.wait {
        store.spend(
          puzzle: [UInt8](repeating: puzzle, count: 32), by: call, until: now + .seconds(60), at: now, reply: $0)
      }.value()
    }
    #expect(try await spend(1))
    #expect(try await !spend(1))
    #expect(try await !spend(1, by: [7]))
    #expect(try await spend(2, by: [7], after: 10))
    #expect(try await spend(2, by: [7], after: 20))
    #expect(try await !spend(2, by: [8], after: 20))
    #expect(try await !spend(2, after: 20))
    // The first one is forgotten with its time, and the second is not.
    #expect(try await !spend(1, after: 60))
    #expect(try await spend(1, after: 61))
    #expect(try await !spend(2, by: [8], after: 70))
  }
}
