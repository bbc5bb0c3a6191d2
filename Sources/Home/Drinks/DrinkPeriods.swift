import JSON
import Rooms

/// Closes the period: its counts are archived and begin again, and its cost is divided by what each drank (DRK-5).
struct CloseDrinkPeriod: Mutation {
  static let method: StaticString = "drinks.closePeriod"
  static let summary: StaticString =
    "Closes the period: its counts are archived and begin again, and its cost is divided by what each drank (DRK-5)."
  var id: ID<DrinkPeriod>?
  /// The number of the period that the caller means, so that nobody closes the next one by a call that was queued.
  var period: Int?
  var cost: Int?
  /// The member who holds the account from which the cost is paid; the caller if it is absent.
  var payer: ID<Person>?
  var carriesOver: Bool?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("period", \.period, 1...Int(Int32.max))
    field("cost", \.cost, Limits.drinkCost)
    field("payer", \.payer)
    field("carryOver", \.carriesOver)
  }

  func check(_ problems: Problems, in home: inout HouseholdState, _ context: Context) {
    if payer != nil, cost == nil { problems.note("payer", "needs a cost") }
    // Money settles what each has drunk: to carry it over would charge it twice.
    if carriesOver == true, cost != nil { problems.note("carryOver", "contradicts cost") }
  }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> DrinkPeriodAnswer {
    let payer = payer ?? context.person
    for person in [context.person, payer] {
      if !home.membership.members.contains(person) { throw .gone("This member") }
      if !home.isResident(person) { throw .guest }
    }
    let open = home.drinks.period.value
    if let period, period != open.number {
      throw Refusal(.conflict, "closed", "The period that is open has the number \(open.number).")
    }
    let id = context.newID(id)
    try home.checkNew(id)
    let bill = try cost.map { cost throws(Refusal) in try home.bill(cost, paidBy: payer, of: id) }
    if home.drinks.isEmpty { throw Refusal(.conflict, "nothingToClose", "Nothing was counted in this period.") }
    let closed = DrinkPeriod(
      id: id, number: open.number, since: open.since, at: context.recordedAt, by: context.person,
      drinks: SmallMap(home.drinks.kinds.map { ($0.key, $0.value) }), bill: bill,
      carriesOver: carriesOver == true ? true : nil)
    home.archive(closed, in: context)
    let posted = try bill.map { bill throws(Refusal) in try home.enter(bill, of: id, in: context) }
    return DrinkPeriodAnswer(id: id, period: closed.number, bill: posted, shares: bill?.shares ?? [:])
  }
}

/// The period that was closed, and each one's share of its cost.
struct DrinkPeriodAnswer: Record {
  var id = ID<DrinkPeriod>()
  var period = 0
  /// The bill of its cost.
  var bill: ID<Bill>?
  var shares: SmallMap<ID<Person>, Int> = [:]

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("period", \.period)
    field("bill", \.bill)
    field("shares", \.shares)
  }
}

/// Lists the closed periods, newest first (DRK-5).
struct ListDrinkPeriods: HistoryPage {
  typealias State = HouseholdState
  typealias Item = DrinkPeriod
  static let method: StaticString = "drinks.periods"
  static let summary: StaticString = "Lists the closed periods, newest first (DRK-5)."
  static let history = "drinkPeriods"
  var before: HistoryCursor?
  var limit: Int?

  /// Pages are cut by the time and then the id of a record, so its id is the number of the period.
  static func record(_ number: Int) -> [UInt8] { ID<DrinkPeriod>(low: UInt64(number)).bytes }
}

extension HouseholdState {
  /// The cost of the open period, divided by what each has drunk: what the ledger posts as a bill with exact shares.
  fileprivate func bill(_ cost: Int, paidBy payer: ID<Person>, of id: ID<DrinkPeriod>) throws(Refusal) -> DrinkBill {
    let weights = drinks.totals.mapValues { Int64($0.drunk) }.filter { $0.value > 0 }
    if weights.isEmpty { throw Refusal(.conflict, "nothingToSplit", "Nobody has drunk anything in this period.") }
    let parts = Split.parts(of: Int64(cost), weights: weights, bill: id)
    let shares = SmallMap(parts.sorted { $0.key < $1.key }.map { ($0.key, Int($0.value)) })
    return DrinkBill(cost: cost, currency: info.facts.value.currency, payer: payer, shares: shares)
  }

  /// Enters the cost of a period as a bill, whose shares are those amounts.
  fileprivate mutating func enter(
    _ drinks: DrinkBill, of period: ID<DrinkPeriod>, in context: Context
  ) throws(Refusal) -> ID<Bill> {
    let id: ID<Bill> = .derived("drinkBill", period.bytes)
    var bill = Bill(
      title: "Drinks", amount: drinks.cost, currency: drinks.currency, paid: [drinks.payer: drinks.cost],
      split: BillSplit(exact: drinks.shares), shares: drinks.shares, date: zone.day(at: context.now),
      category: BillCategory.drinks.rawValue, origin: BillOrigin(kind: .drinks, ref: period.cast()),
      by: context.person, at: context.now)
    try enter(&bill, as: id, in: context)
    return id
  }

  /// Archives a period and begins the next one. Entries of a closed period can no longer be undone.
  fileprivate mutating func archive(_ closed: DrinkPeriod, in context: Context) {
    context.record(ListDrinkPeriods.history, id: ListDrinkPeriods.record(closed.number), closed)
    let old = closed.number - Limits.drinkPeriods
    if old > 0 { context.erase(ListDrinkPeriods.history, id: ListDrinkPeriods.record(old)) }
    let persons = closed.carriesOver == true ? Set(membership.members.keys) : []
    drinks.beginPeriod(at: context.now, carryingOver: persons)
    for id in drinks.forgetEntries() { forget(id, at: context.now) }
    forget(closed.id, at: context.now)
  }
}
