import JSON
import Server
import Testing
import WebSocket

@testable import HearthCommand

@Suite("Hello and logging out")
struct SessionTests {
  @Test("ACC-5, S0.1: hello lists the person's rooms, and hello with all subscriptions takes one round trip")
  func oneRoundTrip() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo")
    let share = try await members[0].share(with: members[1])
    let client = try await server.connect()
    let rooms = ["me", room, room + "/mine", share]
    var bytes = Frame.text(
      call(1, "hello", ["token": .string(members[0].token), "client": .string(newID())]).text, mask: 7)
    for (index, room) in rooms.enumerated() {
      bytes += Frame.text(call(2 + index, "room.subscribe", ["room": .string(room)]).text, mask: 8)
    }
    client.send(bytes: bytes)
    let hello = try await client.next()
    #expect(hello["id"] == 1)
    #expect(hello["result"]?["rooms"]?.array?.compactMap(\.string) == Array(rooms.dropFirst()))
    for (index, room) in rooms.enumerated() {
      let answer = try await client.next { $0["id"]?.int == 2 + index }
      #expect(answer["result"]?["room"]?.string == room)
      #expect(answer["result"]?["state"]?.object != nil && answer["result"]?["reason"] == "new")
    }
  }

  @Test("hello returns the time, the heartbeat and every limit")
  func greeting() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let client = try await server.connect()
    let hello = try await client.call("hello", ["client": .string(newID())])
    #expect(hello["me"] == nil && hello["rooms"] == nil)
    #expect(hello["heartbeat"] == 25_000)
    #expect(hello["limits"]?["noteText"] == 2000 && hello["limits"]?["batchCalls"] == 16)
    #expect(hello["now"]?.string?.hasSuffix("Z") == true)
    let refusal = try await client.refusal("hello", ["client": "not an id", "app": ""])
    #expect(refusal.fields?.object?.keys.sorted() == ["app", "client"])
  }

  @Test("before authentication only hello and auth methods are answered, even after a hello without a token")
  func beforeHello() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let client = try await server.connect()
    let household: JSON = .string("household/\(newID())")
    for _ in 0..<2 {
      for method in [
        "room.subscribe", "room.unsubscribe", "notes.add", "households.create", "invitations.accept",
        "positions.report", "activity.list", "auth.logOut", "no.suchMethod",
      ] {
        let refusal = try await client.refusal(method, ["room": household, "text": "hello?"])
        #expect(refusal.code == 1 && refusal.reason == "unauthorized", "\(method)")
      }
      try await client.call("hello", ["client": .string(newID())])
    }
  }

  @Test("ACC-14, S0.1: a wrong token is reported, and then the connection closes permanently")
  func badToken() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let client = try await server.connect()
    let refusal = try await client.refusal("hello", ["token": "wrong", "client": .string(newID())])
    #expect(refusal.code == 1 && refusal.reason == "token")
    #expect(try await client.notification("session.ended") == ["reason": "badToken"])
    #expect(try await client.closeCode() == 4101)
  }

  @Test("ACC-6, S1.2: logging out ends the session on all its connections, and its token is invalid")
  func logOut() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo")
    let phone = members[0]
    let window = try await phone.again(on: server, client: newID())
    try await window.call("room.subscribe", in: room)
    let login = try await phone.client.call(
      "auth.logIn", ["email": .string(phone.email), "password": "correct horse"])
    let tablet = Member(
      client: try await server.connect(), name: "Ana", email: phone.email, id: phone.id,
      token: try #require(login["token"]?.string))
    try await tablet.hello()

    try await phone.call("auth.logOut")
    for closed in [phone, window] {
      #expect(try await closed.client.notification("session.ended") == ["reason": "loggedOut"])
      #expect(try await closed.client.closeCode() == 4102)
    }
    let client = try await server.connect()
    let refusal = try await client.refusal("hello", ["token": .string(phone.token), "client": .string(newID())])
    #expect(refusal.reason == "token")
    #expect(try await client.closeCode() == 4101)
    // The other device has a separate session.
    try await tablet.call("notes.add", in: room, ["text": "still here"])
    try await server.restart()
    let later = try await server.connect()
    #expect(
      try await later.refusal("hello", ["token": .string(phone.token), "client": .string(newID())]).reason == "token")
  }

  @Test("a connection without hello in time is closed with 4108, and one with hello stays open")
  func noHello() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let account = try await server.member("Ana")
    try await server.restart { $0.configuration.helloTimeout = .seconds(8) }
    let ana = try await account.again(on: server)
    let silent = try await server.connect()
    #expect(try await silent.closeCode() == 4108)
    #expect(try await HTTPExchange.send("GET /sync HT", to: server.port).isEmpty)
    try await ana.call("room.subscribe", in: "me")
  }

  @Test("a second connection of the same session and client closes the first with 4006; another client does not")
  func replaced() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let first = try await server.member("Ana")
    let other = try await first.again(on: server, client: newID())
    let second = try await first.again(on: server)
    #expect(try await first.client.closeCode() == 4006)
    try await other.call("room.subscribe", in: "me")
    try await second.call("room.subscribe", in: "me")
  }

  @Test("hello during an earlier call does not disturb the connection")
  func helloMeanwhile() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    for number in 1...6 {
      // Households on several loops.
      let (room, members) = try await server.household("Ana")
      let ana = members[0]
      ana.post(
        "invitations.send",
        ["household": Member.household(room), "email": .string("somebody\(number)@example.org")], id: 900)
      try await ana.hello()
      for _ in 1...3 { try await ana.call("notes.add", in: room, ["text": "still here"]) }
    }
  }

  @Test("another hello on a connection ends its subscriptions")
  func helloAgain() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo")
    let eve = try await server.member("Eve")
    let client = members[1].client
    let hello = try await client.call("hello", ["token": .string(eve.token), "client": .string(client.id)])
    #expect(hello["me"]?.string == eve.id && hello["rooms"] == [])
    client.forget()
    try await members[0].call("notes.add", in: room, ["text": "for members only"])
    try await client.fence()
    #expect(client.messagesNow.isEmpty)
    let refusal = try await client.refusal("room.subscribe", ["room": .string(room)])
    #expect(refusal.code == 3)
    // Now as Bo, on the same connection.
    try await members[1].hello()
    try await client.call("room.subscribe", ["room": .string(room)])
    // Now without a token.
    try await client.call("hello", ["client": .string(client.id)])
    #expect(try await client.refusal("room.subscribe", ["room": .string(room)]).code == 1)
  }
}

/// A call as on the wire.
func call(_ id: JSON, _ method: String, _ parameters: JSON) -> JSON {
  ["jsonrpc": "2.0", "id": id, "method": .string(method), "params": parameters]
}

func call(_ id: Int, _ method: String, _ parameters: JSON) -> JSON {
  call(.number(JSON.Number(id)), method, parameters)
}
