import JSON
import Rooms
import TestSupport
import Testing

@testable import Home

@Suite("Contacts")
struct ContactTests {
  let world = World()
  let day = Duration.seconds(24 * 3600)

  @discardableResult
  func invite(_ person: ID<Person>, _ whom: [String: JSON]) throws -> JSON {
    try world.call(person, "contacts.invite", .object(whom))["id"] ?? .null
  }

  /// Two strangers, Ana and Ben.
  func strangers() throws -> (ana: ID<Person>, ben: ID<Person>) { (try world.signUp("Ana"), try world.signUp("Ben")) }

  func contacts() throws -> (ana: ID<Person>, ben: ID<Person>) {
    let people = try strangers()
    let id = try invite(people.ana, ["email": "ben@example.org"])
    try world.call(people.ben, "contacts.accept", ["id": id])
    return people
  }

  func contacts(of person: ID<Person>) throws -> [String] {
    try world.me(person).contacts.contacts.values.map(\.name).sorted()
  }

  func told(_ person: ID<Person>, _ kind: NotificationKind) throws -> [Home.Notification] {
    try world.me(person).inbox.notifications.values.filter { $0.kind == kind }
  }

  /// Both have the other, or neither has; and nothing is left between them otherwise.
  func expect(contacts areContacts: Bool, _ ana: ID<Person>, _ ben: ID<Person>, _ comment: Comment = "") throws {
    for (one, other) in [(ana, ben), (ben, ana)] {
      let list = try world.me(one).contacts
      #expect(list.contacts.contains(other) == areContacts, comment)
      #expect(list.consents.contains(other) == areContacts, comment)
      #expect(list.invitations.isEmpty && list.sent.isEmpty && list.targets.isEmpty, comment)
    }
  }

