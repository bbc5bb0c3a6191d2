import JSON
import Rooms
import Testing

@testable import HearthCommand
@testable import Home
@testable import Server

/// Every limit of the server that `hello` publishes, tried by calls on both sides. `HomeTests` tries the domain's.
@Suite("Published limits")
struct LimitTests {
  /// The test of each limit. A published limit without one fails.
  static let attempts: [String: @Sendable (_ limit: Int) async throws -> Void] = [
    "frameBytes": { try await size($0) { [frame(1, $0)] } },
    "messageBytes": {
      try await size($0) { [frame(1, $0.prefix(1000), isLast: false), frame(0, $0.dropFirst(1000))] }
    },
    "messageBytesBeforeHello": { try await size($0, isStranger: true) { [frame(1, $0)] } },
    "fragments": fragments, "depth": depth, "nodes": nodes, "batchCalls": batch, "documentBytes": document,
    "subscriptions": SyncTests.subscriptions, "unansweredCalls": OnceTests.unanswered, "clients": CrowdTests.clients,
    "callsPerSecond": CallRateTests.burst, "pingsPerMinute": EdgeTests.pings, "sessions": DeviceTests.sessions,
    "password": { limit in
      try await parameter("password", of: "auth.signUp", [limit - 1: true, limit: true, limit + 1: false])
    },
    "passwordMinimum": { limit in
      try await parameter("password", of: "auth.signUp", [limit - 1: false, limit: true, limit + 1: true])
    },
    "idToken": idToken,
    "deviceName": { limit in
      try await parameter("device", of: "auth.signUp", [limit - 1: true, limit: true, limit + 1: false])
    },
  ]

  /// The limits that are not tried in `HomeTests`.
  static let published = {
    let elsewhere = Set(Limits.published.map(\.name)).subtracting(["deviceName", "sessions"])
    return PublishedLimits.all().filter { name, _ in
      !elsewhere.contains(name) && !elsewhere.contains(String(name.dropLast("Minimum".count)))
    }
  }()

  @Test("SEC-12: every published limit is held on both sides", arguments: published.map(\.0))
  func limit(name: String) async throws {
    let value = try #require(Self.published.first { $0.0 == name }?.1)
    let attempt = try #require(Self.attempts[name], "\(name) is published and has no attempt here")
    try await attempt(value)
  }

  @Test("every limit that is tried is published")
  func names() { #expect(Set(Self.attempts.keys) == Set(Self.published.map(\.0))) }

  // MARK: parameters and documents

  /// Calls with texts of these lengths, which are taken or refused by the parameter's name.
  private static func parameter(_ name: String, of method: String, _ lengths: [Int: Bool]) async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let client = try await server.connect()
    for (length, isTaken) in lengths.sorted(by: { $0.key < $1.key }) {
      var parameters: [String: JSON] = [
        "email": .string("ana\(length)@example.org"), "password": .string(TestServer.password), "name": "Ana",
      ]
      // No common password.
      parameters[name] = .string(String(repeating: "æø", count: length).prefix(length).description)
      if isTaken {
        try await client.call(method, parameters)
      } else {
        #expect(try await client.refusal(method, parameters).fields?.object?.keys.sorted() == [name], "\(length)")
      }
    }
  }

  /// Logs in with texts of these lengths, which are no tokens.
  @Sendable private static func idToken(_ limit: Int) async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let client = try await server.connect()
    for (length, isTaken) in [(limit, true), (limit + 1, false)] {
      let text = JSON.string(String(repeating: "a", count: length))
      let refusal = try await client.refusal("auth.logInWithToken", ["provider": "none", "idToken": text])
      #expect(refusal.code == (isTaken ? 3 : -32602), "\(length): \(refusal)")
    }
  }

  /// Fills a household's document to the byte, as its members get it.
  @Sendable private static func document(_ limit: Int) async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana")
    let ana = members[0]
    func size() async throws -> Int {
      let answer = try await ana.call("room.subscribe", in: room)
      return try #require(answer["state"]).text.utf8.count
    }
    var ids: [JSON] = []
    // A scalar of four bytes is one for the limit of a note's text.
    let long = String(repeating: "🏠", count: 2000)
    for _ in 0..<120 { ids.append(try await ana.call("notes.add", in: room, ["text": .string(long)])["id"] ?? .null) }
    let last = try #require(ids.last)
    func write(_ text: String, to id: JSON) async throws {
      try await ana.call("notes.edit", in: room, ["id": id, "text": .string(text)])
    }
    try await write("x", to: last)
    var left = limit - 1 - (try await size())
    // More long notes, until the rest fits into the last one.
    while left > 1900 {
      let before = try await size()
      _ = try await ana.call(
        "notes.add", in: room, ["text": .string(String(repeating: "x", count: min(left - 1200, 2000)))])
      left -= try await size() - before
    }
    try await write(String(repeating: "x", count: 1 + left), to: last)
    #expect(try await size() == limit - 1)
    try await write(String(repeating: "x", count: 2 + left), to: last)
    #expect(try await size() == limit)
    let longer: JSON = .string(String(repeating: "x", count: 3 + left))
    let refusal = try await ana.refusal("notes.edit", in: room, ["id": last, "text": longer])
    #expect(refusal.code == 6 && refusal.reason == "document")
    #expect(try await size() == limit)
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
