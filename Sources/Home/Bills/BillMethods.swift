import JSON
import Rooms

extension Bills {
  static let methods: [Method] = [
    .of(AddBill.self), .of(EditBill.self), .of(RemoveBill.self), .of(RestoreBill.self), .question(ListBills.self),
    .question(ListBillVersions.self), .question(SumSpending.self),
  ]
}

struct BillAnswer: Record {
  var id = ID<Bill>()
  /// By person, their part of the cost.
  var shares: SmallMap<ID<Person>, Int> = [:]

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("shares", \.shares)
  }
}

/// Adds a bill: the balances change, and all whom it concerns are notified (BIL-1, BIL-2).
struct AddBill: Mutation {
  static let method: StaticString = "bills.add"
  static let summary: StaticString =
    "Adds a bill: the balances change, and all whom it concerns are notified (BIL-1, BIL-2)."
  static let hasNeeds = true
  var id: ID<Bill>?
  var bill = BillForm()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("bill", \.bill)
  }

  func needs(for caller: ID<Person>) -> [Need] { Bills.needs(of: id) }

  private func empty(_ context: Context) -> Bill { Bill(by: context.person, at: context.now) }

  func check(_ problems: Problems, in home: inout HouseholdState, _ context: Context) {
    // A form that could not be read is reported already.
    if problems.names("bill") || !home.isResident(context.person) { return }
    let added = bill.bill(from: empty(context), in: home, at: context.now)
    bill.shares(of: added, from: Bill(), as: id ?? ID(), problems, in: home, at: context.now)
  }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> BillAnswer {
    if !home.isResident(context.person) { throw .guest }
    let id = context.newID(id)
    try home.checkNew(id, ListBills.query(id), in: context)
    var added = bill.bill(from: empty(context), in: home, at: context.now)
    added.shares =
      bill.shares(of: added, from: Bill(), as: id, Problems(), in: home, at: context.now) ?? [:]
    try home.enter(&added, as: id, in: context)
    return BillAnswer(id: id, shares: added.shares)
  }
}

/// Changes a bill; what is left out stays as it is (BIL-13).
struct EditBill: Mutation {
  static let method: StaticString = "bills.edit"
  static let summary: StaticString = "Changes a bill; what is left out stays as it is (BIL-13)."
  static let hasNeeds = true
  var id = ID<Bill>()
  var bill = BillForm()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("bill", \.bill)
  }

  func needs(for caller: ID<Person>) -> [Need] { [.history(ListBills.query(id))] }

  func check(_ problems: Problems, in home: inout HouseholdState, _ context: Context) {
    guard !problems.names("bill"), let before = home.bill(id, in: context) else { return }
    let changed = bill.bill(from: before, in: home, at: context.now)
    bill.shares(of: changed, from: before, as: id, problems, in: home, at: context.now)
  }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> BillAnswer {
    guard let before = home.bill(id, in: context) else { throw .gone("This bill") }
    if !home.isResident(context.person) { throw .guest }
    try home.changeable(before, context)
    var changed = bill.bill(from: before, in: home, at: context.now)
    changed.shares =
      bill.shares(of: changed, from: before, as: id, Problems(), in: home, at: context.now) ?? [:]
    if changed == before { return BillAnswer(id: id, shares: before.shares) }
    try home.replace(before, with: &changed, id, in: context)
    return BillAnswer(id: id, shares: changed.shares)
  }
}

/// Removes a bill: its debts are taken back; for ten minutes it can be brought back (BIL-13, R-DEL).
struct RemoveBill: Mutation {
  static let method: StaticString = "bills.remove"
  static let summary: StaticString =
    "Removes a bill: its debts are taken back; for ten minutes it can be brought back (BIL-13, R-DEL)."
  static let hasNeeds = true
  var id = ID<Bill>()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("id", \.id) }

  func needs(for caller: ID<Person>) -> [Need] { [.history(ListBills.query(id))] }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> NoAnswer {
    guard let bill = home.bill(id, in: context) else { throw .gone("This bill") }
    if !home.isResident(context.person) { throw .guest }
    try home.changeable(bill, context)
    try home.withdraw(bill, id, in: context)
    return NoAnswer()
  }
}

/// Brings a bill back that was removed in the last ten minutes, under a new id (R-DEL).
struct RestoreBill: Mutation {
  static let method: StaticString = "bills.restore"
  static let summary: StaticString =
    "Brings a bill back that was removed in the last ten minutes, under a new id (R-DEL)."
  static let hasNeeds = true
  var id = ID<Bill>()
  /// The new id of the bill.
  var newID: ID<Bill>?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("newId", \.newID)
  }

  func needs(for caller: ID<Person>) -> [Need] { Bills.needs(of: newID) }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> BillAnswer {
    guard let removed = home.bills.removed[id], removed.end > context.now else { throw .gone("This bill") }
    if !home.isResident(context.person) { throw .guest }
    if removed.removedBy != context.person { try home.changeable(removed.bill, context) }
    let newID = context.newID(newID)
    try home.checkNew(newID, ListBills.query(newID), in: context)
    home.bills.removed[id] = nil
    context.erase(ListBills.history, id: id.bytes)
    var bill = removed.bill
    bill.was = id
    // Its shares stay as they were, although its id decides who gets the units that are left over.
    try home.enter(&bill, as: newID, in: context)
    return BillAnswer(id: newID, shares: bill.shares)
  }
}

extension Bills {
  /// The search for an earlier bill with an id that a client has chosen: the state has the newest only.
  fileprivate static func needs(of id: ID<Bill>?) -> [Need] { id.map { [.history(ListBills.query($0))] } ?? [] }
}