  @Test("LOC-33, REM-6: a stranger is invited by address and accepts; then each is the other's contact, and is told")
  func accept() throws {
    let (ana, ben) = try strangers()
    let answer = try world.call(ana, "contacts.invite", ["email": " Ben@Example.ORG "])
    let id = try #require(answer["id"]?.string.flatMap { ID<ContactInvitation>($0) })
    #expect(answer["expiresAt"] == .at(world.now + Limits.invitationAge))
    let received = try #require(try world.me(ben).contacts.invitations[id])
    #expect(received.from == ana && received.name == "Ana" && received.at == world.now)
    #expect(try world.me(ana).contacts.sent[id]?.email == "ben@example.org")
    #expect(!world.state(of: try #require(world.rooms[.person(ana)])).text.contains(ben.description))
    let invited = try #require(try told(ben, .contactInvitation).first)
    #expect(invited.ref == id.cast() && invited.actor == ana && invited.actorName == "Ana" && invited.readAt == nil)
    world.advance(.seconds(5))
    for _ in 1...2 { #expect(try world.call(ben, "contacts.accept", ["id": .id(id)])["person"] == .id(ana)) }
    try expect(contacts: true, ana, ben)
    #expect(try contacts(of: ana) == ["Ben"] && contacts(of: ben) == ["Ana"])
    #expect(try world.me(ana).contacts.contacts[ben]?.since == world.now)
    #expect(try told(ben, .contactInvitation).map(\.readAt) == [world.now], "there is nothing left to answer")
    let accepted = try told(ana, .contactAccepted)
    #expect(accepted.map(\.ref) == [ben.cast()] && accepted.map(\.actorName) == ["Ben"])
    #expect(try accepted.map(\.readAt) == [nil] && told(ben, .contactAccepted).isEmpty)
    try world.call(ben, "contacts.remove", ["person": .id(ana)])
    try expect(contacts: false, ana, ben)
    #expect(try told(ana, .contactAccepted).map(\.readAt) == [world.now])
    #expect(reason { try world.call(ben, "contacts.remove", ["person": .id(ana)]) } == "notFound/gone")
    #expect(reason { try world.call(ben, "contacts.accept", ["id": .id(id)]) } == "notFound/gone")
  }

  @Test("LOC-33: a housemate is invited by their id, a stranger is not, nor is a person who is invited or a contact")
  func byPerson() throws {
    let people = try world.household(of: "Ana", "Ben")
    let stranger = try world.signUp("Cem")
    func send(_ whom: JSON) -> String? { reason { try world.call(people[0], "contacts.invite", whom) } }
    #expect(send(["person": .id(stranger)]) == "notFound/person")
    #expect(send(["person": .id(ID<Person>(high: 1, low: 1))]) == "notFound/person")
    #expect(send(["person": .id(people[1])]) == nil)
    #expect(send(["person": .id(people[1])]) == "conflict/alreadyInvited")
    #expect(send(["person": .id(people[0])]) == "notFound/person")
    #expect(send(["email": "ana@example.org"]) == "conflict/yourself")
    let id = try #require(try world.me(people[1]).contacts.invitations.keys.first)
    try world.call(people[1], "contacts.accept", ["id": .id(id)])
    #expect(send(["person": .id(people[1])]) == "conflict/alreadyContact")
    #expect(send(["id": .id(id), "email": "x@example.org"]) == "conflict/exists", "an id names one invitation only")
    for bad: JSON in [[:], ["person": .id(stranger), "email": "cem@example.org"]] {
      #expect(refusal { try world.call(people[0], "contacts.invite", bad) }?.fields.map(\.path) == ["email"])
    }
  }

  @Test("LOC-33: the answer and the caller's own room are the same whether or not an address has an account")
  func sameAnswer() throws {
    let people = try world.household(of: "Ana", "Ben", "Cem", "Dan")
    let ana = people[0]
    try world.signUp("Eve")
    try world.call(try world.signUp("Fay"), "contacts.block", ["person": .id(ana)])
    try world.call(ana, "contacts.block", ["person": .id(people[1])])
    let id = try invite(people[2], ["person": .id(ana)])
    try world.call(ana, "contacts.accept", ["id": id])
    try invite(ana, ["person": .id(people[3])])
    // A stranger, one who blocks, one who is blocked, a contact, one who is invited already, and nobody.
    let names = ["eve", "fay", "ben", "cem", "dan", "nobody"]
    var answers: Set<String> = []
    for (number, name) in names.enumerated() {
      let id = ID<ContactInvitation>(high: 0x3000, low: UInt64(number + 1))
      let answer = try world.call(ana, "contacts.invite", ["id": .id(id), "email": .string("\(name)@example.org")])
      answers.insert(answer["expiresAt"]?.text ?? "")
      #expect(answer["id"] == .id(id) && answer.object?.count == 2)
      let again = reason { try world.call(ana, "contacts.invite", ["email": .string("\(name)@example.org")]) }
      #expect(again == "conflict/alreadyInvited")
    }
    #expect(answers.count == 1)
    #expect(try world.me(ana).contacts.sent.values.compactMap(\.email).count == names.count)
    #expect(try world.me(people[3]).contacts.invitations.count == 1, "one invitation of one person is enough")
    #expect(try world.me(people[1]).contacts.invitations.isEmpty)
    #expect(try contacts(of: ana) == ["Cem"])
  }

  @Test("LOC-33: an invitation lasts 14 days on both sides, may be declined in silence, or taken back")
  func ends() throws {
    let (ana, ben) = try strangers()
    let first = try invite(ana, ["email": "ben@example.org"])
    world.advance(Limits.invitationAge - .milliseconds(1))
    #expect(try world.me(ben).contacts.invitations.count == 1 && world.me(ana).contacts.sent.count == 1)
    world.advance(.milliseconds(1))
    try expect(contacts: false, ana, ben)
    #expect(reason { try world.call(ben, "contacts.accept", ["id": first]) } == "notFound/gone")
    #expect(try told(ben, .contactInvitation).allSatisfy { $0.readAt == world.now })
    let second = try invite(ana, ["email": "ben@example.org"])
    try world.call(ben, "contacts.decline", ["id": second])
    #expect(reason { try world.call(ben, "contacts.decline", ["id": second]) } == "notFound/gone")
    #expect(reason { try world.call(ben, "contacts.accept", ["id": second]) } == "notFound/gone")
    #expect(try world.me(ana).contacts.sent.count == 1, "a declined invitation looks like one without an account")
    #expect(try world.me(ana).inbox.notifications.isEmpty && world.me(ben).contacts.invitations.isEmpty)
    // If Ben invites Ana after all, both want it.
    try invite(ben, ["email": "ana@example.org"])
    try expect(contacts: true, ana, ben)
    try world.call(ana, "contacts.remove", ["person": .id(ben)])
    let third = try invite(ana, ["email": "ben@example.org"])
    try world.call(ana, "contacts.revoke", ["id": third])
    try expect(contacts: false, ana, ben)
    #expect(try told(ben, .contactInvitation).allSatisfy { $0.ref?.description != third.string })
    #expect(reason { try world.call(ana, "contacts.revoke", ["id": third]) } == "notFound/gone")
    #expect(
      reason { try world.call(ana, "contacts.invite", ["id": third, "email": "x@example.org"]) } == "conflict/exists")
  }

