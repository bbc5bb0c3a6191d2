import JSON
import Rooms

extension Purchases {
  static let methods: [Method] = [
    .of(CompleteTrip.self), .of(EditPurchase.self), .question(ListPurchases.self),
    .question(ListPurchaseVersions.self),
  ]
}

/// Takes what was bought off the lists, and divides what it cost; all is one change (GRO-9, R-CHECKOUT).
struct CompleteTrip: Mutation {
  static let method: StaticString = "trips.complete"
  static let summary: StaticString =
    "Takes what was bought off the lists, and divides what it cost; all is one change (GRO-9, R-CHECKOUT)."
  static let hasNeeds = true
  /// The id of the purchase.
  var id: ID<Purchase>?
  /// The trip of the caller's that ends with it; it needs none.
  var trip: ID<Trip>?
  var lines: [CheckoutLine] = []
  /// In minor units; without it there is no bill.
  var total: Int?
  var currency: CurrencyCode?
  /// By person, their part of what was paid; the caller has paid all of it if it is absent.
  var paid: SmallMap<ID<Person>, Int> = [:]
  /// In place of what R-CHECKOUT says.
  var split: BillSplit?
  var note: Prose?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("trip", \.trip)
    field("lines", \.lines, Limits.purchaseLines)
    field("total", \.total, Limits.total)
    field("currency", \.currency)
    field("paid", \.paid)
    field("split", \.split)
    field("note", \.note, Limits.billNote)
  }

  func needs(for caller: ID<Person>) -> [Need] { id.map { [.history(ListPurchases.query($0))] } ?? [] }

  func check(_ problems: Problems, in home: inout HouseholdState, _ context: Context) {
    if total == nil {
      for (name, isGiven) in [("paid", !paid.isEmpty), ("split", split != nil)] where isGiven {
        problems.note(name, "needs a total")
      }
    }
    let ids = lines.map(\.id)
    if Set(ids).count != ids.count { problems.note("lines", "must not name one line twice") }
    guard problems.isEmpty, total != nil, home.isResident(context.person),
      let (purchase, _) = try? purchase(in: home, context)
    else { return }
    home.check(purchase, paid: paid, split: split, before: Bill(), problems, context)
  }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> PurchaseAnswer {
    _ = try home.caller(context)
    if total != nil, !home.isResident(context.person) { throw .guest }
    let id = context.newID(id)
    try home.checkNew(id, ListPurchases.query(id), in: context)
    if let trip, try home.trips.trip(trip).by != context.person {
      throw Refusal(.forbidden, "forbidden", "Only the buyer may complete a trip.")
    }
    var (purchase, skipped) = try purchase(in: home, context)
    purchase.id = id
    home.takeOff(lines, in: context)
    if let trip { home.end(trip, in: context) }
    try home.enter(&purchase, paid: paid, split: split, in: context)
    // It is only in the history, which a call in the same commit does not see yet.
    home.forget(id, at: context.now)
    return PurchaseAnswer(id: id, bill: purchase.bill, shares: purchase.shares, skipped: skipped)
  }

  /// The purchase, and the lines that are left out: somebody has bought them, or they are gone (GRO-10).
  private func purchase(
    in home: HouseholdState, _ context: Context
  ) throws(Refusal) -> (Purchase, SmallMap<ID<Grocery>, SkippedLine>) {
    var purchase = Purchase(
      id: id ?? ID(), by: context.person, at: context.now, list: trip.flatMap { home.trips.trips[$0]?.list },
      total: total, currency: currency?.text ?? home.info.facts.value.currency, sharers: home.sharers(context.now),
      note: note?.text)
    var skipped: SmallMap<ID<Grocery>, SkippedLine> = [:]
    for wanted in lines {
      guard let (lineID, line) = home.boughtLine(wanted) else {
        let bought = home.purchases.bought[wanted.id]
        skipped[wanted.id] = SkippedLine(reason: bought == nil ? .gone : .alreadyBought, by: bought?.by)
        continue
      }
      purchase.lines.append(
        PurchasedLine(
          id: lineID, name: Line(line.name), quantity: line.quantity, unit: line.unit.map { Line($0) },
          category: line.category, owner: line.owner, price: wanted.price))
    }
    return (purchase, skipped)
  }
}

/// A line that was bought.
struct CheckoutLine: Record {
  var id = ID<Grocery>()
  /// The additions that the buyer saw; all of the line if it is absent. The others stay on the list (GRO-16).
  var sources: [ID<Grocery>]?
  /// In minor units.
  var price: Int?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("sources", \.sources, Limits.grocerySources)
    field("price", \.price, Limits.price)
  }
}

struct PurchaseAnswer: Record {
  var id = ID<Purchase>()
  var bill: ID<Bill>?
  /// By person, their part of the cost.
  var shares: SmallMap<ID<Person>, Int> = [:]
  /// Lines that were left out.
  var skipped: SmallMap<ID<Grocery>, SkippedLine> = [:]

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("bill", \.bill)
    field("shares", \.shares)
    field("skipped", \.skipped)
  }
}

/// Why a line is not part of a purchase.
struct SkippedLine: Record {
  var reason = SkipReason.gone
  /// The member who has bought it.
  var by: ID<Person>?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("reason", \.reason)
    field("by", \.by)
  }
}

enum SkipReason: String, Word {
  case alreadyBought, gone
}

extension HouseholdState {
  /// The members who share what is everybody's: those who stay and are not away (R-CHECKOUT).
  fileprivate func sharers(_ now: Instant) -> [ID<Person>] {
    let today = zone.day(at: now)
    return membership.members.keys.filter { isResident($0) && !isAway($0, on: today) }
  }

  /// The member who pays for a person: guests have no bills, so the one whose guest they are does.
  func payer(for person: ID<Person>) -> ID<Person> { membership.members[person]?.guestOf ?? person }

  /// The part of a line that was bought; `nil` if nothing of it is on a list.
  fileprivate func boughtLine(_ wanted: CheckoutLine) -> (id: ID<Grocery>, line: Grocery)? {
    let id = list.groceries.contains(wanted.id) ? wanted.id : list.merged[wanted.id]?.line ?? wanted.id
    guard var line = list.groceries[id] else { return nil }
    let sources = wanted.sources ?? (id == wanted.id ? Array(line.sources.keys) : [wanted.id])
    line.sources = SmallMap(line.sources.filter { sources.contains($0.key) }.map { ($0.key, $0.value) })
    if line.sources.isEmpty { return nil }
    _ = line.addUp()
    return (id, line)
  }

  /// Takes what was bought off the lists; it can not be brought back, and does not count as removed.
  fileprivate mutating func takeOff(_ lines: [CheckoutLine], in context: Context) {
    let removals = ids.removals[context.person]
    defer { uncountRemovals(to: removals, in: context) }
    for wanted in lines {
      guard let (id, bought) = boughtLine(wanted) else { continue }
      for source in bought.sources.keys {
        remove(source, from: id, in: context)
        purchases.note(source, by: context.person, at: context.now)
      }
      if !list.groceries.contains(id) { purchases.note(id, by: context.person, at: context.now) }
      // There is some of it again (CHO-25).
      if let item = stock.stock[bought.key], item.level != .inStock {
        stock.stock[bought.key] = StockItem(
          name: item.name, level: .inStock, by: context.person, at: context.now)
      }
    }
    purchases.trim(at: context.now)
  }
}
