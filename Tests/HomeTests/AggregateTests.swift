import JSON
import Rooms
import TestSupport
import Testing

@testable import Home

@Suite("Aggregate and catalogue")
struct AggregateTests {
  let id = ID<Household>(high: 0xB000, low: 1)
  let world = World()

  @discardableResult
  func call(_ person: ID<Person>, _ verb: String, _ parameters: JSON, corner: Bool = false) throws -> JSON {
    try world.call(
      person, "groceries.\(verb)", in: corner ? .corner(id, person) : .household(id), parameters)
  }

  /// `quantity unit` of each sum of a thing.
  func sums(_ key: String) throws -> [String] {
    try world.home().groceries.aggregate.values.filter { $0.key == key }
      .map { "\($0.quantity?.text ?? "") \($0.unit ?? "")" }.sorted()
  }

  /// Whether the sums equal those computed again from the list.
  static func isAggregated(_ home: HouseholdState) -> Bool {
    struct Kind: Hashable {
      let key: String
      let unitClass: String
    }
    let wanted = home.list.groceries.filter { $0.value.checkedAt == nil }
    let kinds = Dictionary(grouping: wanted) { Kind(key: $0.value.key, unitClass: "\($0.value.unitClass)") }
    let expected = kinds.values.map { lines -> AggregateLine in
      var sum = AggregateLine()
      _ = sum.addUp(Dictionary(lines.map { ($0.key, $0.value) }, uniquingKeysWith: { $1 }))
      return sum
    }
    return expected.count == home.groceries.aggregate.count
      && expected.allSatisfy { home.groceries.aggregate.values.contains($0) }
  }

  @Test("GRO-5: the sums add up the items of all members, including personal ones that are shown")
  func eggs() throws {
    let people = try world.household(of: "Ana", "Ben")
    try call(people[0], "add", ["name": "Eggs", "personal": true])
    #expect(try sums("eggs") == [" "])
    let second = try call(people[1], "add", ["name": "EGGS ", "personal": true])["id"] ?? .null
    #expect(try sums("eggs") == ["2 "])
    try call(people[0], "add", ["name": "eggs", "quantity": 10, "unit": "pc"])
    try call(people[1], "add", ["name": "eggs", "quantity": 6], corner: true)
    #expect(try sums("eggs") == ["12 pc"])
    let row = try #require(try world.home().groceries.aggregate.values.first)
    #expect(row.name == "Eggs" || row.name == "EGGS" || row.name == "eggs")
    #expect(try Set(row.lines) == Set(world.home().list.groceries.keys))
    try call(people[1], "remove", ["id": second])
    #expect(try sums("eggs") == ["11 pc"])
  }

  @Test("GRO-5, R-MERGE: quantities in units that do not convert have separate sums")
  func classes() throws {
    let people = try world.household(of: "Ana", "Ben")
    try call(people[0], "add", ["name": "Milk", "quantity": 1.5, "unit": "l", "personal": true])
    try call(people[1], "add", ["name": "milk", "quantity": 250, "unit": "ml", "personal": true])
    try call(people[1], "add", ["name": "milk", "quantity": 2, "unit": "Bottle"])
    try call(people[0], "add", ["name": "milk", "quantity": 1, "unit": "bottle", "personal": true])
    try call(people[0], "add", ["name": "milk", "quantity": 3])
    #expect(try sums("milk").map { $0.lowercased() } == ["1750 ml", "3 ", "3 bottle"])
  }

  @Test("GRO-5, GRO-8: a checked item does not count in the sums, and counts again when it is unchecked")
  func checked() throws {
    let people = try world.household(of: "Ana", "Ben")
    let tea = try call(people[0], "add", ["name": "Tea", "personal": true])["id"] ?? .null
    try call(people[1], "add", ["name": "tea", "personal": true])
    let before = try Set(world.home().groceries.aggregate.keys)
    try call(people[1], "check", ["id": tea, "checked": true])
    #expect(try sums("tea") == [" "])
    try call(people[1], "check", ["id": tea, "checked": false])
    #expect(try sums("tea") == ["2 "] && Set(world.home().groceries.aggregate.keys) == before)
    try call(people[0], "edit", ["id": tea, "name": "Coffee"])
    #expect(try sums("tea") == [" "] && sums("coffee") == [" "])
  }

