import JSON
import Rooms
import TestSupport
import Testing

@testable import Home

@Suite("Drinks")
struct DrinkTests {
  let id = ID<Household>(high: 0xB000, low: 1)
  let world = World()

  var room: RoomID { .household(id) }

  @discardableResult
  func call(_ person: ID<Person>, _ method: String, _ parameters: JSON = [:]) throws -> JSON {
    try world.call(person, "drinks.\(method)", in: room, parameters)
  }

  @discardableResult
  func add(_ person: ID<Person>, _ n: Int, of kind: String = "Beer") throws -> JSON {
    try call(person, "add", ["kind": .string(kind), "n": .number(.init(n))])
  }

  @discardableResult
  func buy(_ person: ID<Person>, _ n: Int, of kind: String = "Beer") throws -> JSON {
    try call(person, "buy", ["kind": .string(kind), "n": .number(.init(n))])
  }

  func drink(_ key: String = "beer") throws -> Drink? { try world.home().drinks.kinds[key] }

  func total(of person: ID<Person>) throws -> JSON? { try call(person, "overview")["people"]?[person.description] }

  // MARK: entries

  @Test("DRK-1, DRK-2: drinks are counted for oneself or another, by anybody, and bought ones add to the stock")
  func counting() throws {
    let people = try world.household(of: "Ana", "Ben")
    #expect(try buy(people[0], 24)["stock"] == 24)
    #expect(try add(people[1], 3)["stock"] == 21)
    try call(people[1], "add", ["kind": " beer ", "n": 2, "person": .id(people[0])])
    try call(people[1], "buy", ["kind": "BEER", "n": 6, "person": .id(people[0]), "cost": 599])
    try add(people[1], -1)
    let beer = try #require(try drink())
    #expect(beer.name == "Beer" && beer.stock == 26 && beer.unaccounted == 0)
    #expect(beer.counts == [people[0]: DrinkCount(drunk: 2, bought: 30), people[1]: DrinkCount(drunk: 2)])
    let entries = try call(people[0], "list")["items"]?.array ?? []
    #expect(entries.count == 5)
    let costly = entries.first { $0["cost"] != nil }
    #expect(
      costly == [
        "kind": "beer", "act": "bought", "n": 6, "person": .id(people[0]), "by": .id(people[1]), "at": .at(world.now),
        "cost": 599, "currency": "EUR",
      ])
  }

  @Test("DRK-1: increments of two people at once add up, and one that a phone sends again later counts once")
  func atOnce() throws {
    let people = try world.household(of: "Ana", "Ben")
    let queued: JSON = ["kind": "Beer", "n": 2, "id": .id(ID<DrinkEntry>(high: 1, low: 1))]
    try call(people[0], "add", queued)
    try add(people[1], 3)
    world.advance(.seconds(3600))
    #expect(reason { try call(people[0], "add", queued) } == "conflict/exists")
    try add(people[1], 1)
    #expect(try drink()?.counts == [people[0]: DrinkCount(drunk: 2), people[1]: DrinkCount(drunk: 4)])
  }

  @Test("DRK-3: a correction changes the stock, logs the difference, and charges nobody")
  func correcting() throws {
    let people = try world.household(of: "Ana", "Ben")
    try buy(people[0], 24)
    try add(people[1], 4)
    let answer = try call(people[1], "correct", ["kind": "Beer", "to": 17])
    #expect(answer["stock"] == 17 && answer["id"] != nil)
    let beer = try #require(try drink())
    #expect(beer.stock == 17 && beer.unaccounted == -3)
    #expect(beer.counts == [people[0]: DrinkCount(bought: 24), people[1]: DrinkCount(drunk: 4)])
    // To the number that it is already: nothing to log.
    #expect(try call(people[0], "correct", ["kind": "Beer", "to": 17]) == ["stock": 17])
    #expect(try call(people[0], "list")["items"]?.array?.count == 3)
    try call(people[0], "correct", ["kind": "Wine", "to": 5])
    #expect(try drink("wine")?.stock == 5 && drink("wine")?.unaccounted == 5)
    try call(people[0], "correct", ["kind": "Cider", "to": 0])
    #expect(try drink("cider") == nil)
  }

  @Test("DRK-1 to DRK-3: one error names every bad field, and persons are members")
  func refused() throws {
    let people = try world.household(of: "Ana", "Ben")
    let stranger = try world.signUp("Cem")
    func fields(_ method: String, _ parameters: JSON) -> [String]? {
      refusal { try call(people[0], method, parameters) }?.fields.map(\.path).sorted()
    }
    #expect(fields("add", ["kind": " ", "n": 25, "person": "x"]) == ["kind", "n", "person"])
    #expect(fields("add", ["kind": "Beer", "n": 0]) == ["n"] && fields("add", ["kind": "Beer", "n": -6]) == ["n"])
    #expect(fields("add", ["kind": "Beer"]) == ["n"] && fields("buy", ["kind": "Beer", "n": 0]) == ["n"])
    #expect(fields("buy", ["n": 501, "cost": 0]) == ["cost", "kind", "n"])
    #expect(fields("correct", ["kind": "Beer", "to": -1]) == ["to"])
    #expect(fields("closePeriod", ["payer": .id(people[1])]) == ["payer"])
    #expect(fields("closePeriod", ["carryOver": true, "cost": 1, "period": 0]) == ["carryOver", "period"])
    for method in ["add", "buy"] {
      let found = reason { try call(people[0], method, ["kind": "Beer", "n": 1, "person": .id(stranger)]) }
      #expect(found == "notFound/gone")
    }
    #expect(reason { try add(stranger, 1) } == "notFound/room")
    #expect(try world.home().drinks.kinds.isEmpty)
  }

  // MARK: undo

  @Test("DRK-7: the author takes an entry back for ten minutes, and all that it did")
  func undo() throws {
    let people = try world.household(of: "Ana", "Ben")
    try buy(people[0], 6)
    let before = try drink()
    let calls: [(String, JSON)] = [
      ("add", ["kind": "Beer", "n": 12]), ("buy", ["kind": "Beer", "n": 3, "person": .id(people[0])]),
      ("correct", ["kind": "Beer", "to": 40]),
    ]
    for (method, parameters) in calls {
      let entry = try #require(try call(people[1], method, parameters)["id"])
      #expect(try drink() != before)
      #expect(reason { try call(people[0], "undo", ["id": entry]) } == "forbidden/forbidden")
      world.advance(.milliseconds(599_999))
      try call(people[1], "undo", ["id": entry])
      #expect(try drink() == before, "\(method)")
      #expect(reason { try call(people[1], "undo", ["id": entry]) } == "notFound/gone")
      let again = reason { try call(people[1], "add", ["kind": "Beer", "n": 1, "id": entry]) }
      #expect(again == "conflict/exists", "an id is not used again")
    }
    #expect(try call(people[0], "list")["items"]?.array?.count == 1)
    let late = try #require(try add(people[1], 1)["id"])
    world.advance(.milliseconds(600_000))
    #expect(reason { try call(people[1], "undo", ["id": late]) } == "notFound/gone")
  }

  @Test("DRK-7: what others count in between stays when an entry is taken back")
  func undoAmongOthers() throws {
    let people = try world.household(of: "Ana", "Ben")
    let entry = try #require(try call(people[0], "correct", ["kind": "Beer", "to": 10])["id"])
    for _ in 1...20 { try add(people[1], 1) }
    try call(people[0], "undo", ["id": entry])
    #expect(try drink()?.stock == -20 && drink()?.unaccounted == 0)
  }

  // MARK: overview

  @Test("DRK-4, DRK-6: each has drunk less bought to buy, the sum is shown, and the one with the most buys next")
  func overview() throws {
    let people = try world.household(of: "Ana", "Ben", "Cem")
    #expect(try call(people[0], "overview")["next"] == nil)
    try buy(people[0], 24)
    try add(people[0], 4)
    try add(people[1], 7)
    try add(people[1], 2, of: "Juice")
    try add(people[2], 9)
    let found = try call(people[2], "overview")
    #expect(found["period"] == 1 && found["since"] == nil && found["toBuy"] == -2)
    #expect(try total(of: people[0]) == ["drunk": 4, "bought": 24, "toBuy": -20])
    #expect(try total(of: people[1]) == ["drunk": 9, "bought": 0, "toBuy": 9])
    // Ben and Cem have as much to buy: the smaller id is first.
    #expect(found["next"] == .id(people[1]))
    try add(people[2], 1)
    #expect(try call(people[0], "overview")["next"] == .id(people[2]))
    for person in people.dropFirst() { try buy(person, 10) }
    #expect(try call(people[0], "overview")["next"] == nil, "nobody has anything to buy")
  }

  @Test("DRK-4: a kind can go when nothing of it is open, and comes back by being used")
  func kinds() throws {
    let people = try world.household(of: "Ana", "Ben")
    let slip = try #require(try add(people[0], 1, of: "Bier")["id"])
    func remove() -> String? { reason { try call(people[1], "removeKind", ["kind": "bier"]) } }
    #expect(remove() == "conflict/openItems")
    try call(people[0], "undo", ["id": slip])
    #expect(remove() == nil && remove() == "notFound/gone")
    try buy(people[0], 2, of: "Bier")
    try add(people[0], 2, of: "Bier")
    #expect(remove() == "conflict/openItems", "the counts are not settled")
    try call(people[0], "closePeriod")
    #expect(remove() == nil)
    let gone = try #require(try add(people[0], 1, of: "Bier")["id"])
    try add(people[0], -1, of: "Bier")
    #expect(remove() == nil && reason { try call(people[0], "undo", ["id": gone]) } == "notFound/gone")
  }

  // MARK: periods

  @Test("DRK-5: closing a period archives it, sets the counts to 0, keeps the stock, and divides the cost by drinks")
  func closing() throws {
    let people = try world.household(of: "Ana", "Ben", "Cem")
    try buy(people[0], 24)
    try add(people[0], 1)
    try add(people[1], 2)
    try call(people[0], "correct", ["kind": "Beer", "to": 20])
    // More taken back than drunk weighs nothing.
    try add(people[2], -1, of: "Juice")
    world.advance(.seconds(60))
    let answer = try call(people[1], "closePeriod", ["cost": 1000, "payer": .id(people[2])])
    let shares = answer["shares"]
    #expect(answer["period"] == 1)
    #expect(shares?[people[0].description] == 333 && shares?[people[1].description] == 667)
    #expect(shares?[people[2].description] == nil)
    let beer = try #require(try drink())
    #expect(beer.stock == 20 && beer.unaccounted == 0 && beer.counts.isEmpty)
    #expect(try call(people[0], "overview")["since"] == .at(world.now))
    let closed = try #require(try call(people[0], "periods")["items"]?[0])
    #expect(closed["number"] == 1 && closed["by"] == .id(people[1]) && closed["id"] == answer["id"])
    #expect(closed["bill"]?["payer"] == .id(people[2]) && closed["bill"]?["cost"] == 1000)
    #expect(closed["bill"]?["currency"] == "EUR" && closed["bill"]?["shares"] == shares)
    let archived = closed["drinks"]?["beer"]
    #expect(archived?["stock"] == 20 && archived?["unaccounted"] == -1)
    #expect(archived?["counts"]?[people[1].description]?["drunk"] == 2)
    #expect(try world.isRestorable(room))
  }

  @Test("DRK-5: a cost needs somebody who has drunk, and an empty period is not closed")
  func nothing() throws {
    let people = try world.household(of: "Ana", "Ben")
    func close(_ more: JSON = [:]) -> String? { reason { try call(people[0], "closePeriod", more) } }
    #expect(close() == "conflict/nothingToClose" && close(["cost": 100]) == "conflict/nothingToSplit")
    try buy(people[1], 5)
    try add(people[0], -2)
    #expect(close(["cost": 100]) == "conflict/nothingToSplit")
    #expect(close() == nil && close() == "conflict/nothingToClose")
  }

  @Test("DRK-5: a call that means an earlier period, such as one that was queued, closes nothing")
  func queued() throws {
    let people = try world.household(of: "Ana", "Ben")
    try add(people[0], 10)
    try call(people[0], "closePeriod", ["period": 1, "cost": 5000])
    try add(people[1], 1)
    #expect(reason { try call(people[1], "closePeriod", ["period": 1, "cost": 5000]) } == "conflict/closed")
    #expect(try total(of: people[1])?["drunk"] == 1)
    try call(people[1], "closePeriod", ["period": 2])
  }

  @Test("DRK-5: what each had left to buy goes into the next period if it is carried over, and weighs nothing there")
  func carryOver() throws {
    let people = try world.household(of: "Ana", "Ben")
    try buy(people[0], 12)
    try add(people[0], 3)
    try add(people[1], 5)
    try call(people[0], "closePeriod", ["carryOver": true])
    #expect(try total(of: people[0]) == ["drunk": 0, "bought": 0, "toBuy": -9])
    #expect(try total(of: people[1]) == ["drunk": 0, "bought": 0, "toBuy": 5])
    #expect(try call(people[0], "overview")["next"] == .id(people[1]))
    #expect(reason { try call(people[0], "closePeriod", ["cost": 100]) } == "conflict/nothingToSplit")
    try add(people[0], 1)
    let shares = try call(people[0], "closePeriod", ["cost": 100])["shares"]
    #expect(shares == [people[0].description: 100])
    #expect(try drink()?.counts.isEmpty == true && drink()?.stock == 3)
  }

  @Test("DRK-5, DRK-7: an entry of a closed period can no longer be undone")
  func undoAfterClosing() throws {
    let ana = try world.household(of: "Ana")[0]
    let entry = try #require(try add(ana, 2)["id"])
    try call(ana, "closePeriod")
    #expect(reason { try call(ana, "undo", ["id": entry]) } == "notFound/gone")
    #expect(reason { try call(ana, "add", ["kind": "Beer", "n": 1, "id": entry]) } == "conflict/exists")
  }

  @Test("DRK-5, HH-12: a guest counts drinks, and neither closes a period nor pays for it")
  func guests() throws {
    let people = try world.household(of: "Ana", "Ben")
    let guest = try world.signUp("Gil")
    try world.call(people[1], "members.away", in: room, ["from": "2026-02-02", "to": "2026-02-05"])
    try world.call(
      people[1], "invitations.send", ["household": .id(id), "email": "gil@example.org", "guest": true])
    let invitation = try #require(try world.me(guest).memberships.invitations.keys.first)
    try world.call(guest, "invitations.accept", ["id": .id(invitation)])
    try add(guest, 1)
    #expect(reason { try call(guest, "closePeriod") } == "forbidden/guest")
    #expect(reason { try call(people[0], "closePeriod", ["cost": 1, "payer": .id(guest)]) } == "forbidden/guest")
    #expect(
      reason { try call(people[0], "closePeriod", ["cost": 1, "payer": .id(ID<Person>())]) } == "notFound/gone")
  }

  @Test("DRK-5, HH-10: a member who leaves keeps their counts until the period is closed, and buys nothing")
  func leaves() throws {
    let people = try world.household(of: "Ana", "Ben")
    try add(people[0], 1)
    let entry = try #require(try add(people[1], 3)["id"])
    try world.call(people[1], "members.leave", in: room)
    #expect(try world.home().drinks.entries.count == 1)
    let found = try call(people[0], "overview")
    #expect(found["people"]?[people[1].description]?["toBuy"] == 3 && found["next"] == .id(people[0]))
    #expect(reason { try call(people[0], "add", ["kind": "Beer", "n": 1, "id": entry]) } == "conflict/exists")
    let shares = try call(people[0], "closePeriod", ["cost": 400])["shares"]
    #expect(shares == [people[0].description: 100, people[1].description: 300])
    #expect(try call(people[0], "overview")["people"]?[people[1].description] == nil)
    try add(people[0], 1)
    try world.join([people[1]], id)
    try add(people[1], 1)
    try world.call(people[1], "members.leave", in: room)
    try call(people[0], "closePeriod", ["carryOver": true])
    let beer = try #require(try drink())
    #expect(Array(beer.counts.keys) == [people[0]], "nobody carries over what a leaver had")
  }

  @Test("DRK-5: closed periods come in pages, newest first")
  func pages() throws {
    let ana = try world.household(of: "Ana")[0]
    for _ in 1...7 {
      try add(ana, 1)
      try call(ana, "closePeriod")
    }
    var numbers: [Int] = []
    var next: JSON?
    repeat {
      var parameters: [String: JSON] = ["limit": 3]
      parameters["before"] = next
      let page = try call(ana, "periods", .object(parameters))
      numbers += (page["items"]?.array ?? []).compactMap { $0["number"]?.int }
      next = page["next"]
    } while next != nil
    #expect(numbers == [7, 6, 5, 4, 3, 2, 1])
  }

  // MARK: together

  @Test(
    "DRK-1 to DRK-7: the stock is what was bought and corrected less what was drunk, and shares add up to the cost",
    arguments: 1...6 as ClosedRange<UInt64>)
  func model(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let people = try world.household(of: "Ana", "Ben", "Cem")
    /// Stock at the beginning of the period, by kind.
    var initial: [String: Int] = [:]
    var drunk: [ID<Person>: Int] = [:]
    var entries: [(id: JSON, by: ID<Person>, drunk: (ID<Person>, Int)?)] = []
    for _ in 0..<150 {
      let person = people.randomElement(using: &random) ?? people[0]
      let other = people.randomElement(using: &random) ?? people[0]
      let kind = ["Beer", "Juice"].randomElement(using: &random) ?? "Beer"
      switch Int.random(in: 0...9, using: &random) {
      case 0...3:
        let n = Int.random(in: 1...24, using: &random) * (Int.random(in: 0...3, using: &random) == 0 ? -1 : 1)
        let parameters: JSON = ["kind": .string(kind), "n": .number(.init(max(n, -5))), "person": .id(other)]
        let id = try #require(try call(person, "add", parameters)["id"])
        drunk[other, default: 0] += max(n, -5)
        entries.append((id, person, (other, max(n, -5))))
      case 4, 5:
        let id = try #require(try buy(person, Int.random(in: 1...500, using: &random), of: kind)["id"])
        entries.append((id, person, nil))
      case 6:
        let to = Int.random(in: 0...50, using: &random)
        try call(person, "correct", ["kind": .string(kind), "to": .number(.init(to))])
        #expect(try drink(NameKey.of(kind))?.stock ?? 0 == to)
      case 7:
        guard let entry = entries.popLast() else { continue }
        // Each member's newest ten can be undone.
        guard reason({ try call(entry.by, "undo", ["id": entry.id]) }) == nil else { continue }
        if let (person, n) = entry.drunk { drunk[person, default: 0] -= n }
      case 8:
        let weights = drunk.filter { $0.value > 0 }
        let cost = Int.random(in: 1...1_000_000, using: &random)
        guard !weights.isEmpty else { continue }
        let shares = try call(person, "closePeriod", ["cost": .number(.init(cost))])["shares"]?.object ?? [:]
        #expect(shares.values.compactMap(\.int).reduce(0, +) == cost, "seed \(seed)")
        #expect(Set(shares.keys) == Set(weights.keys.map(\.description)), "seed \(seed)")
        let sum = weights.values.reduce(0, +)
        for (person, weight) in weights {
          let share = try #require(shares[person.description]?.int)
          #expect(abs(share * sum - cost * weight) < sum, "seed \(seed): a share is exact to one unit")
        }
        (drunk, entries) = ([:], [])
        for (key, drink) in try world.home().drinks.kinds { initial[key] = drink.stock }
      default: world.advance(.seconds(Int.random(in: 0...30, using: &random)))
      }
      for (key, drink) in try world.home().drinks.kinds {
        let sum = drink.counts.values.reduce(drink.unaccounted) { $0 + $1.bought - $1.drunk }
        #expect(drink.stock == (initial[key] ?? 0) + sum, "seed \(seed)")
      }
      let overview = try call(person, "overview")
      let people = (overview["people"]?.object ?? [:]).values
      #expect(overview["toBuy"]?.int == people.reduce(0) { $0 + ($1["toBuy"]?.int ?? 0) }, "seed \(seed)")
      for (person, n) in drunk { #expect(try total(of: person)?["drunk"]?.int == n, "seed \(seed)") }
    }
    #expect(try world.isRestorable(room))
  }
}
