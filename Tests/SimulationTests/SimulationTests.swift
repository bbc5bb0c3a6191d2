import JSON
import Simulation
import Testing

/// A few simulated worlds; `script/simulate` runs any number of them.
@Suite("Simulated worlds")
struct SimulationTests {
  static func operations() throws -> Operations { Operations(description: try #require(Visit.describe())) }

  /// In 7006 a member leaves and joins again while a call for their corner waits to be sent again. In 913508766 the
  /// last member leaves while an item moves to their corner.
  @Test(
    "B1: under any faults, nothing is lost, repeated, reordered or sent to the wrong person",
    arguments: [1, 7006, 913_508_766] as [UInt64])
  func holds(seed: UInt64) throws {
    let operations = try Self.operations()
    let world = World(seed: seed, operations: operations)
    #expect(world.run() == nil, "seed \(seed)")
    #expect(world.entryCount > 50 && operations.successes.count > 10, "too little happened")
  }

  @Test("B3: a disk that breaks its promises is detected", arguments: DiskLie.allCases)
  func lies(lie: DiskLie) throws {
    let operations = try Self.operations()
    #expect((1...20).contains { World(seed: $0, operations: operations, lie: lie).run() != nil })
  }

  @Test(
    "SYN-7: a client that reads nothing is closed after a minute, not at the next heartbeat", arguments: [0, 7, 13, 19])
  func stalls(seconds: Int) {
    let visit = Visit()
    defer { visit.end() }
    visit.signIn()
    visit.wait(.seconds(seconds))
    visit.isDeaf = true
    // Answers fill the buffers between the two programs. One at a time, since some of many would be refused.
    for id in 1...3 {
      visit.say(Array(#"{"jsonrpc":"2.0","id":\#(id),"method":"rpc.discover"}"#.utf8))
      visit.wait(.milliseconds(300))
    }
    visit.wait(.seconds(59))
    #expect(!visit.isClosed)
    visit.wait(.seconds(3))
    #expect(visit.isClosed && visit.violation == nil)
  }

  @Test("R-008: a client that answers no ping hears 4003 after 60 to 90 s, though it still gets data (SYN-6)")
  func noPong() {
    let visit = Visit()
    defer { visit.end() }
    visit.signIn()
    visit.wait(.seconds(58))
    #expect(!visit.isClosed && visit.closeCode == nil)
    visit.wait(.seconds(32))
    #expect(visit.isClosed && visit.closeCode == 4003 && visit.violation == nil)
  }

  @Test("R-008: a client that calls nothing and answers pings is not closed in 15 minutes (SYN-6)")
  func pongsOnly() {
    let visit = Visit()
    defer { visit.end() }
    visit.answersPings = true
    visit.signIn()
    visit.wait(.seconds(900))
    #expect(!visit.isClosed && visit.violation == nil)
    #expect(visit.call("inbox.read", in: "me", ["all": true]) != nil)
  }

  @Test("due work on a full disk is retried at intervals instead of in a busy loop")
  func dueOnFullDisk() throws {
    let visit = Visit()
    defer { visit.end() }
    visit.signIn()
    let room = try visit.makeHousehold()
    let note: JSON = ["text": "soon over", "expiresAt": visit.moment(in: .seconds(120))]
    visit.wait(.seconds(5))
    try #require(visit.call("notes.add", in: room, note) != nil)
    visit.isDiskFull = true
    visit.wait(.seconds(150))
    let before = visit.eventCount
    visit.wait(.seconds(20))
    #expect((20...1000).contains(visit.eventCount - before))
    #expect(visit.violation == nil)
  }

  @Test("a corner that ends while an item moves there commits nothing after its end")
  func endingCorner() throws {
    let visit = Visit()
    defer { visit.end() }
    visit.signIn()
    // The corner answers a household that has just been erased, while its own end is being committed.
    for round in 0..<200 {
      let room = try visit.makeHousehold()
      let item = try #require(visit.call("groceries.add", in: room, ["name": "Tea", "personal": true])?["id"])
      visit.begin("groceries.hide", in: room, ["id": item])
      visit.wait(.milliseconds(round % 20))
      #expect(visit.call("members.leave", in: room) != nil)
      try #require(visit.violation == nil, "household \(round)")
    }
  }

  @Test("SYN-9, R-007: a client that resumes behind a queue of its own changes gets a patch")
  func resumesBehindQueue() throws {
    let visit = Visit()
    defer { visit.end() }
    visit.signIn()
    let home = try visit.makeHousehold()
    let room = JSON.string(home)
    for _ in 0..<3 {
      let first = try #require(visit.call("room.subscribe", ["room": room], within: .seconds(4)))
      let from: JSON = ["room": room, "epoch": first["epoch"] ?? .null, "version": first["version"] ?? .null]
      for number in 1...40 {
        let note = JSON.string(String(repeating: "n", count: 400))
        visit.begin("groceries.add", in: home, ["name": .string("Item \(number)"), "note": note])
      }
      let answer = try #require(visit.call("room.subscribe", from, within: .seconds(4)))
      #expect(answer["patch"] != nil && answer["from"] == first["version"], "\(answer["reason"]?.string ?? "")")
    }
    #expect(visit.violation == nil)
  }

  @Test("SYN-6: a client that was full at its heartbeat receives its tick as soon as it reads again")
  func tickAfterFull() throws {
    let visit = Visit()
    defer { visit.end() }
    visit.signIn()
    // Rooms of the connection's own loop and, if there are others, of theirs: each loop ticks by itself.
    for _ in 1...6 {
      try #require(visit.call("room.subscribe", ["room": .string(visit.makeHousehold())]) != nil)
    }
    /// The ticks until just behind the next heartbeat; the one after it is 25 s away.
    func ticks() -> Int {
      let before = visit.tickCount
      while visit.tickCount == before { visit.wait(.seconds(1)) }
      visit.wait(.seconds(2))
      return visit.tickCount - before
    }
    _ = ticks()
    let count = ticks()
    visit.isDeaf = true
    visit.say(Array(#"{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}"#.utf8))
    visit.wait(.seconds(1))
    try #require(visit.unsentByteCount > 2_000)
    visit.wait(.seconds(28))
    let before = visit.tickCount
    visit.isDeaf = false
    visit.wait(.seconds(5))
    #expect(visit.tickCount == before + count && visit.violation == nil)
  }

  @Test("HH-17: coming is shown at once, and going a minute later, with the minute in which the person left")
  func comesAtOnce() throws {
    let visit = Visit()
    defer { visit.end() }
    visit.signIn()
    let room: JSON = ["room": .string(try visit.makeHousehold())]
    /// The person's own presence, as it was before this subscription.
    func presence() throws -> JSON {
      let answer = try #require(visit.call("room.subscribe", room))
      return try #require(answer["live"]?["presence"]?.object?.values.first)
    }
    _ = visit.call("room.subscribe", room)
    #expect(try presence()["online"] == true)
    let leftAt = try #require(visit.moment(in: .zero).string)
    try #require(visit.call("room.unsubscribe", room) != nil)
    // Longer than a minute, and shorter than it takes to lose a connection that answers no ping.
    visit.answersPings = true
    visit.wait(.seconds(130))
    let gone = try presence()
    #expect(gone["online"] == nil)
    // Both to the minute.
    #expect(gone["lastSeen"]?.string?.prefix(16) == leftAt.prefix(16))
    #expect(try presence()["online"] == true)
    #expect(visit.violation == nil)
  }

  @Test("operations are drawn from every method of the server")
  func methods() throws {
    let operations = try Self.operations()
    #expect(operations.names.contains("notes.add") && operations.names.contains("shares.start"))
    #expect(operations.names.count > 25)
  }
}
