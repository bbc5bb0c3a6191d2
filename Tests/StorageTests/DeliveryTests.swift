import Platform
import Rooms
import Testing

/// The contract of `DeliveryStore` and of codes, tested only through the protocols.
@Suite("Deliveries and codes")
struct DeliveryTests {
  private static func delivery(_ number: UInt8, at milliseconds: Int64) -> Delivery {
    Delivery(
      id: [UInt8](repeating: number, count: 16), channel: .mail, notBefore: Instant(milliseconds: milliseconds),
      until: Instant(milliseconds: 1000), body: [1, number])
  }

  private static func all(
    in store: any AnyStore, _ caller: Caller, limit: Int = 9, _ partitions: Partitions = .all
  ) async throws -> [StoredDelivery] {
    try await caller.wait { store.deliveries(in: partitions, limit: limit, reply: $0) }.value()
  }

  private static func settle(
    _ stored: StoredDelivery, _ settlement: Settlement, in store: any AnyStore, _ caller: Caller
  ) async throws {
    try await caller.wait { store.settle(stored.row, settlement, reply: $0) }.value()
  }

  @Test("a delivery comes with the commit of its cause and stays until it is settled", arguments: StoreKind.allCases)
  func deliveries(kind: StoreKind) async throws {
    let (store, caller) = try kind.open()
    let (late, early) = (Self.delivery(1, at: 20), Self.delivery(2, at: 10))
    try await caller.commit([.making(.test(1)).with { $0.deliveries = [late, early, late] }], to: store)
    await #expect(throws: StoreError.conflict([.test(1)])) {
      try await caller.commit(
        [.making(.test(1)).with { $0.deliveries = [Self.delivery(3, at: 1)] }], to: store)
    }
    var found = try await Self.all(in: store, caller)
    #expect(found.map(\.delivery) == [early, late])
    #expect(found.allSatisfy { $0.room == .test(1) && $0.attempts == 0 && $0.due == $0.delivery.notBefore })
    #expect(try await Self.all(in: store, caller, limit: 1).map(\.delivery) == [early])
    #expect(
      found.map(\.delivery.cause).allSatisfy { $0.allSatisfy(\.isHexDigit) }
        && found[0].delivery.cause != found[1].delivery.cause)
    let shard = Partition(of: .test(1)).number % 2
    #expect(try await Self.all(in: store, caller, Partitions(ofShard: shard, of: 2)).count == 2)
    #expect(try await Self.all(in: store, caller, Partitions(ofShard: 1 - shard, of: 2)) == [])

    try await Self.settle(found[0], .retry(at: Instant(milliseconds: 30)), in: store, caller)
    found = try await Self.all(in: store, caller)
    #expect(found.map(\.delivery) == [late, early] && found.map(\.attempts) == [0, 1])
    #expect(found[1].due == Instant(milliseconds: 30))
    try await Self.settle(found[0], .done, in: store, caller)
    #expect(try await Self.all(in: store, caller).map(\.delivery) == [early])
    // A delivery stays when its room is gone.
    try await caller.erase([.test(1)], in: store)
    #expect(try await Self.all(in: store, caller).map(\.delivery) == [early])
  }

  // MARK: codes

  private static let person = DirectoryTests.person
  private static let hour: Int64 = 3_600_000

  private static func code(
    _ number: UInt8, _ purpose: AccountCode.Purpose = .address, at milliseconds: Int64 = 10, to email: String
  ) -> AccountCode {
    AccountCode(
      purpose, hash: [UInt8](repeating: number, count: 32), email: email, at: Instant(milliseconds: milliseconds),
      until: Instant(milliseconds: milliseconds + 100))
  }

  private static func open(
    _ kind: StoreKind, proof: AccountProof = .none, email: String? = "ana@example.org"
  ) async throws -> (store: any AnyStore, caller: Caller) {
    let (store, caller) = try kind.open()
    var account = DirectoryTests.account(person, "")
    account.email = email
    let made = await caller.wait { [account] in
      store.createAccount(
        account, by: proof, room: .making(.person(person)), session: DirectoryTests.session(1), reply: $0)
    }
    #expect(try made.value() == .created)
    return (store, caller)
  }

  @Test("a code is used once, in its time, and only the newest of its purpose", arguments: StoreKind.allCases)
  func codes(kind: StoreKind) async throws {
    let (store, caller) = try await Self.open(kind)
    func use(
      _ number: UInt8, _ purpose: AccountCode.Purpose = .address, at milliseconds: Int64 = 20
    ) async throws -> AccountOutcome {
      try await caller.change(
        Self.person,
        .useCode(purpose, hash: [UInt8](repeating: number, count: 32), at: Instant(milliseconds: milliseconds)),
        .setPINHash("done"), in: store)
    }
    func account() async throws -> Account? { try await caller.account(by: .person(Self.person), in: store) }
    #expect(try await use(1) == .wrongCode)
    let email = "new@example.org"
    let set = try await caller.change(
      Self.person, .setCode(Self.code(1, to: email), limit: 3), .setCode(Self.code(2, to: email), limit: 3),
      .setCode(Self.code(3, .reset, to: email), limit: 3), in: store)
    #expect(set == .changed(ended: []))
    #expect(try await account()?.pendingEmail == email)
    #expect(try await use(1) == .wrongCode)
    #expect(try await use(3) == .wrongCode)
    #expect(try await use(2, at: 110) == .wrongCode)
    #expect(try await account()?.pinHash == nil)
    #expect(try await use(2) == .changed(ended: []))
    let changed = try await account()
    #expect(changed?.email == email && changed?.verifiedAt == Instant(milliseconds: 20) && changed?.pinHash == "done")
    #expect(changed?.pendingEmail == nil && changed?.revision == Revision(number: 2))
    #expect(try await use(2) == .wrongCode)
    #expect(try await caller.account(by: .email("ana@example.org"), in: store) == nil)
    // A code of another purpose leaves the address alone.
    #expect(try await use(3, .reset) == .changed(ended: []))
  }

  @Test("so many codes are made in an hour, and so many wrong ones end a code", arguments: StoreKind.allCases)
  func limits(kind: StoreKind) async throws {
    let (store, caller) = try await Self.open(kind)
    func set(_ number: UInt8, at milliseconds: Int64) async throws -> AccountOutcome {
      try await caller.change(
        Self.person, .setCode(Self.code(number, at: milliseconds, to: "new@example.org"), limit: 2),
        .setPINHash("done"), in: store)
    }
    #expect(try await set(1, at: 10) == .changed(ended: []))
    #expect(try await set(2, at: 20) == .changed(ended: []))
    #expect(try await set(3, at: 30) == .tooManyCodes(until: Instant(milliseconds: 10 + Self.hour)))
    #expect(try await set(4, at: 10 + Self.hour) == .changed(ended: []))
    func use(_ number: UInt8) async throws -> AccountOutcome {
      try await caller.change(
        Self.person,
        .useCode(
          .address, hash: [UInt8](repeating: number, count: 32), at: Instant(milliseconds: 20 + Self.hour)), in: store)
    }
    for _ in 1...AccountCode.guesses { #expect(try await use(9) == .wrongCode) }
    #expect(try await use(4) == .wrongCode)
  }

  @Test("an address that another account has proved meanwhile is refused", arguments: StoreKind.allCases)
  func taken(kind: StoreKind) async throws {
    let (store, caller) = try await Self.open(kind)
    let other = ID<Person>(high: 2, low: 2)
    let made = await caller.wait {
      store.createAccount(
        DirectoryTests.account(other, "bo@example.org"), room: .making(.person(other)),
        session: DirectoryTests.session(2, of: other), reply: $0)
    }
    #expect(try made.value() == .created)
    try await caller.change(
      Self.person, .setCode(Self.code(1, to: "bo@example.org"), limit: 3), in: store)
    let use = AccountChange.useCode(.address, hash: [UInt8](repeating: 1, count: 32), at: Instant(milliseconds: 20))
    #expect(try await caller.change(Self.person, use, in: store) == .emailTaken)
    #expect(try await caller.change(Self.person, .setEmail("bo@example.org"), in: store) == .emailTaken)
    #expect(try await caller.account(by: .email("bo@example.org"), in: store)?.person == other)
    #expect(try await caller.change(Self.person, .setEmail("c@example.org"), in: store) == .changed(ended: []))
    #expect(try await caller.account(by: .email("c@example.org"), in: store)?.person == Self.person)
  }

  @Test("an account claims an address: its code is on its way, or the owner is warned", arguments: StoreKind.allCases)
  func claims(kind: StoreKind) async throws {
    let letters = (code: Self.delivery(1, at: 1), warning: Self.delivery(2, at: 1))
    let claim = AddressClaim(
      code: Self.code(1, to: "ana@example.org"), letter: letters.code, warning: letters.warning)
    let (store, caller) = try await Self.open(kind, proof: .claim(claim), email: nil)
    let account = try await caller.account(by: .person(Self.person), in: store)
    #expect(account?.email == nil && account?.pendingEmail == "ana@example.org")
    #expect(try await Self.all(in: store, caller).map(\.delivery) == [letters.code])
    try await caller.change(
      Self.person, .useCode(.address, hash: [UInt8](repeating: 1, count: 32), at: Instant(milliseconds: 20)),
      .deliver(Self.delivery(3, at: 3)), in: store)
    let other = ID<Person>(high: 2, low: 2)
    var second = DirectoryTests.account(other, "")
    second.email = nil
    let made = await caller.wait { [second] in
      store.createAccount(
        second, by: .claim(claim), room: .making(.person(other)), session: DirectoryTests.session(2, of: other),
        reply: $0)
    }
    #expect(try made.value() == .created)
    let rooms = try await Self.all(in: store, caller)
    #expect(rooms.map(\.delivery) == [letters.code, letters.warning, Self.delivery(3, at: 3)])
    #expect(rooms.map(\.room) == [.person(Self.person), .person(other), .person(Self.person)])
  }
}
