import JSON
import Rooms
import TestSupport
import Testing

@testable import Home

@Suite("Bringing items back, and many quick checks")
struct GroceryRestoreTests {
  let id = ID<Household>(high: 0xB000, low: 1)
  let world = World()

  func item(_ low: UInt64) -> ID<Grocery> { ID(high: 0xD000, low: low) }

  @discardableResult
  func call(_ person: ID<Person>, _ verb: String, _ parameters: JSON, corner: Bool = false) throws -> JSON {
    try world.call(person, "groceries.\(verb)", in: corner ? .corner(id, person) : .household(id), parameters)
  }

  func line(_ low: UInt64) throws -> Grocery { try #require(try world.home().list.groceries[item(low)]) }

  @Test("R-DEL: a removed line comes back under a new id with all of its additions, their notes and their owners")
  func whole() throws {
    let people = try world.household(of: "Ana", "Ben", "Cem")
    let eggs: JSON = ["id": .id(item(1)), "name": "Eggs", "quantity": 6, "note": "brown", "category": "farm"]
    try call(people[0], "add", eggs)
    let at = world.now
    world.advance(.seconds(60))
    try call(people[1], "add", ["id": .id(item(2)), "name": "eggs", "quantity": 4, "note": "large"])
    try call(people[2], "check", ["id": .id(item(1)), "checked": true])
    try call(people[2], "remove", ["id": .id(item(1)), "sources": [.id(item(1)), .id(item(2))]])
    #expect(try world.home().list.groceries.isEmpty && world.home().groceries.aggregate.isEmpty)
    let answer = try call(people[1], "restore", ["id": .id(item(1)), "newId": .id(item(3))])
    #expect(answer["id"] == .id(item(3)) && answer["line"] == nil)
    let back = try line(3)
    #expect(back.name == "Eggs" && back.quantity?.text == "10" && back.was == item(1) && back.category == "farm")
    #expect(back.checkedBy == people[2] && back.sources.count == 2)
    let first = try #require(back.sources.values.first { $0.by == people[0] })
    #expect(first.at == at && first.note == "brown" && first.quantity?.text == "6")
    #expect(back.sources.values.contains { $0.by == people[1] && $0.note == "large" })
    #expect(reason { try call(people[1], "restore", ["id": .id(item(1))]) } == "notFound/gone")
    #expect(reason { try call(people[1], "add", ["id": .id(item(1)), "name": "Eggs"]) } == "conflict/exists")
    let other = try #require(back.sources.keys.first { $0 != item(3) })
    try call(people[0], "edit", ["id": .id(other), "note": "small"])
    #expect(try line(3).sources[other]?.note == "small")
  }

  @Test("R-DEL, R-MERGE: a removed addition comes back into its line, or to what is wanted by then")
  func part() throws {
    let people = try world.household(of: "Ana", "Ben")
    for low: UInt64 in 1...3 { try call(people[0], "add", ["id": .id(item(low)), "name": "Milk"]) }
    try call(people[1], "remove", ["id": .id(item(2))])
    world.advance(.seconds(1))
    try call(people[1], "remove", ["id": .id(item(1)), "sources": [.id(item(3)), .id(item(1))]])
    // Without `sources` the newest removal comes back, and with them the additions that they name.
    try call(people[0], "add", ["id": .id(item(4)), "name": "milk", "quantity": 5])
    let one = try call(people[0], "restore", ["id": .id(item(1)), "sources": [.id(item(3))], "newId": .id(item(5))])
    #expect(one["line"] == .id(item(4)))
    #expect(try line(4).quantity?.text == "6" && line(4).sources[item(5)]?.by == people[0])
    try call(people[0], "restore", ["id": .id(item(1)), "newId": .id(item(6))])
    try call(people[0], "restore", ["id": .id(item(2)), "newId": .id(item(7))])
    #expect(try line(4).quantity?.text == "8" && Set(line(4).sources.keys) == Set([4, 5, 6, 7].map(item)))
    #expect(try world.home().list.groceries.count == 1 && world.home().list.removed.isEmpty)
    // Nothing merges into a checked line.
    try call(people[0], "remove", ["id": .id(item(7))])
    try call(people[0], "check", ["id": .id(item(4)), "checked": true])
    #expect(try call(people[0], "restore", ["id": .id(item(7)), "newId": .id(item(8))])["line"] == nil)
    #expect(try line(8).checkedAt == nil && AggregateTests.isAggregated(world.home()))
  }

  @Test("R-DEL: an item can be brought back for ten minutes, by whom it concerns, under an id of its own")
  func limits() throws {
    let people = try world.household(of: "Ana", "Ben")
    try call(people[1], "add", ["id": .id(item(1)), "name": "Tea", "personal": true, "note": "green"])
    try call(people[1], "remove", ["id": .id(item(1))])
    #expect(reason { try call(people[0], "restore", ["id": .id(item(1))]) } == "forbidden/forbidden")
    let taken: JSON = ["id": .id(item(1)), "newId": .id(item(1))]
    #expect(reason { try call(people[1], "restore", taken) } == "conflict/exists")
    #expect(reason { try call(people[1], "restore", ["id": .id(item(2))]) } == "notFound/gone")
    world.advance(Limits.undo - .milliseconds(1))
    try call(people[1], "restore", ["id": .id(item(1)), "newId": .id(item(2))])
    #expect(try line(2).owner == people[1] && line(2).sources[item(2)]?.note == "green")
    try call(people[1], "remove", ["id": .id(item(2))])
    world.advance(Limits.undo)
    #expect(reason { try call(people[1], "restore", ["id": .id(item(2))]) } == "notFound/gone")
    #expect(try world.home().list.removed.isEmpty)
    // Nor is there more time if the server is late to notice.
    try call(people[1], "add", ["id": .id(item(5)), "name": "Tea"])
    try call(people[1], "remove", ["id": .id(item(5))])
    world.now = world.now + Limits.undo
    #expect(reason { try call(people[1], "restore", ["id": .id(item(5))]) } == "notFound/gone")
    world.advance(.milliseconds(1))
    // An item that has moved away was not removed, and with its owner it goes for good.
    try call(people[1], "add", ["id": .id(item(3)), "name": "Tea", "personal": true])
    try call(people[1], "hide", ["id": .id(item(3))])
    #expect(reason { try call(people[1], "restore", ["id": .id(item(3))]) } == "notFound/gone")
    try call(people[1], "add", ["id": .id(item(4)), "name": "Tea", "personal": true])
    try call(people[1], "remove", ["id": .id(item(4))])
    try world.call(people[1], "members.leave", in: .household(id))
    #expect(try world.home().list.removed.isEmpty)
  }

  @Test("R-DEL: what was removed from one's own list comes back there, and only there")
  func corner() throws {
    let ana = try world.household(of: "Ana")[0]
    try call(ana, "add", ["id": .id(item(1)), "name": "Ring", "note": "gold", "category": "Gifts"], corner: true)
    try call(ana, "add", ["id": .id(item(2)), "name": "Ring"], corner: true)
    try call(ana, "remove", ["id": .id(item(1))], corner: true)
    #expect(reason { try call(ana, "restore", ["id": .id(item(1))]) } == "notFound/gone")
    let answer = try call(ana, "restore", ["id": .id(item(1)), "newId": .id(item(3))], corner: true)
    let back = try #require(try world.corner(id, ana).list.groceries[item(3)])
    #expect(answer["line"] == nil && back.sources[item(3)]?.note == "gold" && back.category == "gifts")
    try call(ana, "remove", ["id": .id(item(3))], corner: true)
    world.advance(Limits.undo)
    #expect(try world.corner(id, ana).list.removed.isEmpty && world.isRestorable(.corner(id, ana)))
  }

  @Test("R-DEL: an item whose list is gone comes back on the main list, and a full list takes none")
  func gone() throws {
    let ana = try world.household(of: "Ana")[0]
    world.checksStates = false
    let list = try world.call(ana, "lists.create", in: .household(id), ["name": "Market"])["id"] ?? .null
    try call(ana, "add", ["id": .id(item(1)), "name": "Tea", "list": list])
    try call(ana, "remove", ["id": .id(item(1))])
    try world.call(ana, "lists.remove", in: .household(id), ["id": list])
    for number in 1...Limits.groceries { try call(ana, "add", ["name": .string("Item \(number)")]) }
    #expect(reason { try call(ana, "restore", ["id": .id(item(1))]) } == "tooLarge/groceries")
    let last = try #require(try world.home().list.groceries.keys.first)
    try call(ana, "remove", ["id": .id(last)])
    try call(ana, "restore", ["id": .id(item(1)), "newId": .id(item(2))])
    #expect(try line(2).list == nil && line(2).was == item(1))
  }

  @Test("R-DEL: of many removed additions the newest can be brought back")
  func many() throws {
    let ana = try world.household(of: "Ana")[0]
    world.checksStates = false
    for low in 1...UInt64(Limits.groceries) + 1 {
      try call(ana, "add", ["id": .id(item(low)), "name": "Tea"])
      try call(ana, "remove", ["id": .id(item(low))])
      world.advance(.milliseconds(1))
    }
    #expect(try world.home().list.removed.count == Limits.groceries)
    #expect(reason { try call(ana, "restore", ["id": .id(item(1))]) } == "notFound/gone")
    try call(ana, "restore", ["id": .id(item(2))])
  }

  @Test(
    "R-017, GRO-8: checks that are cut off and sent again take effect once, whatever others do in between",
    arguments: 0...30)
  func cutOff(whole: Int) throws {
    let people = try world.household(of: "Ana", "Bo")
    let room = try #require(world.rooms[.household(id)])
    for low: UInt64 in 1...30 { try call(people[1], "add", ["id": .id(item(low)), "name": .string("Thing \(low)")]) }
    let checks = (UInt64(1)...30).map { (key: world.nextCall(of: people[0]), item: $0) }
    // As the server does: a call whose answer the room remembers does not run again.
    func send(_ check: (key: CallKey, item: UInt64)) throws {
      guard room.find(check.key, hash: check.item) == .new else { return }
      room.remember(check.key, hash: check.item, at: world.now, answer: .given([]), answered: 0)
      _ = try world.send(
        check.key, "groceries.check", in: .household(id), ["id": .id(item(check.item)), "checked": true])
    }
    for check in checks.prefix(whole) { try send(check) }
    let unchecked = Array(checks.prefix(min(whole, 3)).map(\.item))
    for low in unchecked { try call(people[1], "check", ["id": .id(item(low)), "checked": false]) }
    for low: UInt64 in 29...30 { try call(people[1], "edit", ["id": .id(item(low)), "name": .string("New \(low)")]) }
    for check in checks { try send(check) }
    for low: UInt64 in 1...30 {
      let line = try line(low)
      #expect(line.checkedBy == (unchecked.contains(low) ? nil : people[0]), "\(low)")
      #expect(line.name == (low > 28 ? "New \(low)" : "Thing \(low)"))
    }
  }

  @Test("GRO-8: two shoppers see each other's checks, and what both check is the first one's")
  func together() throws {
    let people = try world.household(of: "Ana", "Bo")
    for low: UInt64 in 1...4 { try call(people[0], "add", ["id": .id(item(low)), "name": .string("Thing \(low)")]) }
    for (person, low) in [(people[0], 1), (people[1], 2), (people[1], 1), (people[0], 2), (people[0], 3)] {
      try call(person, "check", ["id": .id(item(UInt64(low))), "checked": true])
    }
    // Every client has this by its patches.
    let shown = try #require(world.folded[.household(id)]?["groceries"])
    let checked = (1...4).map { shown[item($0).description]?["checkedBy"] }
    #expect(checked == [.id(people[0]), .id(people[1]), .id(people[0]), nil])
  }
}
