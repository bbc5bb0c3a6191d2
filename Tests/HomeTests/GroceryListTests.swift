import JSON
import Rooms
import TestSupport
import Testing

@testable import Home

@Suite("Lists, categories and barcodes")
struct GroceryListTests {
  let id = ID<Household>(high: 0xB000, low: 1)
  let world = World()

  func item(_ low: UInt64) -> ID<Grocery> { ID(high: 0xD000, low: low) }
  func list(_ low: UInt64) -> ID<GroceryList> { ID(high: 0xD100, low: low) }

  @discardableResult
  func call(_ person: ID<Person>, _ method: String, _ parameters: JSON, corner: Bool = false) throws -> JSON {
    try world.call(person, method, in: corner ? .corner(id, person) : .household(id), parameters)
  }

  func line(_ low: UInt64) throws -> Grocery { try #require(try world.home().list.groceries[item(low)]) }

  // MARK: lists

  @Test("GRO-6, R-MERGE: a household has several lists; lines merge only within one, and all are in the sums")
  func several() throws {
    let people = try world.household(of: "Ana", "Ben")
    try call(people[0], "lists.create", ["id": .id(list(1)), "name": "Market", "store": "Elm Square"])
    let kept = try #require(try world.home().groceryLists.lists[list(1)])
    #expect(kept.name == "Market" && kept.store == "Elm Square" && kept.by == people[0] && kept.at == world.now)
    try call(people[0], "groceries.add", ["id": .id(item(1)), "name": "Eggs"])
    let other: JSON = ["id": .id(item(2)), "name": "eggs", "list": .id(list(1))]
    #expect(try call(people[1], "groceries.add", other)["line"] == nil)
    let third: JSON = ["id": .id(item(3)), "name": "EGGS", "list": .id(list(1))]
    #expect(try call(people[1], "groceries.add", third)["line"] == .id(item(2)))
    #expect(try line(1).list == nil && line(2).list == list(1))
    #expect(try world.home().groceries.aggregate.values.map { $0.quantity?.text } == ["3"])
    #expect(reason { try call(people[1], "groceries.add", ["name": "x", "list": .id(list(2))]) } == "notFound/gone")
    #expect(reason { try call(people[1], "lists.create", ["id": .id(item(1)), "name": "x"]) } == "conflict/exists")
    try call(people[1], "lists.edit", ["id": .id(list(1)), "name": "Farm shop", "store": .null])
    let edited = try #require(try world.home().groceryLists.lists[list(1)])
    #expect(edited.name == "Farm shop" && edited.store == nil && edited.editedBy == people[1])
    #expect(reason { try call(people[1], "lists.edit", ["id": .id(list(2)), "name": "x"]) } == "notFound/gone")
    let cleared = refusal { try call(people[1], "lists.edit", ["id": .id(list(1)), "name": .null]) }
    #expect(cleared?.fields.map(\.path) == ["name"])
    #expect(AggregateTests.isAggregated(try world.home()))
  }

  @Test("GRO-6: an item moves to another list, and merges there as a renamed one does")
  func move() throws {
    let people = try world.household(of: "Ana", "Ben")
    try call(people[0], "lists.create", ["id": .id(list(1)), "name": "Market"])
    try call(people[0], "groceries.add", ["id": .id(item(1)), "name": "Milk", "list": .id(list(1))])
    try call(people[1], "groceries.add", ["id": .id(item(2)), "name": "milk", "note": "oat", "category": "dairy"])
    try call(people[1], "groceries.add", ["id": .id(item(3)), "name": "Tea", "personal": true])
    try call(people[1], "groceries.edit", ["id": .id(item(3)), "list": .id(list(1))])
    #expect(try line(3).list == list(1) && line(3).editedBy == people[1])
    try call(people[0], "groceries.edit", ["id": .id(item(2)), "list": .id(list(1))])
    let milk = try line(1)
    #expect(try world.home().list.groceries.count == 2 && milk.sources[item(2)]?.note == "oat")
    #expect(milk.category == "dairy", "a line without a category takes that of the one that merges into it")
    try call(people[0], "groceries.edit", ["id": .id(item(1)), "list": .null])
    #expect(try line(1).list == nil)
    let nowhere: JSON = ["id": .id(item(1)), "list": .id(list(7))]
    #expect(reason { try call(people[0], "groceries.edit", nowhere) } == "notFound/gone")
    // A corner has one list.
    try call(people[0], "groceries.add", ["id": .id(item(9)), "name": "Ring"], corner: true)
    let found = refusal { try call(people[0], "groceries.edit", ["id": .id(item(9)), "list": .null], corner: true) }
    #expect(found?.fields.map(\.path) == ["list"])
  }

  @Test("GRO-6, R-DEL: the items of a removed list go to the main list, and come back with the list for ten minutes")
  func removal() throws {
    let people = try world.household(of: "Ana", "Ben")
    try call(people[0], "lists.create", ["id": .id(list(1)), "name": "Market", "order": ["fruit", "dairy"]])
    try call(people[0], "groceries.add", ["id": .id(item(1)), "name": "Milk"])
    try call(people[0], "groceries.add", ["id": .id(item(2)), "name": "milk", "quantity": 2, "list": .id(list(1))])
    try call(people[1], "groceries.add", ["id": .id(item(3)), "name": "milk", "quantity": 3, "list": .id(list(1))])
    try call(people[1], "groceries.add", ["id": .id(item(4)), "name": "Tea", "personal": true, "list": .id(list(1))])
    try call(people[1], "groceries.add", ["id": .id(item(5)), "name": "Figs", "list": .id(list(1))])
    try call(people[1], "lists.remove", ["id": .id(list(1))])
    var home = try world.home()
    #expect(home.groceryLists.lists.isEmpty && home.list.groceries.values.allSatisfy { $0.list == nil })
    #expect(try line(1).quantity?.text == "6" && home.list.groceries.count == 3)
    for method in ["lists.remove", "lists.edit"] {
      #expect(reason { try call(people[1], method, ["id": .id(list(1))]) } == "notFound/gone")
    }
    #expect(reason { try call(people[1], "lists.create", ["id": .id(list(1)), "name": "x"]) } == "conflict/exists")
    // Meanwhile somebody takes an addition off, and somebody adds one.
    try call(people[0], "groceries.remove", ["id": .id(item(3))])
    try call(people[0], "groceries.add", ["id": .id(item(6)), "name": "milk"])
    world.advance(Limits.undo - .milliseconds(1))
    let taken: JSON = ["id": .id(list(1)), "newId": .id(item(6))]
    #expect(reason { try call(people[0], "lists.restore", taken) } == "conflict/exists")
    let answer = try call(people[0], "lists.restore", ["id": .id(list(1)), "newId": .id(list(2))])
    #expect(answer["id"] == .id(list(2)))
    home = try world.home()
    let restored = try #require(home.groceryLists.lists[list(2)])
    #expect(restored.name == "Market" && restored.was == list(1) && restored.by == people[0])
    #expect(restored.shelves == ShelfOrder(order: ["fruit", "dairy"], isFixed: true))
    #expect(try Set(line(1).sources.keys) == [item(1), item(6)] && line(1).quantity?.text == "2")
    let back = try #require(home.list.groceries.values.first { $0.key == "milk" && $0.list == list(2) })
    #expect(Array(back.sources.keys) == [item(2)] && back.quantity?.text == "2" && back.was == item(2))
    #expect(try line(4).list == list(2) && line(4).owner == people[1] && line(5).list == list(2))
    #expect(AggregateTests.isAggregated(home))
    // An addition goes on being found by its id.
    try call(people[0], "groceries.edit", ["id": .id(item(2)), "quantity": 5])
    #expect(reason { try call(people[0], "lists.restore", ["id": .id(list(1))]) } == "notFound/gone")
    try call(people[0], "lists.remove", ["id": .id(list(2))])
    world.advance(Limits.undo)
    #expect(reason { try call(people[0], "lists.restore", ["id": .id(list(2))]) } == "notFound/gone")
    #expect(try world.home().groceryLists.removedLists.isEmpty && world.isRestorable(.household(id)))
  }

  // MARK: categories

  @Test("GRO-6, GRO-4: an item has a built-in or an added category, and the next one of that name gets it by itself")
  func categories() throws {
    let people = try world.household(of: "Ana", "Ben")
    try call(people[0], "groceries.add", ["id": .id(item(1)), "name": "Kibble", "category": " Cat  Food"])
    #expect(try line(1).category == "cat food" && world.home().list.categories["cat food"]?.name == "Cat  Food")
    try call(people[1], "groceries.add", ["id": .id(item(2)), "name": "Cat milk", "category": "CAT FOOD"])
    try call(people[1], "groceries.add", ["id": .id(item(3)), "name": "Milk", "category": "Dairy"])
    #expect(try line(2).category == "cat food" && line(3).category == "dairy")
    #expect(try world.home().list.categories.count == 1)
    for low: UInt64 in 1...3 { try call(people[0], "groceries.remove", ["id": .id(item(low))]) }
    try call(people[1], "groceries.add", ["id": .id(item(4)), "name": " MILK "])
    try call(people[1], "groceries.add", ["id": .id(item(5)), "name": "milk", "personal": true, "category": "drinks"])
    #expect(try line(4).category == "dairy" && line(5).category == "drinks")
    // The newest choice counts, and the line that is there keeps its own.
    #expect(try call(people[1], "groceries.add", ["name": "milk", "category": "frozen"])["line"] == .id(item(4)))
    #expect(try line(4).category == "dairy")
    let answer = try call(people[0], "groceries.suggest", ["prefix": "m"])
    #expect(answer["items"]?[0] == ["name": "milk", "category": "frozen"])
    try call(people[0], "groceries.edit", ["id": .id(item(4)), "category": .null])
    #expect(try line(4).category == nil && world.home().groceries.catalogue["milk"]?.category == nil)
    try call(people[0], "groceries.add", ["id": .id(item(6)), "name": "Kibbel"])
    #expect(try line(6).category == nil)
    try call(people[0], "groceries.edit", ["id": .id(item(6)), "name": "kibble"])
    #expect(try line(6).category == "cat food", "a name that is known brings its category")
  }

  @Test("GRO-5, GRO-6: each sum has the category of its oldest line that has one")
  func sums() throws {
    let people = try world.household(of: "Ana", "Ben")
    func sum() throws -> String? { try world.home().groceries.aggregate.values.first?.category }
    try call(people[0], "groceries.add", ["id": .id(item(1)), "name": "Eggs", "personal": true])
    #expect(try sum() == nil)
    try call(people[1], "groceries.add", ["id": .id(item(2)), "name": "eggs", "personal": true, "category": "dairy"])
    #expect(try sum() == "dairy")
    try call(people[0], "groceries.edit", ["id": .id(item(1)), "category": "Farm"])
    #expect(try sum() == "farm")
    try call(people[0], "groceries.check", ["id": .id(item(1)), "checked": true])
    #expect(try sum() == "dairy" && AggregateTests.isAggregated(world.home()))
  }

  @Test("GRO-6: an added category that nothing on a list has can be taken away, also from orders and remembered names")
  func forget() throws {
    let ana = try world.household(of: "Ana")[0]
    try call(ana, "groceries.add", ["id": .id(item(1)), "name": "Kibble", "category": "Cat food"])
    try call(ana, "lists.create", ["id": .id(list(1)), "name": "Market", "order": ["cat food", "fruit"]])
    #expect(reason { try call(ana, "groceries.forgetCategory", ["category": "cat food"]) } == "conflict/inUse")
    try call(ana, "groceries.check", ["id": .id(item(1)), "checked": true])
    try call(ana, "groceries.remove", ["id": .id(item(1))])
    try call(ana, "groceries.forgetCategory", ["category": "CAT FOOD"])
    let home = try world.home()
    #expect(home.list.categories.isEmpty && home.groceries.catalogue["kibble"]?.category == nil)
    #expect(home.groceryLists.lists[list(1)]?.shelves.order == ["fruit"])
    #expect(home.groceryLists.shelfWalks["main"]?.walks[ana]?.met == [])
    for name: JSON in ["cat food", "fruit"] {
      #expect(reason { try call(ana, "groceries.forgetCategory", ["category": name]) } == "notFound/gone")
    }
    // An item that is brought back comes without it.
    let restored = try call(ana, "groceries.restore", ["id": .id(item(1)), "newId": .id(item(2))])
    #expect(try restored["id"] == .id(item(2)) && line(2).category == nil)
  }

  @Test("GRO-1, GRO-6: an item of one's own list keeps its category and its barcode when it is shown or hidden")
  func corner() throws {
    let people = try world.household(of: "Ana", "Ben")
    let tea: JSON = ["id": .id(item(1)), "name": "Tea", "category": "Cat food", "barcode": "96385074"]
    try call(people[0], "groceries.add", tea, corner: true)
    let own = try world.corner(id, people[0]).list
    #expect(own.groceries[item(1)]?.category == "cat food" && own.categories["cat food"]?.name == "Cat food")
    #expect(try world.home().list.categories.isEmpty, "nobody learns of it")
    try call(people[0], "groceries.show", ["id": .id(item(1)), "newId": .id(item(2))], corner: true)
    #expect(try line(2).category == "cat food" && line(2).barcode?.text == "96385074")
    #expect(try world.home().list.categories["cat food"]?.name == "Cat food")
    #expect(try call(people[1], "groceries.suggest", ["barcode": "96385074"])["items"]?[0]?["category"] == "cat food")
    try call(people[0], "lists.create", ["id": .id(list(1)), "name": "Market"])
    try call(people[0], "groceries.edit", ["id": .id(item(2)), "list": .id(list(1)), "category": "bakery"])
    try call(people[0], "groceries.hide", ["id": .id(item(2)), "newId": .id(item(3))])
    let hidden = try #require(try world.corner(id, people[0]).list.groceries[item(3)])
    #expect(hidden.category == "bakery" && hidden.list == nil && hidden.barcode?.text == "96385074")
    try call(people[0], "groceries.remove", ["id": .id(item(3))], corner: true)
    try call(people[0], "groceries.forgetCategory", ["category": "Cat food"], corner: true)
    #expect(try world.corner(id, people[0]).list.categories.isEmpty)
  }

  @Test("GRO-1, GRO-6: an item whose category has no place in the other room comes there without one")
  func noPlace() throws {
    let ana = try world.household(of: "Ana")[0]
    world.checksStates = false
    for number in 1...Limits.categories {
      try call(ana, "groceries.add", ["name": .string("Item \(number)"), "category": .string("Own \(number)")])
    }
    try call(ana, "groceries.add", ["id": .id(item(1)), "name": "Tea", "category": "Another"], corner: true)
    try call(ana, "groceries.show", ["id": .id(item(1)), "newId": .id(item(2))], corner: true)
    #expect(try line(2).category == nil)
    let full = reason { try call(ana, "groceries.add", ["name": "Tea", "category": "Another"]) }
    #expect(full == "tooLarge/categories")
    try call(ana, "groceries.add", ["name": "Tea", "category": "own 7"])
  }

  // MARK: barcodes

  @Test(
    "GRO-6: a barcode is EAN-8 or EAN-13 with its check digit, and UPC-A is EAN-13 with a 0 before it",
    arguments: [
      ("96385074", "96385074"), ("00000017", "00000017"), ("4006381333931", "4006381333931"),
      ("036000291452", "0036000291452"), ("0036000291452", "0036000291452"), ("0000000000017", "0000000000017"),
    ])
  func barcode(sent: String, kept: String) throws {
    let people = try world.household(of: "Ana", "Ben")
    try call(people[0], "groceries.add", ["id": .id(item(1)), "name": "Pens", "barcode": .string(sent)])
    let state = world.state(of: try #require(world.rooms[.household(id)]))
    #expect(state["groceries"]?[item(1).description]?["barcode"] == .string(kept))
    for code in [sent, kept] {
      #expect(try call(people[1], "groceries.suggest", ["barcode": .string(code)])["items"] == [["name": "Pens"]])
    }
    let other = try #require(Barcode("4012345678901"))
    #expect(try call(people[1], "groceries.suggest", ["barcode": .string(other.text)])["items"] == [])
    #expect(try world.isRestorable(.household(id)))
  }

  @Test("GRO-6: a wrong check digit is refused with the right one, and other texts as no barcode")
  func noBarcode() throws {
    let ana = try world.household(of: "Ana")[0]
    for digit in 0...9 where digit != 4 {
      let found = refusal { try call(ana, "groceries.add", ["name": "x", "barcode": .string("9638507\(digit)")]) }
      #expect(found?.fields.map(\.path) == ["barcode"])
      #expect(found?.fields.first?.text == "has a wrong check digit: after these digits the last one is 4")
    }
    for text in ["", "9638507", "963850740", "40063813339", "40063813339310", "96385O74", "٩٦٣٨٥٠٧٤", " 96385074"] {
      let found = refusal { try call(ana, "groceries.suggest", ["barcode": .string(text)]) }
      #expect(found?.fields.first?.text == "must be a barcode of 8, 12 or 13 digits", "\(text)")
    }
  }

  @Test("GRO-6: each single wrong digit of a barcode is noticed", arguments: ["96385074", "4006381333931"])
  func digits(code: String) {
    for index in code.indices {
      for digit in "0123456789" where digit != code[index] {
        #expect(Barcode(code.replacingCharacters(in: index...index, with: String(digit))) == nil)
      }
    }
    #expect(Barcode(code)?.text == code)
  }

  @Test("GRO-6: a name has its newest eight barcodes, and a barcode belongs to the name that it was given to last")
  func names() throws {
    let ana = try world.household(of: "Ana")[0]
    func code(_ number: Int) -> JSON {
      let digits = 2_000_000 + number
      return .string((0...9).map { "\(digits)\($0)" }.first { Barcode($0) != nil } ?? "")
    }
    for number in 1...Limits.catalogueBarcodes + 1 {
      try call(ana, "groceries.add", ["name": "Milk", "barcode": code(number)])
    }
    func name(_ number: Int) throws -> JSON? {
      try call(ana, "groceries.suggest", ["barcode": code(number)])["items"]?[0]?["name"]
    }
    #expect(try name(1) == nil && name(2) == "Milk" && name(9) == "Milk")
    try call(ana, "groceries.add", ["id": .id(item(1)), "name": "Oat milk"])
    try call(ana, "groceries.edit", ["id": .id(item(1)), "barcode": code(9)])
    #expect(try name(9) == "Oat milk" && line(1).barcode != nil)
    try call(ana, "groceries.edit", ["id": .id(item(1)), "barcode": .null])
    #expect(try name(9) == "Oat milk" && line(1).barcode == nil)
    #expect(try call(ana, "groceries.suggest", ["barcode": code(9), "prefix": "tea"])["items"] == [])
  }

  @Test("GRO-6: calls with several bad fields name each of them")
  func fields() throws {
    let ana = try world.household(of: "Ana")[0]
    let long = JSON.string(String(repeating: "x", count: 41))
    let add = refusal { try call(ana, "groceries.add", ["name": "", "category": long, "barcode": "1"]) }
    #expect(add?.fields.map(\.path).sorted() == ["barcode", "category", "name"])
    let create = refusal { try call(ana, "lists.create", ["name": "", "store": "", "order": ["a", "b"]]) }
    #expect(create?.fields.map(\.path).sorted() == ["name", "order.0", "order.1", "store"])
  }
}