  @Test("LOC-33, HH-3: 20 invitations a day, to households and to be contacts, and then retryAfter")
  func quota() throws {
    let household = ID<Household>(high: 0xB000, low: 1)
    let ana = try world.household(of: "Ana")[0]
    for number in 1...10 {
      try invite(ana, ["email": .string("a\(number)@example.org")])
      let email: JSON = .string("b\(number)@example.org")
      try world.call(ana, "invitations.send", ["household": .id(household), "email": email])
    }
    world.advance(.seconds(3600))
    let found = refusal { try world.call(ana, "contacts.invite", ["email": "late@example.org"]) }
    #expect(found?.code == .rateLimited && found?.reason == "invitations")
    #expect(found?.retryAfter == day - .seconds(3600))
    world.advance(day - .seconds(3600))
    try invite(ana, ["email": "late@example.org"])
  }

  @Test("LOC-33: of many received invitations the newest stay")
  func received() throws {
    let ana = try world.signUp("Ana")
    world.checksStates = false
    for number in 1...Limits.receivedInvitations + 1 {
      let guest = try world.signUp("Guest\(number)")
      try invite(guest, ["email": "ana@example.org"])
      world.advance(.milliseconds(1))
    }
    let names = try world.me(ana).contacts.invitations.values.map(\.name)
    #expect(names.count == Limits.receivedInvitations && !names.contains("Guest1"))
  }

  @Test("ACC-8, LOC-33: contacts see each other's new names, also one that changes while they become contacts")
  func names() throws {
    let (ana, ben) = try contacts()
    try world.call(ana, "profile.update", ["name": "Anna"])
    #expect(try contacts(of: ben) == ["Anna"])
    try world.call(ben, "contacts.remove", ["person": .id(ana)])
    let id = try invite(ana, ["email": "ben@example.org"])
    try world.call(ana, "profile.update", ["name": "Anne"])
    try world.call(ben, "contacts.accept", ["id": id])
    #expect(try contacts(of: ben) == ["Anne"])
    try world.call(ben, "contacts.remove", ["person": .id(ana)])
    // Both invite each other, and both change their names before they know.
    world.deliversAtOnce = false
    try invite(ana, ["email": "ben@example.org"])
    try invite(ben, ["email": "ana@example.org"])
    try world.call(ana, "profile.update", ["name": "Ann"])
    try world.call(ben, "profile.update", ["name": "Benno"])
    world.deliverAll()
    #expect(try contacts(of: ben) == ["Ann"] && contacts(of: ana) == ["Benno"])
  }

