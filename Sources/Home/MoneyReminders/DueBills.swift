import Rooms

/// A bill with a due day, of whose open parts members are reminded (BIL-16, BIL-21).
struct DueBill: Record {
  /// ISO 4217.
  var currency = ""
  var day = LocalDay()
  /// The day on which they are reminded.
  var from = LocalDay()
  /// The parts that are not paid yet.
  var parts: [EntryDebt] = []

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("currency", \.currency)
    field("day", \.day)
    field("from", \.from)
    field("parts", \.parts)
  }
}

/// The reminders of bills with a due day: each member who owes a part is reminded once, at their own hour.
extension HouseholdState {
  func dueParts(of bill: Bill) -> [EntryDebt] {
    bill.debts.map { EntryDebt(from: $0.from, to: $0.to, amount: Int($0.amount)) }
  }

  /// Reminds those who owe something of a bill, some days before its due day.
  mutating func remind(of bill: Bill, _ id: ID<Bill>, from first: LocalDay, in context: Context) {
    guard let day = bill.dueDate else { return }
    let parts = dueParts(of: bill).filter { membership.members.contains($0.from) && !isSettled(id, $0, bill.currency) }
    let due = DueBill(currency: bill.currency, day: day, from: first, parts: parts)
    remind(of: due, id, named: bill.title, in: context)
    moneyReminders.put(due, as: id)
  }

  /// Reminds of a bill that a member has just added or changed: not on the same day, since they have just been told.
  mutating func remindLater(of bill: Bill, _ id: ID<Bill>, in context: Context) {
    guard let day = bill.dueDate else { return }
    let first = max(day.adding(-Limits.usualLead), zone.day(at: context.now).adding(1))
    if first <= day { remind(of: bill, id, from: first, in: context) }
  }

  /// Takes the reminders of a bill back, which is changed.
  mutating func endReminders(of id: ID<Bill>, in context: Context) {
    guard let due = moneyReminders.dueBills[id] else { return }
    for person in Set(due.parts.map(\.from)).sorted() { context.send(Resolve(ref: id.cast()), to: .person(person)) }
    moneyReminders.dueBills[id] = nil
  }

  private func remind(
    of due: DueBill, _ id: ID<Bill>, named title: String, isExact: Bool? = nil, in context: Context
  ) {
    for person in Set(due.parts.map(\.from)).sorted() where membership.members.contains(person) {
      let amount = due.parts.reduce(0) { $1.from == person ? $0 + $1.amount : $0 }
      let reminder = Reminder(
        kind: .billDue, day: due.from, dueAt: reminderEnd(of: due.day, at: context.now),
        zone: info.facts.value.timeZone, name: title, isExact: isExact, amount: amount, currency: due.currency)
      context.send(SetReminder(ref: id.cast(), reminder: reminder), to: .person(person))
    }
  }

  /// Until when a reminder makes sense: however late it comes after a downtime, people's own rooms tell them.
  func reminderEnd(of day: LocalDay, at now: Instant) -> Instant {
    let end = zone.end(of: day)
    return end > now ? end : now + Limits.lateReminder
  }

  /// Reminds people once more whose own rooms have forgotten it: the household is back.
  func remindOfBillsAnew(in context: Context) {
    for bill in recurringBills.bills.values { remindHosts(of: bill, isExact: true, in: context) }
    for (id, due) in moneyReminders.dueBills where zone.end(of: due.day) > context.now {
      guard let bill = bills.bills[id] else { continue }
      remind(of: due, id, named: bill.title, isExact: true, in: context)
    }
  }

  /// Closes the reminders of parts that are paid, on all devices (BIL-16, REM-6).
  mutating func closeBillReminders(in context: Context) {
    for (id, due) in moneyReminders.dueBills {
      var rest = due
      rest.parts.removeAll { isSettled(id, $0, due.currency) }
      if rest.parts.count == due.parts.count { continue }
      for person in Set(due.parts.map(\.from)).subtracting(rest.parts.map(\.from)).sorted() {
        context.send(Resolve(ref: id.cast()), to: .person(person))
      }
      moneyReminders.put(rest, as: id)
    }
  }

  /// A member has left: of their parts nobody reminds them.
  mutating func leaveDueBills(_ person: ID<Person>) {
    for (id, var due) in moneyReminders.dueBills where due.parts.contains(where: { $0.from == person }) {
      due.parts.removeAll { $0.from == person }
      moneyReminders.put(due, as: id)
    }
  }

  // MARK: whether a part of a bill is paid

  /// Whether the books say so: the bill is not open between the two. Where debts are settled by few payments, it is
  /// enough that the person owes nothing to anybody.
  func isPaid(_ bill: ID<Bill>, by debtor: ID<Person>, to creditor: ID<Person>, _ currency: String) -> Bool {
    if left(of: bill, by: debtor, to: creditor, currency) == 0 { return true }
    return info.facts.value.simplify == true && (ledger.balances[currency]?.people[debtor] ?? 0) >= 0
  }

  /// Whether it is so once all pending payments are confirmed.
  func isSettled(_ bill: ID<Bill>, _ part: EntryDebt, _ currency: String) -> Bool {
    if isPaid(bill, by: part.from, to: part.to, currency) { return true }
    let pending = payments.payments.values.reduce(0) { sum, payment in
      let isForIt =
        payment.from == part.from && payment.to == part.to && payment.currency == currency
        && payment.bills?.contains(bill) == true
      return isForIt ? sum + payment.amount : sum
    }
    if left(of: bill, by: part.from, to: part.to, currency) <= pending { return true }
    return info.facts.value.simplify == true
      ? debts(of: part.from, to: nil, currency).isEmpty : left(by: part.from, to: part.to, currency) == 0
  }

  private func left(of bill: ID<Bill>, by debtor: ID<Person>, to creditor: ID<Person>, _ currency: String) -> Int {
    guard let debt = ledger.debts[OpenDebt.id(between: debtor, creditor, currency)], debt.from == debtor else {
      return 0
    }
    return debt.bills.reduce(0) { $1.bill == bill ? $0 + $1.left : $0 }
  }
}
