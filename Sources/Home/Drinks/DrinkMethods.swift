import JSON
import Rooms

extension Drinks {
  static let methods: [Method] = [
    .of(AddDrinks.self), .of(BuyDrinks.self), .of(CorrectDrinks.self), .of(UndoDrinks.self), .of(RemoveDrinkKind.self),
    .of(CloseDrinkPeriod.self), .question(OverviewOfDrinks.self), .question(ListDrinks.self),
    .question(ListDrinkPeriods.self),
  ]
}

/// The entry, unless there was nothing to enter, and the stock after it.
struct DrinkAnswer: Record {
  var id: ID<DrinkEntry>?
  var stock = 0

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("stock", \.stock)
  }
}

/// Counts drinks that the caller or another member has drunk; a number below 0 takes some back (DRK-1).
struct AddDrinks: Mutation {
  static let method: StaticString = "drinks.add"
  static let summary: StaticString =
    "Counts drinks that the caller or another member has drunk; a number below 0 takes some back (DRK-1)."
  var id: ID<DrinkEntry>?
  var kind = Line()
  var n = 1
  var person: ID<Person>?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("kind", \.kind, Limits.drinkName)
    field("n", \.n, Limits.drinksAdded)
    field("person", \.person)
  }

  func check(_ problems: Problems, in home: inout HouseholdState, _ context: Context) {
    if n == 0 { problems.note("n", "must not be 0") }
  }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> DrinkAnswer {
    var entry = DrinkEntry(act: .drunk, n: n)
    entry.person = person ?? context.person
    return try home.enter(entry, kind, as: id, in: context)
  }
}

/// Counts drinks that the caller or another member has bought (DRK-2).
struct BuyDrinks: Mutation {
  static let method: StaticString = "drinks.buy"
  static let summary: StaticString = "Counts drinks that the caller or another member has bought (DRK-2)."
  var id: ID<DrinkEntry>?
  var kind = Line()
  var n = 1
  var person: ID<Person>?
  var cost: Int?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("kind", \.kind, Limits.drinkName)
    field("n", \.n, Limits.drinksBought)
    field("person", \.person)
    field("cost", \.cost, Limits.drinkCost)
  }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> DrinkAnswer {
    var entry = DrinkEntry(act: .bought, n: n)
    entry.person = person ?? context.person
    entry.cost = cost
    entry.currency = cost.map { _ in home.info.facts.value.currency }
    return try home.enter(entry, kind, as: id, in: context)
  }
}

/// Says how many drinks of a kind there are; the difference is unaccounted, and nobody is charged (DRK-3).
struct CorrectDrinks: Mutation {
  static let method: StaticString = "drinks.correct"
  static let summary: StaticString =
    "Says how many drinks of a kind there are; the difference is unaccounted, and nobody is charged (DRK-3)."
  var id: ID<DrinkEntry>?
  var kind = Line()
  var to = 0

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("kind", \.kind, Limits.drinkName)
    field("to", \.to, Limits.drinkStock)
  }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> DrinkAnswer {
    _ = try home.caller(context)
    let stock = home.drinks.kinds[NameKey.of(kind.text)]?.stock ?? 0
    if stock == to { return DrinkAnswer(id: nil, stock: to) }
    let entry = DrinkEntry(act: .corrected, n: to - stock, person: context.person)
    return try home.enter(entry, kind, as: id, in: context)
  }
}

/// Takes back an entry of the caller's own, within ten minutes (DRK-7).
struct UndoDrinks: Mutation {
  static let method: StaticString = "drinks.undo"
  static let summary: StaticString = "Takes back an entry of the caller's own, within ten minutes (DRK-7)."
  var id = ID<DrinkEntry>()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("id", \.id) }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> NoAnswer {
    guard let entry = home.drinks.entries[id], context.now - entry.at < Limits.undo else { throw .gone("This entry") }
    guard entry.by == context.person else {
      throw Refusal(.forbidden, "forbidden", "Only its author may take an entry back.")
    }
    home.drinks.undo(id)
    home.forget(id, in: context)
    context.erase(ListDrinks.history, id: id.bytes)
    return NoAnswer()
  }
}

