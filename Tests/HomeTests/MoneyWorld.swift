import JSON
import Rooms
import Testing

@testable import Home

/// Bills and payments in the household of a `ChoreWorld`.
extension ChoreWorld {
  /// Adds a bill that one member has paid for some, equally.
  @discardableResult
  func bill(_ amount: Int, by payer: Int = 0, for sharers: [Int], _ currency: String = "EUR") throws -> ID<Bill> {
    let bill: JSON = [
      "title": "Bill", "amount": .number(.init(amount)), "currency": .string(currency),
      "split": ["kind": "equal", "people": .array(sharers.map(person))],
    ]
    return try #require(try call(payer, "bills.add", ["bill": bill])["id"]?.string.flatMap { ID($0) })
  }

  /// Proposes a payment, after the PIN; returns its id.
  @discardableResult
  func propose(_ amount: Int, from payer: Int, to payee: Int, _ more: [String: JSON] = [:]) throws -> ID<Payment> {
    let parameters: [String: JSON] = ["to": person(payee), "amount": .number(.init(amount))]
    let answer = try withPIN { try call(payer, "payments.propose", .object(parameters.merging(more) { $1 })) }
    return try #require(answer["id"]?.string.flatMap { ID($0) })
  }

  func confirm(_ id: ID<Payment>, by payee: Int) throws {
    _ = try withPIN { try call(payee, "payments.confirm", ["id": .id(id)]) }
  }

  @discardableResult
  func record(_ amount: Int, from payer: Int, by payee: Int, _ more: [String: JSON] = [:]) throws -> ID<Payment> {
    let parameters: [String: JSON] = ["from": person(payer), "amount": .number(.init(amount))]
    let answer = try call(payee, "payments.record", .object(parameters.merging(more) { $1 }))
    return try #require(answer["id"]?.string.flatMap { ID($0) })
  }

  func withPIN(_ body: () throws -> JSON) rethrows -> JSON {
    world.confirmation = .pin
    defer { world.confirmation = nil }
    return try body()
  }

  /// The debt of one member to another one between the two; negative if it is the other way.
  func debt(of debtor: Int, to creditor: Int, _ currency: String = "EUR") throws -> Int {
    let ledger = try state.ledger
    return ledger.debt(of: people[debtor], to: people[creditor], currency)
      - ledger.debt(of: people[creditor], to: people[debtor], currency)
  }

  /// How much of each bill is open between two members, the oldest first.
  func open(_ one: Int, _ other: Int, _ currency: String = "EUR") throws -> [OpenBill] {
    try state.ledger.debts[OpenDebt.id(between: people[one], people[other], currency)]?.bills ?? []
  }

  func balance(_ member: Int, _ currency: String = "EUR") throws -> Int {
    try state.ledger.balances[currency]?.people[people[member]] ?? 0
  }

  /// The payments of the history, the newest first.
  func payments(_ parameters: JSON = [:], by member: Int = 0) throws -> [ListedPayment] {
    let items = try call(member, "payments.list", parameters)["items"]?.array ?? []
    return items.compactMap { ListedPayment(history: $0.bytes) }
  }

  /// The newest notification of a kind.
  func newest(_ kind: NotificationKind, of member: Int) throws -> Notification? {
    try world.me(people[member]).inbox.notifications.values.filter { $0.kind == kind }.max { $0.at < $1.at }
  }

  func count(_ kind: NotificationKind, of member: Int) throws -> Int {
    try world.me(people[member]).inbox.notifications.values.count { $0.kind == kind }
  }
}
