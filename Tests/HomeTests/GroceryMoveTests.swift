import JSON
import Rooms
import TestSupport
import Testing

@testable import Home

@Suite("Showing and hiding items, and being offline")
struct GroceryMoveTests {
  let id = ID<Household>(high: 0xB000, low: 1)
  let world = World()

  func item(_ low: UInt64) -> ID<Grocery> { ID(high: 0xD000, low: low) }

  @discardableResult
  func call(_ person: ID<Person>, _ verb: String, _ parameters: JSON, corner: Bool = false) throws -> JSON {
    try world.call(
      person, "groceries.\(verb)", in: corner ? .corner(id, person) : .household(id), parameters)
  }

  @Test("GRO-1: showing or hiding an item moves it with all its fields, under a new id")
  func move() throws {
    let people = try world.household(of: "Ana", "Ben")
    try call(
      people[0], "add", ["id": .id(item(1)), "name": "Tea", "quantity": 2, "unit": "bag", "note": "green"],
      corner: true)
    try call(people[0], "check", ["id": .id(item(1)), "checked": true], corner: true)
    let at = world.now
    world.advance(.seconds(5))
    let answer = try call(people[0], "show", ["id": .id(item(1)), "newId": .id(item(2))], corner: true)
    #expect(answer["id"] == .id(item(2)))
    #expect(try world.corner(id, people[0]).list.groceries.isEmpty && world.corner(id, people[0]).list.moving.isEmpty)
    let shown = try #require(try world.home().list.groceries[item(2)])
    #expect(shown.owner == people[0] && shown.was == item(1) && shown.name == "Tea" && shown.unit == "bag")
    #expect(shown.sources.keys.map(\.self) == [item(2)] && shown.sources[item(2)]?.note == "green")
    #expect(shown.checkedBy == people[0] && shown.checkedAt == at && shown.quantity == Quantity(thousandths: 2000))
    #expect(try world.home().groceries.catalogue["tea"] != nil)
    let hidden = try call(people[0], "hide", ["id": .id(item(2))])
    let own = try #require(try world.corner(id, people[0]).list.groceries.first { _ in true })
    #expect(.id(own.key) == hidden["id"] && own.value.owner == nil && own.value.was == item(2))
    #expect(try world.home().list.groceries.isEmpty && world.home().list.moving.isEmpty)
    // Ids of before are used up.
    #expect(reason { try call(people[0], "check", ["id": .id(item(2)), "checked": false]) } == "notFound/gone")
    #expect(reason { try call(people[0], "show", ["id": .id(item(1))], corner: true) } == "notFound/gone")
    #expect(reason { try call(people[0], "add", ["id": .id(item(2)), "name": "x"]) } == "conflict/exists")
  }

  @Test("GRO-1: a member who left and rejoined can show items, however many they had shown before")
  func comeBack() throws {
    let people = try world.household(of: "Ana", "Ben")
    for life: UInt64 in 1...3 {
      for low in 1...life {
        let id = item(life * 10 + low)
        try call(people[1], "add", ["id": .id(id), "name": "Tea"], corner: true)
        try call(people[1], "show", ["id": .id(id), "newId": .id(item(life * 10 + low + 100))], corner: true)
      }
      #expect(try world.corner(self.id, people[1]).list.moving.isEmpty)
      #expect(try world.home().list.groceries.keys.filter { $0.low > 100 }.count == life)
      try world.call(people[1], "members.leave", in: .household(id))
      try world.join([people[1]], id)
    }
  }

