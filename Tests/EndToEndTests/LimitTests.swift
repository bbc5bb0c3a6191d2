import Foundation
import JSON
import Rooms
import Testing

@testable import HearthCommand
@testable import Server

/// Every limit that `hello` publishes is held where it applies: the limit is accepted, and one more is refused.
@Suite("Published limits")
struct LimitTests {
  enum Case: Sendable {
    /// A limit in a parameter's schema, which `DiscoveryTests` tests on both sides.
    case schema(String, String, String)
    /// A separate test on both sides, by file and name, since a case here would need days or a hundred people. It holds
    /// this value: when the limit changes, adapt that test before the value here.
    case elsewhere(String, String, holds: Int)
    /// Tested here.
    case tried(@Sendable (Int) async throws -> Void)
  }

  /// The test of each limit. A published limit without one fails.
  static let cases: [String: Case] = [
    "frameBytes": .tried { try await size($0) { [frame(1, $0)] } },
    "messageBytes": .tried {
      try await size($0) { [frame(1, $0.prefix(1000), isLast: false), frame(0, $0.dropFirst(1000))] }
    },
    "messageBytesBeforeHello": .tried { try await size($0, isStranger: true) { [frame(1, $0)] } },
    "fragments": .tried(fragments), "depth": .tried(depth), "nodes": .tried(nodes), "batchCalls": .tried(batch),
    "subscriptions": .elsewhere("SyncTests", "a connection may watch 128 rooms and no more", holds: 128),
    "unansweredCalls": .elsewhere(
      "OnceTests", "a client may have 64 unanswered calls in a room and no more", holds: 64),
    "name": .schema("households.create", "name", "maxLength"),
    "password": .schema("auth.signUp", "password", "maxLength"),
    "passwordMinimum": .schema("auth.signUp", "password", "minLength"),
    "documentBytes": .elsewhere(
      "RoomTests", "a document has at most 1,000,000 bytes as it is sent", holds: 1_000_000),
    "households": .tried { try await fill($0, "households.create", nil, "households") { household($0) } },
    "former": .elsewhere(
      "HouseholdTests", "HH-10: a household knows the names of the newest 200 former members", holds: 200),
    "members": .elsewhere("InvitationTests", "HH-7: a household has at most 32 members", holds: 32),
    "email": .schema("invitations.send", "email", "maxLength"),
    "invitations": .elsewhere("InvitationTests", "HH-3: a household has at most 100 open invitations", holds: 100),
    "receivedInvitations": .elsewhere(
      "InvitationTests", "HH-4: the newest 100 invitations are in the invitee's own room", holds: 100),
    "emailMinimum": .schema("invitations.send", "email", "minLength"),
    "invitationsPerDay": .tried {
      try await fill($0, "invitations.send", "household", "invitations") { ["email": "guest\($0)@example.org"] }
    },
    "joinCodes": .tried { try await fill($0, "joinCodes.create", "household", "joinCodes") { _ in [:] } },
    "joinCodeUses": .schema("joinCodes.create", "uses", "maximum"),
    "invitationAge": .elsewhere(
      "InvitationTests", "HH-4: an invitation appears in the invitee's own room and lasts 14",
      holds: 14 * 24 * 3_600_000),
    "joinCodeAge": .tried { try await time($0, "joinCodes.create", "expiresAt", []) },
    "noteText": .schema("notes.add", "text", "maxLength"),
    "notes": .tried { try await fill($0, "notes.add", "household", "notes") { ["text": "\($0)"] } },
    "noteLifetime": .tried { try await time($0, "notes.add", "expiresAt", ["text"]) },
    "noteLifetimeMinimum": .schema("notes.add", "lifetime", "minimum"),
    "activity": .elsewhere("NoteTests", "ACT-1: the state has the newest 30 events", holds: 30),
    "groceries": .tried { try await fill($0, "groceries.add", "household", "groceries") { ["name": "Thing \($0)"] } },
    "grocerySources": .elsewhere(
      "GroceryTests", "GRO-3: a list has at most 500 lines, and a line at most 64 additions", holds: 64),
    "groceryName": .schema("groceries.add", "name", "maxLength"),
    "groceryNote": .schema("groceries.add", "note", "maxLength"),
    "unit": .schema("groceries.add", "unit", "maxLength"),
    "receivers": .schema("shares.start", "receivers", "maxItems"),
    "ownShares": .tried { try await fill($0, "shares.start", nil, "shares") { _ in shareParameters } },
    "shareDuration": .tried { try await time($0, "shares.start", "until", ["receivers"]) },
    "shareDurationMinimum": .elsewhere(
      "ShareTests", "a share lasts 15 minutes to 24 hours", holds: 15 * 60_000),
    "receivedShares": .elsewhere(
      "ShareTests", "LOC-22: the 200 received shares that run longest are listed", holds: 200),
    "shareNote": .schema("shares.start", "note", "maxLength"),
    "fixes": .schema("positions.report", "fixes", "maxItems"),
    "inbox": .elsewhere("NoteTests", "R-NOTIFY: the newest 200 notifications are kept", holds: 200),
    "clients": .elsewhere(
      "CrowdTests", "a person has sixteen connections at a time; the seventeenth is refused", holds: 16),
    "callsPerSecond": .elsewhere(
      "CallRateTests", "a burst may have calls for two seconds; further ones wait", holds: 200),
    "pingsPerMinute": .elsewhere(
      "EdgeTests", "endless fragments, empty frames and pings end at their limits", holds: 120),
    "deviceName": .elsewhere("DeviceTests", "its name is one line of 1 to 64", holds: 64),
    "sessions": .elsewhere("DeviceTests", "with the 33rd session the least recently used one ends", holds: 32),
    "catalogue": .elsewhere("AggregateTests", "at most ten names are suggested and 1,000 remembered", holds: 1000),
    "suggestions": .elsewhere("AggregateTests", "at most ten names are suggested and 1,000 remembered", holds: 10),
    "placeRadius": .elsewhere("ShareEndTests", "a place has coordinates, a radius of 30 to 2,000 m", holds: 2000),
    "placeShareDuration": .elsewhere(
      "ShareEndTests", "a share until a place lasts at most 12 hours", holds: 12 * 3_600_000),
    "placeRadiusMinimum": .elsewhere("ShareEndTests", "a place has coordinates, a radius of 30 to 2,000 m", holds: 30),
    "placeShareDurationMinimum": .elsewhere(
      "ShareEndTests", "a share until a place lasts at most 12 hours", holds: 15 * 60_000),
    "placeLabel": .elsewhere("ShareEndTests", "a place has coordinates, a radius of 30 to 2,000 m", holds: 64),
    "undo": .elsewhere("NoteTests", "NTE-4, R-DEL: a removed note can be restored for ten minutes", holds: 600_000),
  ]

