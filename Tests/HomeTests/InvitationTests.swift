import Crypto
import JSON
import Rooms
import Testing

@testable import Home

@Suite("Invitations and join codes")
struct InvitationTests {
  let id = ID<Household>(high: 0xB000, low: 1)
  let world = World()

  func invite(_ host: ID<Person>, _ name: String) throws -> JSON {
    let answer = try world.call(
      host, "invitations.send", ["household": .id(id), "email": .string("\(name.lowercased())@example.org")])
    return try #require(answer["id"])
  }

  @Test("HH-4: an invitation appears in the invitee's own room and lasts 14 days")
  func arrives() throws {
    let ana = try world.household(of: "Ana")[0]
    let ben = try world.signUp("Ben")
    let answer = try world.call(ana, "invitations.send", ["household": .id(id), "email": " Ben@Example.ORG "])
    let invitation = try #require(answer["id"]?.string.flatMap { ID<Invitation>($0) })
    let received = try #require(try world.me(ben).memberships.invitations[invitation])
    #expect(received.household == id)
    #expect(received.name == "Home")
    #expect(received.byName == "Ana")
    #expect(received.expiresAt == world.now + .seconds(14 * 24 * 3600))
    #expect(try world.home().membership.targets[invitation]?.email == "ben@example.org")
    let sent = try #require(try world.me(ana).memberships.sentInvitations[invitation])
    #expect(sent.email == "ben@example.org" && sent.household == id && sent.expiresAt == received.expiresAt)
    let told = try #require(try world.me(ben).inbox.notifications.values.first)
    #expect(told.kind == .invitation && told.ref == invitation.cast() && told.name == "Home")
    world.advance(.seconds(14 * 24 * 3600) - .milliseconds(1))
    #expect(try world.me(ben).memberships.invitations.count == 1)
    world.advance(.milliseconds(1))
    #expect(try world.me(ben).memberships.invitations.isEmpty)
    #expect(try world.home().membership.invitations.isEmpty)
    #expect(try world.home().membership.targets.isEmpty)
    #expect(try world.me(ana).memberships.sentInvitations.isEmpty)
  }

