import Foundation
import JSON
import TestSupport
import Testing

@testable import HearthCommand
@testable import Server

/// Clients behind a proxy have the addresses that it forwards, if it is trusted (SEC-12, ACC-3, R-027).
@Suite("Behind a proxy")
struct ProxyTests {
  private static func account(_ name: String) -> [String: JSON] {
    ["email": .string("\(name)@example.org"), "password": "correct horse", "name": .string(name)]
  }

  @Test("ACC-1, SEC-12: sign-ups are limited per forwarded address, and what a client forges beside it does not help")
  func signUps() async throws {
    let server = try await TestServer.start {
      $0.configuration.trustedProxies = ["127.0.0.1"]
      $0.configuration.puzzle = .never
      $0.configuration.signUpsPerHour = 1
    }
    defer { server.end() }
    let caller = server.caller()
    let ana = ["X-Forwarded-For": "192.0.2.1"]
    try await caller.call("auth.signUp", Self.account("ana"), headers: ana)
    let refused = try await caller.refusal("auth.signUp", Self.account("eve"), headers: ana)
    #expect(refused.code == 5 && refused.reason == "signUps")
    #expect((3_500_000...3_600_000).contains(refused.error["data"]?["retryAfter"]?.int ?? 0))
    let forged = try await caller.refusal(
      "auth.signUp", Self.account("eve"), headers: ["X-Forwarded-For": "203.0.113.9, 192.0.2.1"])
    #expect(forged.reason == "signUps")
    // Bad fields are told first, and cost nothing.
    #expect(try await caller.refusal("auth.signUp", ["email": "x"], headers: ana).code == -32602)
    try await caller.call("auth.signUp", Self.account("bo"), headers: ["X-Forwarded-For": "192.0.2.2"])
  }

  @Test("SEC-12: forwarding headers of a peer that is not trusted count for nothing")
  func untrusted() async throws {
    let server = try await TestServer.start {
      $0.configuration.trustedProxies = ["10.0.0.0/8", "::1"]
      $0.configuration.limitsLoopback = true
      $0.configuration.signUpsPerHour = 1
    }
    defer { server.end() }
    let caller = server.caller()
    let headers = ["X-Forwarded-For": "192.0.2.1", "Forwarded": "for=192.0.2.1"]
    try await caller.call("auth.signUp", Self.account("ana"), headers: headers)
    let refused = try await caller.refusal("auth.signUp", Self.account("bo"), headers: ["X-Forwarded-For": "192.0.2.2"])
    #expect(refused.reason == "signUps")
  }

  @Test("SEC-12: connections by way of a trusted proxy are counted per forwarded address, and closed with 4005")
  func connections() async throws {
    let server = try await TestServer.start {
      $0.configuration.trustedProxies = ["127.0.0.0/8"]
      $0.configuration.strangersPerAddress = 2
    }
    defer { server.end() }
    let ana = try await server.member("Ana")
    func connect(_ address: String) async throws -> RawConnection {
      try await RawConnection.upgraded(port: server.port, adding: ["Forwarded: for=\"\(address)\""])
    }
    let first = try await connect("[2001:db8::1]")
    let second = try await connect("[2001:db8::2]:4711")
    let third = try await connect("[2001:db8::3]")
    #expect(try await third.closeCode() == 4005)
    #expect(server.log.contains { $0.contains("address.limited address=2001:db8:0:0::/64") })
    // A client that says hello frees its place, and another address has places of its own.
    try await first.hello(token: ana.token)
    let other = try await connect("192.0.2.1")
    let fourth = try await connect("[2001:db8::4]")
    try await fourth.hello(token: ana.token)
    #expect(!first.isClosed && !second.isClosed && !other.isClosed)
  }

  @Test("R-027: failures of one forwarded address do not slow down another")
  func guessing() async throws {
    let server = try await TestServer.start {
      $0.configuration.trustedProxies = ["127.0.0.1"]
      $0.configuration.puzzle = .never
    }
    defer { server.end() }
    let ana = try await server.member("Ana", email: "ana@example.org")
    let login: [String: JSON] = ["email": .string(ana.email), "password": "correct horse"]
    let attacker = ["X-Forwarded-For": "203.0.113.1"]
    var reasons: [String] = []
    // Each wait is twice the one before, so a slow machine gets there, too.
    while !reasons.contains("attempts"), reasons.count < 20 {
      let wrong = login.merging(["password": "wrong horse"]) { $1 }
      reasons.append(try await server.caller().refusal("auth.logIn", wrong, headers: attacker).reason ?? "")
    }
    #expect(reasons.prefix(5).allSatisfy { $0 == "login" } && reasons.contains("attempts"))
    try await server.caller().call("auth.logIn", login, headers: ["X-Forwarded-For": "192.0.2.1"])
  }

  @Test("R-027: if everybody comes from one address, the log says so once, and names the setting that helps")
  func oneAddress() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    var members: [Member] = []
    for number in 0..<21 { members.append(try await server.member("Person \(number)")) }
    #expect(!server.log.contains { $0.contains("address.shared") }, "this machine's own programs are no proxy")
    for member in members {
      let connection = try await RawConnection.upgraded(port: server.port, adding: ["X-Forwarded-For: 192.0.2.1"])
      try await connection.hello(token: member.token)
    }
    let stranger = try await server.connect()
    try await stranger.fence()
    let lines = server.log.filter { $0.contains("address.shared") }
    #expect(lines.count == 1 && lines.first?.contains("--trusted-proxy") == true, "\(lines)")
  }

  @Test("ACC-3: a device that has logged in before is let in while others fail for its account from its own address")
  func knownDevice() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let ana = try await server.member("Ana", email: "ana@example.org")
    let bo = try await server.member("Bo", email: "bo@example.org")
    func login(_ member: Member, _ more: [String: JSON] = [:]) -> [String: JSON] {
      ["email": .string(member.email), "password": "correct horse"].merging(more) { $1 }
    }
    let token = try #require(try await ana.client.call("auth.logIn", login(ana))["deviceToken"])
    let foreign = try #require(try await bo.client.call("auth.logIn", login(bo))["deviceToken"])
    // Sent at once, so that the later ones follow directly after the answer to the fifth.
    for number in 1...5 { bo.client.post("auth.logIn", login(ana, ["password": "wrong horse"]), id: 900 + number) }
    bo.client.post("auth.logIn", login(ana), id: 906)
    bo.client.post("auth.logIn", login(ana, ["deviceToken": foreign]), id: 907)
    bo.client.post("auth.logIn", login(ana, ["deviceToken": token]), id: 908)
    for id in 901...907 {
      let answer = try await bo.client.next { $0["id"]?.int == id }
      #expect(answer["error"]?["data"]?["reason"]?.string == (id < 906 ? "login" : "attempts"), "\(id)")
    }
    let known = try await bo.client.next { $0["id"] == 908 }
    #expect(known["result"]?["me"]?.string == ana.id)
    #expect(known["result"]?["deviceToken"]?.string?.isEmpty == false)
    #expect(try await ana.client.refusal("auth.logIn", login(ana, ["deviceToken": ""])).code == -32602)
  }
}
