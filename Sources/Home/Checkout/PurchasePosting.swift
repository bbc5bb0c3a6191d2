import JSON
import Rooms

/// How a purchase comes into the books and changes there: one change with its bill, the history and word to the others.
extension HouseholdState {
  /// The bill of a purchase, without its shares.
  private func bill(
    of purchase: Purchase, paid: SmallMap<ID<Person>, Int>, split: BillSplit?, before: Bill, _ context: Context
  ) -> Bill {
    var bill = before
    if bill.by == nil { (bill.by, bill.at) = (context.person, context.now) }
    bill.title = bill.title.isEmpty ? "Groceries" : bill.title
    bill.amount = purchase.total ?? 0
    bill.currency = purchase.currency
    bill.category = bill.category ?? BillCategory.groceries.rawValue
    bill.origin = BillOrigin(kind: .trip, ref: purchase.id.cast())
    if bill.date == LocalDay() { bill.date = zone.day(at: purchase.at) }
    if !paid.isEmpty {
      bill.paid = paid
    } else if bill.paid.count <= 1 {
      bill.paid = [bill.paid.keys.first ?? purchase.by: bill.amount]
    }
    if let split {
      bill.split = split
    } else if let parts = try? purchase.rule(in: self).parts(of: Int64(bill.amount), bill: id(ofBillOf: purchase)) {
      bill.split = BillSplit(exact: SmallMap(parts.sorted { $0.key < $1.key }.map { ($0.key, Int($0.value)) }))
    }
    return bill
  }

  private func id(ofBillOf purchase: Purchase) -> ID<Bill> { .derived("tripBill", purchase.id.bytes) }

  /// Notes what is wrong with a purchase and its cost.
  func check(
    _ purchase: Purchase, paid: SmallMap<ID<Person>, Int>, split: BillSplit?, before: Bill, _ problems: Problems,
    _ context: Context
  ) {
    if split == nil, let total = purchase.total {
      do {
        _ = try purchase.rule(in: self).parts(of: Int64(total), bill: id(ofBillOf: purchase))
      } catch {
        let text = "are more than the total: pricesExceedTotal"
        problems.note("lines", text)
        if case .pricesExceedTotal(let over) = error { problems.details["offBy"] = .number(.init(-Int(over))) }
        return
      }
    }
    let bill = bill(of: purchase, paid: paid, split: split, before: before, context)
    let own = Problems()
    BillForm().shares(of: bill, from: before, as: id(ofBillOf: purchase), own, in: self, at: context.now)
    // The parameters have no `bill`: they are the fields themselves.
    for problem in own.list { problems.note(String(problem.path.trimmingPrefix("bill.")), problem.text) }
    problems.details.merge(own.details) { $1 }
  }

  /// Enters a completed purchase with the bill of its cost.
  mutating func enter(
    _ purchase: inout Purchase, paid: SmallMap<ID<Person>, Int>, split: BillSplit?, in context: Context
  ) throws(Refusal) {
    if purchase.total != nil {
      var bill = bill(of: purchase, paid: paid, split: split, before: Bill(), context)
      let id = id(ofBillOf: purchase)
      bill.shares =
        BillForm().shares(of: bill, from: Bill(), as: id, Problems(), in: self, at: context.now) ?? [:]
      (purchase.bill, purchase.shares) = (id, bill.shares)
      try enter(&bill, as: id, isTold: false, in: context)
    }
    write(purchase, in: context)
    happened(.shopped, by: context.caller, ref: purchase.id.cast(), in: context)
    tell(.shopped, of: purchase, before: nil, in: context)
  }

  /// Replaces a purchase by its changed version, and its bill (GRO-13).
  mutating func replace(
    _ before: Purchase, with changed: inout Purchase, bill old: Bill?, paid: SmallMap<ID<Person>, Int>,
    split: BillSplit?, in context: Context
  ) throws(Refusal) {
    changed.edits = (before.edits ?? 0) + 1
    changed.editedBy = context.caller
    changed.editedAt = context.now
    if changed.total != nil {
      let id = id(ofBillOf: changed)
      var bill = bill(of: changed, paid: paid, split: split, before: old ?? Bill(), context)
      bill.shares =
        BillForm().shares(of: bill, from: old ?? Bill(), as: id, Problems(), in: self, at: context.now) ?? [:]
      (changed.bill, changed.shares) = (id, bill.shares)
      if let old {
        if bill != old { try replace(old, with: &bill, id, isTold: false, in: context) }
      } else {
        try enter(&bill, as: id, isTold: false, in: context)
      }
    }
    write(changed, in: context)
    happened(.purchaseChanged, by: context.caller, ref: changed.id.cast(), in: context)
    tell(.purchaseChanged, of: changed, before: before, in: context)
  }

  /// Writes a purchase to the history, where it replaces the one before, and its version, which stays.
  private func write(_ purchase: Purchase, in context: Context) {
    let about = Set(purchase.shares.keys).union([purchase.by])
    context.record(ListPurchases.history, id: purchase.id.bytes, at: purchase.at, about: about, purchase)
    let version = PurchaseVersion(
      edits: purchase.edits ?? 0, at: context.now, by: context.caller, purchase: purchase)
    // Of one time the later version has the larger id.
    let id = ID<PurchaseVersion>(
      high: ID<PurchaseVersion>.derived("purchaseVersion", purchase.id.bytes).high, low: UInt64(version.edits))
    context.record(ListPurchaseVersions.history, id: id.bytes, about: [purchase.id.cast()], version)
  }

  private func tell(_ kind: NotificationKind, of purchase: Purchase, before: Purchase?, in context: Context) {
    for person in membership.members.keys where person != context.caller {
      let isCostly = purchase.total != nil
      notify(
        person,
        Notification(
          kind: kind, room: context.room.name, ref: purchase.id.cast(), actor: context.caller,
          actorName: membership.members[context.person]?.name, at: context.now,
          amount: isCostly ? purchase.shares[person] ?? 0 : nil,
          before: before?.total == nil ? nil : before?.shares[person] ?? 0,
          currency: isCostly ? purchase.currency : nil),
        in: context)
    }
  }
}
