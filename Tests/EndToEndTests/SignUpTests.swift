import JSON
import Testing

@Suite("Signing up and logging in")
struct SignUpTests {
  @Test("ACC-1, S1.1: signing up creates an account, which can log in any number of times")
  func signUp() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let client = try await server.connect()
    let account = try await client.call(
      "auth.signUp",
      [
        "email": " Ana@Example.org ", "password": "correct horse", "name": "Ana", "birthday": "1996-05-31",
        "device": "Ana's phone",
      ])
    let hello = try await client.call(
      "hello", ["token": try #require(account["token"]), "client": .string(client.id), "app": "tests 1.0"])
    #expect(hello["me"] == account["me"] && hello["session"] == account["session"])
    #expect(hello["rooms"] == [])
    let me = try await client.call("room.subscribe", ["room": "me"])
    #expect(me["state"]?["profile"] == ["name": "Ana", "birthday": "1996-05-31"])

    let other = try await server.connect()
    let again = try await other.call("auth.logIn", ["email": "ANA@example.org", "password": "correct horse"])
    #expect(again["me"] == account["me"])
    #expect(again["token"] != account["token"] && again["session"] != account["session"])
  }

  @Test("ACC-1: each limit of signing up is held on both sides, and invalid fields are named")
  func limits() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let client = try await server.connect()
    let rows: [(field: String, value: JSON)] = [
      ("password", .string(String(repeating: "x", count: 7))),
      ("password", .string(String(repeating: "x", count: 129))),
      ("password", "iloveyou"), ("password", "ILoveYou"), ("password", "qwertyuiop"), ("password", 12_345_678),
      ("password", .string(String(repeating: "e\u{301}", count: 7))), ("password", "correct\u{0}horse"),
      ("name", "\u{200B}"), ("name", "Ana\u{202E}"), ("email", "ana@bücher.example"), ("device", "\u{2800}"),
      ("name", ""), ("name", "   "), ("name", .string(String(repeating: "n", count: 65))), ("name", "An\na"),
      ("email", "ana"), ("email", "ana@home"), ("email", "a b@example.org"), ("email", "ana@example..org"),
      ("email", "ana@@example.org"), ("email", .string(String(repeating: "e", count: 243) + "@example.org")),
      ("birthday", "31.05.1996"), ("birthday", "2001-02-29"), ("birthday", "1899-12-31"), ("birthday", "2999-01-01"),
      ("device", .string(String(repeating: "d", count: 65))), ("colour", "red"),
    ]
    for row in rows {
      var parameters: [String: JSON] = ["email": "ana@example.org", "password": "correct horse", "name": "Ana"]
      parameters[row.field] = row.value
      let refusal = try await client.refusal("auth.signUp", parameters)
      #expect(refusal.code == -32602, "\(row)")
      #expect(refusal.fields?.object.map { Array($0.keys) } == [row.field], "\(row): \(refusal)")
    }
  }

  @Test(
    "ACC-1: passwords of 8 to 128 arbitrary characters are accepted, in whichever form the letters come",
    arguments: [
      ("pa55wor.", "pa55wor."), (String(repeating: "🐑", count: 128), String(repeating: "🐑", count: 128)),
      ("caf\u{E9} au lait", "cafe\u{301}\u{A0}au lait"),
      (String(repeating: "u\u{308}", count: 8), String(repeating: "\u{FC}", count: 8)),
    ])
  func passwords(password: String, typedLater: String) async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let client = try await server.connect()
    let name = String(repeating: "n", count: 64)
    let account = try await client.call(
      "auth.signUp", ["email": "ana@example.org", "password": .string(password), "name": .string(name)])
    let again = try await client.call("auth.logIn", ["email": "ana@example.org", "password": .string(typedLater)])
    #expect(account["me"] == again["me"])
  }

  @Test("ACC-1: an address has one account, however it is spelled")
  func emailTaken() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let ana = try await server.member("Ana", email: "ana@example.org")
    for spelling in ["ana@example.org", "ANA@Example.Org", "  ana@example.org\t"] {
      let refusal = try await ana.client.refusal(
        "auth.signUp", ["email": .string(spelling), "password": "another horse", "name": "Eve"])
      #expect(refusal.code == 4 && refusal.reason == "exists")
    }
    let login = try await ana.client.call("auth.logIn", ["email": "ana@example.org", "password": "correct horse"])
    #expect(login["me"]?.string == ana.id)
  }

  @Test("ACC-2, S1.1: all invalid fields are reported at once, and no account is created")
  func everythingWrong() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let client = try await server.connect()
    let refusal = try await client.refusal(
      "auth.signUp",
      [
        "email": "nobody", "password": "short", "name": "", "birthday": "2001-02-30", "device": "",
        "colour": "red",
      ])
    #expect(refusal.code == -32602 && refusal.reason == "invalidParams")
    #expect(
      refusal.fields?.object?.keys.sorted() == ["birthday", "colour", "device", "email", "name", "password"])

    let missing = try await client.refusal("auth.signUp")
    #expect(missing.fields?.object?.keys.sorted() == ["email", "name", "password"])

    let mostlyRight: [String: JSON] = ["email": "ana@example.org", "password": "correct horse", "name": ""]
    #expect(try await client.refusal("auth.signUp", mostlyRight).fields?.object?.count == 1)
    let login = try await client.refusal(
      "auth.logIn", ["email": "ana@example.org", "password": "correct horse"])
    #expect(login.code == 1 && login.reason == "login")
  }

  @Test("ACC-3, S1.2: an unknown address and a wrong password get the same answer")
  func wrongLogin() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let ana = try await server.member("Ana", email: "ana@example.org")
    let wrong = try await ana.client.refusal("auth.logIn", ["email": "ana@example.org", "password": "wrong horse"])
    let unknown = try await ana.client.refusal("auth.logIn", ["email": "bo@example.org", "password": "wrong horse"])
    let malformed = try await ana.client.refusal("auth.logIn", ["email": "ana", "password": "wrong horse"])
    #expect(wrong.code == 1 && wrong.reason == "login")
    #expect(wrong.error.text == unknown.error.text)
    #expect(wrong.error.text == malformed.error.text)
  }

  @Test(
    "ACC-3: after five failures the next attempt must wait, whether or not the address is known",
    arguments: [true, false])
  func slowedDown(isKnown: Bool) async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let ana = try await server.member("Ana", email: "ana@example.org")
    let bo = try await server.member("Bo", email: "bo@example.org")
    let address: JSON = isKnown ? "ana@example.org" : "nobody@example.org"
    // Sent at once, so that the sixth follows directly after the answer to the fifth.
    for number in 1...6 {
      let password: JSON = number == 6 ? "correct horse" : "wrong horse"
      ana.client.post("auth.logIn", ["email": address, "password": password], id: 900 + number)
    }
    for number in 1...5 {
      let answer = try await ana.client.next()
      #expect(answer["id"]?.int == 900 + number && answer["error"]?["data"]?["reason"] == "login")
    }
    let slowed = try await ana.client.next()
    #expect(slowed["error"]?["code"] == 5)
    let data = slowed["error"]?["data"]
    #expect(data?["reason"] == "attempts" && data?["temporary"] == true)
    #expect((1...1000).contains(data?["retryAfter"]?.int ?? 0))
    // Only that account is throttled, and its sessions continue.
    try await bo.client.call("auth.logIn", ["email": "bo@example.org", "password": "correct horse"])
    try await ana.call("room.subscribe", in: "me")
  }
}
