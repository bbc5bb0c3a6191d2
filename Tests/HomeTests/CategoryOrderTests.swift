import JSON
import Rooms
import TestSupport
import Testing

@testable import Home

@Suite("The order of categories")
struct CategoryOrderTests {
  let id = ID<Household>(high: 0xB000, low: 1)
  let world = World()

  @discardableResult
  func call(_ person: ID<Person>, _ method: String, _ parameters: JSON) throws -> JSON {
    try world.call(person, method, in: .household(id), parameters)
  }

  func order(_ list: ID<GroceryList>? = nil) throws -> [String] { try world.home().groceryLists[shelves: list].order }

  /// Puts something of each category on a list, checks it, and lets the walk be over.
  func shop(_ person: ID<Person>, _ categories: [String], on list: JSON = .null) throws {
    var items: [JSON] = []
    for category in categories {
      let item: JSON = ["name": "Thing of \(category)", "category": .string(category), "list": list]
      items.append(try call(person, "groceries.add", item)["id"] ?? .null)
    }
    for item in items {
      world.advance(.seconds(60))
      try call(person, "groceries.check", ["id": item, "checked": true])
    }
    for item in items { try call(person, "groceries.remove", ["id": item]) }
    world.advance(Limits.walkPause)
  }

  // MARK: the rule

  @Test("GRO-6: a new category stands after the one that was met before it, and the first before the next known one")
  func new() {
    #expect(CategoryOrder.learned([], from: ["a", "b", "c"], after: []) == ["a", "b", "c"])
    #expect(CategoryOrder.learned(["a", "c"], from: ["a", "b"], after: []) == ["a", "b", "c"])
    #expect(CategoryOrder.learned(["a", "c"], from: ["x", "c"], after: []) == ["a", "x", "c"])
    #expect(CategoryOrder.learned(["a"], from: ["x", "y"], after: []) == ["a", "x", "y"])
    #expect(CategoryOrder.learned(["a", "b"], from: [], after: ["b", "a"]) == ["a", "b"])
  }

  @Test("GRO-6: what two trips in a row met in the same order is shown in that order, and the rest keeps its place")
  func twice() {
    #expect(CategoryOrder.inCommon(["a", "b", "c", "d"], ["d", "a", "c"]) == ["a", "c"])
    #expect(CategoryOrder.learned(["a", "b", "c"], from: ["c", "a"], after: ["a", "c"]) == ["a", "b", "c"])
    #expect(CategoryOrder.learned(["a", "b", "c"], from: ["c", "a"], after: ["c", "a"]) == ["c", "b", "a"])
    let learned = CategoryOrder.learned(["a", "b", "c", "d"], from: ["d", "b", "a"], after: ["d", "c", "a"])
    #expect(learned == ["d", "b", "c", "a"])
  }

  @Test(
    "GRO-6: whatever came before, two trips along one way give its order, and one odd trip does not change it",
    arguments: 1...200)
  func property(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let categories = (0..<12).map { "category \($0)" }
    func trip() -> [String] {
      Array(categories.shuffled(using: &random).prefix(Int.random(in: 1...12, using: &random)))
    }
    var order: [String] = []
    var last: [String] = []
    func walk(_ trip: [String]) {
      let before = order
      order = CategoryOrder.learned(order, from: trip, after: last)
      last = trip
      #expect(Set(order) == Set(before + trip) && order.count == Set(order).count, "nothing is lost or stands twice")
    }
    for _ in 0..<Int.random(in: 0...6, using: &random) { walk(trip()) }
    let usual = trip()
    for _ in 0..<Int.random(in: 2...4, using: &random) { walk(usual) }
    #expect(order.filter(usual.contains) == usual)
    let before = order
    // An odd trip may also meet what is not known yet.
    walk(trip())
    #expect(order.filter(before.contains) == before)
    walk(usual)
    #expect(order.filter(usual.contains) == usual)
  }

  // MARK: in a household

