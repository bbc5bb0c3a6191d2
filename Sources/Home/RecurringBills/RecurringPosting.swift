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
    tellThoseWhoOweNothing(of: bill, billID, in: context)
    remind(of: bill, billID, from: day.adding(-recurring.lead), in: context)
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

  /// A member has left: what names them is paused.
  mutating func leaveRecurringBills(_ person: ID<Person>, in context: Context) {
    for (id, bill) in recurringBills.bills where bill.people.contains(person) { pause(id, in: context) }
  }

  // MARK: reminders

  /// Tells the members of a posted bill who are not reminded of it, because they have nothing to pay.
  private func tellThoseWhoOweNothing(of bill: Bill, _ id: ID<Bill>, in context: Context) {
    for part in dueParts(of: bill) where isSettled(id, part, bill.currency) {
      let notification = Notification(
        kind: .bill, room: context.room.name, ref: id.cast(), at: context.now, name: bill.title, amount: part.amount,
        currency: bill.currency)
      notify(part.from, notification, in: context)
    }
  }

  /// Reminds the member who pays a bill on its due day, at their own hour (BIL-15).
  private func remindHost(of bill: RecurringBill, on day: LocalDay, isExact: Bool? = nil, in context: Context) {
    guard let posted = bill.posted[day], posted.paidOn == nil, membership.members.contains(posted.host) else { return }
    let reminder = Reminder(
      kind: .rentDue, day: day, dueAt: reminderEnd(of: day, at: context.now), zone: info.facts.value.timeZone,
      name: bill.title, isExact: isExact, amount: bill.amount, currency: bill.currency)
    context.send(SetReminder(ref: posted.bill.cast(), reminder: reminder), to: .person(posted.host))
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
