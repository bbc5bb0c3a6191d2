import JSON
import Rooms

/// How recurring bills come into the books, and how members hear of them. They are told of a bill once: by the reminder
/// of their part at their own hour, or at once if there is nothing to pay.
extension HouseholdState {
  // MARK: posting

  /// When a recurring bill is posted next: as its day begins, by the household's clocks.
  func postingTime(of bill: RecurringBill) -> Instant? {
    bill.isPaused == true ? nil : bill.next.map { zone.instant($0.adding(-bill.lead)) }
  }

  /// Puts a recurring bill on the list, with the time of its next posting.
  mutating func put(_ bill: RecurringBill, as id: ID<RecurringBill>) {
    var bill = bill
    bill.nextAt = postingTime(of: bill)
    noteZoneData()
    recurringBills.put(bill, as: id)
  }

  /// Works out all times of posting anew, as for the clocks of another zone.
  mutating func moveRecurringBills() {
    for (id, bill) in recurringBills.bills where bill.nextAt != postingTime(of: bill) { put(bill, as: id) }
  }

  /// Posts the bill of the next due day, which is due to be posted.
  mutating func postNext(of id: ID<RecurringBill>, in context: Context) {
    guard var recurring = recurringBills.bills[id], let day = recurring.next else { return }
    let billID = RecurringBill.bill(of: id, on: day)
    var bill = recurring.bill(of: id, on: day, at: context.now)
    bill.shares = bill.split.shares(of: bill.amount, bill: billID, Problems()) ?? [:]
    // Due times cannot be refused: what cannot be posted waits until somebody looks at it.
    guard recurring.people.allSatisfy({ isResident($0) }), ledger.hasRoom(for: bill.debts, bill.currency) else {
      return pause(id, in: context)
    }
    recurring.advance()
    recurring.posted[day] = PostedBill(bill: billID, host: recurring.host)
    let over = recurring.posted.keys.sorted().dropLast(Limits.recurringPosted)
    for old in over {
      if let old = recurring.posted[old] { endRentReminder(old, in: context) }
      recurring.posted[old] = nil
    }
    put(recurring, as: id)
    // The id of a bill can be chosen: one that is taken is not posted over.
    if names(billID.cast()) || (try? enter(&bill, as: billID, isTold: false, in: context)) == nil { return }
    happened(.billAdded, by: nil, ref: billID.cast(), named: bill.title, in: context)
    remindOfParts(of: bill, billID, lead: recurring.lead, in: context)
    if recurring.next.map({ $0 > zone.day(at: context.now) }) ?? true {
      remindHost(of: recurring, on: day, in: context)
    }
  }

  /// Stops the postings of a recurring bill until somebody edits it: those are told who can.
  mutating func pause(_ id: ID<RecurringBill>, in context: Context) {
    guard var bill = recurringBills.bills[id], bill.isPaused != true else { return }
    bill.isPaused = true
    put(bill, as: id)
    if dismissal.isDismissed { return }
    var people = [bill.author, bill.host].filter { isResident($0) }
    if people.isEmpty { people = membership.members.keys.filter { isResident($0) } }
    let notification = Notification(
      kind: .recurringBillPaused, room: context.room.name, ref: id.cast(), at: context.now, name: bill.title,
      amount: bill.amount, currency: bill.currency)
    for person in Set(people).sorted() { notify(person, notification, in: context) }
  }

  /// A member has left: what names them is paused, and of their part of a bill nobody reminds them.
  mutating func leaveRecurringBills(_ person: ID<Person>, in context: Context) {
    for (id, bill) in recurringBills.bills where bill.people.contains(person) { pause(id, in: context) }
    for (id, var bill) in recurringBills.dueBills where bill.open.contains(person) {
      bill.open.remove(person)
      recurringBills.put(bill, as: id)
    }
  }

  // MARK: reminders

  /// Reminds the others of their parts from some days before the due day on, at their own hours (BIL-16).
  private mutating func remindOfParts(of bill: Bill, _ id: ID<Bill>, lead: Int, in context: Context) {
    guard let host = bill.paid.keys.first, let day = bill.dueDate else { return }
    var due = DueBill(host: host, currency: bill.currency, day: day, from: day.adding(-lead))
    for (person, share) in bill.shares where person != host {
      if isSettled(id, by: person, to: host, bill.currency) {
        notify(
          person,
          Notification(
            kind: .bill, room: context.room.name, ref: id.cast(), at: context.now, name: bill.title, amount: share,
            currency: bill.currency),
          in: context)
      } else {
        due.open.insert(person)
        remind(person, of: bill, share: share, id, due, in: context)
      }
    }
    recurringBills.put(due, as: id)
  }

  private func remind(
    _ person: ID<Person>, of bill: Bill, share: Int, _ id: ID<Bill>, _ due: DueBill, isExact: Bool? = nil,
    in context: Context
  ) {
    let reminder = Reminder(
      kind: .billDue, day: due.from, dueAt: reminderEnd(of: due.day, at: context.now), zone: info.facts.value.timeZone,
      name: bill.title, isExact: isExact, amount: share, currency: bill.currency)
    context.send(SetReminder(ref: id.cast(), reminder: reminder), to: .person(person))
  }