  @Test("GRO-5: a sum that would exceed the largest quantity is split into two lines")
  func overflow() throws {
    let people = try world.household(of: "Ana", "Ben")
    let most = JSON.number(try #require(JSON.Number(text: "999999999.999")))
    try call(people[0], "add", ["name": "x", "quantity": most, "unit": "g", "personal": true])
    let small = try call(people[1], "add", ["name": "x", "quantity": 1, "unit": "g", "personal": true])["id"] ?? .null
    #expect(try sums("x") == ["1 g", "999999999.999 g"])
    try call(people[1], "edit", ["id": small, "quantity": 2])
    #expect(try sums("x") == ["2 g", "999999999.999 g"])
  }

  @Test("GRO-5: after any changes, the sums equal those of the lines", arguments: 1...6)
  func random(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let people = try world.household(of: "Ana", "Ben", "Cem")
    for _ in 0..<250 {
      let person = people.randomElement(using: &random) ?? ID()
      let home = try world.home()
      let known = home.list.groceries.keys.sorted().randomElement(using: &random)
      let item: JSON = known.map { .id($0) } ?? .null
      let name: JSON = ["Milk", "milk", "Eggs", "Tea"].randomElement(using: &random) ?? ""
      let unit: JSON = ["l", "ml", "g", "bag", .null].randomElement(using: &random) ?? .null
      let quantity = JSON.number(.init(Int.random(in: 1...9, using: &random)))
      // Some are refused: that changes nothing either.
      _ = reason {
        switch Int.random(in: 0...7, using: &random) {
        case 0, 1:
          let category: JSON = ["dairy", "Own", .null].randomElement(using: &random) ?? .null
          try call(
            person, "add",
            [
              "name": name, "quantity": quantity, "unit": unit, "personal": .bool(seed % 2 == 0), "category": category,
            ])
        case 2: try call(person, "add", ["name": name, "unit": unit, "personal": true])
        case 3: try call(person, "check", ["id": item, "checked": .bool(Bool.random(using: &random))])
        case 4: try call(person, "edit", ["id": item, "quantity": quantity, "unit": unit])
        case 5: try call(person, "edit", ["id": item, "name": name, "category": .null])
        case 6: try call(person, "remove", ["id": item])
        default: try call(person, "hide", ["id": item])
        }
      }
      #expect(Self.isAggregated(try world.home()), "seed \(seed)")
    }
    #expect(try !world.home().groceries.aggregate.isEmpty)
    try world.call(people[1], "members.leave", in: .household(id))
    #expect(Self.isAggregated(try world.home()), "seed \(seed)")
  }

  // MARK: the catalogue

  func suggestions(_ prefix: String) throws -> [String] {
    let member = try #require(world.home().membership.members.keys.first)
    let answer = try world.call(member, "groceries.suggest", in: .household(id), ["prefix": .string(prefix)])
    return answer["items"]?.array?.compactMap { $0["name"]?.string } ?? []
  }

  @Test("GRO-4: suggestions match the start of a word, recent and frequent names first, and hidden items never")
  func suggest() throws {
    let ana = try world.household(of: "Ana")[0]
    for name in ["Oat milk", "Milk", "Minced meat", "Almonds", "milk"] {
      try call(ana, "add", ["name": .string(name)])
    }
    try call(ana, "add", ["name": "Mink oil"], corner: true)
    try call(ana, "add", ["name": "Mince pies", "personal": true])
    #expect(world.state(of: try #require(world.rooms[.household(id)]))["catalogue"] == nil)
    #expect(try suggestions(" MI") == ["milk", "Mince pies", "Minced meat", "Oat milk"])
    #expect(try suggestions("m").count == 4)
    #expect(try suggestions("ilk") == [] && suggestions("mink") == [])
    #expect(try suggestions("oat  m") == ["Oat milk"])
    #expect(try suggestions("").first == "milk")
    // Often long ago gives way to lately.
    world.advance(.seconds(60 * 24 * 3600))
    try call(ana, "add", ["name": "Minced meat"])
    #expect(try suggestions("mi").first == "Minced meat")
  }

  @Test("GRO-4: a member takes a name out of the suggestions, and using it brings it back")
  func forget() throws {
    let people = try world.household(of: "Ana", "Ben")
    for name in ["Milk", "Mlik"] { try call(people[0], "add", ["name": .string(name)]) }
    try call(people[1], "forget", ["name": " MLIK "])
    #expect(try suggestions("m") == ["Milk"])
    #expect(reason { try call(people[1], "forget", ["name": "Mlik"]) } == "notFound/gone")
    #expect(try world.home().list.groceries.count == 2)
    try call(people[1], "add", ["name": "Mlik", "personal": true])
    #expect(Set(try suggestions("m")) == ["Milk", "Mlik"])
  }

  @Test("GRO-4: at most ten names are suggested and 1,000 remembered, and the least recently used one is forgotten")
  func limits() {
    var home = HouseholdState()
    func remember(_ name: String, _ time: Int64) {
      home.groceries.remember(name: name, key: NameKey.of(name), at: Instant(milliseconds: time))
    }
    for number in 1...999 { remember("Item \(number)", Int64(number)) }
    remember("item 1", 1000)
    remember("Last", 1001)
    #expect(home.groceries.catalogue.count == 1000)
    #expect(home.groceries.suggestions(for: "item", at: Instant(milliseconds: 2000)).count == 10)
    remember("One more", 1002)
    #expect(home.groceries.catalogue.count == 1000)
    #expect(home.groceries.catalogue["item 2"] == nil && home.groceries.catalogue["item 3"] != nil)
    #expect(home.groceries.catalogue["item 1"]?.count == 2 && home.groceries.catalogue["one more"] != nil)
  }
}
