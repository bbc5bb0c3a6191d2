import JSON
import Rooms
import Testing

@testable import Home

@Suite("Groceries")
struct GroceryTests {
  let id = ID<Household>(high: 0xB000, low: 1)
  let world = World()

  func item(_ low: UInt64) -> ID<Grocery> { ID(high: 0xD000, low: low) }

  @discardableResult
  func call(_ person: ID<Person>, _ verb: String, _ parameters: JSON, corner: Bool = false) throws -> JSON {
    let room: RoomID = corner ? .corner(id, person) : .household(id)
    return try world.call(person, "groceries.\(verb)", in: room, parameters)
  }

  func line(_ low: UInt64) throws -> Grocery { try #require(try world.home().list.groceries[item(low)]) }

  @Test("GRO-1: a personal item is in its owner's corner, or in the household with its owner's id")
  func personal() throws {
    let people = try world.household(of: "Ana", "Ben")
    try call(people[0], "add", ["name": "Tea", "note": "the green one", "quantity": 2], corner: true)
    let own = try #require(try world.corner(id, people[0]).list.groceries.values.first)
    #expect(own.name == "Tea" && own.owner == nil)
    #expect(own.sources.values.first?.note == "the green one")
    #expect(try world.home().list.groceries.isEmpty)
    #expect(try world.corner(id, people[1]).list.groceries.isEmpty)
    try call(people[0], "add", ["id": .id(item(1)), "name": "Tea", "personal": true])
    #expect(try line(1).owner == people[0])
  }

  @Test("GRO-2: only its owner edits and removes a personal item, and any member checks it")
  func owner() throws {
    let people = try world.household(of: "Ana", "Ben")
    try call(people[1], "add", ["id": .id(item(1)), "name": "Tea", "personal": true])
    #expect(reason { try call(people[0], "edit", ["id": .id(item(1)), "name": "Coffee"]) } == "forbidden/forbidden")
    #expect(reason { try call(people[0], "remove", ["id": .id(item(1))]) } == "forbidden/forbidden")
    try call(people[0], "check", ["id": .id(item(1)), "checked": true])
    try call(people[1], "edit", ["id": .id(item(1)), "name": "Coffee", "note": "beans"])
    #expect(try line(1).name == "Coffee")
    try call(people[1], "remove", ["id": .id(item(1))])
    #expect(try world.home().list.groceries.isEmpty)
    for (verb, more) in [("remove", [:]), ("edit", ["name": "x"]), ("check", ["checked": true])]
      as [(String, [String: JSON])]
    {
      let parameters = more.merging(["id": .id(item(1))]) { $1 }
      #expect(reason { try call(people[1], verb, .object(parameters)) } == "notFound/gone", "\(verb)")
    }
    #expect(reason { try call(people[1], "add", ["id": .id(item(1)), "name": "Tea"]) } == "conflict/exists")
  }

  @Test(
    "R-MERGE: a line that is unchecked or renamed merges into the open line of the same thing",
    arguments: ["check", "name", "unit"])
  func becomesTheSame(by change: String) throws {
    let people = try world.household(of: "Ana", "Ben")
    let isUnit = change == "unit"
    let first: JSON = ["id": .id(item(1)), "name": change == "name" ? "Melk" : "Milk", "note": "Ana's"]
    try call(people[0], "add", first)
    if change == "check" { try call(people[0], "check", ["id": .id(item(1)), "checked": true]) }
    try call(people[1], "add", ["id": .id(item(2)), "name": "milk", "quantity": 2, "unit": isUnit ? "l" : .null])
    #expect(try world.home().list.groceries.count == 2)
    switch change {
    case "check": try call(people[0], "check", ["id": .id(item(1)), "checked": false])
    case "name": try call(people[0], "edit", ["id": .id(item(1)), "name": " MILK "])
    default: try call(people[0], "edit", ["id": .id(item(1)), "quantity": 500, "unit": "ml"])
    }
    let line = try line(2)
    #expect(try world.home().list.groceries.count == 1 && line.sources.count == 2 && line.editedBy == people[0])
    #expect(line.quantity == Quantity(thousandths: isUnit ? 2_500_000 : 3000) && line.unit == (isUnit ? "ml" : nil))
    #expect(line.sources[item(1)]?.by == people[0] && line.sources[item(1)]?.note == "Ana's")
    // The old id names the addition.
    try call(people[0], "remove", ["id": .id(item(1))])
    #expect(try self.line(2).sources.keys.first == item(2) && self.line(2).sources.count == 1)
  }

  @Test("R-MERGE: lines that become the same stay two if they do not fit into one")
  func doNotFit() throws {
    let ana = try world.household(of: "Ana")[0]
    for number in UInt64(1)...64 { try call(ana, "add", ["id": .id(item(number)), "name": "Milk"]) }
    try call(ana, "add", ["id": .id(item(100)), "name": "Melk"])
    try call(ana, "edit", ["id": .id(item(100)), "name": "Milk"])
    #expect(try world.home().list.groceries.count == 2 && line(100).key == line(1).key)
  }

  @Test("GRO-2: items of a corner are edited, checked and removed there, and their ids are never reused")
  func corner() throws {
    let ana = try world.household(of: "Ana")[0]
    try call(ana, "add", ["id": .id(item(1)), "name": "Tea"], corner: true)
    #expect(reason { try call(ana, "add", ["id": .id(item(1)), "name": "Tea"], corner: true) } == "conflict/exists")
    try call(ana, "edit", ["id": .id(item(1)), "quantity": 0.5, "unit": "kg"], corner: true)
    try call(ana, "check", ["id": .id(item(1)), "checked": true], corner: true)
    let line = try #require(try world.corner(id, ana).list.groceries[item(1)])
    #expect(line.quantity == Quantity(thousandths: 500) && line.unit == "kg" && line.checkedBy == ana)
    try call(ana, "remove", ["id": .id(item(1))], corner: true)
    #expect(reason { try call(ana, "add", ["id": .id(item(1)), "name": "Tea"], corner: true) } == "conflict/exists")
    world.advance(.seconds(31 * 24 * 3600))
    #expect(try world.corner(id, ana).ids.removed.isEmpty)
  }

  @Test("GRO-3, R-MERGE: equal items merge to one line with both quantities and both notes")
  func merge() throws {
    let people = try world.household(of: "Ana", "Ben")
    try call(people[0], "add", ["id": .id(item(1)), "name": "Oat  Milk", "quantity": 1.5, "unit": "l", "note": "cold"])
    let answer = try call(
      people[1], "add", ["id": .id(item(2)), "name": " oat milk ", "quantity": 500, "unit": "ml", "note": "fresh"])
    #expect(answer["id"] == .id(item(2)))
    #expect(answer["line"] == .id(item(1)))
    let line = try line(1)
    #expect(try world.home().list.groceries.count == 1)
    #expect(line.name == "Oat  Milk" && line.key == "oat milk")
    #expect(line.quantity == Quantity(thousandths: 2_000_000) && line.unit == "ml")
    #expect(line.sources[item(1)]?.note == "cold" && line.sources[item(2)]?.note == "fresh")
    #expect(line.sources[item(2)]?.by == people[1])
  }

  @Test("GRO-3, R-MERGE: an item without a quantity counts as one when it merges")
  func eggs() throws {
    let people = try world.household(of: "Ana", "Ben")
    try call(people[0], "add", ["id": .id(item(1)), "name": "Eggs"])
    #expect(try line(1).quantity == nil)
    try call(people[1], "add", ["id": .id(item(2)), "name": "eggs"])
    #expect(try line(1).quantity == Quantity(thousandths: 2000))
    try call(people[1], "add", ["id": .id(item(3)), "name": "EGGS", "quantity": 10, "unit": "pc"])
    #expect(try line(1).quantity == Quantity(thousandths: 12_000))
    #expect(try line(1).unit == "pc")
  }

  @Test("R-MERGE: names that differ in width, case or spaces are equal")
  func keys() {
    #expect(NameKey.of("  Oat\u{A0}\tMILK ") == "oat milk")
    #expect(NameKey.of("Ｍｉｌｋ") == "milk")
    #expect(NameKey.of("Straße") == NameKey.of("STRASSE"))
    #expect(NameKey.of("Cafe\u{301}") == NameKey.of("CAFÉ"))
    #expect(NameKey.of("ﬁsh") == "fish")
    #expect(NameKey.of("milk") != NameKey.of("milk 2"))
  }

  @Test("R-MERGE: lines with units that do not convert, checked lines and personal lines do not merge")
  func apart() throws {
    let people = try world.household(of: "Ana", "Ben")
    for (number, unit) in ["g", "ml", "pc", "bottle", "box"].enumerated() {
      let parameters: JSON = [
        "id": .id(item(UInt64(number + 1))), "name": "Milk", "quantity": 1, "unit": .string(unit),
      ]
      #expect(try call(people[0], "add", parameters)["line"] == nil)
    }
    #expect(try call(people[1], "add", ["name": "Milk", "quantity": 2, "unit": "Bottle"])["line"] == .id(item(4)))
    #expect(try line(4).quantity == Quantity(thousandths: 3000))
    #expect(try call(people[0], "add", ["name": "milk", "personal": true])["line"] == nil)
    try call(people[0], "check", ["id": .id(item(3)), "checked": true])
    #expect(try call(people[0], "add", ["id": .id(item(9)), "name": "milk"])["line"] == nil)
    #expect(try call(people[0], "add", ["name": "milk"])["line"] == .id(item(9)))
  }

  @Test("R-MERGE: removing an addition subtracts its quantity, and removing the last one removes the line")
  func subtract() throws {
    let people = try world.household(of: "Ana", "Ben")
    try call(people[0], "add", ["id": .id(item(1)), "name": "Flour", "quantity": 1, "unit": "kg"])
    try call(people[1], "add", ["id": .id(item(2)), "name": "flour", "quantity": 250, "unit": "g"])
    try call(people[1], "add", ["id": .id(item(3)), "name": "flour", "quantity": 250.125, "unit": "g"])
    #expect(try line(1).quantity?.text == "1500.125")
    try call(people[1], "remove", ["id": .id(item(2))])
    #expect(try line(1).quantity?.text == "1250.125")
    try call(people[0], "remove", ["id": .id(item(1)), "sources": [.id(item(1))]])
    #expect(try line(1).quantity?.text == "250.125")
    #expect(try line(1).unit == "g")
    #expect(reason { try call(people[0], "remove", ["id": .id(item(2))]) } == "notFound/gone")
    #expect(reason { try call(people[0], "add", ["id": .id(item(2)), "name": "Salt"]) } == "conflict/exists")
    try call(people[0], "remove", ["id": .id(item(3))])
    #expect(try world.home().list.groceries.isEmpty)
    #expect(try world.home().list.merged.isEmpty)
    for low: UInt64 in 1...3 {
      #expect(reason { try call(people[0], "add", ["id": .id(item(low)), "name": "Salt"]) } == "conflict/exists")
    }
  }

  @Test("GRO-3: any member edits and removes a communal line or one addition of it")
  func communal() throws {
    let people = try world.household(of: "Ana", "Ben")
    try call(people[0], "add", ["id": .id(item(1)), "name": "Flour", "quantity": 1, "unit": "kg"])
    try call(people[0], "add", ["id": .id(item(2)), "name": "Flour", "quantity": 1, "unit": "kg"])
    #expect(try line(1).unit == "kg")
    let found = refusal { try call(people[1], "edit", ["id": .id(item(1)), "quantity": 3]) }
    #expect(found?.fields.map(\.path) == ["source"])
    try call(people[1], "edit", ["id": .id(item(2)), "quantity": 3, "note": "white"])
    try call(people[1], "edit", ["id": .id(item(1)), "source": .id(item(1)), "quantity": .null])
    #expect(try line(1).quantity == Quantity(thousandths: 4000))
    #expect(try line(1).sources[item(2)]?.note == "white")
    #expect(try line(1).editedBy == people[1])
    let unit = refusal { try call(people[1], "edit", ["id": .id(item(2)), "unit": "l"]) }
    #expect(unit?.fields.map(\.path) == ["unit"])
    let name = refusal { try call(people[1], "edit", ["id": .id(item(2)), "name": .null]) }
    #expect(name?.fields.map(\.path) == ["name"])
    try call(people[1], "edit", ["id": .id(item(1)), "name": "Rye flour"])
    #expect(try line(1).key == "rye flour")
    let all = refusal { try call(people[1], "remove", ["id": .id(item(1))]) }
    #expect(all?.fields.map(\.path) == ["sources"])
    let both = refusal { try call(people[1], "remove", ["id": .id(item(1)), "x": 1]) }
    #expect(both?.fields.map(\.path).sorted() == ["sources", "x"])
    try call(people[1], "remove", ["id": .id(item(1)), "sources": [.id(item(2)), .id(item(1))]])
    #expect(try world.home().list.groceries.isEmpty)
  }

  @Test("GRO-16, R-014: a late removal takes what its sender saw, and never comes back")
  func lateRemoval() throws {
    let people = try world.household(of: "Ana", "Bo")
    try call(people[0], "add", ["id": .id(item(1)), "name": "Milk"])
    try call(people[0], "add", ["id": .id(item(2)), "name": "Eggs"])
    // Ana is offline: she checks and removes the milk, and removes the eggs. Meanwhile Bo is in the shop.
    try call(people[1], "edit", ["id": .id(item(1)), "note": "oat"])
    try call(people[1], "add", ["id": .id(item(3)), "name": "milk", "quantity": 2])
    try call(people[1], "remove", ["id": .id(item(2))])
    for isAgain in [false, true] {
      let gone = isAgain ? "notFound/gone" : nil
      try call(people[0], "check", ["id": .id(item(1)), "checked": true])
      #expect(reason { try call(people[0], "remove", ["id": .id(item(1)), "sources": [.id(item(1))]]) } == gone)
      let eggs = reason { try call(people[0], "remove", ["id": .id(item(2)), "sources": [.id(item(2))]]) }
      #expect(eggs == "notFound/gone")
    }
    let rest = try line(1)
    #expect(Array(rest.sources.keys) == [item(3)] && rest.quantity?.text == "2" && rest.checkedBy == people[0])
    try call(people[1], "remove", ["id": .id(item(1)), "sources": [.id(item(3))]])
    #expect(try world.home().list.groceries.isEmpty)
    // Bo's second device was offline, too.
    for (verb, more) in [("edit", ["note": "late"]), ("check", ["checked": true])] as [(String, [String: JSON])] {
      for item in [item(1), item(2), item(3)] {
        let parameters = more.merging(["id": .id(item)]) { $1 }
        #expect(reason { try call(people[1], verb, .object(parameters)) } == "notFound/gone")
      }
    }
    #expect(reason { try call(people[1], "add", ["id": .id(item(1)), "name": "Milk"]) } == "conflict/exists")
    #expect(try call(people[1], "add", ["name": "Milk"])["line"] == nil)
  }

  @Test("R-016: additions of one thing keep their own notes, and the sum follows each change")
  func provenance() throws {
    let people = try world.household(of: "Ana", "Bo", "Cleo", "Dora")
    try call(people[0], "add", ["id": .id(item(1)), "name": "Eggs", "quantity": 6, "note": "free range"])
    try call(people[1], "add", ["id": .id(item(2)), "name": " eggs", "quantity": 4, "note": "large"])
    try call(people[2], "add", ["id": .id(item(3)), "name": "eggs"])
    try call(people[3], "add", ["id": .id(item(4)), "name": "Eggs", "quantity": 1, "unit": "kg"])
    #expect(try line(1).quantity?.text == "11" && line(4).key == line(1).key)
    try call(people[0], "edit", ["id": .id(item(1)), "source": .id(item(1)), "note": "brown", "quantity": 8])
    #expect(try line(1).quantity?.text == "13")
    try call(people[1], "remove", ["id": .id(item(2))])
    try call(people[2], "edit", ["id": .id(item(1)), "name": "Chicken eggs"])
    let eggs = try line(1)
    #expect(eggs.quantity?.text == "9" && eggs.name == "Chicken eggs")
    #expect(eggs.sources[item(1)]?.note == "brown" && eggs.sources[item(1)]?.by == people[0])
    #expect(eggs.sources[item(3)]?.note == nil && eggs.sources[item(3)]?.by == people[2])
    #expect(eggs.sources.count == 2)
    #expect(try line(4).quantity?.text == "1" && line(4).unit == "kg")
    let sums = try world.home().groceries.aggregate.values.map { "\($0.key) \($0.quantity?.text ?? "")" }
    #expect(sums.sorted() == ["chicken eggs 9", "eggs 1"])
  }

  @Test("GRO-8: a check mark has a person and a time, the first of two is kept, and edits do not remove it")
  func check() throws {
    let people = try world.household(of: "Ana", "Ben")
    try call(people[0], "add", ["id": .id(item(1)), "name": "Tea"])
    try call(people[0], "add", ["id": .id(item(2)), "name": "Tea"])
    // An addition made offline is found by its own id.
    try call(people[0], "check", ["id": .id(item(2)), "checked": true])
    let at = world.now
    world.advance(.seconds(1))
    try call(people[1], "check", ["id": .id(item(1)), "checked": true])
    try call(people[1], "edit", ["id": .id(item(1)), "name": "Green tea"])
    #expect(try line(1).checkedBy == people[0] && line(1).checkedAt == at)
    #expect(try line(1).name == "Green tea")
    try call(people[1], "check", ["id": .id(item(1)), "checked": false])
    #expect(try line(1).checkedBy == nil && line(1).checkedAt == nil)
    #expect(reason { try call(people[1], "check", ["id": .id(item(3)), "checked": true]) } == "notFound/gone")
  }

  @Test("GRO-1: the texts of an item have limited lengths", arguments: [("name", 100), ("note", 500), ("unit", 16)])
  func texts(field: String, limit: Int) throws {
    let ana = try world.household(of: "Ana")[0]
    for (count, isAllowed) in [(0, false), (1, true), (limit, true), (limit + 1, false)] {
      var parameters: [String: JSON] = ["name": "Tea"]
      parameters[field] = .string(String(repeating: "a", count: count))
      for corner in [false, true] {
        let found = refusal { try call(ana, "add", .object(parameters), corner: corner) }
        #expect(found?.fields.map(\.path) == (isAllowed ? nil : [field]), "\(field) \(count)")
      }
    }
  }

  @Test("GRO-3: a quantity is kept exactly, to the thousandth")
  func quantities() throws {
    let ana = try world.household(of: "Ana")[0]
    for (text, written) in [
      ("0.001", "0.001"), ("1", "1"), ("1.50", "1.5"), ("0.1", "0.1"), ("12.034", "12.034"),
      ("999999999.999", "999999999.999"),
    ] {
      let number = JSON.number(try #require(JSON.Number(text: text)))
      try call(ana, "add", ["id": .id(item(1)), "name": "x", "quantity": number, "personal": true], corner: false)
      let state = world.state(of: try #require(world.rooms[.household(id)]))
      let kept = state["groceries"]?[item(1).description]?["quantity"]
      #expect(kept == .number(try #require(JSON.Number(text: written))))
      try call(ana, "edit", ["id": .id(item(1)), "quantity": .null])
      try call(ana, "remove", ["id": .id(item(1))])
      world.advance(.seconds(32 * 24 * 3600))
    }
    for text in ["0", "0.000", "-1", "0.0001", "1000000000", "999999999.9999", "1e3", "1E0"] {
      let number = JSON.number(try #require(JSON.Number(text: text)))
      let found = refusal { try call(ana, "add", ["name": "x", "quantity": number]) }
      #expect(found?.fields.map(\.path) == ["quantity"], "\(text)")
    }
    for bad: JSON in ["3", []] {
      let found = refusal { try call(ana, "add", ["name": "x", "quantity": bad]) }
      #expect(found?.fields.map(\.path) == ["quantity"], "\(bad.text)")
    }
  }

  @Test("R-MERGE: an item that would exceed the largest quantity is a line of its own")
  func overflow() throws {
    let ana = try world.household(of: "Ana")[0]
    let most = JSON.number(try #require(JSON.Number(text: "999999999.999")))
    try call(ana, "add", ["id": .id(item(1)), "name": "x", "quantity": most, "unit": "kg"])
    #expect(try call(ana, "add", ["id": .id(item(2)), "name": "x", "quantity": 1, "unit": "g"])["line"] == nil)
    #expect(
      try call(ana, "add", ["id": .id(item(3)), "name": "x", "quantity": 1, "unit": "g"])["line"] == .id(item(2)))
    #expect(reason { try call(ana, "edit", ["id": .id(item(3)), "quantity": most]) } == "tooLarge/quantity")
  }
}