  /// Reminds the member who pays a bill on its due day, at their own hour (BIL-15).
  private func remindHost(of bill: RecurringBill, on day: LocalDay, isExact: Bool? = nil, in context: Context) {
    guard let posted = bill.posted[day], posted.paidOn == nil, membership.members.contains(posted.host) else { return }
    let reminder = Reminder(
      kind: .rentDue, day: day, dueAt: reminderEnd(of: day, at: context.now), zone: info.facts.value.timeZone,
      name: bill.title, isExact: isExact, amount: bill.amount, currency: bill.currency)
    context.send(SetReminder(ref: posted.bill.cast(), reminder: reminder), to: .person(posted.host))
  }

  /// Until when a reminder makes sense: however late it comes after a downtime, people's own rooms tell them.
  private func reminderEnd(of day: LocalDay, at now: Instant) -> Instant {
    let end = zone.end(of: day)
    return end > now ? end : now + Limits.lateReminder
  }

  /// Reminds the payers of all posted bills that are still to come and to be paid.
  func remindHosts(of bill: RecurringBill, isExact: Bool? = nil, in context: Context) {
    for day in bill.posted.keys where zone.end(of: day) > context.now {
      remindHost(of: bill, on: day, isExact: isExact, in: context)
    }
  }

  /// Closes the reminder of a posted bill for the member who pays it, unless they have closed it.
  func endRentReminder(_ posted: PostedBill, in context: Context) {
    guard posted.paidOn == nil, membership.members.contains(posted.host) else { return }
    context.send(Resolve(ref: posted.bill.cast()), to: .person(posted.host))
  }

  /// Reminds people once more whose own rooms have forgotten it: the household is back.
  func remindOfBillsAnew(in context: Context) {
    for bill in recurringBills.bills.values { remindHosts(of: bill, isExact: true, in: context) }
    for (id, due) in recurringBills.dueBills where zone.end(of: due.day) > context.now {
      guard let bill = bills.bills[id] else { continue }
      for person in due.open where membership.members.contains(person) {
        remind(person, of: bill, share: bill.shares[person] ?? 0, id, due, isExact: true, in: context)
      }
    }
  }

  /// Closes the reminders of parts that are paid, on all devices (BIL-16, REM-6).
  mutating func closeBillReminders(in context: Context) {
    for (id, due) in recurringBills.dueBills {
      var rest = due
      for person in due.open where isSettled(id, by: person, to: due.host, due.currency) {
        rest.open.remove(person)
        context.send(Resolve(ref: id.cast()), to: .person(person))
      }
      if rest != due { recurringBills.put(rest, as: id) }
    }
  }

  /// Tells all others whom a recurring bill concerns what a member has done with it, with their part of it.
  func tell(
    _ kind: NotificationKind, about id: ID<RecurringBill>, _ bill: RecurringBill, before: RecurringBill? = nil,
    ref: ID<Thing>? = nil, in context: Context
  ) {
    let shares = bill.split.shares(of: bill.amount, bill: id.cast(), Problems()) ?? [:]
    for person in bill.people.union(before?.people ?? []).sorted() {
      guard person != context.caller, membership.members.contains(person) else { continue }
      notify(
        person,
        Notification(
          kind: kind, room: context.room.name, ref: ref ?? id.cast(), actor: context.caller,
          actorName: membership.members[context.person]?.name, at: context.now, name: bill.title,
          amount: kind == .rentPaid ? bill.amount : shares[person] ?? 0, currency: bill.currency),
        in: context)
    }
  }
}

/// Whether a person's part of a bill is paid.
extension HouseholdState {
  /// Whether the books say so: the bill is not open between the two. Where debts are settled by few payments, it is
  /// enough that the person owes nothing to anybody.
  func isPaid(_ bill: ID<Bill>, by debtor: ID<Person>, to creditor: ID<Person>, _ currency: String) -> Bool {
    if left(of: bill, by: debtor, to: creditor, currency) == 0 { return true }
    return info.facts.value.simplify == true && (ledger.balances[currency]?.people[debtor] ?? 0) >= 0
  }

  /// Whether it is so once all pending payments are confirmed.
  fileprivate func isSettled(
    _ bill: ID<Bill>, by debtor: ID<Person>, to creditor: ID<Person>, _ currency: String
  ) -> Bool {
    if isPaid(bill, by: debtor, to: creditor, currency) { return true }
    let pending = payments.payments.values.reduce(0) { sum, payment in
      let isForIt =
        payment.from == debtor && payment.to == creditor && payment.currency == currency
        && payment.bills?.contains(bill) == true
      return isForIt ? sum + payment.amount : sum
    }
    if left(of: bill, by: debtor, to: creditor, currency) <= pending { return true }
    return info.facts.value.simplify == true
      ? debts(of: debtor, to: nil, currency).isEmpty : left(by: debtor, to: creditor, currency) == 0
  }

  private func left(of bill: ID<Bill>, by debtor: ID<Person>, to creditor: ID<Person>, _ currency: String) -> Int {
    guard let debt = ledger.debts[OpenDebt.id(between: debtor, creditor, currency)], debt.from == debtor else {
      return 0
    }
    return debt.bills.reduce(0) { $1.bill == bill ? $0 + $1.left : $0 }
  }
}