  @Test("HH-4: an invitation's address is seen by its author only, until it is answered, revoked, or they leave")
  func addressSeen() throws {
    let people = try world.household(of: "Ana", "Ben")
    for name in ["Cem", "Dan", "Eve", "Fay"] { try world.signUp(name) }
    let ids = try ["Cem", "Dan", "Eve", "Fay"].map { try invite(people[1], $0) }
    let home = world.state(of: try #require(world.rooms[.household(id)]))
    #expect(home["invitations"]?.object?.count == 4 && !home.text.contains("@example.org"))
    #expect(!world.state(of: try #require(world.rooms[.person(people[0])])).text.contains("cem@"))
    func listed() throws -> [String] {
      try world.me(people[1]).memberships.sentInvitations.values.compactMap(\.email).sorted()
    }
    #expect(try listed() == ["cem@example.org", "dan@example.org", "eve@example.org", "fay@example.org"])
    try world.call(ID(high: 0xA000, low: 3), "invitations.accept", ["id": ids[0]])
    #expect(try listed() == ["dan@example.org", "eve@example.org", "fay@example.org"])
    try world.call(ID(high: 0xA000, low: 4), "invitations.decline", ["id": ids[1]])
    try world.call(people[0], "invitations.revoke", in: .household(id), ["id": ids[2]])
    #expect(try listed() == ["fay@example.org"])
    try world.call(people[1], "members.leave", in: .household(id))
    #expect(try listed().isEmpty)
  }

  @Test("HH-3: a housemate from another household is invited by their id, and nobody else is")
  func byPerson() throws {
    let people = try world.household(of: "Ana", "Ben")
    let other = ID<Household>(high: 0xB000, low: 2)
    let cem = try world.household(of: "Cem", "Ben", id: other)[0]
    func send(_ person: ID<Person>, to household: ID<Household>, by inviter: ID<Person>) -> String? {
      reason {
        try world.call(inviter, "invitations.send", ["household": .id(household), "person": .id(person)])
      }
    }
    // Ana and Cem know each other by no household, Ben knows both.
    #expect(send(cem, to: id, by: people[0]) == "notFound/person")
    #expect(send(ID(high: 9, low: 9), to: id, by: people[0]) == "notFound/person")
    #expect(send(people[1], to: id, by: people[0]) == "conflict/alreadyMember")
    #expect(send(cem, to: id, by: people[1]) == nil)
    #expect(send(cem, to: id, by: people[1]) == "conflict/alreadyInvited")
    let sent = try #require(try world.me(people[1]).memberships.sentInvitations.values.first)
    #expect(sent.person == cem && sent.email == nil)
    let received = try world.me(cem).memberships.invitations
    let invitation = try #require(received.keys.first)
    #expect(received[invitation]?.byName == "Ben" && received[invitation]?.household == id)
    try world.call(cem, "invitations.accept", ["id": .id(invitation)])
    #expect(try world.home().membership.members.contains(cem))
    #expect(try world.me(people[1]).memberships.sentInvitations.isEmpty)
    let both = refusal {
      try world.call(
        people[0], "invitations.send", ["household": .id(id), "person": .id(cem), "email": "cem@example.org"])
    }
    #expect(both?.fields.map(\.path) == ["email"])
    let neither = refusal { try world.call(people[0], "invitations.send", ["household": .id(id)]) }
    #expect(neither?.fields.map(\.path) == ["email"])
  }

  @Test("HH-4: the newest 100 invitations are in the invitee's own room")
  func newest() throws {
    var memberships = Memberships()
    for number in 1...102 {
      var invitation = ReceivedInvitation()
      invitation.at = world.now + .seconds(Int64(number))
      // The ids do not follow the time.
      memberships.add(invitation, ID(high: UInt64(200 - number), low: 1))
      #expect(memberships.invitations.count == min(number, 100))
    }
    let oldest = memberships.invitations.values.map(\.at).min()
    #expect(oldest == world.now + .seconds(3))
  }

  @Test("HH-4: neither the answer nor the household reveals whether an invited address has an account")
  func unknownAddress() throws {
    let ana = try world.household(of: "Ana")[0]
    let ben = try world.signUp("Ben")
    let known = try world.call(ana, "invitations.send", ["household": .id(id), "email": "ben@example.org"])
    let unknown = try world.call(ana, "invitations.send", ["household": .id(id), "email": "nobody@example.org"])
    #expect(Set(known.object?.keys.map { $0 } ?? []) == Set(unknown.object?.keys.map { $0 } ?? []))
    let state = world.state(of: try #require(world.rooms[.household(id)]))
    #expect(!state.text.contains(ben.description))
    let rows = state["invitations"]?.object ?? [:]
    #expect(Set(rows.values.map { Set(($0.object ?? [:]).keys) }).count == 1)
    for email in ["ben@example.org", "nobody@example.org"] {
      let again = reason { try world.call(ana, "invitations.send", ["household": .id(id), "email": .string(email)]) }
      #expect(again == "conflict/alreadyInvited")
    }
  }

  @Test("HH-5: inviting a member is refused")
  func alreadyMember() throws {
    let ana = try world.household(of: "Ana", "Ben")[0]
    let found = reason {
      try world.call(ana, "invitations.send", ["household": .id(id), "email": "BEN@example.org"])
    }
    #expect(found == "conflict/alreadyMember")
  }

  @Test("HH-3: a person may send at most 20 invitations a day, over all households")
  func quota() throws {
    let people = try world.household(of: "Ana", "Ben")
    let other = ID<Household>(high: 0xB000, low: 2)
    _ = try world.household(of: "Ana", id: other)
    for number in 1...10 {
      _ = try invite(people[0], "guest\(number)")
      // A refusal does not count.
      #expect(reason { _ = try invite(people[0], "guest\(number)") } == "conflict/alreadyInvited")
      let guest: JSON = ["household": .id(other), "email": .string("guest\(number)@example.org")]
      try world.call(people[0], "invitations.send", guest)
    }
    let late: JSON = ["household": .id(other), "email": "guest21@example.org"]
    #expect(reason { try world.call(people[0], "invitations.send", late) } == "rateLimited/invitations")
    let found = refusal { try invite(people[0], "guest21") }
    #expect(found?.code == .rateLimited)
    #expect(found?.isTemporary == true)
    #expect(found?.retryAfter == .seconds(24 * 3600))
    _ = try invite(people[1], "guest21")
    world.advance(.seconds(24 * 3600) - .milliseconds(1))
    #expect(reason { try invite(people[0], "guest22") } == "rateLimited/invitations")
    world.advance(.milliseconds(1))
    _ = try invite(people[0], "guest22")
  }

  @Test("HH-3, HH-14: a person outside the household, or no longer in it, cannot invite anybody")
  func outsiders() throws {
    let people = try world.household(of: "Ana", "Ben")
    let dan = try world.signUp("Dan")
    #expect(reason { _ = try invite(dan, "Eve") } == "notFound/room")
    let nowhere: JSON = ["household": .id(ID<Household>(high: 9, low: 9)), "email": "eve@example.org"]
    #expect(reason { try world.call(dan, "invitations.send", nowhere) } == "notFound/room")
    // Ben leaves while their invitation is in flight.
    let call = world.nextCall(of: people[1])
    let invitation: JSON = ["household": .id(id), "email": "eve@example.org"]
    _ = try world.send(call, "invitations.send", in: .person(people[1]), invitation)
    _ = try world.send(world.nextCall(of: people[1]), "members.leave", in: .household(id), [:])
    world.deliverAll()
    #expect(world.answers[call]?["error"]?["data"]?["reason"] == "room")
    #expect(try world.home().membership.invitations.isEmpty)
  }

  @Test("HH-3: an invitation's id is one that the household has not had")
  func chosenID() throws {
    let ana = try world.household(of: "Ana")[0]
    let note = try world.call(ana, "notes.add", in: .household(id), ["text": "x"])["id"] ?? .null
    let free = JSON.id(ID<Invitation>(high: 8, low: 8))
    for (chosen, isTaken) in [(note, true), (free, false), (free, true)] {
      let invitation: JSON = ["household": .id(id), "id": chosen, "email": "eve@example.org"]
      let found = reason {
        let answer = try world.call(ana, "invitations.send", invitation)
        #expect(answer["id"] == chosen)
      }
      #expect(found == (isTaken ? "conflict/exists" : nil))
      if !isTaken { try world.call(ana, "invitations.revoke", in: .household(id), ["id": chosen]) }
    }
  }

  @Test("HH-6: accepting an invitation makes a member, and accepting it again has the same answer")
  func accept() throws {
    let ana = try world.household(of: "Ana")[0]
    let ben = try world.signUp("Ben")
    let invitation = try invite(ana, "Ben")
    for _ in 1...2 {
      let answer = try world.call(ben, "invitations.accept", ["id": invitation])
      #expect(answer["household"] == .id(id))
    }
    #expect(try world.home().membership.members[ben]?.role == .member)
    #expect(try world.home().membership.invitations.isEmpty)
    #expect(try world.me(ben).memberships.invitations.isEmpty)
    #expect(try world.me(ben).inbox.notifications.isEmpty)
    #expect(try world.home().feed.activity.values.count { $0.kind == .joined } == 1)
  }

  @Test("HH-6: two devices that accept an invitation at the same time join once")
  func acceptTwiceAtOnce() throws {
    let ana = try world.household(of: "Ana")[0]
    let ben = try world.signUp("Ben")
    let invitation = try invite(ana, "Ben")
    let calls = [world.nextCall(of: ben), world.nextCall(of: ben)]
    for call in calls { _ = try world.send(call, "invitations.accept", in: .person(ben), ["id": invitation]) }
    world.deliverAll()
    for call in calls { #expect(world.answers[call]?["result"]?["household"] == .id(id)) }
    #expect(try world.home().feed.activity.values.count { $0.kind == .joined } == 1)
    #expect(try world.me(ben).pending.calls.isEmpty)
  }

  @Test("HH-6: declining an invitation notifies only the inviter, and may be repeated")
  func decline() throws {
    let people = try world.household(of: "Ana", "Ben")
    let cem = try world.signUp("Cem")
    let invitation = try invite(people[0], "Cem")
    let before = try world.home().feed.activity.count
    for _ in 1...2 { try world.call(cem, "invitations.decline", ["id": invitation]) }
    #expect(try world.me(cem).memberships.invitations.isEmpty)
    #expect(try world.home().membership.invitations.isEmpty)
    #expect(try world.home().feed.activity.count == before)
    #expect(world.kinds(in: try world.me(people[0]).inbox.notifications) == [.declined, .joined])
    #expect(try world.me(people[1]).inbox.notifications.isEmpty)
    #expect(reason { try world.call(cem, "invitations.accept", ["id": invitation]) } == "notFound/gone")
  }

  @Test("HH-6: accepting or declining an expired or unknown invitation is refused as gone")
  func gone() throws {
    let ana = try world.household(of: "Ana")[0]
    let ben = try world.signUp("Ben")
    let invitation = try invite(ana, "Ben")
    world.now = world.now + .seconds(14 * 24 * 3600)
    #expect(reason { try world.call(ben, "invitations.accept", ["id": invitation]) } == "notFound/gone")
    #expect(reason { try world.call(ben, "invitations.decline", ["id": invitation]) } == "notFound/gone")
    let other = ID<Invitation>(high: 1, low: 1)
    #expect(reason { try world.call(ben, "invitations.accept", ["id": .id(other)]) } == "notFound/gone")
  }

  @Test("HH-7: of an acceptance and a revocation, the first one committed takes effect")
  func revokeRace() throws {
    let ana = try world.household(of: "Ana")[0]
    let ben = try world.signUp("Ben")
    let invitation = try invite(ana, "Ben")
    let call = world.nextCall(of: ben)
    _ = try world.send(call, "invitations.accept", in: .person(ben), ["id": invitation])
    // The household has not heard of the acceptance yet.
    _ = try world.send(world.nextCall(of: ana), "invitations.revoke", in: .household(id), ["id": invitation])
    world.deliverAll()
    #expect(world.answers[call]?["error"]?["data"]?["reason"] == "gone")
    #expect(try !world.home().membership.members.contains(ben))
    #expect(try world.me(ben).memberships.invitations.isEmpty)
    #expect(try world.me(ben).pending.calls.isEmpty)
  }

  @Test("HH-7: accepting an invitation to a household that has just been dismissed is refused as gone")
  func dismissedRace() throws {
    let ana = try world.household(of: "Ana")[0]
    let ben = try world.signUp("Ben")
    let invitation = try invite(ana, "Ben")
    let call = world.nextCall(of: ben)
    _ = try world.send(call, "invitations.accept", in: .person(ben), ["id": invitation])
    _ = try world.send(world.nextCall(of: ana), "members.leave", in: .household(id), [:])
    world.deliverAll()
    #expect(world.answers[call]?["error"]?["data"]?["reason"] == "gone")
    #expect(try world.me(ben).memberships.households.isEmpty)
    #expect(try world.me(ben).pending.calls.isEmpty)
  }

  @Test("HH-7: a household has at most 32 members")
  func full() throws {
    let ana = try world.household(of: "Ana")[0]
    world.checksStates = false
    let guests = try (1...32).map { try world.signUp("Guest\($0)") }
    try world.join(guests.prefix(30), id)
    #expect(try world.home().membership.members.count == 31)
    let last = try invite(ana, "Guest31")
    let tooMuch = try invite(ana, "Guest32")
    try world.call(guests[30], "invitations.accept", ["id": last])
    #expect(try world.home().membership.members.count == 32)
    #expect(reason { try world.call(guests[31], "invitations.accept", ["id": tooMuch]) } == "tooLarge/members")
    let late = try world.signUp("Late")
    let code = try world.call(ana, "joinCodes.create", in: .household(id))["code"] ?? .null
    #expect(reason { try world.call(late, "households.join", ["code": code]) } == "tooLarge/members")
    #expect(try world.me(late).memberships.households.isEmpty)
    // The invitation stands: somebody may leave.
    try world.call(guests[0], "members.leave", in: .household(id))
    try world.call(guests[31], "invitations.accept", ["id": tooMuch])
    #expect(try world.home().membership.members.count == 32)
  }

  @Test("HH-7: only its author or the host revokes an invitation, and only the invitee can accept it")
  func revoke() throws {
    let people = try world.household(of: "Ana", "Ben", "Cem")
    let dan = try world.signUp("Dan")
    let eve = try world.signUp("Eve")
    let invitation = try invite(people[1], "Dan")
    #expect(reason { try world.call(eve, "invitations.accept", ["id": invitation]) } == "notFound/gone")
    let found = reason {
      try world.call(people[2], "invitations.revoke", in: .household(id), ["id": invitation])
    }
    #expect(found == "forbidden/forbidden")
    try world.call(people[0], "invitations.revoke", in: .household(id), ["id": invitation])
    #expect(try world.me(dan).memberships.invitations.isEmpty)
    #expect(try world.me(dan).inbox.notifications.isEmpty)
    #expect(reason { try world.call(dan, "invitations.accept", ["id": invitation]) } == "notFound/gone")
  }

  @Test("HH-3, HH-13: a code has ten unambiguous characters, is kept as a hash, and admits its bearer")
  func code() throws {
    let ana = try world.household(of: "Ana")[0]
    let answer = try world.call(ana, "joinCodes.create", in: .household(id))
    let code = try #require(answer["code"]?.string)
    #expect(code.utf8.count == 10)
    #expect(code.utf8.allSatisfy(JoinCodeText.alphabet.contains))
    #expect(answer["uses"] == 8)
    #expect(answer["expiresAt"] == .at(world.now + .seconds(7 * 24 * 3600)))
    let room = try #require(world.rooms[.household(id)])
    #expect(!world.snapshot(of: room).text.contains(code))
    let hash = SHA256.hash(Array(code.utf8))
    #expect(!world.state(of: room).text.contains(Hex.encode(hash)))
    #expect(world.secrets[hash] == .household(id))
    let ben = try world.signUp("Ben")
    let typed = code.prefix(5).lowercased() + "-" + code.dropFirst(5).lowercased()
    try world.call(ben, "households.join", ["code": .string(typed)])
    #expect(try world.home().membership.members.contains(ben))
    #expect(try world.home().membership.joinCodes.values.first?.used == 1)
    #expect(!(world.patches[.household(id)] ?? []).contains { $0.text.contains(code) })
  }

  @Test("HH-3: a code is read in either case, with spaces and hyphens, O for 0 and I or L for 1")
  func codeSpelling() throws {
    for written in ["01abC-dEfG h", " o l-ABCDEFGH", "oiABCDEFGH"] {
      #expect(JoinCodeText(written)?.text == "01ABCDEFGH")
    }
    for written in ["", "01ABCDEFG", "01ABCDEFGHJ", "01ABCDEFGU", "01ABCDEFGÄ", String(repeating: "-", count: 60)] {
      #expect(JoinCodeText(written) == nil)
    }
    let ben = try world.signUp("Ben")
    #expect(refusal { try world.call(ben, "households.join", ["code": "short"]) }?.code == .invalidParams)
    #expect(reason { try world.call(ben, "households.join", ["code": "0123456789"]) } == "notFound/gone")
  }

  @Test("HH-3: a code admits as many people as it has uses")
  func codeUses() throws {
    let ana = try world.household(of: "Ana")[0]
    let guests = try (1...3).map { try world.signUp("Guest\($0)") }
    let code = try world.call(ana, "joinCodes.create", in: .household(id), ["uses": 2])["code"] ?? .null
    try world.call(guests[0], "households.join", ["code": code])
    try world.call(guests[0], "households.join", ["code": code])
    #expect(try world.home().membership.joinCodes.values.first?.used == 1)
    try world.call(guests[1], "households.join", ["code": code])
    #expect(try world.home().membership.joinCodes.isEmpty)
    #expect(reason { try world.call(guests[2], "households.join", ["code": code]) } == "notFound/gone")
    #expect(world.secrets.isEmpty)
  }

  @Test("HH-7: of two people who use the last use of a code, the first one joins")
  func codeRace() throws {
    let ana = try world.household(of: "Ana")[0]
    let guests = [try world.signUp("Ben"), try world.signUp("Cem")]
    let code = try world.call(ana, "joinCodes.create", in: .household(id), ["uses": 1])["code"] ?? .null
    let calls = guests.map { world.nextCall(of: $0) }
    for call in calls { _ = try world.send(call, "households.join", in: .person(call.person), ["code": code]) }
    world.deliverAll()
    #expect(world.answers[calls[0]]?["result"] != nil)
    #expect(world.answers[calls[1]]?["error"]?["data"]?["reason"] == "gone")
    #expect(try world.me(guests[1]).pending.calls.isEmpty)
  }

  @Test("R-026: a code counts those who joined by it, not members, nor those who are refused, nor repetitions")
  func uses() throws {
    let people = try world.household(of: "Ana", "Ben")
    let answer = try world.call(people[0], "joinCodes.create", in: .household(id), ["uses": 2])
    let code = try #require(answer["id"]?.string.flatMap { ID<JoinCode>($0) })
    func join(_ person: ID<Person>) throws { try world.call(person, "households.join", ["code": answer["code"] ?? ""]) }
    func used() throws -> Int? { try world.home().membership.joinCodes[code]?.used }
    // A member who uses it again is in already.
    try join(people[1])
    #expect(try used() == 0)
    let full = try world.signUp("Fay")
    for number in 1...16 {
      let home: JSON = ["name": .string("Home \(number)"), "timeZone": "UTC", "currency": "EUR"]
      try world.call(full, "households.create", home)
    }
    #expect(reason { try join(full) } == "tooLarge/households")
    #expect(try used() == 0)
    let cem = try world.signUp("Cem")
    let call = world.nextCall(of: cem)
    for _ in 1...2 {
      _ = try world.send(call, "households.join", in: .person(cem), ["code": answer["code"] ?? ""])
      world.deliverAll()
    }
    #expect(try used() == 1)
    try join(try world.signUp("Dan"))
    #expect(reason { try join(try world.signUp("Eva")) } == "notFound/gone")
    #expect(try world.home().membership.members.count == 4)
  }

  @Test("HH-3: a code ends when it expires or is revoked, and then looks like a wrong code")
  func codeEnds() throws {
    let people = try world.household(of: "Ana", "Ben", "Cem")
    let dan = try world.signUp("Dan")
    for (uses, isAllowed) in [(0, false), (1, true), (32, true), (33, false)] {
      let found = refusal {
        try world.call(people[0], "joinCodes.create", in: .household(id), ["uses": .number(.init(uses))])
      }
      #expect(found?.fields.map(\.path) == (isAllowed ? nil : ["uses"]))
    }
    let week = Duration.seconds(7 * 24 * 3600)
    for (expiresAt, isAllowed) in [
      (world.now, false), (world.now + .milliseconds(1), true), (world.now + week, true),
      (world.now + week + .milliseconds(1), false),
    ] {
      let found = reason {
        try world.call(people[0], "joinCodes.create", in: .household(id), ["expiresAt": .at(expiresAt)])
      }
      #expect((found == nil) == isAllowed)
    }
    world.advance(.milliseconds(1))
    let code = try world.call(people[1], "joinCodes.create", in: .household(id))
    let found = reason {
      try world.call(people[2], "joinCodes.revoke", in: .household(id), ["id": code["id"] ?? .null])
    }
    #expect(found == "forbidden/forbidden")
    try world.call(people[1], "joinCodes.revoke", in: .household(id), ["id": code["id"] ?? .null])
    let revoked = refusal { try world.call(dan, "households.join", ["code": code["code"] ?? .null]) }
    let wrong = refusal { try world.call(dan, "households.join", ["code": "0123456789"]) }
    #expect(revoked?.code == .notFound && revoked?.reason == "gone" && revoked == wrong)
    world.advance(week)
    #expect(try world.home().membership.joinCodes.isEmpty)
    #expect(try world.home().membership.codeHashes.isEmpty)
    #expect(world.secrets.isEmpty)
  }

  @Test("HH-3: a household has at most ten codes")
  func codeLimit() throws {
    let ana = try world.household(of: "Ana")[0]
    for _ in 1...10 { try world.call(ana, "joinCodes.create", in: .household(id)) }
    #expect(reason { try world.call(ana, "joinCodes.create", in: .household(id)) } == "tooLarge/joinCodes")
  }

  @Test("HH-4: addresses are trimmed and compared in lower case, and malformed ones are refused")
  func addresses() throws {
    #expect(HomeRooms.normalisedEmail("  Ana.B+x@Example.org\n") == "ana.b+x@example.org")
    let longest =
      String(repeating: "a", count: 64) + "@"
      + Array(repeating: String(repeating: "b", count: 62), count: 3)
      .joined(separator: ".") + "."
    for bad in [
      "", "ana", "@example.org", "ana@", "ana@example", "a b@example.org", "ana@@example.org", "ana@-x.org",
      "ana@x-.org", "ana@x..org", ".ana@x.org", "ana.@x.org", "a..b@x.org", "ana@exämple.org", "<ana@x.org>",
      String(repeating: "a", count: 65) + "@x.org", longest + "c",
    ] { #expect(HomeRooms.normalisedEmail(bad) == nil, "\(bad)") }
    for good in ["a@b.c", String(repeating: "a", count: 64) + "@x.org", "o'neil@x-y.org", "1@2.3"] {
      #expect(HomeRooms.normalisedEmail(good) != nil, "\(good)")
    }
  }
}
