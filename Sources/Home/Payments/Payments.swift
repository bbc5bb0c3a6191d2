import JSON
import Rooms

/// The payments of a household (BIL-5 to BIL-8): the pending ones in the state, all others in the history.
///
/// A payment counts in the books once the payee has confirmed it, or has let seven days pass.
struct Payments: Subject {
  typealias State = HouseholdState
  static let history = [HistoryKind(ListPayments.history, of: ListedPayment.self, lifetime: nil)]

  var payments = Table<ID<Payment>, Payment>()
  /// Closed ones of the last minutes: a cancelled one can be brought back, and a confirmed one taken back.
  var recent = Table<ID<Payment>, Payment>()
  private(set) var due = DueTime()

  mutating func parts(_ part: inout some PartVisitor) {
    part("payments", &payments)
    part("recentPayments", &recent, .hidden)
  }

  mutating func planAll() {
    for payment in payments.values { due.plan(payment.until) }
    for payment in recent.values { due.plan(payment.undoEnd) }
  }

  /// How much of a person's debt to another one is on its way.
  func pending(from payer: ID<Person>, to payee: ID<Person>, _ currency: String) -> Int {
    payments.values.reduce(0) { sum, payment in
      payment.from == payer && payment.to == payee && payment.currency == currency ? sum + payment.amount : sum
    }
  }

  /// A payment that its payee has not confirmed yet.
  func open(_ id: ID<Payment>) throws(Refusal) -> Payment {
    guard let payment = payments[id] else { throw .gone("This payment") }
    return payment
  }

  func checkSpace(for payer: ID<Person>) throws(Refusal) {
    if payments.values.count(where: { $0.from == payer }) >= Limits.payments {
      throw .full("payments", "At most \(Limits.payments) payments of one person are pending.")
    }
  }

  /// Puts a payment on the list of pending ones.
  mutating func put(_ payment: Payment, as id: ID<Payment>) {
    payments[id] = payment
    due.plan(payment.until)
  }

  /// Takes a payment off that list, and keeps it as long as that can be undone.
  mutating func close(_ payment: Payment, as id: ID<Payment>) {
    if payments.contains(id) { payments[id] = nil }
    recent[id] = payment
    recent.keep(Limits.recentPayments) { $0.closedAt ?? $0.at }
    due.plan(payment.undoEnd)
  }

  static func fallDue(in home: inout HouseholdState, _ context: Context) {
    home.confirmOverdue(in: context)
    home.payments.recent.removeAll { $1.undoEnd.map { $0 <= context.now } ?? true }
    home.payments.due = DueTime()
    home.payments.planAll()
  }
}

/// A payment of the history, with its id.
struct ListedPayment: Record {
  var id = ID<Payment>()
  var payment = Payment()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("payment", \.payment)
  }
}

/// Lists the payments that are no longer pending, those that were closed last first (BIL-9, BIL-10).
struct ListPayments: PeoplePage {
  typealias State = HouseholdState
  typealias Item = ListedPayment
  static let method: StaticString = "payments.list"
  static let summary: StaticString =
    "Lists the payments that are no longer pending, those that were closed last first (BIL-9, BIL-10)."
  static let history = "payment"
  var before: HistoryCursor?
  var limit: Int?
  /// Only payments of all of these: one person, or two.
  var people: [ID<Person>]?

  /// The search for one payment.
  static func query(_ id: ID<Payment>) -> HistoryQuery { HistoryQuery(kind: history, id: id.bytes, limit: 1) }
}
