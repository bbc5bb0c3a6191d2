import JSON
import Rooms
import TestSupport
import Testing

@testable import Home

/// The bills of a household, and what they do to its ledger.
@Suite("Bills")
struct BillTests {
  let id = ID<Household>(high: 0xB000, low: 1)
  let world = World()

  var room: RoomID { .household(id) }

  @discardableResult
  func call(_ person: ID<Person>, _ method: String, _ parameters: JSON = [:]) throws -> JSON {
    try world.call(person, method, in: room, parameters)
  }

  @discardableResult
  func add(
    _ person: ID<Person>, _ amount: Int, _ more: [String: JSON] = [:], id: ID<Bill>? = nil
  ) throws -> ID<Bill> {
    let bill: [String: JSON] = ["title": "Pizza", "amount": .number(.init(amount))]
    var parameters: [String: JSON] = ["bill": .object(bill.merging(more) { $1 })]
    if let id { parameters["id"] = .id(id) }
    let answer = try call(person, "bills.add", .object(parameters))
    return try #require(answer["id"]?.string.flatMap { ID($0) })
  }

  func edit(_ person: ID<Person>, _ id: ID<Bill>, _ bill: JSON) throws {
    try call(person, "bills.edit", ["id": .id(id), "bill": bill])
  }

  func nets(_ currency: String = "EUR") throws -> [ID<Person>: Int] {
    let people = try world.home().ledger.balances[currency]?.people ?? [:]
    return Dictionary(uniqueKeysWithValues: people.map { ($0.key, $0.value) })
  }

  func owed(_ debtor: ID<Person>, _ creditor: ID<Person>, _ currency: String = "EUR") throws -> Int {
    try world.home().ledger.debt(of: debtor, to: creditor, currency)
  }

  func map(_ parts: (ID<Person>, Int)...) -> JSON {
    .object(Dictionary(uniqueKeysWithValues: parts.map { ($0.0.description, .number(.init($0.1))) }))
  }

  // MARK: adding

  @Test("BIL-1: a bill among chosen people moves their balances, tells them their share, and all members see it")
  func adding() throws {
    let people = try world.household(of: "Ana", "Ben", "Cleo")
    let id = try add(people[0], 2001, ["split": ["people": [.id(people[0]), .id(people[1])]], "note": "Friday"])
    let bill = try #require(try world.home().bills.bills[id])
    #expect(bill.shares.values.sorted() == [1000, 1001] && bill.paid == [people[0]: 2001] && bill.note == "Friday")
    #expect(bill.currency == "EUR" && bill.date.text == "2026-02-02" && bill.by == people[0])
    let share = try #require(bill.shares[people[1]])
    #expect(try nets() == [people[0]: share, people[1]: -share])
    #expect(try owed(people[1], people[0]) == share)
    let told = try #require(try world.me(people[1]).inbox.notifications.values.first { $0.kind == .bill })
    #expect(told.amount == share && told.currency == "EUR" && told.name == "Pizza" && told.ref == id.cast())
    for person in [people[0], people[2]] {
      #expect(try world.me(person).inbox.notifications.values.contains { $0.kind == .bill } == false)
    }
    let items = try call(people[2], "bills.list")["items"]?.array ?? []
    #expect(items.count == 1 && items[0]["id"] == .id(id) && items[0]["bill"]?["amount"] == 2001)
    let entry = try #require(try call(people[2], "ledger.list")["items"]?[0])
    #expect(entry["kind"] == "bill" && entry["ref"] == .id(id) && entry["by"] == .id(people[0]))
    #expect(entry["people"] == map((people[0], share), (people[1], -share)))
    #expect(try world.home().feed.activity.values.contains { $0.kind == .billAdded && $0.name == "Pizza" })
  }

  @Test("BIL-1: a bill that its payer has alone is in the history, and moves nothing in the ledger")
  func alone() throws {
    let people = try world.household(of: "Ana", "Ben")
    try add(people[0], 500, ["split": ["people": [.id(people[0])]]])
    #expect(try call(people[0], "bills.list")["items"]?.array?.count == 1)
    #expect(try call(people[0], "ledger.list")["items"]?.array?.isEmpty == true && nets().isEmpty)
  }

  @Test("BIL-1: without more, the caller has paid, and all who live there share equally; guests are not among them")
  func usual() throws {
    let people = try world.household(of: "Ana", "Ben", "Cleo")
    let id = try add(people[1], 999)
    let bill = try #require(try world.home().bills.bills[id])
    #expect(bill.paid == [people[1]: 999] && bill.shares == [people[0]: 333, people[1]: 333, people[2]: 333])
  }

