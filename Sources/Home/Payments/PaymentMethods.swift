import JSON
import Rooms

extension Payments {
  static let methods: [Method] = [
    .of(ProposePayment.self), .of(ConfirmPayment.self), .of(RejectPayment.self), .of(CancelPayment.self),
    .of(RestorePayment.self), .of(RecordPayment.self), .of(UndoPayment.self), .question(ListPayments.self),
    .question(LinkPayment.self),
  ]
}

struct PaymentAnswer: Record {
  var id = ID<Payment>()
  /// When it is confirmed by itself; absent if it is confirmed.
  var until: Instant?
  /// The amount that the payer still owes the payee in this currency, once all pending payments are confirmed.
  var left = 0

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("until", \.until)
    field("left", \.left)
  }
}

/// Says that the caller has paid another one; it counts once that one has confirmed it, or after seven days (BIL-5).
struct ProposePayment: Mutation {
  static let method: StaticString = "payments.propose"
  static let summary: StaticString =
    "Says that the caller has paid another one; it counts once that one has confirmed it, or after seven days (BIL-5)."
  static let hasNeeds = true
  var id: ID<Payment>?
  var to = ID<Person>()
  var amount = 0
  /// Without it, the household's.
  var currency: CurrencyCode?
  var method: PaymentMethod?
  var extRef: OtherHandle?
  /// The bills for which it is; without them it is for the oldest.
  var bills: [ID<Bill>]?
  /// It may be more than is owed.
  var overpay: Bool?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("to", \.to)
    field("amount", \.amount, Limits.payment)
    field("currency", \.currency)
    field("method", \.method)
    field("extRef", \.extRef, Limits.paymentRef)
    field("bills", \.bills, Limits.paymentBills)
    field("overpay", \.overpay)
  }

  func needs(for caller: ID<Person>) -> [Need] { [.confirmation] + Payments.needs(of: id) }

  func check(_ problems: Problems, in home: inout HouseholdState, _ context: Context) {
    home.check(bills, from: context.person, to: to, home.currency(currency), problems)
  }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> PaymentAnswer {
    try context.requireConfirmation(by: .pin)
    let id = context.newID(id)
    try home.checkNew(id, ListPayments.query(id), in: context)
    let payment = Payment(
      from: context.person, to: to, amount: amount, currency: home.currency(currency), bills: bills, method: method,
      extRef: extRef?.line.text, isOverpaid: overpay == true ? true : nil, by: context.person, at: context.now)
    try home.check(payment, with: to, context)
    try home.payments.checkSpace(for: context.person)
    home.propose(payment, as: id, in: context)
    return home.answer(id, payment)
  }
}

/// Confirms that the caller has got a payment: it counts in the books (BIL-5).
struct ConfirmPayment: Mutation {
  static let method: StaticString = "payments.confirm"
  static let summary: StaticString = "Confirms that the caller has got a payment: it counts in the books (BIL-5)."
  static let hasNeeds = true
  var id = ID<Payment>()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("id", \.id) }

  func needs(for caller: ID<Person>) -> [Need] { [.confirmation] }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> NoAnswer {
    let payment = try home.payments.open(id)
    guard payment.to == context.person else { throw .payeeOnly }
    try context.requireConfirmation(by: .pin)
    try home.enter(payment, as: id, in: context)
    return NoAnswer()
  }
}

/// Says that the caller has not got a payment: the payer is told why, and nothing is posted (BIL-5).
struct RejectPayment: Mutation {
  static let method: StaticString = "payments.reject"
  static let summary: StaticString =
    "Says that the caller has not got a payment: the payer is told why, and nothing is posted (BIL-5)."
  var id = ID<Payment>()
  var reason: Line?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("reason", \.reason, Limits.paymentReason)
  }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> NoAnswer {
    let payment = try home.payments.open(id)
    guard payment.to == context.person else { throw .payeeOnly }
    home.withdraw(payment, .rejected, id, reason: reason?.text, in: context)
    return NoAnswer()
  }
}

/// Withdraws the caller's own pending payment; it can be brought back for ten minutes (R-DEL).
struct CancelPayment: Mutation {
  static let method: StaticString = "payments.cancel"
  static let summary: StaticString =
    "Withdraws the caller's own pending payment; it can be brought back for ten minutes (R-DEL)."
  var id = ID<Payment>()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("id", \.id) }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> NoAnswer {
    let payment = try home.payments.open(id)
    guard payment.from == context.person else { throw .payerOnly }
    home.withdraw(payment, .cancelled, id, in: context)
    return NoAnswer()
  }
}

