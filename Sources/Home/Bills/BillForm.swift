import JSON
import Rooms

/// The fields of a bill that a member enters or changes; in a change, a field that is left out stays (BIL-1, BIL-13).
struct BillForm: Record {
  var title: Change<Line> = .unchanged
  var amount: Change<Int> = .unchanged
  var currency: Change<CurrencyCode> = .unchanged
  /// By person, their part of what was paid. On its own the caller has paid.
  var paid: Change<SmallMap<ID<Person>, Int>> = .unchanged
  /// On its own equally among all who live there.
  var split: Change<BillSplit> = .unchanged
  var date: Change<LocalDay> = .unchanged
  var category: Change<Line> = .unchanged
  var note: Change<Prose> = .unchanged
  var original: Change<OriginalAmount> = .unchanged
  var dueDate: Change<LocalDay> = .unchanged

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("title", \.title, Limits.billTitle)
    field("amount", \.amount, Limits.money)
    field("currency", \.currency)
    field("paid", \.paid)
    field("split", \.split)
    field("date", \.date)
    field("category", \.category, Limits.billCategory)
    field("note", \.note, Limits.billNote)
    field("original", \.original)
    field("dueDate", \.dueDate)
  }

  /// The bill that comes of it, without its shares.
  ///
  /// - Parameter before: The bill that is changed; of a new one, its author and its time.
  func bill(from before: Bill, in home: HouseholdState, at now: Instant) -> Bill {
    var bill = before
    if case .set(let title) = title { bill.title = title.text }
    if case .set(let amount) = amount { bill.amount = amount }
    if case .set(let currency) = currency { bill.currency = currency.text }
    if case .set(let split) = split { bill.split = split }
    if case .set(let date) = date { bill.date = date }
    category.map(\.text).apply(to: &bill.category)
    note.map(\.text).apply(to: &bill.note)
    original.apply(to: &bill.original)
    dueDate.apply(to: &bill.dueDate)
    if bill.currency.isEmpty { bill.currency = home.info.facts.value.currency }
    if bill.date == LocalDay() { bill.date = home.zone.day(at: now) }
    if case .set(let paid) = paid {
      bill.paid = paid
    } else if bill.paid.isEmpty, let by = bill.by {
      bill.paid = [by: bill.amount]
    } else if bill.paid.count == 1, let only = bill.paid.keys.first {
      bill.paid = [only: bill.amount]
    }
    if bill.split == BillSplit() {
      bill.split = BillSplit(among: home.membership.members.keys.filter { home.isResident($0) })
    }
    return bill
  }

  /// Notes what is wrong with the bill that would come of it, and returns each one's share if nothing is.
  @discardableResult
  func shares(
    of bill: Bill, from before: Bill, as id: ID<Bill>, _ problems: Problems, in home: HouseholdState, at now: Instant
  ) -> SmallMap<ID<Person>, Int>? {
    let own = Problems()
    checkFields(of: bill, own, in: home, at: now)
    let known = before.people
    for person in bill.paid.keys.sorted() where !home.isResident(person) && !known.contains(person) {
      own.note("paid.\(person)", "does not live here")
    }
    for person in bill.split.named.sorted() where !home.isResident(person) && !known.contains(person) {
      own.note("split", "names \(person), who does not live here")
    }
    let missing = bill.paid.values.reduce(bill.amount) { $0 - $1 }
    if !bill.paid.isEmpty, missing != 0 {
      own.note("paid", missing > 0 ? "adds up to \(missing) too little" : "adds up to \(-missing) too much")
      own.details["offBy"] = .number(.init(missing))
    }
    let split = Problems()
    let shares = bill.split.shares(of: bill.amount, bill: id, split)
    own.take(from: split, under: "split")
    problems.take(from: own, under: "bill")
    return own.isEmpty ? shares : nil
  }

  private func checkFields(of bill: Bill, _ problems: Problems, in home: HouseholdState, at now: Instant) {
    if bill.title.isEmpty, title == .unchanged { problems.note("title", "missing") }
    if bill.amount == 0, amount != .cleared {
      problems.note("amount", amount == .unchanged ? "missing" : "must not be 0")
    }
    for (name, isCleared) in [
      ("title", title == .cleared), ("amount", amount == .cleared), ("currency", currency == .cleared),
      ("paid", paid == .cleared),
      ("split", split == .cleared), ("date", date == .cleared),
    ] where isCleared {
      problems.note(name, "cannot be removed")
    }
    if bill.paid.count > Limits.billPeople.upperBound {
      problems.note("paid", "must have at most \(Limits.billPeople.upperBound) entries")
    }
    if bill.paid.values.contains(where: { !Limits.money.contains($0) || $0.signum() * bill.amount.signum() < 0 }) {
      problems.note("paid", "must be parts of the amount")
    }
    let today = home.zone.day(at: now)
    for (name, day) in [("date", date), ("dueDate", dueDate)] {
      if case .set(let day) = day, !(-Limits.billAgeDays...Limits.billAheadDays).contains(today.days(to: day)) {
        problems.note(name, "must be at most ten years ago, or in a year from now")
      }
    }
  }
}

extension HouseholdState {
  /// A bill that a member may change: its author, a payer or the host (BIL-13).
  func changeable(_ bill: Bill, _ context: Context) throws(Refusal) {
    if bill.origin?.kind == .trip {
      throw Refusal(.conflict, "ofTrip", "This bill follows a purchase: change that (trips.edit).")
    }
    guard bill.by == context.person || bill.paid.contains(context.person) || isHost(context.person) else {
      throw Refusal(.forbidden, "forbidden", "Only the author, a payer or the host may do this.")
    }
  }
}