  @Test("GRO-1: only the owner hides an item, and an item that the other room refuses stays and can be edited")
  func refused() throws {
    let people = try world.household(of: "Ana", "Ben")
    try call(people[0], "add", ["id": .id(item(1)), "name": "Tea", "personal": true])
    try call(people[0], "add", ["id": .id(item(2)), "name": "Milk"])
    for low: UInt64 in 1...2 {
      #expect(reason { try call(people[1], "hide", ["id": .id(item(low))]) } == "forbidden/forbidden")
    }
    #expect(reason { try call(people[0], "hide", ["id": .id(item(2))]) } == "forbidden/forbidden")
    try call(people[0], "add", ["id": .id(item(3)), "name": "Cake"], corner: true)
    // An id that is taken in the other room.
    #expect(reason { try call(people[0], "hide", ["id": .id(item(1)), "newId": .id(item(3))]) } == "conflict/exists")
    #expect(
      reason { try call(people[0], "show", ["id": .id(item(3)), "newId": .id(item(1))], corner: true) }
        == "conflict/exists")
    try call(people[0], "edit", ["id": .id(item(3)), "name": "Birthday cake"], corner: true)
    try call(people[0], "edit", ["id": .id(item(1)), "name": "Black tea"])
    world.checksStates = false
    for number in 3...500 { try call(people[0], "add", ["name": .string("Item \(number)")]) }
    #expect(reason { try call(people[0], "show", ["id": .id(item(3))], corner: true) } == "tooLarge/groceries")
    try call(people[0], "remove", ["id": .id(item(2))])
    try call(people[0], "show", ["id": .id(item(3))], corner: true)
    #expect(try world.home().list.groceries.count == 500 && world.corner(id, people[0]).list.groceries.isEmpty)
  }

  @Test("GRO-1: an item cannot be changed or moved again while it is being moved")
  func meanwhile() throws {
    let people = try world.household(of: "Ana", "Ben")
    try call(people[0], "add", ["id": .id(item(1)), "name": "Tea", "personal": true])
    world.deliversAtOnce = false
    try call(people[0], "hide", ["id": .id(item(1))])
    for (verb, parameters) in [
      ("hide", ["id": .id(item(1))]), ("check", ["id": .id(item(1)), "checked": true]),
      ("remove", ["id": .id(item(1))]), ("edit", ["id": .id(item(1)), "name": "x"]),
    ] as [(String, JSON)] {
      let found = refusal { try call(people[0], verb, parameters) }
      #expect(found?.reason == "moving" && found?.isTemporary == true, "\(verb)")
    }
    world.deliverAll()
    #expect(try world.home().list.groceries.isEmpty && world.corner(id, people[0]).list.groceries.count == 1)
  }

  @Test("GRO-1, HH-9: a member who leaves while an item is being moved gets an error, and the item is deleted")
  func leaving() throws {
    for (number, isShowing) in [true, false].enumerated() {
      let house = ID<Household>(high: 0xB000, low: UInt64(number + 1))
      let people = try world.household(of: "Ana", "Ben", id: house)
      let room: RoomID = isShowing ? .corner(house, people[1]) : .household(house)
      let parameters: JSON = isShowing ? ["name": "Tea"] : ["name": "Tea", "personal": true]
      let tea = try world.call(people[1], "groceries.add", in: room, parameters)["id"] ?? .null
      world.deliversAtOnce = false
      let key = world.nextCall(of: people[1])
      #expect(try world.send(key, isShowing ? "groceries.show" : "groceries.hide", in: room, ["id": tea]) == nil)
      try world.call(people[1], "members.leave", in: .household(house))
      world.deliverAll()
      world.deliversAtOnce = true
      #expect(world.answers[key]?["error"] != nil)
      #expect(try world.home(house).list.groceries.isEmpty && world.home(house).list.moving.isEmpty)
      #expect(world.rooms[.corner(house, people[1])] == nil)
    }
  }

  @Test("GRO-1: an item that is shown and hidden in any order of messages has one copy in the end", arguments: 1...6)
  func once(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let people = try world.household(of: "Ana", "Ben")
    let names = (1...6).map { "Item \($0)" }
    for name in names { try call(people[0], "add", ["name": .string(name)], corner: true) }
    world.deliversAtOnce = false
    func copies(_ name: String) throws -> Int {
      let home = try world.home().list.groceries.values.count { $0.name == name }
      return try home + world.corner(id, people[0]).list.groceries.values.count { $0.name == name }
    }
    for _ in 0..<300 {
      if Bool.random(using: &random), !world.mail.isEmpty {
        world.deliver(Int.random(in: 0..<world.mail.count, using: &random))
      } else {
        let isShowing = Bool.random(using: &random)
        let known =
          isShowing ? try world.corner(id, people[0]).list.groceries.keys : try world.home().list.groceries.keys
        let item: JSON = known.sorted().randomElement(using: &random).map { .id($0) } ?? .id(item(99))
        _ = reason { try call(people[0], isShowing ? "show" : "hide", ["id": item], corner: isShowing) }
      }
      for name in names { #expect(try (1...2).contains(copies(name)), "seed \(seed)") }
    }
    world.deliverAll()
    for name in names { #expect(try copies(name) == 1, "seed \(seed): \(name)") }
    #expect(try world.home().list.moving.isEmpty && world.corner(id, people[0]).list.moving.isEmpty)
  }

  // MARK: offline in the shop

  @Test("GRO-16: calls that are repeated, late and in any order never bring a removed item back", arguments: 1...8)
  func replay(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let people = try world.household(of: "Ana", "Ben")
    for low: UInt64 in 1...4 { try call(people[0], "add", ["id": .id(item(low)), "name": .string("Item \(low)")]) }
    // The queues of two offline phones; each part is sent up to three times.
    var queue: [(person: ID<Person>, verb: String, parameters: JSON)] = []
    for low: UInt64 in 1...4 {
      for person in people {
        queue.append((person, "check", ["id": .id(item(low)), "checked": true]))
        queue.append((person, "check", ["id": .id(item(low)), "checked": false]))
        queue.append((person, "edit", ["id": .id(item(low)), "note": "the big one"]))
        queue.append((person, "add", ["id": .id(item(low)), "name": .string("Item \(low)")]))
        if low > 2 { queue.append((person, "remove", ["id": .id(item(low))])) }
      }
    }
    var removed: Set<ID<Grocery>> = []
    for (person, verb, parameters) in (queue + queue + queue).shuffled(using: &random) {
      let target = parameters["id"]?.string.flatMap { ID<Grocery>($0) } ?? ID()
      let before = try world.home().list.groceries[target]
      let found = reason { try call(person, verb, parameters) }
      if verb == "add" {
        #expect(found == "conflict/exists", "seed \(seed)")
      } else if removed.contains(target) {
        #expect(found == "notFound/gone", "seed \(seed)")
      } else {
        #expect(found == nil, "seed \(seed)")
      }
      let after = try world.home().list.groceries[target]
      if found != nil { #expect(after == before, "seed \(seed): a refused \(verb) changes nothing") }
      if verb == "edit", found == nil {
        #expect(after?.checkedAt == before?.checkedAt && after?.checkedBy == before?.checkedBy, "the check stands")
      }
      if verb == "check", let before, let after {
        #expect(after.sources == before.sources && after.editedAt == before.editedAt, "the edit stands")
      }
      if verb == "remove" { removed.insert(target) }
      #expect(try removed.isDisjoint(with: world.home().list.groceries.keys), "seed \(seed): nothing comes back")
    }
    #expect(try Set(world.home().list.groceries.keys) == [item(1), item(2)])
  }

  @Test("GRO-16: an item that is added again is a new line, since nothing is merged into a checked line")
  func again() throws {
    let ana = try world.household(of: "Ana")[0]
    try call(ana, "add", ["id": .id(item(1)), "name": "Milk"])
    try call(ana, "check", ["id": .id(item(1)), "checked": true])
    #expect(try call(ana, "add", ["id": .id(item(2)), "name": "milk"])["line"] == nil)
    try call(ana, "remove", ["id": .id(item(1))])
    // A phone that was away marks the first one.
    #expect(reason { try call(ana, "check", ["id": .id(item(1)), "checked": false]) } == "notFound/gone")
    let left = try world.home().list.groceries
    #expect(left.keys.map(\.self) == [item(2)] && left[item(2)]?.checkedAt == nil)
  }
}
