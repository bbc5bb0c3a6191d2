import JSON
import Testing

@testable import Rooms

@Suite("Fields")
struct FieldTests {
  @Test(
    "each invalid field is named with its path and the reason",
    arguments: [
      (#"{}"#, ["text: missing"]),
      (#"{"text":1,"size":"x"}"#, ["text: must be text", "size: must be a whole number"]),
      (#"{"text":""}"#, ["text: must have 1 to 20 characters"]),
      (#"{"text":"a","size":10}"#, ["size: must be 1 to 9"]),
      (#"{"text":"a","marks":{"a":1}}"#, ["marks.a: must be true or false"]),
      (#"{"text":"a","marks":{"a":true,"b":true,"c":true,"d":true}}"#, ["marks: must have 0 to 3 members"]),
      (#"{"text":"a","colour":1,"more":2}"#, ["colour: unknown field", "more: unknown field"]),
      (#"{"text":"a","until":"2026-02-30T00:00:00Z"}"#, ["until: must be a time in UTC such as 2026-05-01T09:00:00Z"]),
      (#"[]"#, [": must be an object"]),
    ] as [(String, [String])])
  func problems(text: String, expected: [String]) throws {
    let tape = Tape()
    let problems = Problems()
    let bytes = Array(text.utf8)
    #expect(Paper.read(try tape.parse(bytes.span), problems) == nil)
    #expect(problems.list.map { "\($0.path): \($0.text)" } == expected)
  }

  @Test("both limits of a text count Unicode scalars", arguments: [(20, true), (21, false)])
  func scalars(count: Int, isRight: Bool) throws {
    for character in ["a", "é", "👍"] {
      let text = Array("{\"text\":\"\(String(repeating: character, count: count))\"}".utf8)
      let tape = Tape()
      let paper = Paper.read(try tape.parse(text.span), Problems())
      #expect((paper != nil) == isRight)
    }
  }

  @Test(
    "instants are read and written by RFC 3339",
    arguments: [
      ("2026-05-01T09:00:00Z", "2026-05-01T09:00:00.000Z"), ("1969-12-31T23:59:59.5Z", "1969-12-31T23:59:59.500Z"),
      ("2000-02-29T12:34:56.789Z", "2000-02-29T12:34:56.789Z"), ("2000-02-29T12:34:56.78Z", "2000-02-29T12:34:56.780Z"),
      ("2000-02-29T12:34:56.7899Z", "2000-02-29T12:34:56.789Z"),
      ("0000-01-01T00:00:00.123456789Z", "0000-01-01T00:00:00.123Z"),
      ("9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"),
    ])
  func instants(text: String, written: String) {
    #expect(Instant(text)?.description == written)
  }

  @Test(
    "times that do not exist are refused",
    arguments: [
      "2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-01-01T24:00:00Z",
      "2026-01-01T00:60:00Z", "2026-01-01T00:00:60Z", "2026-01-01T00:00:00", "2026-01-01T00:00:00+01:00",
      "2026-01-01 00:00:00Z", "2026-01-01T00:00:00.Z", "2026-01-01T00:00:00.0:0Z",
      "2026-01-01T00:00:00,000Z", "2026-01-01T00:00:00.0000000000Z", "2026-01-01T0/:00:00Z", "2026-1-01T00:00:00Z",
      "１026-01-01T00:00:00Z", "",
    ])
  func noInstants(text: String) { #expect(Instant(text) == nil) }

  @Test("every millisecond is written as it is read, over ten thousand years")
  func instantRoundTrip() {
    var state: UInt64 = 42
    for _ in 0..<20_000 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let span = UInt64(writableMilliseconds.upperBound - writableMilliseconds.lowerBound)
      let instant = Instant(milliseconds: writableMilliseconds.lowerBound + Int64(state % span))
      #expect(Instant(instant.description) == instant)
    }
  }

  @Test("ids are read and written as RFC 9562 says")
  func ids() {
    let id = ID<Paper>("0D9F8e7c-1234-8abc-9def-0123456789ab")
    #expect(id?.description == "0d9f8e7c-1234-8abc-9def-0123456789ab")
    #expect(id.flatMap { ID<Paper>(bytes: $0.bytes) } == id)
    for text in [
      "", "0d9f8e7c12348abc9def0123456789ab", "0d9f8e7c-1234-8abc-9def-0123456789ag",
      "0d9f8e7c-1234-8abc-9def-0123456789abc",
    ] {
      #expect(ID<Paper>(text) == nil)
    }
  }

  @Test("`me` and `mine` in a room's name mean the caller's own rooms")
  func roomNames() {
    let bo = ID<Person>(high: 2, low: 2)
    let home = ID<Household>(high: 7, low: 7)
    #expect(RoomID(name: "me", caller: ana) == .person(ana))
    #expect(RoomID(name: "household/\(home)/mine", caller: bo) == .corner(home, bo))
    for room in [RoomID.person(ana), .household(home), .corner(home, ana), .share(ID(high: 1, low: 0))] {
      #expect(RoomID(storageKey: room.storageKey) == room)
      #expect(RoomID(name: room.name, caller: ana) == room)
    }
    for name in [
      "", "you", "me/", "household", "household/", "household/x", "household/\(home)/", "household/\(home)/yours",
      "share/\(home)/mine", "/me",
    ] {
      #expect(RoomID(name: name, caller: ana) == nil, "\(name)")
    }
  }

  @Test("a room's storage key can be read back and sorts as its bytes")
  func roomKeys() throws {
    let (low, high) = (ID<Person>(high: 2, low: 9), ID<Person>(high: 3, low: 1))
    let rooms: [RoomID] = [
      .person(low), .person(high), .household(low.cast()), .household(high.cast()), .corner(low.cast(), low),
      .corner(low.cast(), high), .corner(high.cast(), low), .share(low.cast()), .share(high.cast()),
    ]
    #expect(rooms.shuffled().sorted() == rooms)
    #expect(rooms.shuffled().sorted { $0.storageKey.lexicographicallyPrecedes($1.storageKey) } == rooms)
    var table = Table<RoomID, MessageNumbers.Count>()
    for (number, room) in rooms.enumerated() { table[room] = MessageNumbers.Count(number: number) }
    let writer = Writer()
    writer.openObject()
    table.writeState("rooms", to: writer)
    writer.closeObject()
    let tape = Tape()
    let problems = Problems()
    var copy = Table<RoomID, MessageNumbers.Count>()
    copy.merge(try #require(try tape.parse(writer.bytes().span)[key: "rooms"]), problems)
    #expect(problems.isEmpty && copy.map(\.key) == rooms && copy.map(\.value.number) == Array(rooms.indices))
    for text in [
      "", "me", "person/", "person/\(low)0", "person/\(low)/", "Person/\(low)", "household/\(low)/",
      "household/\(low)/mine", "household/\(low)-\(low)", "household/\(low)/\(low)/", "share/\(low)/", "share/x",
    ] {
      #expect(RoomID(text: Array(text.utf8).span) == nil, "\(text)")
    }
  }
}
