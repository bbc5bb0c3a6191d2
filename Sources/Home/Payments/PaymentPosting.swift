import JSON
import Rooms

/// How payments come about, and how they end. Each is one change of the household: the list, the ledger, the history,
/// and word to the one whom it concerns.
extension HouseholdState {
  /// The amount that a person still owes another one once all pending payments are confirmed (BIL-7).
  func left(by debtor: ID<Person>, to creditor: ID<Person>, _ currency: String) -> Int {
    max(0, owed(by: debtor, to: creditor, currency) - payments.pending(from: debtor, to: creditor, currency))
  }

  /// All that is still to be paid once all pending payments are confirmed.
  var left: [Transfer] {
    owed.compactMap { transfer in
      var rest = transfer
      rest.amount -= payments.pending(from: transfer.from, to: transfer.to, transfer.currency)
      return rest.amount > 0 ? rest : nil
    }
  }

  /// Refuses a payment to or from a person with whom the household has nothing to do, and more than is owed.
  func check(_ payment: Payment, with other: ID<Person>, _ context: Context) throws(Refusal) {
    if other == context.person { throw Refusal(.conflict, "yourself", "Nobody pays themselves.") }
    let isKnown =
      membership.members.contains(other) || membership.former.contains(other)
      || ledger.balances[payment.currency]?.people.contains(other) == true
    if !isKnown { throw .gone("This person") }
    let left = left(by: payment.from, to: payment.to, payment.currency)
    if payment.amount > left, payment.isOverpaid != true {
      var refusal = Refusal(.conflict, "exceeds", "No more than \(left) is owed; payments on their way count as paid.")
      refusal.details["left"] = .number(.init(left))
      throw refusal
    }
  }

  /// Notes bills that are not open between payer and payee.
  func check(
    _ bills: [ID<Bill>]?, from payer: ID<Person>, to payee: ID<Person>, _ currency: String, _ problems: Problems
  ) {
    guard let bills, !problems.names("bills") else { return }
    let open = ledger.debts[OpenDebt.id(between: payer, payee, currency)]
    let known = open?.from == payer ? Set(open?.bills.compactMap(\.bill) ?? []) : []
    for (index, bill) in bills.enumerated() where !known.contains(bill) {
      problems.note("bills.\(index)", "is not open between the two")
    }
  }

  /// Puts a payment before its payee, who has seven days to say that they have not got it.
  mutating func propose(_ payment: Payment, as id: ID<Payment>, in context: Context) {
    var payment = payment
    payment.until = context.now + Limits.paymentAge
    payments.put(payment, as: id)
    tell(payment.to, .payment, of: id, payment, in: context)
    debtsChanged(in: context)
  }

  /// Enters a payment in the books: its payee says that they have got it, or has let the time for that pass.
  mutating func enter(_ payment: Payment, as id: ID<Payment>, in context: Context) throws(Refusal) {
    var payment = payment
    let pair = OpenDebt.id(between: payment.from, payment.to, payment.currency)
    let before = ledger.debts[pair]
    // Off the list first: while it is there it counts as paid.
    close(&payment, .confirmed, id, in: context)
    try post(payment.debt, payment.currency, of: id, for: payment.bills ?? [], in: context)
    if let before, before.from == payment.from { payment.paid = before.parts(paidIn: ledger.debts[pair]) }
    payments.close(payment, as: id)
    write(payment, id, in: context)
    happened(.paid, by: payment.from, ref: payment.to.cast(), in: context)
    tell(payment.from, payment.by == payment.to ? .paymentRecorded : .paymentConfirmed, of: id, payment, in: context)
    if context.caller == nil { tell(payment.to, .paymentConfirmed, of: id, payment, in: context) }
    debtsChanged(in: context)
  }

  /// Ends a pending payment without an entry in the books.
  mutating func withdraw(
    _ payment: Payment, _ state: PaymentState, _ id: ID<Payment>, reason: String? = nil, in context: Context
  ) {
    var payment = payment
    payment.reason = reason
    close(&payment, state, id, in: context)
    write(payment, id, in: context)
    if state == .rejected { tell(payment.from, .paymentRejected, of: id, payment, in: context) }
    debtsChanged(in: context)
  }

