import JSON
import Rooms

extension MoneyReminders {
  static let methods: [Method] = [.of(RemindOfDebt.self), .of(RemindOfAllDebts.self)]
}

/// Reminds a member of what they owe the caller (REM-1, REM-3).
struct RemindOfDebt: Mutation {
  static let method: StaticString = "money.remind"
  static let summary: StaticString = "Reminds a member of what they owe the caller (REM-1, REM-3)."
  var person = ID<Person>()
  /// Without it, all currencies.
  var currency: CurrencyCode?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("person", \.person)
    field("currency", \.currency)
  }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> NoAnswer {
    if !home.membership.members.contains(person) { throw .gone("This member") }
    let debts = home.debts(of: person, to: context.person, currency?.text)
    if debts.isEmpty { throw .nothingOwed }
    try home.remind(person, of: debts, in: context)
    return NoAnswer()
  }
}

/// Reminds everybody who owes the caller something, each of their own debts (REM-2, REM-3).
struct RemindOfAllDebts: Mutation {
  static let method: StaticString = "money.remindAll"
  static let summary: StaticString =
    "Reminds everybody who owes the caller something, each of their own debts (REM-2, REM-3)."

  static func fields(_ field: inout some FieldVisitor<Self>) {}

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> RemindersSent {
    var (answer, tooSoon) = (RemindersSent(), nil as Refusal?)
    let debts = Dictionary(grouping: home.left.filter { $0.to == context.person }, by: \.from)
    if debts.isEmpty { throw .nothingOwed }
    for person in home.membership.members.keys where person != context.person && debts[person] == nil {
      answer.skipped[person] = .nothingOwed
    }
    for (person, _) in debts.sorted(by: { $0.key < $1.key }) {
      guard home.membership.members.contains(person) else {
        answer.skipped[person] = .former
        continue
      }
      let sums = home.debts(of: person, to: context.person)
      do throws(Refusal) {
        try home.remind(person, of: sums, in: context)
        answer.sent[person] = SmallMap(sums.map { ($0.currency, $0.amount) })
      } catch {
        answer.skipped[person] = .reminded
        // The least wait of all helps: then there is one who can be reminded.
        if tooSoon.map({ error.retryAfter ?? .zero < $0.retryAfter ?? .zero }) ?? true { tooSoon = error }
      }
    }
    if let tooSoon, answer.sent.isEmpty { throw tooSoon }
    return answer
  }
}

/// The members who were reminded, and those who were not.
struct RemindersSent: Record {
  /// By member, what they owe the caller, by currency.
  var sent: SmallMap<ID<Person>, SmallMap<String, Int>> = [:]
  var skipped: SmallMap<ID<Person>, NotReminded> = [:]

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("sent", \.sent)
    field("skipped", \.skipped)
  }
}

/// Why a person was not reminded.
enum NotReminded: String, Word {
  case nothingOwed
  /// The caller has reminded them a short while ago, or too many others.
  case reminded
  /// They have left the household.
  case former
}

extension HouseholdState {
  /// Reminds a member of what they owe the caller, unless they were reminded too often.
  fileprivate mutating func remind(_ debtor: ID<Person>, of debts: [OwedAmount], in context: Context) throws(Refusal) {
    let creditor = context.person
    try nudges.send(.debt, from: creditor, to: debtor, at: context.now)
    var notification = Notification(
      kind: .debtReminder, room: context.room.name, ref: DebtReminders.ref(debtor, by: creditor), actor: creditor,
      actorName: membership.members[creditor]?.name, at: context.now)
    notification.add(debts)
    notify(debtor, notification, in: context)
    var open = moneyReminders.reminders[debtor] ?? DebtReminders()
    open.by.insert(creditor)
    moneyReminders.reminders[debtor] = open
  }
}

extension Refusal {
  fileprivate static var nothingOwed: Refusal {
    Refusal(.conflict, "nothingOwed", "Nothing is owed to you; payments on their way count as paid.")
  }
}
