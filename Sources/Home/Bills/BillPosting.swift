import Rooms

/// The ways in which a bill comes into the books, changes there, and goes. Each is one change of the household: the
/// ledger, the list, the history, the sums of the month, and word to all whom it concerns.
extension HouseholdState {
  /// A bill that is not removed: the state has the newest, the history all.
  func bill(_ id: ID<Bill>, in context: Context) -> Bill? {
    if let bill = bills.bills[id] { return bill }
    guard let body = context.fetched.records(of: ListBills.query(id)).first?.body,
      let listed = ListedBill(history: body), listed.bill.removedAt == nil
    else { return nil }
    return listed.bill
  }

  /// Enters a bill with its shares.
  ///
  /// - Parameter isTold: Whether members hear of the bill; if not, they hear of the purchase from which it comes.
  mutating func enter(
    _ bill: inout Bill, as id: ID<Bill>, isTold: Bool = true, in context: Context
  ) throws(Refusal) {
    if let category = bill.category { bill.category = try bills.category(named: category) }
    try post(.bill, bill.debts, bill.currency, of: id, in: context)
    keep(bill, id, in: context)
    bills.count(bill, times: 1, at: zone.day(at: context.now))
    debtsChanged(in: context)
    guard isTold else { return }
    happened(.billAdded, by: context.caller, ref: id.cast(), named: bill.title, in: context)
    for person in bill.people.sorted() {
      tell(person, .bill, of: id, bill, share: bill.shares[person] ?? 0, in: context)
    }
    remindLater(of: bill, id, in: context)
  }

  /// Replaces a bill by its changed version: what it had added is taken back, and posted anew.
  mutating func replace(
    _ before: Bill, with changed: inout Bill, _ id: ID<Bill>, isTold: Bool = true, in context: Context
  ) throws(Refusal) {
    if let category = changed.category { changed.category = try bills.category(named: category) }
    changed.edits = (before.edits ?? 0) + 1
    changed.editedBy = context.caller
    changed.editedAt = context.now
    if changed.debts != before.debts || changed.currency != before.currency {
      try post(.reversal, before.debts, before.currency, of: id, in: context)
      try post(.bill, changed.debts, changed.currency, of: id, in: context)
    }
    let today = zone.day(at: context.now)
    bills.count(before, times: -1, at: today)
    bills.count(changed, times: 1, at: today)
    keep(changed, id, in: context)
    let isDueAnew =
      changed.dueDate != before.dueDate || changed.debts != before.debts || changed.title != before.title
    if isDueAnew { endReminders(of: id, in: context) }
    debtsChanged(in: context)
    if isDueAnew { remindLater(of: changed, id, in: context) }
    guard isTold else { return }
    happened(.billChanged, by: context.caller, ref: id.cast(), named: changed.title, in: context)
    for person in before.people.union(changed.people).sorted() {
      tell(
        person, .billChanged, of: id, changed, share: changed.shares[person] ?? 0,
        before: before.shares[person] ?? 0, in: context)
    }
  }

  /// Takes a bill out of the books; for ten minutes it can be brought back.
  mutating func withdraw(_ bill: Bill, _ id: ID<Bill>, in context: Context) throws(Refusal) {
    try post(.reversal, bill.debts, bill.currency, of: id, in: context)
    bills.count(bill, times: -1, at: zone.day(at: context.now))
    bills.takeOff(id, bill, by: context.person, at: context.now)
    forget(id, in: context)
    var removed = bill
    removed.removedBy = context.caller
    removed.removedAt = context.now
    write(removed, id, in: context)
    resolve(id.cast(), in: context)
    happened(.billRemoved, by: context.caller, ref: id.cast(), named: bill.title, in: context)
    for person in bill.people.sorted() {
      tell(person, .billRemoved, of: id, bill, share: 0, before: bill.shares[person] ?? 0, in: context)
    }
    debtsChanged(in: context)
  }

  private mutating func keep(_ bill: Bill, _ id: ID<Bill>, in context: Context) {
    bills.put(bill, as: id)
    write(bill, id, in: context)
  }

  /// Writes a bill to the history, where it replaces the one before, and its version, which stays.
  private func write(_ bill: Bill, _ id: ID<Bill>, in context: Context) {
    var about = bill.people
    // Clients also look for the bills of a category.
    if let category = bill.category { about.insert(ListBills.mark(of: category)) }
    context.record(ListBills.history, id: id.bytes, at: bill.at, about: about, ListedBill(id: id, bill: bill))
    let version = BillVersion(
      id: id, edits: bill.edits ?? 0, at: context.now, by: context.caller, bill: bill)
    // Of one time the later version has the larger id.
    let number = UInt64(2 * version.edits + (bill.removedAt == nil ? 0 : 1))
    let versionID = ID<BillVersion>(high: ID<BillVersion>.derived("billVersion", id.bytes).high, low: number)
    context.record(ListBillVersions.history, id: versionID.bytes, about: [id.cast()], version)
  }

  private func tell(
    _ person: ID<Person>, _ kind: NotificationKind, of id: ID<Bill>, _ bill: Bill, share: Int, before: Int? = nil,
    in context: Context
  ) {
    guard person != context.caller, membership.members.contains(person) else { return }
    notify(
      person,
      Notification(
        kind: kind, room: context.room.name, ref: id.cast(), actor: context.caller,
        actorName: membership.members[context.person]?.name, at: context.now, name: bill.title, amount: share,
        before: before, currency: bill.currency),
      in: context)
  }
}
