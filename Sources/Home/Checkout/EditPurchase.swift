import JSON
import Rooms

/// Changes a purchase: what was bought, and what it cost; what is left out stays as it is (GRO-13).
struct EditPurchase: Mutation {
  static let method: StaticString = "trips.edit"
  static let summary: StaticString =
    "Changes a purchase: what was bought, and what it cost; what is left out stays as it is (GRO-13)."
  static let hasNeeds = true
  var id = ID<Purchase>()
  /// All that was bought, in place of the lines before.
  var lines: [PurchasedLine]?
  var total: Int?
  var paid: SmallMap<ID<Person>, Int> = [:]
  /// In place of what R-CHECKOUT says.
  var split: BillSplit?
  var note: Change<Prose> = .unchanged

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("lines", \.lines, Limits.purchaseLines)
    field("total", \.total, Limits.total)
    field("paid", \.paid)
    field("split", \.split)
    field("note", \.note, Limits.billNote)
  }

  func needs(for caller: ID<Person>) -> [Need] {
    [.history(ListPurchases.query(id)), .history(ListBills.query(billID))]
  }

  private var billID: ID<Bill> { .derived("tripBill", id.bytes) }

  private func found(_ context: Context) -> Purchase? {
    context.fetched.records(of: ListPurchases.query(id)).first?.body.flatMap { Purchase(history: $0) }
  }

  func check(_ problems: Problems, in home: inout HouseholdState, _ context: Context) {
    guard let before = found(context) else { return }
    let known = Set(before.lines.compactMap(\.owner))
    for (index, line) in (lines ?? []).enumerated() {
      if let owner = line.owner, !home.membership.members.contains(owner), !known.contains(owner) {
        problems.note("lines.\(index).owner", "is no member")
      }
    }
    let changed = changed(before)
    if changed.total == nil {
      for (name, isGiven) in [("paid", !paid.isEmpty), ("split", split != nil)] where isGiven {
        problems.note(name, "needs a total")
      }
    }
    guard problems.isEmpty, changed.total != nil else { return }
    let bill = home.bill(billID, in: context) ?? Bill()
    home.check(changed, paid: paid, split: split, before: bill, problems, context)
  }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> PurchaseAnswer {
    _ = try home.caller(context)
    guard let before = found(context) else { throw .gone("This purchase") }
    let bill = before.bill.flatMap { home.bill($0, in: context) }
    if !home.isResident(context.person), total != nil || bill != nil { throw .guest }
    guard
      before.by == context.person || home.isHost(context.person) || bill?.paid.contains(context.person) == true
    else { throw Refusal(.forbidden, "forbidden", "Only the buyer, a payer or the host may do this.") }
    if context.now >= before.end {
      throw Refusal(.conflict, "tooLate", "This was bought more than 90 days ago: add a bill that corrects it.")
    }
    var changed = changed(before)
    if changed == before, paid.isEmpty, split == nil { return PurchaseAnswer(id: id, bill: before.bill) }
    try home.replace(before, with: &changed, bill: bill, paid: paid, split: split, in: context)
    return PurchaseAnswer(id: id, bill: changed.bill, shares: changed.shares)
  }

  private func changed(_ before: Purchase) -> Purchase {
    var changed = before
    if let lines { changed.lines = lines }
    changed.total = total ?? changed.total
    note.map(\.text).apply(to: &changed.note)
    return changed
  }
}
