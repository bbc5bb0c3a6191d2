import JSON
import Rooms

/// The recurring bills of a household (BIL-14 to BIL-16): each is posted once for each due day, by itself.
struct RecurringBills: Subject {
  typealias State = HouseholdState

  var bills = Table<ID<RecurringBill>, RecurringBill>()
  var cancelled = Table<ID<RecurringBill>, CancelledRecurringBill>()
  private(set) var due = DueTime()

  mutating func parts(_ part: inout some PartVisitor) {
    part("recurringBills", &bills)
    part("cancelledRecurringBills", &cancelled, .hidden)
  }

  mutating func planAll() {
    for bill in bills.values { due.plan(bill.nextAt) }
    for cancelled in cancelled.values { due.plan(cancelled.end) }
  }

  func bill(_ id: ID<RecurringBill>) throws(Refusal) -> RecurringBill {
    guard let bill = bills[id] else { throw .gone("This recurring bill") }
    return bill
  }

  func checkSpace() throws(Refusal) {
    if bills.count >= Limits.recurringBills {
      throw .full("recurringBills", "At most \(Limits.recurringBills) bills come again.")
    }
  }

  mutating func put(_ bill: RecurringBill, as id: ID<RecurringBill>) {
    bills[id] = bill
    due.plan(bill.nextAt)
  }

  /// Takes a recurring bill off the list, and keeps it as long as it can be brought back.
  mutating func takeOff(_ id: ID<RecurringBill>, _ bill: RecurringBill, by person: ID<Person>, at now: Instant) {
    bills[id] = nil
    let row = CancelledRecurringBill(bill: bill, removedAt: now, removedBy: person)
    cancelled[id] = row
    cancelled.keep(Limits.recurringBills) { $0.removedAt }
    due.plan(row.end)
  }

  /// The one whose posting is due: of several the earliest due day first.
  func overdue(at now: Instant) -> ID<RecurringBill>? {
    bills.filter { $0.value.nextAt.map { $0 <= now } ?? false }
      .min { ($0.value.next ?? $0.value.first, $0.key) < ($1.value.next ?? $1.value.first, $1.key) }?.key
  }

  static func fallDue(in home: inout HouseholdState, _ context: Context) {
    var posted = 0
    while let id = home.recurringBills.overdue(at: context.now) {
      // After years without a server there may be very many: the rest comes in commits of its own.
      if posted == Limits.recurringPosts {
        home.recurringBills.bills[id]?.nextAt = context.now + Limits.recurringPause
        continue
      }
      home.postNext(of: id, in: context)
      posted += 1
    }
    home.recurringBills.cancelled.removeAll { $1.end <= context.now }
    home.recurringBills.due = DueTime()
    home.recurringBills.planAll()
  }
}
