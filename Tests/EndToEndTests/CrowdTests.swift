import Foundation
import JSON
import Rooms
import Testing

@testable import HearthCommand
@testable import Server

/// Limits on everything that can be counted (RELIABILITY E8, SEC-12).
@Suite("Limits on connections and subscriptions")
struct CrowdTests {
  /// Checks the limit of a person's connections; one more is refused until one ends (RELIABILITY E8).
  ///
  /// `LimitTests` runs it.
  @Sendable static func clients(limit: Int) async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let ana = try await server.member("Ana")
    var others: [Member] = []
    for _ in 2...limit { others.append(try await ana.again(on: server, client: newID())) }
    let late = try await server.connect()
    let hello: [String: JSON] = ["token": .string(ana.token), "client": .string(late.id)]
    for _ in 0..<2 {
      let refusal = try await late.refusal("hello", hello)
      #expect(refusal.code == 6 && refusal.reason == "clients")
      #expect(try await late.refusal("room.subscribe", ["room": "me"]).code == 1)
    }
    // A client that reconnects replaces its own connection.
    let again = try await others[0].again(on: server)
    #expect(try await others[0].client.closeCode() == 4006)
    #expect(try await late.refusal("hello", hello).reason == "clients")
    again.client.drop()
    var isLetIn = false
    for _ in 0..<100 where !isLetIn {
      do {
        try await late.call("hello", hello)
        isLetIn = true
      } catch is WireError { try await Task.sleep(for: .milliseconds(20)) }
    }
    #expect(isLetIn)
    // Other people are not affected.
    _ = try await server.member("Bo")
  }

  @Test("E8: the limit of connections per person is configurable, and hello and rpc.discover publish it")
  func fewerClients() async throws {
    let server = try await TestServer.start { $0.configuration.connectionsPerPerson = 2 }
    defer { server.end() }
    let ana = try await server.member("Ana")
    let tablet = try await ana.again(on: server, client: newID())
    let late = try await server.connect()
    let hello: [String: JSON] = ["token": .string(ana.token), "client": .string(late.id)]
    let refusal = try await late.refusal("hello", hello)
    #expect(refusal.code == 6 && refusal.reason == "clients")
    #expect(try await tablet.hello()["limits"]?["clients"] == 2)
    #expect(try await late.call("rpc.discover")["x-limits"]?["clients"] == 2)
  }

  @Test("the late hello of a connection that was given up does not end the newer connection of its client")
  func lateHello() {
    let crowds = Crowds()
    let person = ID<Person>()
    func seat(_ number: UInt64, openedAt: Duration) -> Seated {
      let key = SessionKey(shard: 0, number: number)
      let seated = Seated(key: key, session: .init(), client: .init(), openedAt: openedAt)
      #expect(crowds.seat(person, seated, limit: 16) == .seated)
      return seated
    }
    let (givenUp, newer) = (seat(1, openedAt: .zero), seat(2, openedAt: .seconds(9)))
    #expect(crowds.claim(person, newer) == [])
    #expect(crowds.claim(person, givenUp) == [givenUp.key])
    let newest = seat(3, openedAt: .seconds(20))
    #expect(crowds.claim(person, newest) == [newer.key])
    // The clocks of shards differ: of connections that were opened together, the later hello counts.
    #expect(crowds.claim(person, seat(4, openedAt: .milliseconds(19_001))) == [newest.key])
  }

  @Test("E8: calls without a number count toward the limit of unanswered calls, too")
  func unanswered() async throws {
    let gate = Gate()
    let server = try await TestServer.start { $0.wrap = { gate.wrap($0) } }
    defer { server.end() }
    let (room, members) = try await server.household("Ana")
    gate.hold(room)
    for id in 1...65 { members[0].post("notes.add", in: room, ["text": "x"], id: 1000 + id) }
    let refused = try await members[0].client.next { $0["id"]?.int ?? 0 > 1000 }
    #expect(refused["id"] == 1065 && refused["error"]?["data"]?["reason"] == "unanswered")
    gate.release()
    for id in 1...64 { #expect(try await members[0].client.next { $0["id"]?.int == 1000 + id }["result"] != nil) }
  }

  // MARK: addresses

  private static func gate(perMinute: Int = 1000, strangers: Int = 1000, all: Int = 1000) -> AddressGate {
    AddressGate(AddressGate.Limits(perMinute: perMinute, strangers: strangers, allStrangers: all))
  }

  @Test("SEC-12: an address may open a number of connections per minute, independently of other addresses")
  func perMinute() {
    let gate = Self.gate(perMinute: 60)
    for _ in 0..<60 { #expect(gate.admit("192.0.2.1", at: .zero) == .admitted) }
    #expect(gate.admit("192.0.2.1", at: .zero) == .refused(isNews: true))
    #expect(gate.admit("192.0.2.1", at: .milliseconds(900)) == .refused(isNews: false))
    #expect(gate.admit("192.0.2.2", at: .zero) == .admitted)
    #expect(gate.admit("192.0.2.1", at: .milliseconds(1000)) == .admitted)
    #expect(gate.admit("192.0.2.1", at: .milliseconds(1000)) == .refused(isNews: true))
    gate.forget(at: .seconds(61))
    for _ in 0..<60 { #expect(gate.admit("192.0.2.1", at: .seconds(61)) == .admitted) }
    #expect(gate.admit("192.0.2.1", at: .seconds(61)) == .refused(isNews: true))
  }

  @Test("SEC-12: unauthenticated connections are counted per address and in total, until they say hello or end")
  func strangers() {
    let gate = Self.gate(strangers: 3, all: 5)
    func come(_ host: String) -> Bool {
      guard gate.admit(host, at: .zero) == .admitted else { return false }
      gate.arrived(host, at: .zero)
      return true
    }
    #expect(come("a") && come("a") && come("a") && !come("a"))
    gate.settled("a")
    #expect(come("a") && !come("a"))
    #expect(come("b") && come("b") && !come("b") && !come("c"))
    gate.forget(at: .seconds(3600))
    #expect(!come("c"), "open connections keep counting")
    for host in ["a", "a", "a", "b", "b"] { gate.settled(host) }
    #expect(come("c"))
  }

  @Test(
    "SEC-12: an IPv6 network of 64 bits counts as one address",
    arguments: [
      ("192.0.2.1", "192.0.2.1"), ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
      ("2001:db8:1:2::1", "2001:db8:1:2::/64"),
      ("2001:db8::1", "2001:db8:0:0::/64"), ("::1", "0:0:0:0::/64"), ("fe80::", "fe80:0:0:0::/64"),
      ("::ffff:192.0.2.1", "192.0.2.1"), ("", ""), ("2001:db8:0:1::", "2001:db8:0:1::/64"),
    ])
  func networks(host: String, network: String) { #expect(AddressGate.network(of: host) == network) }

  @Test("SEC-12: the server closes excess connections before it reads from them, and hello makes room for another")
  func overSockets() async throws {
    let server = try await TestServer.start {
      $0.configuration.limitsLoopback = true
      $0.configuration.strangersPerAddress = 3
    }
    defer { server.end() }
    let ana = try await server.member("Ana")
    var strangers: [TestClient] = []
    for _ in 0..<3 {
      let stranger = try await server.connect()
      try await stranger.fence()
      strangers.append(stranger)
      try await Task.sleep(for: .milliseconds(50))
    }
    for _ in 0..<2 {
      await #expect(throws: (any Error).self) { try await server.connect().fence() }
    }
    #expect(server.log.count { $0.contains("address.limited address=127.0.0.1") } == 1)
    try await strangers[0].call("hello", ["token": .string(ana.token), "client": .string(newID())])
    strangers[1].drop()
    try await Task.sleep(for: .milliseconds(200))
    let (first, second) = (try await server.connect(), try await server.connect())
    try await first.fence()
    try await second.fence()
  }
}