  @Test("BIL-2: six kinds of splits, several payers, and refunds")
  func splits() throws {
    let people = try world.household(of: "Ana", "Ben", "Cleo")
    let (ana, ben, cleo) = (people[0], people[1], people[2])
    for (split, shares) in [
      (["kind": "equal", "people": [.id(ana), .id(cleo)]], [ana: 450, cleo: 450]),
      (["kind": "shares", "parts": map((ana, 1), (ben, 2))], [ana: 300, ben: 600]),
      (["kind": "percent", "parts": map((ana, 2500), (ben, 7500))], [ana: 225, ben: 675]),
      (["kind": "exact", "parts": map((ana, 0), (ben, 899), (cleo, 1))], [ana: 0, ben: 899, cleo: 1]),
      (
        ["kind": "adjustment", "people": [.id(ana), .id(ben)], "parts": map((cleo, 300))],
        [ana: 200, ben: 200, cleo: 500]
      ),
      (
        [
          "kind": "itemised",
          "items": [
            ["name": "Wine", "amount": 500, "people": [.id(ben)]],
            ["amount": 250, "kind": "shares", "parts": map((ana, 1), (cleo, 4))],
          ],
        ], [ana: 60, ben: 600, cleo: 240]
      ),
    ] as [(JSON, [ID<Person>: Int])] {
      let id = try add(ana, 900, ["split": split, "paid": map((ana, 600), (cleo, 300))])
      let bill = try #require(try world.home().bills.bills[id])
      #expect(Dictionary(uniqueKeysWithValues: bill.shares.map { ($0.key, $0.value) }) == shares, "\(split)")
      #expect(try nets().values.reduce(0, +) == 0)
      try call(ana, "bills.remove", ["id": .id(id)])
      #expect(try nets() == [:], "what a bill has added is taken back")
    }
    let back = try add(ana, -600, ["split": ["people": [.id(ana), .id(ben)]]])
    #expect(try world.home().bills.bills[back]?.shares == [ana: -300, ben: -300])
    #expect(try owed(ana, ben) == 300)
  }

