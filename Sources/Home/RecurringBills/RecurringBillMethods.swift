import JSON
import Rooms

extension RecurringBills {
  static let methods: [Method] = [
    .of(AddRecurringBill.self), .of(EditRecurringBill.self), .of(CancelRecurringBill.self),
    .of(RestoreRecurringBill.self), .of(NotePaidBill.self),
  ]
}

struct RecurringBillAnswer: Record {
  var id = ID<RecurringBill>()
  /// The due day that is posted next; absent if it does not come again.
  var next: LocalDay?
  /// When it is posted; absent if it is paused, too.
  var nextAt: Instant?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("next", \.next)
    field("nextAt", \.nextAt)
  }
}

/// Adds a bill that comes again: it is posted by itself for each due day, some days before (BIL-14).
struct AddRecurringBill: Mutation {
  static let method: StaticString = "recurringBills.add"
  static let summary: StaticString =
    "Adds a bill that comes again: it is posted by itself for each due day, some days before (BIL-14)."
  static let hasNeeds = true
  var id: ID<RecurringBill>?
  var bill = RecurringBillForm()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("bill", \.bill)
  }

  func needs(for caller: ID<Person>) -> [Need] { [.confirmation] }

  private func added(in home: HouseholdState, _ context: Context) -> RecurringBill {
    bill.bill(from: RecurringBill(author: context.person, at: context.now), in: home)
  }

  func check(_ problems: Problems, in home: inout HouseholdState, _ context: Context) {
    // A form that could not be read is reported already.
    if problems.names("bill") || !home.isResident(context.person) { return }
    bill.check(added(in: home, context), from: nil, problems, in: home, at: context.now)
  }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> RecurringBillAnswer {
    if !home.isResident(context.person) { throw .guest }
    try context.requireConfirmation(by: .pin)
    let id = context.newID(id)
    try home.checkNew(id)
    try home.recurringBills.checkSpace()
    var added = added(in: home, context)
    if let category = added.category { added.category = try home.bills.category(named: category) }
    added.plan(notBefore: added.first)
    home.put(added, as: id)
    home.tell(.recurringBill, about: id, added, in: context)
    return home.answer(id)
  }
}

/// Changes a recurring bill from the next posting on; what is left out stays, and a paused one goes on (BIL-14).
struct EditRecurringBill: Mutation {
  static let method: StaticString = "recurringBills.edit"
  static let summary: StaticString =
    "Changes a recurring bill from the next posting on; what is left out stays, and a paused one goes on (BIL-14)."
  static let hasNeeds = true
  var id = ID<RecurringBill>()
  var bill = RecurringBillForm()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("bill", \.bill)
  }

  func needs(for caller: ID<Person>) -> [Need] { [.confirmation] }

  func check(_ problems: Problems, in home: inout HouseholdState, _ context: Context) {
    guard !problems.names("bill"), let before = home.recurringBills.bills[id] else { return }
    bill.check(bill.bill(from: before, in: home), from: before, problems, in: home, at: context.now)
  }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> RecurringBillAnswer {
    let before = try home.recurringBills.bill(id)
    try home.requireChangeable(before, context)
    try context.requireConfirmation(by: .pin)
    var changed = bill.bill(from: before, in: home)
    if changed == before, before.isPaused != true { return home.answer(id) }
    if let category = changed.category { changed.category = try home.bills.category(named: category) }
    (changed.editedBy, changed.editedAt, changed.isPaused) = (context.person, context.now, nil)
    if changed.first != before.first || changed.recurrence != before.recurrence || before.isPaused == true {
      // Days that passed while it was paused are not made up for. One that is overdue for want of a server is.
      let today = home.zone.day(at: context.now)
      changed.plan(notBefore: before.isPaused == true ? today : min(today, before.next ?? today))
    }
    home.resolve(id.cast(), in: context)
    home.put(changed, as: id)
    home.tell(.recurringBillChanged, about: id, changed, before: before, in: context)
    return home.answer(id)
  }
}

