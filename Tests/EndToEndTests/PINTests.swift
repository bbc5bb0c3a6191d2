import JSON
import Platform
import Rooms
import Testing

@testable import HearthCommand

@Suite("PIN and confirmation")
struct PINTests {
  private static let password = JSON.string(TestServer.password)
  private static let handles: [String: JSON] = ["handles": ["venmo": "ana-pays"]]

  @Test("BIL-8, SEC-3: a PIN is set with the password; confirming with it counts for one session, over HTTP too")
  func confirming() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let ana = try await server.member("Ana")
    #expect(try await ana.refusal("auth.confirm", ["pin": "1234"]).reason == "noPin")
    #expect(try await ana.refusal("auth.setPin", ["pin": "1234", "password": "not mine"]).reason == "password")
    #expect(try await ana.refusal("profile.update", Self.handles).reason == "confirm")
    try await ana.call("auth.setPin", ["pin": "1234", "password": Self.password])
    // The password alone is not enough for money.
    try await ana.call("auth.confirm", ["password": Self.password])
    #expect(try await ana.refusal("profile.update", Self.handles).reason == "confirm")

    let tablet = try await ana.logIn(on: server).0
    let until = try await ana.call("auth.confirm", ["pin": "1234"])["until"]
    #expect(Instant(until) ?? .now > .now)
    try await ana.call("profile.update", Self.handles)
    #expect(try await tablet.refusal("profile.update", Self.handles).reason == "confirm")
    try await server.caller(ana).call("profile.update", ["handles": ["venmo": "ana-pays-2"]])

    try await ana.call("auth.setPin", ["pin": "87654321", "password": Self.password])
    #expect(try await ana.refusal("auth.confirm", ["pin": "1234"]).reason == "pin")
    #expect(try await ana.refusal("auth.removePin", ["pin": "1234"]).reason == "pin")
    try await ana.call("auth.removePin", ["pin": "87654321"])
    #expect(try await ana.refusal("auth.confirm", ["pin": "87654321"]).reason == "noPin")
  }

  @Test("BIL-8: five wrong PINs end the session, and no other")
  func wrong() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let ana = try await server.member("Ana")
    try await ana.call("auth.setPin", ["pin": "1234", "password": Self.password])
    let tablet = try await ana.logIn(on: server).0
    for _ in 1...4 { #expect(try await tablet.refusal("auth.confirm", ["pin": "0000"]).reason == "pin") }
    // A right one forgives them.
    try await tablet.call("auth.confirm", ["pin": "1234"])
    for _ in 1...5 { #expect(try await tablet.refusal("auth.confirm", ["pin": "0000"]).reason == "pin") }
    #expect(try await tablet.client.notification("session.ended")["reason"] == "revoked")
    try await ana.call("auth.confirm", ["pin": "1234"])
  }

  @Test("BIL-8: a confirmation counts for five minutes")
  func age() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let ana = try await server.member("Ana")
    let person = try #require(ID<Person>(ana.id))
    let directory = try #require(server.directory)
    let sessions = await withCheckedContinuation { done in
      directory.sessions(of: person, reply: Reply(on: SpotPoster()) { done.resume(returning: $0) })
    }
    let session = try #require(try sessions.get().first)
    for (age, isFresh) in [(Duration.seconds(270), true), (.seconds(301), false)] {
      let changed = await withCheckedContinuation { done in
        directory.change(
          person, expecting: nil, [.confirm(session.id, by: .pin, at: .now - age)],
          reply: Reply(on: SpotPoster()) { done.resume(returning: $0) })
      }
      #expect(try changed.get() == .changed(ended: []))
      if isFresh {
        try await ana.call("profile.update", Self.handles)
      } else {
        #expect(try await ana.refusal("profile.update", Self.handles).reason == "confirm")
      }
    }
  }

  @Test("BIL-8: guesses of a PIN at the same time count before they are verified")
  func parallel() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let ana = try await server.member("Ana")
    try await ana.call("auth.setPin", ["pin": "1234", "password": Self.password])
    let verified = try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 0..<30 {
        let caller = server.caller(ana)
        group.addTask {
          let answer = try await caller.send(HTTPCaller.message("auth.confirm", ["pin": .string("\(5000 + number)")]))
          return answer.json?["error"]?["data"]?["reason"] == "pin"
        }
      }
      return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect((1...5).contains(verified), "\(verified)")
  }

  @Test("BIL-8, ACC-2: a PIN has 4 to 8 digits, and a confirmation is by one of the two")
  func forms() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let ana = try await server.member("Ana")
    for pin: JSON in ["123", "123456789", "12a4", "１２３４", 1234, ""] {
      let refusal = try await ana.refusal("auth.setPin", ["pin": pin, "password": Self.password])
      #expect(refusal.fields?.object?.keys.sorted() == ["pin"], "\(pin)")
    }
    for both: [String: JSON] in [[:], ["pin": "1234", "password": Self.password]] {
      #expect(try await ana.refusal("auth.confirm", both).fields?.object?.keys.sorted() == ["pin"])
    }
    for pin: JSON in ["1234", "12345678"] {
      try await ana.call("auth.setPin", ["pin": pin, "password": Self.password])
    }
  }
}
