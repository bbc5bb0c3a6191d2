import JSON
import Rooms
import Testing

@testable import HearthCommand

@Suite("Invitations and codes")
struct JoiningTests {
  // MARK: codes

  @Test("HH-3, HH-13: a code of ten characters admits its bearer, however it is typed")
  func code() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana")
    let home = try await members[0].watch(room)
    let answer = try await members[0].call("joinCodes.create", in: room)
    let code = try #require(answer["code"]?.string)
    #expect(code.count == 10 && answer["uses"] == 8)
    let expiry = try #require(Instant(answer["expiresAt"])) - Instant.now
    #expect(expiry <= .seconds(7 * 86_400) && expiry > .seconds(7 * 86_400 - 60))
    let bo = try await server.member("Bo")
    let me = try await bo.watch("me")
    let typed = code.prefix(5).lowercased() + "-" + code.dropFirst(5).lowercased()
    try await bo.call("households.join", ["code": .string(typed)])
    try await me.follow { $0["households"]?.object?.count == 1 }
    try await home.follow { $0["members"]?[bo.id] != nil }
    #expect(home["joinCodes"].values.first?["used"] == 1)
    // Joining again changes nothing and uses up nothing.
    try await bo.call("households.join", ["code": .string(code)])
    #expect(try await bo.watch(room)["joinCodes"].values.first?["used"] == 1)
    // The room does not reveal the code.
    #expect(!home.state.text.contains(code) && !home.patches.contains { $0.text.contains(code) })
  }

  @Test("HH-3: a code works for its number of uses until it is revoked, and then looks like a wrong code")
  func codeEnds() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Dee")
    let ana = members[0]
    let bo = try await server.member("Bo")
    let cy = try await server.member("Cy")
    for (uses, isTaken) in [(0, false), (1, true), (32, true), (33, false)] {
      let uses: JSON = .number(JSON.Number(uses))
      if isTaken {
        try await ana.call("joinCodes.create", in: room, ["uses": uses])
      } else {
        #expect(try await ana.refusal("joinCodes.create", in: room, ["uses": uses]).code == -32602)
      }
    }
    let once = try await ana.call("joinCodes.create", in: room, ["uses": 1])
    let revoked = try await ana.call("joinCodes.create", in: room)
    try await bo.call("households.join", ["code": try #require(once["code"])])
    #expect(try await members[1].refusal("joinCodes.revoke", in: room, ["id": try #require(revoked["id"])]).code == 2)
    try await ana.call("joinCodes.revoke", in: room, ["id": try #require(revoked["id"])])
    let spent = try await cy.refusal("households.join", ["code": try #require(once["code"])])
    let void = try await cy.refusal("households.join", ["code": try #require(revoked["code"])])
    let wrong = try await cy.refusal("households.join", ["code": "0123456789"])
    #expect(spent.code == 3 && spent.reason == "gone")
    #expect(spent.error == void.error && spent.error == wrong.error)
    #expect(try await cy.refusal("households.join", ["code": "too short"]).code == -32602)
  }

  @Test("HH-3: a client that guesses codes is throttled, and others are not")
  func guessing() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana")
    let code = try #require(try await members[0].call("joinCodes.create", in: room)["code"])
    let eve = try await server.member("Eve")
    for number in 1...5 { eve.post("households.join", ["code": .string("000000000\(number)")], id: 900 + number) }
    eve.post("households.join", ["code": code], id: 906)
    for number in 1...5 {
      #expect(try await eve.client.next { $0["id"]?.int == 900 + number }["error"]?["data"]?["reason"] == "gone")
    }
    let error = try await eve.client.next { $0["id"] == 906 }["error"]
    #expect(error?["code"] == 5 && error?["data"]?["reason"] == "attempts")
    #expect(error?["data"]?["retryAfter"]?.int ?? 0 > 0)
    let bo = try await server.member("Bo")
    #expect(try await bo.call("households.join", ["code": code])["household"] != nil)
  }

  @Test("HH-3: a code is revealed only to the session that created it, also on a repeated call")
  func codeIsSecret() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana")
    let ana = members[0]
    let first = try await ana.call("joinCodes.create", in: room, ["seq": 1])
    let again = try await ana.again(on: server)
    #expect(try await again.call("joinCodes.create", in: room, ["seq": 1]) == first)

    let login = try await again.client.call("auth.logIn", ["email": .string(ana.email), "password": "correct horse"])
    let other = Member(
      client: try await server.connect(), name: "Ana", email: ana.email, id: ana.id,
      token: try #require(login["token"]?.string))
    other.client.id = ana.client.id
    try await other.hello()
    let refusal = try await other.refusal("joinCodes.create", in: room, ["seq": 1])
    #expect(refusal.reason == "sealed" && !refusal.error.text.contains(first["code"]?.string ?? "?"))
  }

  @Test("HH-7: of two concurrent joins with the last use of a code, one succeeds")
  func lastUse() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana")
    let bo = try await server.member("Bo")
    let cy = try await server.member("Cy")
    let code = try #require(try await members[0].call("joinCodes.create", in: room, ["uses": 1])["code"])
    bo.post("households.join", ["code": code], id: 900)
    cy.post("households.join", ["code": code], id: 900)
    let answers = [try await bo.client.next { $0["id"] == 900 }, try await cy.client.next { $0["id"] == 900 }]
    #expect(answers.count { $0["result"] != nil } == 1)
    #expect(answers.count { $0["error"]?["data"]?["reason"] == "gone" } == 1)
    #expect(try await members[0].watch(room)["members"].count == 2)
  }

  @Test("HH-7: a household of 32 members is full, and has room for one after a member leaves")
  func full() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana")
    var others: [Member] = []
    for number in 2...33 { others.append(try await server.member("Member\(number)")) }
    let late = others.removeLast()
    try await members[0].letIn(others, to: room)
    let code = try #require(try await members[0].call("joinCodes.create", in: room)["code"])
    let refusal = try await late.refusal("households.join", ["code": code])
    #expect(refusal.code == 6 && refusal.reason == "members")
    #expect(try await late.watch("me")["households"].isEmpty)
    try await others[0].call("members.leave", in: room)
    try await late.call("households.join", ["code": code])
    #expect(try await late.watch(room)["members"].count == 32)
  }

  // MARK: invitations

  @Test("HH-3, HH-4, S0.3, S1.4: an invitee sees an invitation at once, and unknown addresses get the same answer")
  func invite() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo")
    let cy = try await server.member("Cy", email: "cy@example.org")
    let me = try await cy.watch("me")
    let known = try await members[0].call("invitations.send", in: room, ["email": "Cy@example.org"])
    let unknown = try await members[0].call("invitations.send", in: room, ["email": "dee@example.org"])
    #expect(known.object?.keys.sorted() == unknown.object?.keys.sorted())
    try await me.follow { $0["invitations"]?.object?.count == 1 }
    let request = try #require(me["invitations"][known["id"]?.string ?? ""])
    #expect(request["name"] == "Elm Street" && request["byName"] == "Ana")
    #expect(me["inbox"].values.contains { $0["kind"] == "invitation" })
    // The household also shows both invitations in the same way.
    let home = try await members[1].watch(room)
    let seen = home["invitations"].values.map { $0.object?.keys.sorted() }
    #expect(seen.count == 2 && seen[0] == seen[1])
    #expect(!home.state.text.contains(cy.id))
    for email in ["cy@example.org", "dee@example.org"] {
      let refusal = try await members[1].refusal("invitations.send", in: room, ["email": .string(email)])
      #expect(refusal.code == 4 && refusal.reason == "alreadyInvited")
    }
    // HH-5: an inviter who already sees a member is told that the address is a member's.
    let refusal = try await members[0].refusal("invitations.send", in: room, ["email": .string(members[1].email)])
    #expect(refusal.code == 4 && refusal.reason == "alreadyMember")
  }

  @Test("HH-3: a household may send twenty invitations a day and no more")
  func twenty() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo")
    for number in 1...20 {
      try await members[0].call("invitations.send", in: room, ["email": "guest\(number)@example.org"])
    }
    let refusal = try await members[0].refusal("invitations.send", in: room, ["email": "guest21@example.org"])
    #expect(refusal.code == 5 && refusal.reason == "invitations")
    #expect(refusal.error["data"]?["retryAfter"]?.int ?? 0 > 23 * 3_600_000)
    try await members[1].call("invitations.send", in: room, ["email": "guest21@example.org"])
  }

  @Test("HH-6, S0.5: accepting an invitation makes a member whom all see, and accepting again has the same answer")
  func accept() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo")
    let cy = try await server.member("Cy")
    let home = try await members[1].watch(room)
    let boInbox = try await members[1].watch("me")
    let invitation = try await members[0].call("invitations.send", in: room, ["email": .string(cy.email)])
    let id = try #require(invitation["id"])
    let me = try await cy.watch("me")
    try await me.follow { $0["invitations"]?.object?.count == 1 }
    let answer = try await cy.call("invitations.accept", ["id": id])
    #expect("household/\(answer["household"]?.string ?? "")" == room)
    #expect(try await cy.call("invitations.accept", ["id": id])["household"] == answer["household"])
    try await home.follow { $0["members"]?[cy.id] != nil && $0["invitations"] == nil }
    #expect(home["activity"].values.contains { $0["kind"] == "joined" && $0["actor"]?.string == cy.id })
    #expect(home["members"].count == 3)
    try await boInbox.follow { $0["inbox"]?.object?.values.contains { $0["actorName"] == "Cy" } == true }
    try await me.follow { $0["invitations"] == nil }
    #expect(me["inbox"].isEmpty, "the notification of an answered invitation is removed")
    try await cy.call("notes.add", in: room, ["text": "Hello"])
  }

  @Test("HH-6, S0.5: declining an invitation changes nothing but to notify the inviter, and may be repeated")
  func decline() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo")
    let cy = try await server.member("Cy")
    let anaInbox = try await members[0].watch("me")
    _ = try await members[1].watch("me")
    let invitation = try await members[0].call("invitations.send", in: room, ["email": .string(cy.email)])
    let id = try #require(invitation["id"])
    try await cy.watch("me").follow { $0["invitations"]?.object?.count == 1 }
    let before = try await members[1].watch(room)
    try await cy.call("invitations.decline", ["id": id])
    try await cy.call("invitations.decline", ["id": id])
    try await before.follow { $0["invitations"] == nil }
    #expect(before["members"].count == 2)
    #expect(!before["activity"].values.contains { $0["actor"]?.string == cy.id })
    try await anaInbox.follow { $0["inbox"]?.object?.values.contains { $0["kind"] == "declined" } == true }
    try await members[1].client.fence()
    #expect(!members[1].client.messagesNow.contains { $0.text.contains("declined") })
    let refusal = try await cy.refusal("invitations.accept", ["id": id])
    #expect(refusal.code == 3 && refusal.reason == "gone")
    #expect(try await cy.refusal("room.subscribe", in: room).code == 3)
  }

  @Test("HH-7: a revoked invitation is gone for the invitee, and another person's invitation cannot be accepted")
  func revoked() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo")
    let cy = try await server.member("Cy")
    let eve = try await server.member("Eve")
    let me = try await cy.watch("me")
    let invitation = try await members[1].call("invitations.send", in: room, ["email": .string(cy.email)])
    let id = try #require(invitation["id"])
    try await me.follow { $0["invitations"]?.object?.count == 1 }
    #expect(try await eve.refusal("invitations.accept", ["id": id]).reason == "gone")
    // The host may revoke another member's invitation.
    try await members[0].call("invitations.revoke", in: room, ["id": id])
    try await me.follow { $0["invitations"] == nil && $0["inbox"] == nil }
    #expect(try await cy.refusal("invitations.accept", ["id": id]).reason == "gone")
  }

  @Test("HH-4: an unanswered invitation expires for both sides after fourteen days")
  func expired() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana")
    let cy = try await server.member("Cy")
    let invitation = try await members[0].call("invitations.send", in: room, ["email": .string(cy.email)])
    try await cy.watch("me").follow { $0["invitations"]?.object?.count == 1 }
    try await server.restart { $0.wrap = { LaterStore($0, after: .seconds(14 * 86_400)) } }
    let later = try await cy.again(on: server)
    let me = try await later.watch("me")
    try await me.follow { $0["invitations"] == nil }
    #expect(try await later.refusal("invitations.accept", ["id": try #require(invitation["id"])]).reason == "gone")
    let ana = try await members[0].again(on: server)
    try await ana.watch(room).follow { $0["invitations"] == nil }
  }

  @Test("HH-7, HH-9: joining while the last member leaves is refused, and other calls continue")
  func joinWhileEnding() async throws {
    let gate = Gate()
    let server = try await TestServer.start {
      $0.wrap = { gate.wrap($0) }
      // On one loop they all share a commit.
      $0.loopCount = 1
    }
    defer { server.end() }
    let (room, members) = try await server.household("Ana")
    let (other, witnesses) = try await server.household("Dee")
    let bo = try await server.member("Bo")
    let code = try #require(try await members[0].call("joinCodes.create", in: room)["code"])
    // Both calls reach the server while a commit is in flight, so they are committed together.
    gate.hold(other)
    witnesses[0].post("notes.add", in: other, ["text": "first"], id: 900)
    await gate.holdsOne()
    bo.post("households.join", ["code": code], id: 900)
    try await bo.client.fence()
    members[0].post("members.leave", in: room, id: 900)
    try await members[0].client.fence()
    gate.release()
    let answer = try await bo.client.next { $0["id"] == 900 }
    #expect(answer["error"]?["data"]?["reason"] == "gone")
    #expect(try await members[0].client.next { $0["id"] == 900 }["result"] != nil)
    _ = try await witnesses[0].client.next { $0["id"] == 900 }
    try await witnesses[0].call("notes.add", in: other, ["text": "second"])
    #expect(try await bo.watch("me")["households"].isEmpty)
  }
}