/// Cancels a recurring bill: nothing follows on what is posted; for ten minutes it can be brought back (BIL-14).
struct CancelRecurringBill: Mutation {
  static let method: StaticString = "recurringBills.cancel"
  static let summary: StaticString =
    "Cancels a recurring bill: nothing follows on what is posted; for ten minutes it can be brought back (BIL-14)."
  var id = ID<RecurringBill>()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("id", \.id) }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> NoAnswer {
    let bill = try home.recurringBills.bill(id)
    try home.requireChangeable(bill, context)
    home.recurringBills.takeOff(id, bill, by: context.person, at: context.now)
    home.forget(id, in: context)
    home.resolve(id.cast(), in: context)
    for posted in bill.posted.values { home.endRentReminder(posted, in: context) }
    home.tell(.recurringBillCancelled, about: id, bill, in: context)
    return NoAnswer()
  }
}

/// Brings a recurring bill back that was cancelled in the last ten minutes, under a new id (R-DEL).
struct RestoreRecurringBill: Mutation {
  static let method: StaticString = "recurringBills.restore"
  static let summary: StaticString =
    "Brings a recurring bill back that was cancelled in the last ten minutes, under a new id (R-DEL)."
  var id = ID<RecurringBill>()
  /// The new id of the recurring bill.
  var newID: ID<RecurringBill>?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("newId", \.newID)
  }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> RecurringBillAnswer {
    guard let cancelled = home.recurringBills.cancelled[id], cancelled.end > context.now else {
      throw .gone("This recurring bill")
    }
    if cancelled.removedBy != context.person { try home.requireChangeable(cancelled.bill, context) }
    let newID = context.newID(newID)
    try home.checkNew(newID)
    try home.recurringBills.checkSpace()
    home.recurringBills.cancelled[id] = nil
    home.resolve(id.cast(), in: context)
    // It knows the due days that were posted under its old id, and goes on after them.
    var bill = cancelled.bill
    bill.was = id
    home.put(bill, as: newID)
    home.remindHosts(of: bill, in: context)
    home.tell(.recurringBill, about: newID, bill, in: context)
    if !bill.people.allSatisfy({ home.isResident($0) }) { home.pause(newID, in: context) }
    return home.answer(newID)
  }
}

/// Says that the caller has paid a posted bill, such as the rent to the landlord; the others are told (BIL-15).
struct NotePaidBill: Mutation {
  static let method: StaticString = "recurringBills.paid"
  static let summary: StaticString =
    "Says that the caller has paid a posted bill, such as the rent to the landlord; the others are told (BIL-15)."
  var id = ID<RecurringBill>()
  /// The due day. Without it, the last one that is due, or the next one if that is paid.
  var date: LocalDay?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("date", \.date)
  }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> NoAnswer {
    var bill = try home.recurringBills.bill(id)
    let today = home.zone.day(at: context.now)
    let day = date ?? bill.dayToPay(at: today)
    let posted = day.flatMap { bill.posted[$0] }
    guard context.person == posted?.host ?? bill.host else {
      throw Refusal(.forbidden, "forbidden", "Only the member who pays it may do this.")
    }
    guard let day, var posted else { throw .gone("A bill that is posted for this day") }
    if posted.paidOn != nil { throw Refusal(.conflict, "alreadyPaid", "This was said already.") }
    home.endRentReminder(posted, in: context)
    (posted.paidOn, posted.paidBy) = (today, context.person)
    bill.posted[day] = posted
    home.recurringBills.put(bill, as: id)
    home.tell(.rentPaid, about: id, bill, ref: posted.bill.cast(), in: context)
    return NoAnswer()
  }
}

extension HouseholdState {
  /// Refuses a caller who is neither the author, nor the member who pays it, nor the host of the household.
  fileprivate func requireChangeable(_ bill: RecurringBill, _ context: Context) throws(Refusal) {
    if !isResident(context.person) { throw .guest }
    guard [bill.author, bill.host].contains(context.person) || isHost(context.person) else {
      throw Refusal(.forbidden, "forbidden", "Only the author, the payer or the host may do this.")
    }
  }

  fileprivate func answer(_ id: ID<RecurringBill>) -> RecurringBillAnswer {
    let bill = recurringBills.bills[id]
    return RecurringBillAnswer(id: id, next: bill?.next, nextAt: bill?.nextAt)
  }
}