  // MARK: crossing

  /// Calls that cross: the mail is delivered in an order that the seed says, and nothing before all calls were made.
  static let orders = Array(UInt64(1)...12)

  func deliver(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    while !world.mail.isEmpty { world.deliver(Int.random(in: 0..<world.mail.count, using: &random)) }
    world.deliversAtOnce = true
  }

  @Test("LOC-33: two people who invite each other are contacts, and each is told once", arguments: orders)
  func bothInvite(seed: UInt64) throws {
    let (ana, ben) = try strangers()
    world.deliversAtOnce = false
    try invite(ana, ["email": "ben@example.org"])
    try invite(ben, ["email": "ana@example.org"])
    deliver(seed)
    try expect(contacts: true, ana, ben)
    for person in [ana, ben] { #expect(try told(person, .contactAccepted).count == 1) }
  }

  @Test("LOC-33: an invitation that is taken back while it is accepted makes no contacts", arguments: orders)
  func revokedWhileAccepted(seed: UInt64) throws {
    let (ana, ben) = try strangers()
    let id = try invite(ana, ["email": "ben@example.org"])
    world.deliversAtOnce = false
    try world.call(ben, "contacts.accept", ["id": id])
    try world.call(ana, "contacts.revoke", ["id": id])
    deliver(seed)
    try expect(contacts: false, ana, ben)
    #expect(try told(ana, .contactAccepted).isEmpty)
  }

  @Test("LOC-33: an invitation that expires while it is accepted makes no contacts on either side", arguments: orders)
  func expiredWhileAccepted(seed: UInt64) throws {
    let (ana, ben) = try strangers()
    let id = try invite(ana, ["email": "ben@example.org"])
    world.advance(Limits.invitationAge - .milliseconds(1))
    world.deliversAtOnce = false
    try world.call(ben, "contacts.accept", ["id": id])
    world.advance(.milliseconds(1))
    deliver(seed)
    try expect(contacts: false, ana, ben)
  }

  @Test("LOC-33: a contact who is removed while the acceptance is on its way is one for nobody", arguments: orders)
  func removedWhileAccepted(seed: UInt64) throws {
    let (ana, ben) = try strangers()
    let id = try invite(ana, ["email": "ben@example.org"])
    world.deliversAtOnce = false
    try world.call(ben, "contacts.accept", ["id": id])
    try world.call(ben, "contacts.remove", ["person": .id(ana)])
    deliver(seed)
    try expect(contacts: false, ana, ben)
  }

  @Test("LOC-33: two who remove each other, and then invite again, see the same", arguments: orders)
  func removedTwice(seed: UInt64) throws {
    let (ana, ben) = try contacts()
    world.deliversAtOnce = false
    try world.call(ana, "contacts.remove", ["person": .id(ben)])
    try world.call(ben, "contacts.remove", ["person": .id(ana)])
    let id = try invite(ana, ["email": "ben@example.org"])
    deliver(seed)
    #expect(try world.me(ben).contacts.invitations.count == 1, "a late removal does not end a new invitation")
    try world.call(ben, "contacts.accept", ["id": id])
    try expect(contacts: true, ana, ben)
  }

  @Test("LOC-33: a new invitation meets the acceptance of one that was taken back", arguments: orders)
  func invitedAgain(seed: UInt64) throws {
    let (ana, ben) = try strangers()
    let first = try invite(ana, ["email": "ben@example.org"])
    world.deliversAtOnce = false
    try world.call(ben, "contacts.accept", ["id": first])
    try world.call(ana, "contacts.revoke", ["id": first])
    let second = try invite(ana, ["email": "ben@example.org"])
    deliver(seed)
    let (mine, theirs) = (try world.me(ana).contacts, try world.me(ben).contacts)
    #expect(mine.contacts.contains(ben) == theirs.contacts.contains(ana))
    if !mine.contacts.contains(ben) {
      #expect(mine.targets.count == 1 && theirs.invitations.count == 1)
      try world.call(ben, "contacts.accept", ["id": second])
    }
    try expect(contacts: true, ana, ben)
  }

  // MARK: blocks

  @Test("LOC-33: a block ends the contact, and invitations of the blocked person vanish with the same answer")
  func block() throws {
    let household = ID<Household>(high: 0xB000, low: 1)
    let (ana, ben) = try contacts()
    _ = try world.household(of: "Ben")
    try world.call(ben, "invitations.send", ["household": .id(household), "email": "ana@example.org"])
    #expect(try world.me(ana).memberships.invitations.count == 1)
    for _ in 1...2 { try world.call(ana, "contacts.block", ["person": .id(ben)]) }
    try expect(contacts: false, ana, ben)
    #expect(try world.me(ana).contacts.blocked[ben]?.name == "Ben")
    #expect(try world.me(ana).memberships.invitations.isEmpty && told(ana, .invitation).isEmpty)
    #expect(!world.state(of: try #require(world.rooms[.person(ben)])).text.contains("block"))
    let inbox = try world.me(ana).inbox.notifications.count
    let id = try invite(ben, ["email": "ana@example.org"])
    let other = ID<Household>(high: 0xB000, low: 2)
    _ = try world.household(of: "Ben", id: other)
    try world.call(ben, "invitations.send", ["household": .id(other), "email": "ana@example.org"])
    #expect(try world.me(ana).contacts.invitations.isEmpty && world.me(ana).memberships.invitations.isEmpty)
    #expect(try world.me(ana).inbox.notifications.count == inbox)
    #expect(reason { try world.call(ana, "contacts.accept", ["id": id]) } == "notFound/gone")
    #expect(reason { try world.call(ana, "contacts.block", ["person": .id(ana)]) } == "conflict/yourself")
    // From now on invitations reach Ana again; those before do not come back.
    for _ in 1...2 { try world.call(ana, "contacts.unblock", ["person": .id(ben)]) }
    #expect(try world.me(ana).contacts.blocked.isEmpty && world.me(ana).contacts.invitations.isEmpty)
    try world.call(ben, "contacts.revoke", ["id": id])
    try invite(ben, ["email": "ana@example.org"])
    #expect(try world.me(ana).contacts.invitations.count == 1)
  }

  @Test("LOC-33: a block takes back the open invitation, but does not tell whose an address is")
  func blockInvited() throws {
    let people = try world.household(of: "Ana", "Ben", "Cem")
    try invite(people[0], ["email": "ben@example.org"])
    try invite(people[0], ["person": .id(people[2])])
    for person in people.dropFirst() {
      #expect(try world.me(person).contacts.invitations.count == 1)
      try world.call(people[0], "contacts.block", ["person": .id(person)])
      #expect(try world.me(person).contacts.invitations.isEmpty && told(person, .contactInvitation).isEmpty)
    }
    #expect(try world.me(people[0]).contacts.sent.values.map(\.email) == ["ben@example.org"])
    #expect(try world.me(people[0]).contacts.targets.isEmpty)
    let household = ID<Household>(high: 0xB000, low: 2)
    _ = try world.household(of: "Ana", id: household)
    let calls: [(String, [String: JSON])] = [
      ("contacts.invite", [:]), ("invitations.send", ["household": .id(household)]),
    ]
    for (method, more) in calls {
      var parameters = more
      parameters["person"] = .id(people[2])
      #expect(reason { try world.call(people[0], method, .object(parameters)) } == "conflict/blocked", "\(method)")
    }
  }

  @Test("LOC-33: a block that crosses an invitation, an acceptance or a removal leaves nothing", arguments: orders)
  func blockCrosses(seed: UInt64) throws {
    let (ana, ben) = try strangers()
    let id = try invite(ana, ["email": "ben@example.org"])
    world.deliversAtOnce = false
    try world.call(ben, "contacts.accept", ["id": id])
    if seed % 3 == 0 { try world.call(ben, "contacts.remove", ["person": .id(ana)]) }
    if seed % 3 == 1 { try world.call(ana, "contacts.revoke", ["id": id]) }
    try world.call(ana, "contacts.block", ["person": .id(ben)])
    deliver(seed)
    for (one, other) in [(ana, ben), (ben, ana)] {
      let list = try world.me(one).contacts
      #expect(!list.contacts.contains(other) && list.consents.isEmpty && list.targets.isEmpty)
      #expect(list.invitations.isEmpty)
    }
  }

  // MARK: mail, and the end of an account

  @Test("LOC-33: an address without an account gets one letter, and its owner finds the invitation")
  func mailed() throws {
    let ana = try world.signUp("Ana")
    let id = try invite(ana, ["email": "New@example.org"])
    let other = try invite(ana, ["email": "other@example.org"])
    try invite(ana, ["email": "mine@example.org"])
    #expect(world.letters.first == Letter(.contact, to: "new@example.org", name: "Ana"))
    #expect(world.letters.map(\.to) == ["new@example.org", "other@example.org", "mine@example.org"])
    try world.call(ana, "contacts.revoke", ["id": other])
    #expect(world.secrets[Letter.awaiting("other@example.org")] == nil)
    func prove(_ email: String, _ person: ID<Person>) throws {
      try world.keep(HomeRooms.KnownAccount(email: email, isVerified: true, hasPassword: true), of: person)
    }
    let new = try world.signUp("New")
    try world.call(new, "contacts.block", ["person": .id(try world.signUp("Dan"))])
    for email in ["other@example.org", "new@example.org"] { try prove(email, new) }
    #expect(try world.me(new).contacts.invitations.values.map(\.name) == ["Ana"])
    #expect(world.secrets[Letter.awaiting("new@example.org")] == nil)
    try world.call(new, "contacts.accept", ["id": id])
    #expect(try contacts(of: ana) == ["New"])
    // One's own new address is nobody's invitation.
    try prove("mine@example.org", ana)
    #expect(try world.me(ana).contacts.sent.isEmpty && world.me(ana).contacts.targets.isEmpty)
    #expect(world.secrets[Letter.awaiting("mine@example.org")] == nil)
  }

  @Test("ACC-9, LOC-33: with an account go its contacts, invitations and blocks, and its name everywhere")
  func deleted() throws {
    let (ana, ben) = try contacts()
    let (cem, dan, eve) = (try world.signUp("Cem"), try world.signUp("Dan"), try world.signUp("Eve"))
    try invite(ana, ["email": "cem@example.org"])
    try invite(dan, ["email": "ana@example.org"])
    try invite(ana, ["email": "eve@example.org"])
    try world.call(eve, "contacts.block", ["person": .id(ana)])
    try world.call(ana, "contacts.block", ["person": .id(eve)])
    #expect(try world.me(eve).contacts.blocked[ana]?.name == "Ana")
    world.confirmation = .pin
    try world.call(ana, "auth.deleteAccount")
    world.confirmation = nil
    for person in [ben, cem, dan, eve] {
      let room = try #require(world.rooms[.person(person)])
      #expect(!world.snapshot(of: room).text.contains("Ana"), "a name is left")
      let list = try world.me(person).contacts
      #expect(list.contacts.isEmpty && list.consents.isEmpty && list.invitations.isEmpty && list.targets.isEmpty)
      #expect(list.blocked.isEmpty && list.blockers.isEmpty)
    }
    // Dan invited an address: the list does not tell whose it was.
    #expect(try world.me(dan).contacts.sent.count == 1)
  }

  // MARK: shares

  @discardableResult
  func share(_ sharer: ID<Person>, with receivers: [ID<Person>], _ id: UInt64) throws -> ID<Share> {
    let share = ID<Share>(high: 0xE000, low: id)
    try world.call(
      sharer, "shares.start",
      [
        "id": .id(share), "receivers": .array(receivers.map { .id($0) }), "until": .at(world.now + .seconds(3600)),
      ])
    return share
  }

  @Test("LOC-1, HH-3: a position is shared with a contact, and a contact is invited to a household")
  func reach() throws {
    let (ana, ben) = try contacts()
    let stranger = try world.signUp("Cem")
    let id = try share(ana, with: [ben], 1)
    #expect(try world.share(id).receivers[ben]?.name == "Ben" && world.me(ben).shares.entries[id]?.name == "Ana")
    #expect(reason { try share(ana, with: [ben, stranger], 2) } == "notFound/person")
    _ = try world.household(of: "Ana")
    let household: JSON = .id(ID<Household>(high: 0xB000, low: 1))
    try world.call(ana, "invitations.send", ["household": household, "person": .id(ben)])
    #expect(try world.me(ben).memberships.invitations.count == 1)
    let found = reason { try world.call(ana, "invitations.send", ["household": household, "person": .id(stranger)]) }
    #expect(found == "notFound/person")
    // Running shares go on without the contact, and no new one begins.
    try world.call(ben, "contacts.remove", ["person": .id(ana)])
    #expect(try world.share(id).receivers.contains(ben))
    #expect(reason { try share(ana, with: [ben], 3) } == "notFound/person")
  }

  @Test("LOC-12, LOC-33, LOC-34: a block ends shares both ways at once; a share with others goes on")
  func blockShares() throws {
    let people = try world.household(of: "Ana", "Ben", "Cem")
    let (ana, ben, cem) = (people[0], people[1], people[2])
    let alone = try share(ana, with: [ben], 1)
    let both = try share(ana, with: [ben, cem], 2)
    let theirs = try share(ben, with: [ana], 3)
    let toAll = try share(ben, with: [ana, cem], 4)
    let others = try share(cem, with: [ana, ben], 5)
    try world.call(ana, "contacts.block", ["person": .id(ben)])
    #expect(world.rooms[.share(alone)] == nil && world.rooms[.share(theirs)] == nil)
    #expect(try Array(world.share(both).receivers.keys) == [cem] && Array(world.share(toAll).receivers.keys) == [cem])
    #expect(try world.share(others).receivers.count == 2, "a third person's share is theirs")
    func listed(_ person: ID<Person>) throws -> Set<ID<Share>> { Set(try world.me(person).shares.entries.keys) }
    #expect(try listed(ana) == [both, others] && listed(ben) == [toAll, others])
    #expect(try listed(cem) == [both, toAll, others])
    // Each person for whom a share is over is told once, with the reason, and the room closes for them.
    func ends(_ person: ID<Person>) throws -> [ID<Thing>] {
      let ends = try told(person, .ended)
      #expect(ends.allSatisfy { $0.reason == .blocked })
      return ends.compactMap(\.ref).sorted()
    }
    #expect(try ends(ana) == [alone, theirs, toAll].map { $0.cast() })
    #expect(try ends(ben) == [alone, both, theirs].map { $0.cast() } && ends(cem).isEmpty)
    let out = world.closed.filter { $0.person != nil && $0.reason == "ended" }
    #expect(out.filter { $0.person == ben }.map(\.room) == [.share(alone), .share(both)])
    #expect(out.filter { $0.person == ana }.map(\.room) == [.share(theirs), .share(toAll)] && out.count == 4)
    // None begins while the block stands, from either side.
    #expect(reason { try share(ana, with: [ben, cem], 6) } == "conflict/blocked")
    let inbox = try world.me(ana).inbox.notifications.count
    let late = try share(ben, with: [ana, cem], 7)
    #expect(try !world.share(late).receivers.contains(ana) && !listed(ana).contains(late))
    #expect(try world.me(ana).inbox.notifications.count == inbox)
    try world.call(ana, "contacts.unblock", ["person": .id(ben)])
    #expect(try listed(ana) == [both, others], "an unblocked person must share again")
    try share(ben, with: [ana], 8)
    #expect(try listed(ana).count == 3)
  }

  @Test("LOC-33: a block ends a share that is on its way, in either direction", arguments: orders)
  func blockCrossesShares(seed: UInt64) throws {
    let people = try world.household(of: "Ana", "Ben", "Cem")
    let (ana, ben, cem) = (people[0], people[1], people[2])
    world.deliversAtOnce = false
    let own = try share(ana, with: [ben, cem], 1)
    let theirs = try share(ben, with: [ana, cem], 2)
    var random = SeededGenerator(seed: seed)
    for _ in 0..<Int(seed % 5) where !world.mail.isEmpty {
      world.deliver(Int.random(in: 0..<world.mail.count, using: &random))
    }
    try world.call(ana, "contacts.block", ["person": .id(ben)])
    deliver(seed)
    #expect(try Array(world.share(own).receivers.keys) == [cem])
    #expect(try Array(world.share(theirs).receivers.keys) == [cem])
    #expect(try Array(world.me(ben).shares.entries.keys) == [theirs])
    #expect(try Array(world.me(ana).shares.entries.keys) == [own])
  }

  @Test("LOC-23, LOC-33: only the sharer and the receiver end a receiver's part of a share")
  func foreign() throws {
    let people = try world.household(of: "Ana", "Ben", "Cem")
    let id = try share(people[0], with: [people[1], people[2]], 1)
    let room = try #require(world.rooms[.share(id)] as? TypedRoom<ShareState>)
    try? room.performLive(Turn(now: world.now)) { state, context in
      for source in [RoomID.person(people[2]), .household(ID(high: 0xB000, low: 1))] {
        ReceiverBlocked(person: people[1]).apply(to: &state, from: source, in: context)
      }
    }
    #expect(room.state.receivers.count == 2)
  }

  // MARK: presence

  @Test("HH-17, LOC-33: a person is online in no household with somebody whom they have blocked")
  func presence() throws {
    let (first, second) = (ID<Household>(high: 0xB000, low: 1), ID<Household>(high: 0xB000, low: 2))
    let people = try world.household(of: "Ana", "Ben")
    let (ana, ben) = (people[0], people[1])
    _ = try world.household(of: "Ana", id: second)
    func hides(_ household: ID<Household>) throws -> Bool {
      let room = try #require(world.rooms[.household(household)])
      HomeRooms.note(ana, isOnline: true, seenAt: world.now, in: room, turn: Turn(now: world.now))
      return try world.home(household).presence.presence[ana] == nil
    }
    #expect(try !hides(first) && !hides(second))
    try world.call(ana, "contacts.block", ["person": .id(ben)])
    #expect(try hides(first) && !hides(second))
    #expect(try world.me(ana).settings.settings.value.presence == nil, "what they have chosen stays")
    // The blocked person comes, and goes.
    try world.join([ben], second)
    #expect(try hides(second))
    try world.call(ben, "members.leave", in: .household(second))
    #expect(try !hides(second))
    try world.call(ana, "settings.edit", ["presence": "hidden"])
    try world.call(ana, "contacts.unblock", ["person": .id(ben)])
    #expect(try hides(first) && hides(second), "who hides stays hidden")
    try world.call(ana, "contacts.block", ["person": .id(ben)])
    try world.call(ana, "settings.edit", ["presence": "shown"])
    #expect(try hides(first) && !hides(second))
    try world.call(ana, "contacts.unblock", ["person": .id(ben)])
    #expect(try !hides(first))
    // Ana joins a household in which the blocked person is.
    let third = ID<Household>(high: 0xB000, low: 3)
    try world.call(ana, "contacts.block", ["person": .id(ben)])
    _ = try world.household(of: "Ben", "Ana", id: third)
    #expect(try hides(third))
  }
}
