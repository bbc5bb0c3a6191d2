import JSON
import Rooms
import TestSupport
import Testing

@testable import Home

/// Shopping that is completed: items leave, history and bill arrive, balances move (GRO-9 to GRO-14).
@Suite("Checkout")
struct CheckoutTests {
  let id = ID<Household>(high: 0xB000, low: 1)
  let world = World()

  var room: RoomID { .household(id) }

  @discardableResult
  func call(_ person: ID<Person>, _ method: String, _ parameters: JSON = [:]) throws -> JSON {
    try world.call(person, method, in: room, parameters)
  }

  /// Puts something on the list; returns its id.
  func add(_ person: ID<Person>, _ name: String, _ more: [String: JSON] = [:]) throws -> JSON {
    let item: [String: JSON] = ["name": .string(name)]
    return try call(person, "groceries.add", .object(item.merging(more) { $1 }))["id"] ?? .null
  }

  @discardableResult
  func complete(
    _ person: ID<Person>, _ lines: [JSON], total: Int?, _ more: [String: JSON] = [:]
  ) throws -> JSON {
    var parameters: [String: JSON] = ["lines": .array(lines)]
    if let total { parameters["total"] = .number(.init(total)) }
    return try call(person, "trips.complete", .object(parameters.merging(more) { $1 }))
  }

  func shares(_ answer: JSON) -> [String: Int] { (answer["shares"]?.object ?? [:]).compactMapValues(\.int) }

  func of(_ parts: (ID<Person>, Int)...) -> [String: Int] {
    Dictionary(uniqueKeysWithValues: parts.map { ($0.0.description, $0.1) })
  }

  func nets() throws -> [ID<Person>: Int] {
    let people = try world.home().ledger.balances["EUR"]?.people ?? [:]
    return Dictionary(uniqueKeysWithValues: people.map { ($0.key, $0.value) })
  }

  func inbox(_ person: ID<Person>, _ kind: NotificationKind) throws -> [Notification] {
    try world.me(person).inbox.notifications.values.filter { $0.kind == kind }
  }

  // MARK: completing