/// Removes a kind of drink of which nothing is open (DRK-4).
struct RemoveDrinkKind: Mutation {
  static let method: StaticString = "drinks.removeKind"
  static let summary: StaticString = "Removes a kind of drink of which nothing is open (DRK-4)."
  var kind = Line()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("kind", \.kind, Limits.drinkName) }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> NoAnswer {
    _ = try home.caller(context)
    let key = NameKey.of(kind.text)
    guard let drink = home.drinks.kinds[key] else { throw .gone("This drink") }
    guard drink.isSettled else {
      throw Refusal(.conflict, "openItems", "There is a stock, or somebody has a count: close the period first.")
    }
    home.drinks.kinds[key] = nil
    for id in home.drinks.forgetEntries(where: { $0.kind == key }) { home.forget(id, in: context) }
    return NoAnswer()
  }
}

/// Tells what each has drunk, bought and still has to buy in this period, and who buys next (DRK-4, DRK-6).
struct OverviewOfDrinks: Question {
  static let method: StaticString = "drinks.overview"
  static let summary: StaticString =
    "Tells what each has drunk, bought and still has to buy in this period, and who buys next (DRK-4, DRK-6)."

  static func fields(_ field: inout some FieldVisitor<Self>) {}

  func answer(from home: HouseholdState, in inquiry: Inquiry) throws(Refusal) -> DrinkOverview {
    let totals = home.drinks.totals
    let open = home.drinks.period.value
    var overview = DrinkOverview(period: open.number, since: open.since)
    for person in Set(totals.keys).union(home.membership.members.keys).sorted() {
      let count = totals[person] ?? DrinkCount()
      overview.people[person] = DrinkTotal(drunk: count.drunk, bought: count.bought, toBuy: count.toBuy)
      overview.toBuy += count.toBuy
      let most = overview.next.flatMap { totals[$0]?.toBuy } ?? 0
      if home.membership.members.contains(person), count.toBuy > most { overview.next = person }
    }
    return overview
  }
}

/// The totals of a period, over all kinds.
struct DrinkOverview: Record {
  var period = 0
  var since: Instant?
  /// The drinks that all together have to buy.
  var toBuy = 0
  /// The member with the most to buy; absent if nobody has any.
  var next: ID<Person>?
  var people: SmallMap<ID<Person>, DrinkTotal> = [:]

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("period", \.period)
    field("since", \.since)
    field("toBuy", \.toBuy)
    field("next", \.next)
    field("people", \.people)
  }
}

/// One person's total; what they have to buy includes what came over from the period before.
struct DrinkTotal: Record {
  var drunk = 0
  var bought = 0
  var toBuy = 0

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("drunk", \.drunk)
    field("bought", \.bought)
    field("toBuy", \.toBuy)
  }
}

/// Lists what was drunk, bought and corrected, newest first (DRK-1 to DRK-3).
struct ListDrinks: HistoryPage {
  typealias State = HouseholdState
  typealias Item = DrinkEntry
  static let method: StaticString = "drinks.list"
  static let summary: StaticString = "Lists what was drunk, bought and corrected, newest first (DRK-1 to DRK-3)."
  static let history = "drinks"
  var before: HistoryCursor?
  var limit: Int?
}

extension HouseholdState {
  /// Counts an entry and keeps it.
  fileprivate mutating func enter(
    _ entry: DrinkEntry, _ kind: Line, as id: ID<DrinkEntry>?, in context: Context
  ) throws(Refusal) -> DrinkAnswer {
    _ = try caller(context)
    guard membership.members.contains(entry.person) else { throw .gone("This member") }
    let id = context.newID(id)
    try checkNew(id)
    var entry = entry
    entry.kind = NameKey.of(kind.text)
    entry.by = context.person
    entry.at = context.now
    try drinks.count(entry, named: kind.text)
    if let old = drinks.keep(entry, as: id) { forget(old, at: context.now) }
    context.record(ListDrinks.history, id: id.bytes, about: [entry.person], entry)
    return DrinkAnswer(id: id, stock: drinks.kinds[entry.kind]?.stock ?? 0)
  }

  /// Forgets the entries that a person who leaves could undo. Their counts stay until the period is closed.
  mutating func forgetDrinks(of person: ID<Person>, at now: Instant) {
    for id in drinks.forgetEntries(where: { $0.by == person }) { forget(id, at: now) }
  }
}