  @Test("BIL-2, R-042: a split that does not fit is refused with all its faults and by how much it is off")
  func refusedSplits() throws {
    let people = try world.household(of: "Ana", "Ben")
    let (ana, ben) = (people[0], people[1])
    func refusal(_ bill: [String: JSON]) -> Refusal? {
      do {
        try add(ana, 1000, bill)
        return nil
      } catch { return error as? Refusal }
    }
    let short = try #require(refusal(["split": ["kind": "exact", "parts": map((ana, 400), (ben, 500))]]))
    #expect(short.fields.map(\.path) == ["bill.split.parts"] && short.details["offBy"] == 100)
    #expect(short.fields[0].text == "add up to 100 too little")
    let above = try #require(refusal(["paid": map((ana, 1001))]))
    #expect(above.fields.map(\.path) == ["bill.paid"] && above.details["offBy"] == -1)
    let stranger = ID<Person>(high: 9, low: 9)
    let several = try #require(
      refusal(["title": "x", "paid": map((stranger, 1000)), "split": ["kind": "percent", "parts": map((ben, 9000))]]))
    #expect(several.fields.map(\.path) == ["bill.paid.\(stranger)", "bill.split.parts"])
    for (split, field) in [
      (["kind": "shares", "parts": map((ana, 0))], "bill.split.parts"),
      (["kind": "shares", "parts": map((ana, 1001))], "bill.split.parts"),
      (["kind": "shares"], "bill.split.parts"),
      (["kind": "adjustment", "parts": map((ana, 600), (ben, 401))], "bill.split.parts"),
      (["kind": "itemised"], "bill.split.items"),
      (["kind": "itemised", "items": [["amount": 1, "kind": "itemised"]]], "bill.split.items.0.kind"),
      (["kind": "equal", "people": [.id(ana)], "parts": map((ana, 1))], "bill.split.parts"),
      (["kind": "equal", "people": [.id(stranger)]], "bill.split"),
    ] as [(JSON, String)] {
      #expect(refusal(["split": split])?.fields.map(\.path) == [field], "\(split)")
    }
    let item: JSON = ["amount": 2000, "people": [.id(ben)]]
    let discount: JSON = ["kind": "itemised", "items": [item]]
    #expect(refusal(["amount": -1, "split": discount])?.fields.map(\.path) == ["bill.split.items"])
    #expect(refusal(["amount": 0])?.fields.map(\.path) == ["bill.amount"])
    #expect(try nets() == [:] && world.home().bills.bills.isEmpty)
  }

  @Test("R-MONEY, R-039: currencies are never mixed, and a new one of the household is for new bills only")
  func currencies() throws {
    let people = try world.household(of: "Ana", "Ben", "Cleo")
    let dinar = try add(people[0], 1000, ["currency": "KWD"])
    let euro = try add(people[0], 100)
    try call(people[0], "households.update", ["currency": "JPY"])
    let yen = try add(people[0], 500)
    let bills = try world.home().bills.bills
    #expect(bills[dinar]?.shares.values.sorted() == [333, 333, 334] && bills[euro]?.currency == "EUR")
    #expect(bills[yen]?.currency == "JPY" && bills[yen]?.shares.values.sorted() == [166, 167, 167])
    for currency in ["EUR", "JPY", "KWD"] { #expect(try nets(currency).values.reduce(0, +) == 0) }
    #expect(try nets("KWD").count == 3 && nets("EUR").count == 3)
    let largest = 1_000_000_000_000
    try add(people[0], largest)
    #expect(reason { try add(people[0], largest + 1) } == "invalidParams/invalidParams")
  }

  // MARK: changing

  @Test("BIL-13: author, payers and the host may change a bill; all whom it concerns are told both amounts")
  func changing() throws {
    let people = try world.household(of: "Ana", "Ben", "Cleo", "Dan")
    let (ana, ben, cleo, dan) = (people[0], people[1], people[2], people[3])
    let both: JSON = ["people": [.id(ben), .id(cleo)]]
    let id = try add(ben, 1000, ["split": both, "paid": map((cleo, 1000))])
    #expect(reason { try edit(dan, id, ["amount": 1200]) } == "forbidden/forbidden")
    #expect(reason { try call(dan, "bills.remove", ["id": .id(id)]) } == "forbidden/forbidden")
    for (person, amount) in [(ben, 1200), (cleo, 1400), (ana, 1600)] {
      try edit(person, id, ["amount": .number(.init(amount))])
      #expect(try owed(ben, cleo) == amount / 2 && nets() == [ben: -amount / 2, cleo: amount / 2])
    }
    let bill = try #require(try world.home().bills.bills[id])
    #expect(bill.edits == 3 && bill.editedBy == ana && bill.by == ben)
    let changes = try world.me(cleo).inbox.notifications.values.filter { $0.kind == .billChanged }
    #expect(changes.map { [$0.before, $0.amount] }.sorted { $0[1] ?? 0 < $1[1] ?? 0 } == [[500, 600], [700, 800]])
    let versions = try call(dan, "bills.versions", ["id": .id(id)])["items"]?.array ?? []
    #expect(versions.compactMap { $0["bill"]?["amount"]?.int } == [1600, 1400, 1200, 1000])
    #expect(versions.compactMap { $0["by"] } == [.id(ana), .id(cleo), .id(ben), .id(ben)])
    let kinds = try call(dan, "ledger.list")["items"]?.array?.compactMap { $0["kind"]?.string } ?? []
    #expect(kinds == ["bill", "reversal", "bill", "reversal", "bill", "reversal", "bill"])
    // The name alone moves no money, and nothing at all is no change.
    try edit(ben, id, ["title": "Supper"])
    try edit(ben, id, [:])
    #expect(try call(dan, "ledger.list")["items"]?.array?.count == 7)
    #expect(try world.home().bills.bills[id]?.edits == 4)
    let cleared = refusal { try edit(ben, id, ["amount": .null, "title": .null]) }
    #expect(cleared?.fields.map(\.path) == ["bill.title", "bill.amount"])
    try edit(ben, id, ["paid": map((cleo, 800), (ana, 800))])
    #expect(reason { try edit(ben, id, ["amount": 1700]) } == "invalidParams/invalidParams", "which of two paid more?")
  }

  @Test("BIL-13, R-DEL: a removed bill is out of the books, and comes back under a new id for ten minutes")
  func removing() throws {
    let people = try world.household(of: "Ana", "Ben")
    let (ana, ben) = (people[0], people[1])
    let id = try add(ana, 1001)
    let shares = try world.home().bills.bills[id]?.shares
    try call(ana, "bills.remove", ["id": .id(id)])
    #expect(try nets() == [:] && world.home().bills.bills.isEmpty && world.home().ledger.debts.isEmpty)
    #expect(try call(ben, "bills.list")["items"]?[0]?["bill"]?["removedBy"] == .id(ana))
    #expect(reason { try edit(ana, id, ["amount": 1]) } == "notFound/gone")
    #expect(reason { try add(ana, 1, id: id) } == "conflict/exists")
    #expect(reason { try call(ben, "bills.restore", ["id": .id(id)]) } == "forbidden/forbidden")
    world.advance(.seconds(599))
    let restored = try call(ana, "bills.restore", ["id": .id(id)])
    let newID = try #require(restored["id"]?.string.flatMap { ID<Bill>($0) })
    let bill = try #require(try world.home().bills.bills[newID])
    #expect(bill.was == id && bill.shares == shares && newID != id)
    #expect(try call(ben, "bills.list")["items"]?.array?.count == 1)
    #expect(reason { try call(ana, "bills.restore", ["id": .id(id)]) } == "notFound/gone")
    try call(ana, "bills.remove", ["id": .id(newID)])
    world.advance(.seconds(600))
    #expect(reason { try call(ana, "bills.restore", ["id": .id(newID)]) } == "notFound/gone")
    #expect(try world.home().bills.removed.isEmpty)
  }

  @Test("BIL-9, BIL-10: bills of years are in pages, found by person, pair, category and time, and can be changed")
  func listing() throws {
    let people = try world.household(of: "Ana", "Ben", "Cleo")
    let (ana, ben, cleo) = (people[0], people[1], people[2])
    world.checksStates = false
    let old = try add(ana, 5000, ["split": ["people": [.id(ben)]], "category": "rent"])
    world.advance(.seconds(60))
    let later = world.now
    for _ in 0..<Limits.bills { try add(ben, 10, ["split": ["people": [.id(cleo)]], "category": "Cat food"]) }
    #expect(try world.home().bills.bills[old] == nil, "the state has the newest only")
    #expect(reason { try add(ana, 1, id: old) } == "conflict/exists", "the history knows its id")
    func list(_ query: JSON) throws -> [JSON] { try call(cleo, "bills.list", query)["items"]?.array ?? [] }
    #expect(try list(["people": [.id(ana)]]).map { $0["id"] } == [.id(old)])
    #expect(try list(["people": [.id(ana), .id(cleo)]]).isEmpty)
    #expect(try list(["category": "rent"]).count == 1 && list(["category": "CAT FOOD", "limit": 100]).count == 100)
    #expect(try list(["until": .at(later)]).count == 1 && list(["from": .at(later), "limit": 100]).count == 100)
    let page = try call(cleo, "bills.list", ["limit": 100])
    let rest = try call(cleo, "bills.list", ["limit": 100, "before": page["next"] ?? .null])
    #expect(rest["items"]?.array?.map { $0["id"] } == [.id(old)])
    try edit(ana, old, ["amount": 6000])
    #expect(try owed(ben, ana) == 6000 && list(["category": "rent"])[0]["bill"]?["amount"] == 6000)
    try call(ana, "bills.remove", ["id": .id(old)])
    #expect(try owed(ben, ana) == 0)
    #expect(reason { try edit(ana, old, ["amount": 1]) } == "notFound/gone")
  }

  @Test("BIL-12: what was spent is summed by month, currency and category, also after changes and removals")
  func spending() throws {
    let people = try world.household(of: "Ana", "Ben")
    let (ana, ben) = (people[0], people[1])
    let rent = try add(ana, 1000, ["category": "rent", "date": "2026-01-31"])
    let cat = try add(ana, 300, ["category": "Cat food", "date": "2026-02-01"])
    try add(ana, 50, ["category": " cat  FOOD "])
    try add(ana, 7, ["currency": "JPY"])
    try add(ana, 1, ["date": "2022-12-31"])
    #expect(try world.home().bills.categories.values.map(\.name) == ["Cat food"])
    try edit(ana, rent, ["amount": 2000])
    func months(_ query: JSON = [:]) throws -> JSON { try call(ben, "bills.spending", query)["months"] ?? .null }
    let sum = { (amount: Int, ana: Int, ben: Int) -> JSON in
      ["amount": .number(.init(amount)), "people": self.map((people[0], ana), (people[1], ben))]
    }
    #expect(
      try months() == [
        ["month": "2026-01", "currency": "EUR", "categories": ["rent": sum(2000, 1000, 1000)]],
        ["month": "2026-02", "currency": "EUR", "categories": ["Cat food": sum(350, 175, 175)]],
        [
          "month": "2026-02", "currency": "JPY",
          "categories": ["other": try #require(try months()[2]?["categories"]?["other"])],
        ],
      ])
    #expect(try months(["to": "2026-01", "months": 1]).array?.count == 1)
    try call(ana, "bills.remove", ["id": .id(cat)])
    try call(ana, "bills.remove", ["id": .id(rent)])
    #expect(try months().array?.map { $0["currency"] } == ["EUR", "JPY"])
    #expect(reason { try months(["to": "2026-13"]) } == "invalidParams/invalidParams")
    #expect(try world.home().bills.spending.keys.contains { $0.hasPrefix("2022") } == false)
  }

  // MARK: people who come and go

  @Test("HH-10, ACC-9, R-041: who has left keeps what they owe, also when they are deleted or join again")
  func former() throws {
    let people = try world.household(of: "Ana", "Ben", "Cleo")
    let (ana, ben, cleo) = (people[0], people[1], people[2])
    let id = try add(ana, 3702)
    #expect(try owed(cleo, ana) == 1234)
    try call(cleo, "members.leave")
    #expect(try nets() == [ana: 2468, ben: -1234, cleo: -1234])
    try edit(ana, id, ["amount": 3705])
    #expect(try owed(cleo, ana) == 1235, "editing an old bill does not lose her share")
    #expect(reason { try add(ana, 1, ["split": ["people": [.id(cleo)]]]) } == "invalidParams/invalidParams")
    try world.join([cleo], self.id)
    #expect(try owed(cleo, ana) == 1235)
    try call(cleo, "members.leave")
    try world.delete(cleo)
    #expect(try owed(cleo, ana) == 1235 && nets().values.reduce(0, +) == 0)
    #expect(try world.home().membership.former[cleo]?.number == 1 && !world.names("Cleo"))
  }

  @Test("HH-12: guests have no bills")
  func guests() throws {
    let people = try world.household(of: "Ana", "Ben")
    try call(people[1], "members.away", ["from": "2026-02-02", "to": "2026-02-20"])
    let guest = try world.signUp("Gil")
    let invitation: JSON = ["household": .id(id), "email": "gil@example.org", "guest": true]
    try world.call(people[1], "invitations.send", invitation)
    let received = try #require(try world.me(guest).memberships.invitations.keys.first)
    try world.call(guest, "invitations.accept", ["id": .id(received)])
    #expect(reason { try add(guest, 100) } == "forbidden/guest")
    let bill = try add(people[0], 100)
    #expect(try world.home().bills.bills[bill]?.shares.contains(guest) == false)
    #expect(reason { try add(people[0], 100, ["paid": map((guest, 100))]) } == "invalidParams/invalidParams")
  }

  @Test("DRK-5: the cost of a closed period of drinks is a bill, whose shares are by what each has drunk")
  func drinks() throws {
    let people = try world.household(of: "Ana", "Ben")
    try call(people[0], "drinks.add", ["kind": "Beer", "n": 1])
    try call(people[1], "drinks.add", ["kind": "Beer", "n": 3])
    let answer = try call(people[0], "drinks.closePeriod", ["cost": 1000])
    let id = try #require(answer["bill"]?.string.flatMap { ID<Bill>($0) })
    let bill = try #require(try world.home().bills.bills[id])
    #expect(bill.shares == [people[0]: 250, people[1]: 750] && bill.origin?.kind == .drinks)
    #expect(try owed(people[1], people[0]) == 750)
  }

  @Test("BIL-11, R-NET: a household that wants it is advised of few payments; the ledger stays as it is")
  func simplified() throws {
    let people = try world.household(of: "Ana", "Ben", "Cleo")
    let (ana, ben, cleo) = (people[0], people[1], people[2])
    try add(ana, 1000, ["split": ["people": [.id(ben)]]])
    try call(ana, "households.update", ["simplify": true])
    try add(ben, 1000, ["split": ["people": [.id(cleo)]]])
    #expect(try world.home().owed == [Transfer(from: cleo, to: ana, currency: "EUR", amount: 1000)])
    #expect(try owed(ben, ana) == 1000 && owed(cleo, ben) == 1000)
    #expect(try world.home().owed(by: cleo, to: ana, "EUR") == 1000)
    try call(ana, "households.update", ["simplify": false])
    #expect(try world.home().ledger.transfers.isEmpty && world.home().owed(by: cleo, to: ana, "EUR") == 0)
  }
}
