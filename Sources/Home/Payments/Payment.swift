import JSON
import Rooms

/// Money that one person has given to another (BIL-5).
struct Payment: Record {
  var from = ID<Person>()
  var to = ID<Person>()
  /// In minor units of the currency, above 0.
  var amount = 0
  /// ISO 4217.
  var currency = ""
  var state = PaymentState.pending
  /// The bills for which it is, as the author chose; without them it is for the oldest.
  var bills: [ID<Bill>]?
  /// How much of each bill it has paid; absent until it is confirmed.
  var paid: [OpenBill]?
  var method: PaymentMethod?
  /// A line by which both find it elsewhere, such as the number of a transfer.
  var extRef: String?
  /// `true` if the author knows that it is more than is owed.
  var isOverpaid: Bool?
  /// The member who has said that it was made: the payer, or the payee.
  var by = ID<Person>()
  var at = Instant()
  /// When it is confirmed by itself; only while it is pending.
  var until: Instant?
  /// When it was confirmed, rejected, cancelled or taken back, and by whom; by nobody if it was confirmed by itself.
  var closedAt: Instant?
  var closedBy: ID<Person>?
  /// Why it was rejected.
  var reason: String?
  /// The id of the payment before it was cancelled and brought back.
  var was: ID<Payment>?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("from", \.from)
    field("to", \.to)
    field("amount", \.amount)
    field("currency", \.currency)
    field("state", \.state)
    field("bills", \.bills)
    field("paid", \.paid)
    field("method", \.method)
    field("extRef", \.extRef)
    field("overpaid", \.isOverpaid)
    field("by", \.by)
    field("at", \.at)
    field("until", \.until)
    field("closedAt", \.closedAt)
    field("closedBy", \.closedBy)
    field("reason", \.reason)
    field("was", \.was)
  }

  var debt: Debt { Debt(from: from, to: to, amount: Int64(amount)) }

  /// Until when it can be brought back, or taken back (R-DEL).
  var undoEnd: Instant? { closedAt.map { $0 + Limits.undo } }
}

enum PaymentState: String, Word {
  /// The payee has not confirmed it yet.
  case pending
  case confirmed
  /// The payee says that they have not got it.
  case rejected
  /// The payer has withdrawn it.
  case cancelled
  /// The payee had confirmed it, and has taken that back.
  case reversed
}

enum PaymentMethod: String, Word {
  case venmo, paypal, applePay, cash, bank, other
}