  @Test("GRO-6: a list learns the order in which items are checked, each list its own, once the walk is over")
  func learning() throws {
    let people = try world.household(of: "Ana", "Ben")
    let store = try call(people[0], "lists.create", ["name": "Market"])["id"] ?? .null
    let market = ID<GroceryList>(store.string ?? "")
    try shop(people[0], ["dairy", "bakery", "fruit"])
    #expect(try order() == ["dairy", "bakery", "fruit"] && order(market) == [])
    try shop(people[1], ["fruit", "dairy", "bakery"])
    #expect(try order() == ["dairy", "bakery", "fruit"], "one odd trip")
    try shop(people[1], ["fruit", "dairy", "bakery"])
    #expect(try order() == ["fruit", "dairy", "bakery"])
    try shop(people[0], ["frozen", "dairy"], on: store)
    #expect(try order(market) == ["frozen", "dairy"] && order() == ["fruit", "dairy", "bakery"])
    #expect(try world.isRestorable(.household(id)))
    // Two people in the shop at once are two walks, and nothing moves before they are over.
    var items: [JSON] = []
    for category in ["bakery", "fruit", "drinks", "frozen"] {
      let item: JSON = ["name": .string(category), "category": .string(category)]
      items.append(try call(people[0], "groceries.add", item)["id"] ?? .null)
    }
    for (person, item) in zip([people[0], people[1], people[0], people[1]], items) {
      try call(person, "groceries.check", ["id": item, "checked": true])
      world.advance(.seconds(1))
    }
    #expect(try order() == ["fruit", "dairy", "bakery"])
    world.advance(Limits.walkPause)
    #expect(try order() == ["fruit", "frozen", "dairy", "bakery", "drinks"])
    #expect(try world.home().groceryLists.shelfWalks.values.allSatisfy(\.walks.isEmpty))
  }

  @Test("GRO-6: a walk that ends while the server is down is learned from afterwards, and who leaves is forgotten")
  func downtime() throws {
    let people = try world.household(of: "Ana", "Ben")
    for (person, names) in [(people[0], ["dairy", "fruit"]), (people[1], ["fish", "meat"])] {
      for name in names {
        let item = try call(person, "groceries.add", ["name": .string(name), "category": .string(name)])["id"] ?? .null
        try call(person, "groceries.check", ["id": item, "checked": true])
      }
    }
    try call(people[1], "members.leave", [:])
    world.now = world.now + .seconds(5 * 24 * 3600)
    world.advance(.seconds(1))
    #expect(try order() == ["dairy", "fruit"])
  }

  @Test("GRO-6, SYN-1: an order that is empty again is the same in a new state as after all patches")
  func emptied() throws {
    let ana = try world.household(of: "Ana")[0]
    for order in [["fruit"], [], .null] as [JSON] { try call(ana, "lists.edit", ["order": order]) }
    #expect(try order() == [] && world.home().groceryLists.mainList.value.isFixed == false)
    try shop(ana, ["dairy", "fruit"])
    #expect(try order() == ["dairy", "fruit"], "it is learned")
  }

  @Test("GRO-6: an order that a member has chosen stands, and learning goes on from it once it is cleared")
  func chosen() throws {
    let ana = try world.household(of: "Ana")[0]
    try call(ana, "lists.edit", ["order": ["fruit", "Dairy", "bakery"]])
    for _ in 1...3 { try shop(ana, ["bakery", "dairy", "fish"]) }
    #expect(try order() == ["fruit", "dairy", "bakery"])
    #expect(try world.home().groceryLists.mainList.value.isFixed == true)
    try call(ana, "lists.edit", ["order": .null])
    #expect(try order() == ["fruit", "dairy", "bakery"])
    for _ in 1...2 { try shop(ana, ["bakery", "dairy", "fish"]) }
    #expect(try order() == ["fruit", "bakery", "dairy", "fish"])
    let edit: JSON = ["name": "x", "store": "y", "order": ["fruit", "Fruit", "nonsense"]]
    let bad = refusal { try call(ana, "lists.edit", edit) }
    #expect(bad?.fields.map(\.path) == ["name", "store", "order.1", "order.2"])
  }
}
