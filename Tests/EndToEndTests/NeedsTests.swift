import JSON
import Testing

@testable import HearthCommand
@testable import Home
@testable import Rooms

/// A rule that needs history decides by all of it, whatever happens while the store is read.
@Suite("Rules that need history")
struct NeedsTests {
  /// The household's rooms, with a mutation that answers how many events their history has.
  private static let kinds = HomeRooms.kinds.map { kind in
    guard kind.name == .household else { return kind }
    return RoomKind(
      name: kind.name, make: kind.make, methods: kind.methods + [.of(CountEvents.self)], history: kind.history,
      mayBeginAgain: kind.mayBeginAgain, needsEncryption: kind.needsEncryption, openingMessages: kind.openingMessages,
      describeContent: kind.describeContent)
  }

  private static func start(behind gate: Gate) async throws -> TestServer {
    try await TestServer.start {
      $0.kinds = kinds
      $0.wrap = { gate.wrap($0) }
    }
  }

  @Test("a rule gets the history of the state that it sees: if that has changed meanwhile, it is read again")
  func readAgain() async throws {
    let gate = Gate()
    let server = try await Self.start(behind: gate)
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo")
    // The founding, and Bo's joining.
    #expect(try await members[0].call("events.count", in: room)["events"] == 2)
    #expect(gate.historyReads == 1)
    gate.holdHistory()
    members[0].post("events.count", in: room, id: 900)
    await gate.holdsOne()
    try await members[1].call("notes.add", in: room, ["text": "meanwhile"])
    gate.release()
    #expect(try await members[0].client.next { $0["id"] == 900 }["result"]?["events"] == 3)
    #expect(gate.historyReads == 3)
  }

  @Test("if the room changes during each of four reads, the call is refused as temporary and changes nothing")
  func busyRoom() async throws {
    let gate = Gate()
    let server = try await Self.start(behind: gate)
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo")
    gate.holdHistory()
    members[0].post("events.count", in: room, id: 900)
    for number in 1...4 {
      await gate.holdsOne()
      try await members[1].call("notes.add", in: room, ["text": .string("\(number)")])
      gate.releaseHeld()
    }
    let error = try await members[0].client.next { $0["id"] == 900 }["error"]
    #expect(error?["code"] == 7 && error?["data"]?["temporary"] == true)
    #expect(gate.historyReads == 4)
    gate.release()
    let counted = try await members[0].call("events.count", in: room)
    #expect(counted["events"] == 6)
    #expect(try await members[0].watch(room)["notes"].count == 5)
  }
}

/// Counts the household's events, and leaves a note of it.
private struct CountEvents: Mutation {
  static let method: StaticString = "events.count"
  static let summary: StaticString = "Counts the household's events, and leaves a note of it."
  static let hasNeeds = true
  private static let query = HistoryQuery(kind: ListActivity.history, limit: 100)

  static func fields(_ field: inout some FieldVisitor<Self>) {}

  func needs(for caller: ID<Person>) -> [Need] { [.history(Self.query)] }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> EventTotal {
    home.board.notes[context.newID()] = Note(text: "Counted", author: context.person, at: context.now)
    return EventTotal(events: context.fetched.records(of: Self.query).count)
  }
}

private struct EventTotal: Record {
  var events = 0

  static func fields(_ field: inout some FieldVisitor<Self>) { field("events", \.events) }
}
