import JSON
import Rooms

/// The reminders of debts: those that members send (REM-1, REM-2), that of the end of the month (BIL-20), and those of
/// bills with a due day (BIL-16, BIL-21).
struct MoneyReminders: Subject {
  typealias State = HouseholdState
  static let messages: [MessageHandler<HouseholdState>] = [.of(DebtsAsked.self)]

  /// By debtor, the reminders that are to be closed once the debts are settled (REM-6).
  var reminders = Table<ID<Person>, DebtReminders>()
  var month = Single<MonthEnd>()
  var dueBills = Table<ID<Bill>, DueBill>()
  private(set) var due = DueTime()

  mutating func parts(_ part: inout some PartVisitor) {
    part("debtReminders", &reminders, .hidden)
    part("monthEnd", &month, .hidden)
    part("dueBills", &dueBills, .hidden)
  }

  mutating func planAll() { due.plan(month.value.nextAt) }

  /// Notes the last day of a month of which debtors are told next, and from when on.
  mutating func plan(tellingAt instant: Instant) {
    month.value.nextAt = instant
    due = DueTime()
    planAll()
  }

  mutating func put(_ dueBill: DueBill, as id: ID<Bill>) {
    dueBills[id] = dueBill.parts.isEmpty ? nil : dueBill
    dueBills.keep(Limits.dueBills) { $0.day }
  }

  static func fallDue(in home: inout HouseholdState, _ context: Context) { home.endMonth(in: context) }
}

/// The open reminders of one debtor.
struct DebtReminders: Record {
  /// The creditors who have sent one.
  var by: SmallSet<ID<Person>> = []
  /// The last day of the month of which there is one.
  var month: LocalDay?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("by", \.by)
    field("month", \.month)
  }

  /// The `ref` of a reminder that a creditor has sent.
  static func ref(_ debtor: ID<Person>, by creditor: ID<Person>) -> ID<Thing> {
    .derived("debtReminder", debtor.bytes + creditor.bytes)
  }

  /// The `ref` of the reminder on the last day of a month.
  static func ref(_ debtor: ID<Person>, on day: LocalDay) -> ID<Thing> {
    .derived("debts", debtor.bytes + Array(day.text.utf8))
  }
}

/// How far the household is with the ends of months.
struct MonthEnd: Record {
  /// The last day of the month of which debtors were told last.
  var day: LocalDay?
  /// The members who were.
  var told: SmallSet<ID<Person>> = []
  /// When those are told who owe something at the end of the next one.
  var nextAt: Instant?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("day", \.day)
    field("told", \.told)
    field("nextAt", \.nextAt)
  }
}