  @Test("GRO-9: in one change items leave, the history has them, the cost is divided, and each other one is told once")
  func completing() throws {
    let people = try world.household(of: "Ana", "Ben", "Cleo")
    let (ana, ben, cleo) = (people[0], people[1], people[2])
    let milk = try add(ben, "Milk", ["quantity": 2, "unit": "l", "category": "dairy"])
    let cake = try add(cleo, "Cake", ["personal": true])
    let rice = try add(ana, "Rice")
    let before = world.patches[room]?.count ?? 0
    let answer = try complete(ana, [["id": milk], ["id": cake, "price": 400]], total: 1000, ["note": "Market"])
    #expect(world.patches[room]?.count == before + 1, "one change")
    #expect(shares(answer) == of((ana, 200), (ben, 200), (cleo, 600)) && answer["skipped"] == nil)
    #expect(try nets() == [ana: 800, ben: -200, cleo: -600])
    #expect(try world.home().list.groceries.keys.map { JSON.id($0) } == [rice])
    let purchase = try #require(try call(cleo, "trips.history")["items"]?[0])
    #expect(purchase["id"] == answer["id"] && purchase["total"] == 1000 && purchase["note"] == "Market")
    #expect(purchase["bill"] == answer["bill"] && purchase["by"] == .id(ana))
    #expect(
      purchase["lines"] == [
        ["id": milk, "name": "Milk", "quantity": 2, "unit": "l", "category": "dairy"],
        ["id": cake, "name": "Cake", "owner": .id(cleo), "price": 400],
      ])
    let told = try #require(try inbox(cleo, .shopped).first)
    #expect(try told.amount == 600 && told.currency == "EUR" && inbox(cleo, .bill).isEmpty)
    #expect(try inbox(ana, .shopped).isEmpty)
    let kinds = try world.home().feed.activity.values.map(\.kind)
    #expect(kinds.contains(.shopped) && !kinds.contains(.billAdded))
    let bill = try #require(try world.home().bills.bills.values.first)
    #expect(bill.category == "groceries" && bill.origin?.kind == .trip)
    #expect(reason { try call(ana, "bills.remove", ["id": answer["bill"] ?? .null]) } == "conflict/ofTrip")
    #expect(
      reason { try call(ana, "groceries.restore", ["id": milk]) } == "notFound/gone", "it was bought, not removed")
  }

  @Test("GRO-9: without a total there is no bill, and an empty trip says what was spent")
  func withoutTotal() throws {
    let people = try world.household(of: "Ana", "Ben")
    let milk = try add(people[1], "Milk")
    let answer = try complete(people[0], [["id": milk]], total: nil)
    #expect(try answer["bill"] == nil && nets().isEmpty && world.home().list.groceries.isEmpty)
    #expect(try inbox(people[1], .shopped).first?.amount == nil)
    #expect(reason { try complete(people[0], [], total: nil, ["paid": ["x": 1]]) } == "invalidParams/invalidParams")
    #expect(try shares(complete(people[0], [], total: 500)) == of((people[0], 250), (people[1], 250)))
  }

  @Test("GRO-10: what another one has bought or removed is left out and named; the trip completes")
  func alreadyBought() throws {
    let people = try world.household(of: "Ana", "Ben")
    let (ana, ben) = (people[0], people[1])
    let (milk, eggs, tea) = (try add(ana, "Milk"), try add(ana, "Eggs"), try add(ana, "Tea"))
    try complete(ben, [["id": milk]], total: 150)
    try call(ben, "groceries.remove", ["id": tea])
    let answer = try complete(ana, [["id": milk], ["id": eggs], ["id": tea]], total: 500)
    #expect(
      answer["skipped"]
        == .object([
          milk.string ?? "": ["reason": "alreadyBought", "by": .id(ben)], tea.string ?? "": ["reason": "gone"],
        ]))
    #expect(shares(answer) == of((ana, 250), (ben, 250)))
    #expect(try call(ana, "trips.history")["items"]?[0]?["lines"]?.array?.count == 1)
  }

  @Test("GRO-16: what others have added meanwhile stays on the list, and is not paid")
  func sources() throws {
    let people = try world.household(of: "Ana", "Ben")
    let (ana, ben) = (people[0], people[1])
    let eggs = try add(ana, "Eggs", ["quantity": 6])
    let more = try add(ben, "Eggs", ["quantity": 4])
    try complete(ana, [["id": eggs, "sources": [eggs]]], total: 300)
    let left = try #require(try world.home().list.groceries.values.first)
    #expect(left.quantity == Quantity(thousandths: 4000) && left.sources.keys.map { JSON.id($0) } == [more])
    #expect(try call(ana, "trips.history")["items"]?[0]?["lines"]?[0]?["quantity"] == 6)
    // The addition of the other one can be bought by its own id.
    try complete(ben, [["id": more]], total: 200)
    #expect(try world.home().list.groceries.isEmpty)
  }

  @Test("GRO-12: a completed trip is over; only its buyer completes it")
  func trips() throws {
    let people = try world.household(of: "Ana", "Ben")
    let trip = try call(people[0], "trips.start")["id"] ?? .null
    #expect(reason { try complete(people[1], [], total: 100, ["trip": trip]) } == "forbidden/forbidden")
    world.advance(.seconds(7 * 3600))
    #expect(try world.home().trips.trips.values.first?.state == .unsettled)
    try complete(people[0], [], total: 100, ["trip": trip])
    #expect(try world.home().trips.trips.isEmpty)
    #expect(reason { try complete(people[0], [], total: 100, ["trip": trip]) } == "notFound/gone")
  }

  // MARK: R-CHECKOUT

  @Test("GRO-11, R-CHECKOUT: who wanted more pays more; what is everybody's is for those who are not away")
  func weights() throws {
    let people = (0..<3).map { ID<Person>(high: 1, low: UInt64($0)) }
    let bill = ID<Bill>(high: 0, low: 1)
    func parts(
      _ lines: [CheckoutShares.Line], _ total: Int64, sharers: Set<ID<Person>> = Set(people)
    ) throws -> [Int64] {
      let rule = CheckoutShares(lines: lines, sharers: sharers, buyer: people[0])
      let parts = try rule.parts(of: total, bill: bill)
      #expect(parts.values.reduce(0, +) == total)
      return people.map { parts[$0] ?? 0 }
    }
    typealias Line = CheckoutShares.Line
    // Three of one's own and three of everybody's: 3·3 + 3 to 3 to 3.
    let own = Line(owner: people[1], units: 3000)
    #expect(try parts([own, Line(units: 3000)], 1800) == [300, 1200, 300])
    #expect(try parts([Line()], 100, sharers: [people[0], people[2]]) == [50, 0, 50])
    #expect(try parts([Line()], 100, sharers: []) == [100, 0, 0], "nobody is there: the buyer")
    #expect(try parts([own, Line(units: 1000)], 400, sharers: []) == [100, 300, 0])
    // tax and discount are in proportion, and zero subtotals are divided equally.
    let priced = [Line(owner: people[0], price: 8591), Line(owner: people[1], price: 500)]
    #expect(try parts(priced, 10_000) == [9450, 550, 0])
    #expect(try parts(priced, 8091) == [7646, 445, 0])
    #expect(try parts([Line(owner: people[0], price: 0), Line(owner: people[2], price: 0)], 100) == [50, 0, 50])
    #expect(
      try parts([Line(owner: people[0], price: 24_034), Line(owner: people[1], price: 400)], 24_434) == [
        24_034, 400, 0,
      ])
    #expect(try parts([Line(owner: people[1], price: 700), Line(owner: people[2])], 1000) == [0, 700, 300])
    #expect(try parts([], 90) == [30, 30, 30])
    #expect(throws: CheckoutShares.Problem.pricesExceedTotal(1)) {
      try parts([Line(owner: people[1], price: 1001), Line()], 1000)
    }
  }

  @Test("R-CHECKOUT, R-042: prices above the total are refused where something has none; nothing changes then")
  func refused() throws {
    let people = try world.household(of: "Ana", "Ben")
    let (milk, eggs) = (try add(people[0], "Milk"), try add(people[0], "Eggs"))
    let found = refusal { try complete(people[0], [["id": milk, "price": 600], ["id": eggs]], total: 500) }
    #expect(found?.fields.map(\.path) == ["lines"] && found?.details["offBy"] == -100)
    #expect(found?.fields.first?.text.contains("pricesExceedTotal") == true)
    #expect(
      reason { try complete(people[0], [["id": milk], ["id": milk]], total: 1) } == "invalidParams/invalidParams")
    let stranger = ID<Person>(high: 9, low: 9)
    let paid: JSON = .object([stranger.description: 500])
    #expect(
      refusal { try complete(people[0], [["id": milk]], total: 500, ["paid": paid]) }?.fields.map(\.path)
        == ["paid.\(stranger)"])
    #expect(try world.home().list.groceries.count == 2 && nets().isEmpty && world.home().bills.bills.isEmpty)
    #expect(try call(people[0], "trips.history")["items"] == [])
    // All have prices: a total below them is a discount.
    let answer = try complete(people[0], [["id": milk, "price": 600], ["id": eggs, "price": 400]], total: 500)
    #expect(shares(answer) == of((people[0], 250), (people[1], 250)))
  }

  @Test("GRO-9, BIL-2: an explicit split and several payers override")
  func explicit() throws {
    let people = try world.household(of: "Ana", "Ben")
    let milk = try add(people[0], "Milk")
    let parts: JSON = .object([people[1].description: 500])
    let paid: JSON = .object([people[0].description: 200, people[1].description: 300])
    let answer = try complete(
      people[0], [["id": milk]], total: 500, ["split": ["kind": "exact", "parts": parts], "paid": paid])
    #expect(shares(answer) == of((people[1], 500)))
    #expect(try nets() == [people[0]: 200, people[1]: -200])
  }

  // MARK: later

  @Test("GRO-13: what was bought is changed later: reversed and posted anew, kept with who and when, all are told")
  func editing() throws {
    let people = try world.household(of: "Ana", "Ben", "Cleo")
    let (ana, ben, cleo) = (people[0], people[1], people[2])
    let milk = try add(ana, "Milk")
    let answer = try complete(ana, [["id": milk]], total: 900)
    let purchase = answer["id"] ?? .null
    #expect(reason { try call(cleo, "trips.edit", ["id": purchase, "total": 1]) } == "forbidden/forbidden")
    let lines: JSON = [
      ["id": milk, "name": "Milk", "price": 300], ["name": "Wine", "owner": .id(ben), "price": 600],
    ]
    let before = world.patches[room]?.count ?? 0
    let edited = try call(ana, "trips.edit", ["id": purchase, "lines": lines])
    #expect(world.patches[room]?.count == before + 1)
    #expect(shares(edited) == of((ana, 100), (ben, 700), (cleo, 100)))
    #expect(try nets() == [ana: 800, ben: -700, cleo: -100])
    let told = try #require(try inbox(ben, .purchaseChanged).first)
    #expect(told.before == 300 && told.amount == 700)
    try call(ana, "trips.edit", ["id": purchase, "total": 1200])
    #expect(try nets().values.reduce(0, +) == 0)
    let versions = try call(cleo, "trips.versions", ["id": purchase])["items"]?.array ?? []
    #expect(versions.compactMap { $0["purchase"]?["total"]?.int } == [1200, 900, 900])
    #expect(versions.map { $0["by"] } == [.id(ana), .id(ana), .id(ana)])
    let kinds = try call(cleo, "ledger.list")["items"]?.array?.compactMap { $0["kind"]?.string } ?? []
    #expect(kinds == ["bill", "reversal", "bill", "reversal", "bill"])
    #expect(try call(cleo, "trips.history")["items"]?.array?.count == 1)
    let bad: JSON = [["name": "x", "owner": .id(ID<Person>(high: 9, low: 9))]]
    #expect(
      refusal { try call(ana, "trips.edit", ["id": purchase, "lines": bad]) }?.fields.map(\.path) == ["lines.0.owner"])
    world.advance(Limits.purchaseAge - .seconds(1))
    try call(ana, "trips.edit", ["id": purchase, "note": "late"])
    world.advance(.seconds(1))
    #expect(reason { try call(ana, "trips.edit", ["id": purchase, "total": 1]) } == "conflict/tooLate")
  }

  @Test("GRO-13: a cost that is named later makes the bill then")
  func costLater() throws {
    let people = try world.household(of: "Ana", "Ben")
    let purchase = try complete(people[0], [["id": try add(people[0], "Milk")]], total: nil)["id"] ?? .null
    try call(people[0], "trips.edit", ["id": purchase, "total": 800])
    #expect(try nets() == [people[0]: 400, people[1]: -400])
  }

  @Test("HH-12, GRO-9: a member who is away pays nothing for all; a guest's things are paid by the one who is away")
  func awayAndGuests() throws {
    let people = try world.household(of: "Ana", "Ben")
    let (ana, ben) = (people[0], people[1])
    try call(ben, "members.away", ["from": "2026-02-02", "to": "2026-02-20"])
    let guest = try world.signUp("Gil")
    try world.call(ben, "invitations.send", ["household": .id(id), "email": "gil@example.org", "guest": true])
    let received = try #require(try world.me(guest).memberships.invitations.keys.first)
    try world.call(guest, "invitations.accept", ["id": .id(received)])
    let (milk, tea) = (try add(ana, "Milk"), try add(guest, "Tea", ["personal": true]))
    let answer = try complete(ana, [["id": milk, "price": 500], ["id": tea, "price": 300]], total: 800)
    #expect(shares(answer) == of((ana, 500), (ben, 300)))
    #expect(reason { try complete(guest, [], total: 100) } == "forbidden/guest")
  }

  @Test("CHO-25: what was bought is in stock again")
  func stock() throws {
    let people = try world.household(of: "Ana", "Ben")
    let salt = try call(people[0], "stock.set", ["name": "Salt", "level": "out"])["grocery"] ?? .null
    try complete(people[1], [["id": salt]], total: nil)
    #expect(try world.home().stock.stock["salt"]?.level == .inStock)
  }
}
