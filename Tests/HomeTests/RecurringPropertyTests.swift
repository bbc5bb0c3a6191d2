import JSON
import Rooms
import TestSupport
import Testing

@testable import Home

/// Random recurring bills, changes of them and downtimes: what must hold of the posted bills after every step.
@Suite("Recurring bills under random use")
struct RecurringPropertyTests {
  @Test(
    "BIL-14, R-040: each day of a recurring bill is posted once, not too early or before the first, or after a cancel",
    arguments: 1...6)
  func random(seed: UInt64) throws {
    var run = try RecurringRun(seed: seed)
    for _ in 0..<50 { try run.step() }
    #expect(!run.seen.isEmpty, "seed \(seed): nothing was posted, which means nothing")
    #expect(try run.house.world.isRestorable(run.house.home))
  }
}

private struct RecurringRun {
  var random: SeededGenerator
  let house: ChoreWorld
  /// The posted bills so far.
  var seen: Set<ID<Bill>> = []
  /// By recurring bill and due day, however often it was brought back under another id.
  var days: Set<String> = []
  /// The first ids of those that were brought back.
  var roots: [ID<RecurringBill>: ID<RecurringBill>] = [:]

  init(seed: UInt64) throws {
    random = SeededGenerator(seed: seed)
    house = try ChoreWorld("Ana", "Ben", "Cem", "Dan")
    house.world.checksStates = false
    // One that no leaving pauses.
    let own: JSON = ["kind": "equal", "people": [house.person(0), house.person(1)]]
    let weekly: JSON = ["every": 1, "unit": "weeks"]
    call("add", ["bill": ["title": "Tea", "amount": 9, "split": own, "first": "2026-02-05", "repeat": weekly]])
  }

  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

  mutating func step() throws {
    let before = try posted().count
    switch number(0...9) {
    case 0...2: call("add", ["bill": .object(form(isNew: true))])
    case 3: change { ["id": .id($0), "bill": .object($1.form(isNew: false))] }
    case 4: try cancel()
    case 5: comeOrGo()
    default: return try wait()
    }
    #expect(try posted().count == before, "bills are posted at their times, and not by calls")
    try checkBooks()
  }

  // MARK: calls

  mutating func call(_ verb: String, _ parameters: JSON) {
    house.world.confirmation = .pin
    defer { house.world.confirmation = nil }
    _ = try? house.call(0, "recurringBills.\(verb)", parameters)
  }

  mutating func change(_ parameters: (ID<RecurringBill>, inout Self) -> JSON) {
    guard let id = try? house.state.recurringBills.bills.keys.sorted().randomElement(using: &random) else { return }
    call("edit", parameters(id, &self))
  }

  /// A form of which some fields are left out, unless it is new.
  mutating func form(isNew: Bool) -> [String: JSON] {
    let today = ZoneTime("Europe/Berlin").day(at: house.world.now)
    let unit = ["weeks", "months", "years"][number(0...2)]
    var form: [String: JSON] = [
      "title": "Rent", "amount": .number(.init(number(1...5000))), "host": house.person(number(0...3)),
      "lead": .number(.init(number(0...14))), "first": .string(today.adding(number(0...60)).text),
      "split": ["kind": "equal", "people": .array([house.person(0), house.person(number(1...3))])],
      "currency": number(0...4) == 0 ? "JPY" : "EUR",
      "repeat": ["every": .number(.init(number(1...3))), "unit": .string(unit)],
    ]
    if isNew { return form }
    for name in form.keys.sorted() where number(0...2) > 0 { form[name] = nil }
    return form
  }

  mutating func cancel() throws {
    guard let id = try house.state.recurringBills.bills.keys.sorted().randomElement(using: &random) else { return }
    call("cancel", ["id": .id(id)])
    guard number(0...1) == 0 else { return }
    let back = ID<RecurringBill>(high: 0xEC, low: random.next())
    call("restore", ["id": .id(id), "newId": .id(back)])
    roots[back] = roots[id] ?? id
  }

  mutating func comeOrGo() {
    let person = number(2...3)
    if (try? house.state.membership.members.contains(house.people[person])) == true {
      if number(0...2) == 0 { _ = try? house.call(person, "members.leave", [:]) }
    } else {
      try? house.world.join([house.people[person]], ID(high: 0xB000, low: 1))
    }
  }

  // MARK: time

  /// Lets time pass, with a server or without one; then exactly those bills are posted whose time has come.
  mutating func wait() throws {
    let before = try house.state.recurringBills.bills
    let duration = Duration.seconds(number(1...86_400 * (number(0...3) == 0 ? 120 : 20)))
    if number(0...1) == 0 { house.world.now = house.world.now + duration } else { house.world.advance(duration) }
    // With the pauses of a very long downtime.
    house.world.advance(Limits.recurringPause * 20)
    let now = house.world.now
    let zone = ZoneTime("Europe/Berlin")
    var expected: [ID<Bill>] = []
    for (id, bill) in before where bill.isPaused != true {
      var bill = bill
      while let day = bill.next, zone.instant(day.adding(-bill.lead)) <= now {
        #expect(day >= bill.first)
        expected.append(RecurringBill.bill(of: id, on: day))
        bill.advance()
      }
    }
    let posted = try posted()
    let new = posted.filter { !seen.contains($0.id) }
    #expect(Set(new.map(\.id)) == Set(expected) && new.count == expected.count)
    for (id, bill) in new {
      seen.insert(id)
      let day = try #require(bill.dueDate)
      let source: ID<RecurringBill> = try #require(bill.origin?.ref.cast())
      let lead = before[source]?.lead ?? 0
      #expect(bill.at >= zone.instant(day.adding(-lead)), "not too early")
      let isNew = days.insert("\(roots[source] ?? source) \(day.text)").inserted
      #expect(isNew, "once")
    }
    try checkBooks()
  }

  /// The bills of the books that were posted by themselves.
  func posted() throws -> [(id: ID<Bill>, bill: Bill)] {
    let records = (house.world.history[house.home] ?? []).filter { $0.kind == ListBills.history }
    var bills: [ID<Bill>: Bill] = [:]
    for record in records {
      guard let listed = record.body.flatMap({ ListedBill(history: $0) }) else { continue }
      #expect(bills[listed.id] == nil, "no bill is posted over another one")
      bills[listed.id] = listed.bill
    }
    return bills.map { ($0.key, $0.value) }
  }

  func checkBooks() throws {
    for balance in try house.state.ledger.balances.values {
      #expect(balance.people.values.reduce(0, +) == 0, "the sum of all balances is 0")
    }
  }
}