/// Brings a payment back that was cancelled in the last ten minutes, under a new id (R-DEL).
struct RestorePayment: Mutation {
  static let method: StaticString = "payments.restore"
  static let summary: StaticString =
    "Brings a payment back that was cancelled in the last ten minutes, under a new id (R-DEL)."
  static let hasNeeds = true
  var id = ID<Payment>()
  /// The new id of the payment.
  var newID: ID<Payment>?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("newId", \.newID)
  }

  func needs(for caller: ID<Person>) -> [Need] { Payments.needs(of: newID) }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> PaymentAnswer {
    var payment = try home.payments.closed(id, as: .cancelled, at: context.now)
    guard payment.from == context.person else { throw .payerOnly }
    let newID = context.newID(newID)
    try home.checkNew(newID, ListPayments.query(newID), in: context)
    (payment.state, payment.closedAt, payment.closedBy, payment.was) = (.pending, nil, nil, id)
    try home.check(payment, with: payment.to, context)
    try home.payments.checkSpace(for: context.person)
    home.payments.recent[id] = nil
    context.erase(ListPayments.history, id: id.bytes)
    home.propose(payment, as: newID, in: context)
    return home.answer(newID, payment)
  }
}

/// Says that the caller has got money from another one: it counts in the books at once, and that one is told (BIL-5).
struct RecordPayment: Mutation {
  static let method: StaticString = "payments.record"
  static let summary: StaticString =
    "Says that the caller has got money from another one: it counts in the books at once, and that one is told (BIL-5)."
  static let hasNeeds = true
  var id: ID<Payment>?
  var from = ID<Person>()
  var amount = 0
  /// Without it, the household's.
  var currency: CurrencyCode?
  var method: PaymentMethod?
  var extRef: OtherHandle?
  /// The bills for which it is; without them it is for the oldest.
  var bills: [ID<Bill>]?
  /// It may be more than is owed.
  var overpay: Bool?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("from", \.from)
    field("amount", \.amount, Limits.payment)
    field("currency", \.currency)
    field("method", \.method)
    field("extRef", \.extRef, Limits.paymentRef)
    field("bills", \.bills, Limits.paymentBills)
    field("overpay", \.overpay)
  }

  func needs(for caller: ID<Person>) -> [Need] { Payments.needs(of: id) }

  func check(_ problems: Problems, in home: inout HouseholdState, _ context: Context) {
    home.check(bills, from: from, to: context.person, home.currency(currency), problems)
  }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> PaymentAnswer {
    let id = context.newID(id)
    try home.checkNew(id, ListPayments.query(id), in: context)
    let payment = Payment(
      from: from, to: context.person, amount: amount, currency: home.currency(currency), bills: bills, method: method,
      extRef: extRef?.line.text, isOverpaid: overpay == true ? true : nil, by: context.person, at: context.now)
    try home.check(payment, with: from, context)
    try home.enter(payment, as: id, in: context)
    return home.answer(id, payment)
  }
}

/// Takes back, for ten minutes, that the caller has confirmed or recorded a payment: it is owed again (BIL-5).
struct UndoPayment: Mutation {
  static let method: StaticString = "payments.undo"
  static let summary: StaticString =
    "Takes back, for ten minutes, that the caller has confirmed or recorded a payment: it is owed again (BIL-5)."
  var id = ID<Payment>()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("id", \.id) }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> NoAnswer {
    let payment = try home.payments.closed(id, as: .confirmed, at: context.now)
    guard payment.to == context.person else { throw .payeeOnly }
    try home.takeBack(payment, id, in: context)
    return NoAnswer()
  }
}

extension Payments {
  /// The search for an earlier payment with an id that a client has chosen.
  fileprivate static func needs(of id: ID<Payment>?) -> [Need] { id.map { [.history(ListPayments.query($0))] } ?? [] }

  /// A payment that was closed in the last minutes, in this way.
  fileprivate func closed(
    _ id: ID<Payment>, as state: PaymentState, at now: Instant
  ) throws(Refusal) -> Payment {
    guard let payment = recent[id], payment.state == state, let end = payment.undoEnd, end > now else {
      throw .gone("This payment")
    }
    return payment
  }
}

extension HouseholdState {
  /// The currency that a call names, or else the household's.
  func currency(_ code: CurrencyCode?) -> String { code?.text ?? info.facts.value.currency }

  fileprivate func answer(_ id: ID<Payment>, _ payment: Payment) -> PaymentAnswer {
    PaymentAnswer(
      id: id, until: payments.payments[id]?.until, left: left(by: payment.from, to: payment.to, payment.currency))
  }
}

extension Refusal {
  fileprivate static var payeeOnly: Refusal { Refusal(.forbidden, "forbidden", "Only the payee may do this.") }
  fileprivate static var payerOnly: Refusal { Refusal(.forbidden, "forbidden", "Only the payer may do this.") }
}