  @Test("every published limit is held on both sides", arguments: PublishedLimits.all().map(\.0))
  func limit(name: String) async throws {
    let value = try #require(PublishedLimits.all().first { $0.0 == name }?.1)
    switch try #require(Self.cases[name], "\(name) is published and has no case here") {
    case .tried(let attempt): try await attempt(value)
    case .schema(let method, let parameter, let keyword):
      let found = DiscoveryTests.methods.first { $0["name"]?.string == method }
      let schema = found?["params"]?.array?.first { $0["name"]?.string == parameter }?["schema"]
      #expect(schema?[keyword]?.int == value)
    case .elsewhere(let file, let test, let held):
      #expect(value == held, "\(file) tests another value")
      let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      let texts = ["EndToEndTests", "HomeTests", "RoomsTests"].compactMap {
        try? String(contentsOf: tests.appending(path: "\($0)/\(file).swift"), encoding: .utf8)
      }
      #expect(texts.contains { $0.contains(test) }, "\(file) has no such test")
    }
  }

  @Test("every tested limit is published")
  func published() { #expect(Set(Self.cases.keys) == Set(PublishedLimits.all().map(\.0))) }

  // MARK: counts

  private static let shareParameters: [String: JSON] = [
    "receivers": ["<friend>"], "until": (.now + .seconds(3600)).json,
  ]

  private static func household(_ number: Int) -> [String: JSON] {
    ["name": "Home \(number)", "timeZone": "UTC", "currency": "EUR"]
  }

  /// Checks that as many calls as the limit succeed, and that the next is refused with the reason.
  private static func fill(
    _ limit: Int, _ method: String, _ place: String?, _ reason: String,
    _ parameters: @Sendable (Int) -> [String: JSON]
  ) async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (home, members) = try await server.household("Ana", "Bo")
    let ana = members[0]
    let room = place == nil ? nil : home
    func filled(_ number: Int) -> [String: JSON] {
      var all = parameters(number)
      if all["receivers"] != nil { all["receivers"] = [.string(members[1].id)] }
      return all
    }
    // Her own household and the code that admitted Bo count, too.
    let first = ["households.create", "joinCodes.create"].contains(method) ? 2 : 1
    func take(_ number: Int) async throws {
      let answer = try await ana.client.next { $0["id"]?.int == 10_000 + number }
      #expect(answer["result"] != nil, "\(number): \(answer.text)")
    }
    for number in first...limit {
      ana.post(method, in: room, filled(number), id: 10_000 + number)
      // Send no more calls at a time than a client may have unanswered.
      if number - first >= 32 { try await take(number - 32) }
    }
    for number in max(first, limit - 31)...limit { try await take(number) }
    let refusal = try await ana.refusal(method, in: room, filled(limit + 1))
    #expect((refusal.code == 6 || refusal.code == 5) && refusal.reason == reason, "\(refusal)")
  }

  /// Checks that a time at the limit is accepted, and one a minute later is refused.
  private static func time(_ limit: Int, _ method: String, _ field: String, _ more: [String]) async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (home, members) = try await server.household("Ana", "Bo")
    for (extra, isTaken) in [(-60_000, true), (0, true), (60_000, false)] {
      var parameters: [String: JSON] = [field: (Instant.now + .milliseconds(limit + extra)).json]
      if more.contains("text") { parameters["text"] = "x" }
      if more.contains("receivers") { parameters["receivers"] = [.string(members[1].id)] }
      let room = method == "shares.start" ? nil : home
      if isTaken {
        try await members[0].call(method, in: room, parameters)
      } else {
        #expect(try await members[0].refusal(method, in: room, parameters).fields?[field] != nil)
      }
    }
  }

  // MARK: the wire

  private static func frame(_ opcode: UInt8, _ payload: some Collection<UInt8>, isLast: Bool = true) -> [UInt8] {
    var bytes = [opcode | (isLast ? 0x80 : 0)]
    switch payload.count {
    case ..<126: bytes.append(0x80 | UInt8(payload.count))
    case ..<65_536: bytes += [0xFE, UInt8(payload.count >> 8), UInt8(payload.count & 255)]
    default: bytes += [0xFF] + (0..<8).map { UInt8(truncatingIfNeeded: payload.count >> (56 - 8 * $0)) }
    }
    return bytes + [0, 0, 0, 0] + payload
  }

  private static let text = #"{"jsonrpc":"2.0","id":1,"method":"no.suchMethod"}"#

  /// Sends messages of one byte less, as many bytes as the limit, and one more.
  private static func size(
    _ limit: Int, isStranger: Bool = false, _ frames: @Sendable ([UInt8]) -> [[UInt8]]
  ) async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let client = isStranger ? try await server.connect() : try await server.member("Ana").client
    for (size, isTaken) in [(limit - 1, true), (limit, true), (limit + 1, false)] {
      let padded = Array((text + String(repeating: " ", count: size - text.utf8.count)).utf8)
      for frame in frames(padded) { client.send(bytes: frame) }
      if isTaken {
        #expect(try await client.next()["error"] != nil, "\(size)")
      } else {
        #expect(try await client.closeCode() == 1009, "\(size)")
      }
    }
  }

  @Sendable private static func fragments(_ limit: Int) async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let client = try await server.member("Ana").client
    for (count, isTaken) in [(limit - 1, true), (limit, true), (limit + 1, false)] {
      client.send(bytes: frame(1, Array(text.utf8), isLast: false))
      for number in 2...count { client.send(bytes: frame(0, [], isLast: number == count)) }
      if isTaken {
        #expect(try await client.next()["error"] != nil, "\(count)")
      } else {
        #expect(try await client.closeCode() == 1008, "\(count)")
      }
    }
  }

  @Sendable private static func depth(_ limit: Int) async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let client = try await server.member("Ana").client
    for (depth, code) in [(limit - 1, -32601), (limit, -32601), (limit + 1, -32700)] {
      // The message and its parameters are two levels.
      let nested = String(repeating: "[", count: depth - 2) + String(repeating: "]", count: depth - 2)
      client.send(#"{"jsonrpc":"2.0","id":1,"method":"no.suchMethod","params":{"x":\#(nested)}}"#)
      #expect(try await client.next()["error"]?["code"]?.int == code, "\(depth)")
    }
  }

  @Sendable private static func nodes(_ limit: Int) async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let client = try await server.member("Ana").client
    func message(_ count: Int) -> String {
      let list = Array(repeating: "0", count: count).joined(separator: ",")
      return #"{"jsonrpc":"2.0","id":1,"method":"no.suchMethod","params":{"x":[\#(list)]}}"#
    }
    func fits(_ count: Int) -> Bool { (try? JSON.parse(Array(message(count).utf8), nodeLimit: limit)) != nil }
    let most = try #require((1...limit).last { $0 > limit - 40 && fits($0) })
    #expect(!fits(most + 1))
    for (count, code) in [(most - 1, -32601), (most, -32601), (most + 1, -32700)] {
      client.send(message(count))
      #expect(try await client.next()["error"]?["code"]?.int == code, "\(count)")
    }
  }

  @Sendable private static func batch(_ limit: Int) async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let client = try await server.member("Ana").client
    for (count, isTaken) in [(limit - 1, true), (limit, true), (limit + 1, false)] {
      client.send("[\(Array(repeating: text, count: count).joined(separator: ","))]")
      let answer = try await client.next()
      #expect(isTaken ? answer.array?.count == count : answer["error"]?["code"] == -32600, "\(count)")
    }
  }
}
