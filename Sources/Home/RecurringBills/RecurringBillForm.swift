import JSON
import Rooms

/// The fields of a recurring bill that a member enters or changes; in a change, what is left out stays (BIL-14).
struct RecurringBillForm: Record {
  var title: Change<Line> = .unchanged
  var amount: Change<Int> = .unchanged
  var currency: Change<CurrencyCode> = .unchanged
  /// The member who pays it each time. On its own the caller.
  var host: Change<ID<Person>> = .unchanged
  /// On its own equally among all who live there.
  var split: Change<BillSplit> = .unchanged
  var category: Change<Line> = .unchanged
  var note: Change<Prose> = .unchanged
  var first: Change<LocalDay> = .unchanged
  var recurrence: Change<Recurrence> = .unchanged
  var lead: Change<Int> = .unchanged

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("title", \.title, Limits.billTitle)
    field("amount", \.amount, Limits.total)
    field("currency", \.currency)
    field("host", \.host)
    field("split", \.split)
    field("category", \.category, Limits.billCategory)
    field("note", \.note, Limits.billNote)
    field("first", \.first)
    field("repeat", \.recurrence)
    field("lead", \.lead, Limits.billLead)
  }

  /// The recurring bill that comes of it.
  ///
  /// - Parameter before: The one that is changed; of a new one, its author and its time.
  func bill(from before: RecurringBill, in home: HouseholdState) -> RecurringBill {
    var bill = before
    if case .set(let title) = title { bill.title = title.text }
    if case .set(let amount) = amount { bill.amount = amount }
    if case .set(let currency) = currency { bill.currency = currency.text }
    if case .set(let host) = host { bill.host = host }
    if case .set(let split) = split { bill.split = split }
    category.map(\.text).apply(to: &bill.category)
    note.map(\.text).apply(to: &bill.note)
    if case .set(let first) = first { bill.first = first }
    if case .set(let recurrence) = recurrence { bill.recurrence = recurrence }
    if case .set(let lead) = lead { bill.lead = lead }
    if bill.currency.isEmpty { bill.currency = home.info.facts.value.currency }
    if bill.host == ID() { bill.host = bill.author }
    if bill.split == BillSplit() {
      bill.split = BillSplit(among: home.membership.members.keys.filter { home.isResident($0) })
    }
    return bill
  }

  /// Notes what is wrong with the recurring bill that would come of it.
  ///
  /// - Parameter before: The one that is changed; `nil` if it is new.
  func check(
    _ bill: RecurringBill, from before: RecurringBill?, _ problems: Problems, in home: HouseholdState, at now: Instant
  ) {
    // As of every bill, but for its payer, who is the host.
    var posted = bill.bill(of: ID(), on: home.zone.day(at: now), at: now)
    posted.paid = [:]
    BillForm(title: title, amount: amount, currency: currency, split: split, category: category, note: note)
      .shares(of: posted, from: Bill(), as: ID(), problems, in: home, at: now)
    let own = Problems()
    for (name, isCleared) in [
      ("title", title == .cleared && before != nil), ("host", host == .cleared), ("first", first == .cleared),
      ("repeat", recurrence == .cleared),
      ("lead", lead == .cleared),
    ] where isCleared {
      own.note(name, "cannot be removed")
    }
    if !home.isResident(bill.host), host != .cleared { own.note("host", "does not live here") }
    checkDays(of: bill, from: before, own, today: home.zone.day(at: now))
    problems.take(from: own, under: "bill")
  }

  private func checkDays(of bill: RecurringBill, from before: RecurringBill?, _ problems: Problems, today: LocalDay) {
    if before == nil, first == .unchanged { problems.note("first", "missing") }
    if before == nil, recurrence == .unchanged { problems.note("repeat", "missing") }
    if case .set(let first) = first, first != before?.first, !(0...Limits.billAheadDays).contains(today.days(to: first))
    {
      problems.note("first", "must be today or later, and in a year from now")
    }
    if case .set(let recurrence) = recurrence {
      let own = Problems()
      recurrence.check(own)
      if recurrence.unit == .days { own.note("unit", "must be weeks, months or years") }
      if recurrence.basis == .completion { own.note("basis", "must be due") }
      problems.take(from: own, under: "repeat")
    }
    if let until = bill.recurrence.until, bill.first != LocalDay(), until < bill.first,
      first != .unchanged || recurrence != .unchanged
    {
      problems.note("repeat.until", "must not be before the first day")
    }
  }
}