  /// Takes a payment out of the books: what it had paid is owed again.
  mutating func takeBack(_ payment: Payment, _ id: ID<Payment>, in context: Context) throws(Refusal) {
    let enteredAt = payment.closedAt
    var payment = payment
    let entry = try ledger.post([payment.debt], payment.currency) { open, debt in
      open.putBack(payment.paid ?? [], of: debt)
    }
    write(entry, .reversal, of: id.cast(), in: context)
    ledger.advise(payment.currency, isWanted: info.facts.value.simplify == true)
    payments.recent[id] = nil
    (payment.state, payment.closedAt, payment.closedBy) = (.reversed, context.now, context.caller)
    write(payment, id, at: enteredAt, in: context)
    resolve(id, of: payment, in: context)
    tell(payment.from, .paymentUndone, of: id, payment, in: context)
    debtsChanged(in: context)
  }

  /// Confirms the payments whose payees have let their time pass, the oldest first.
  mutating func confirmOverdue(in context: Context) {
    let overdue = payments.payments.filter { $0.value.until.map { $0 <= context.now } ?? false }
    for (id, payment) in overdue.sorted(by: { ($0.value.at, $0.key) < ($1.value.at, $1.key) }) {
      // Due times cannot be refused: without room in the books the payee has another seven days.
      guard ledger.hasRoom(for: [payment.debt.reversed], payment.currency),
        (try? enter(payment, as: id, in: context)) != nil
      else {
        payments.payments[id]?.until = context.now + Limits.paymentAge
        continue
      }
    }
  }

  /// Takes a payment off the list of pending ones; its id is not used again.
  private mutating func close(_ payment: inout Payment, _ state: PaymentState, _ id: ID<Payment>, in context: Context) {
    payment.state = state
    payment.until = nil
    (payment.closedAt, payment.closedBy) = (context.now, context.caller)
    payments.close(payment, as: id)
    // A payment that counts, or is rejected, is not removed.
    if state == .cancelled { forget(id, in: context) } else { forget(id, at: context.now) }
    resolve(id, of: payment, in: context)
  }

  private func write(_ payment: Payment, _ id: ID<Payment>, at instant: Instant? = nil, in context: Context) {
    context.record(
      ListPayments.history, id: id.bytes, at: instant, about: [payment.from, payment.to],
      ListedPayment(id: id, payment: payment))
  }

  /// Nobody else is notified of a payment.
  private func resolve(_ id: ID<Payment>, of payment: Payment, in context: Context) {
    for person in [payment.from, payment.to] where membership.members.contains(person) {
      context.send(Resolve(ref: id.cast()), to: .person(person))
    }
  }

  private func tell(
    _ person: ID<Person>, _ kind: NotificationKind, of id: ID<Payment>, _ payment: Payment, in context: Context
  ) {
    guard person != context.caller, membership.members.contains(person) else { return }
    let other = person == payment.from ? payment.to : payment.from
    notify(
      person,
      Notification(
        kind: kind, room: context.room.name, ref: id.cast(), actor: other,
        actorName: membership.members[other]?.name, at: context.now, name: payment.reason, amount: payment.amount,
        currency: payment.currency),
      in: context)
  }
}

extension OpenDebt {
  /// How much of each bill is open here and no longer open later.
  func parts(paidIn later: OpenDebt?) -> [OpenBill] {
    func sum(_ bills: [OpenBill], _ bill: ID<Bill>?) -> Int {
      bills.reduce(0) { $1.bill == bill ? $0 + $1.left : $0 }
    }
    let rest = later?.from == from ? later?.bills ?? [] : []
    var parts: [OpenBill] = []
    for open in bills where !parts.contains(where: { $0.bill == open.bill }) {
      let paid = sum(bills, open.bill) - sum(rest, open.bill)
      if paid > 0 { parts.append(OpenBill(bill: open.bill, left: paid)) }
    }
    return parts
  }

  /// Adds a debt that was paid, and is not: each bill is open again, as the oldest.
  ///
  /// - Parameter parts: The part of each bill; they add up to the debt, or to less if too much was paid.
  mutating func putBack(_ parts: [OpenBill], of debt: Debt) {
    let tooMuch = debt.amount - parts.reduce(0) { $0 + Int64($1.left) }
    if tooMuch > 0 { add(Debt(from: debt.from, to: debt.to, amount: tooMuch), of: nil) }
    for part in parts.reversed() {
      if amount > 0, from != debt.from {
        add(Debt(from: debt.from, to: debt.to, amount: Int64(part.left)), of: part.bill)
        continue
      }
      (from, to) = (debt.from, debt.to)
      amount += part.left
      if let index = bills.firstIndex(where: { $0.bill == part.bill }) {
        bills[index].left += part.left
      } else {
        bills.insert(part, at: 0)
      }
    }
    joinOldest()
  }
}
