import JSON
import Rooms

/// The end of the month: everybody who owes something is told on its last day, at their own hour (BIL-20).
///
/// Before that day has begun anywhere, the household tells the debtors' own rooms. Each of them asks at its person's
/// hour what is owed, and the household answers with a notification, or with nothing if all is settled.
///
///     household            me                     household        me
///     fallDue          →   SetReminder, fires →   DebtsAsked   →   Notify
extension HouseholdState {
  /// Some clocks are so far ahead of others, and the earliest hour of a day is 00:00.
  private static let widestZones = Duration.seconds(26 * 3600)

  /// From when on the last day of a month may have begun somewhere.
  private func start(of day: LocalDay) -> Instant { zone.instant(day) - Self.widestZones }

  /// Does what follows from a change of what is owed: reminders of settled debts and bills are closed (REM-6), requests
  /// are paid, and those who owe something just before the end of a month are told of it.
  mutating func debtsChanged(in context: Context) {
    closeDebtReminders(in: context)
    closeBillReminders(in: context)
    closeRequests(in: context)
    if moneyReminders.month.value.nextAt == nil {
      if ledger.balances.isEmpty { return }
      let day = zone.day(at: context.now).endOfMonth
      if start(of: day) <= context.now { moneyReminders.month.value.day = day }
      planMonthEnd(at: context.now)
    }
    tellMonthEnd(isExact: true, in: context)
  }

  /// Plans the next month's end of which debtors are told.
  private mutating func planMonthEnd(at now: Instant) {
    var day = zone.day(at: now).endOfMonth
    if let told = moneyReminders.month.value.day, day <= told { day = told.adding(1).endOfMonth }
    moneyReminders.plan(tellingAt: start(of: day))
  }

  /// Moves it to the clocks of another zone.
  mutating func moveMonthEnd(at now: Instant) { if moneyReminders.month.value.nextAt != nil { planMonthEnd(at: now) } }

  /// Tells the debtors' own rooms of the last day of the month; after a downtime, of the latest one.
  mutating func endMonth(in context: Context) {
    let today = zone.day(at: context.now)
    var day = today.endOfMonth
    if start(of: day) > context.now { day = LocalDay(monthNumber: today.monthNumber - 1, day: 31) }
    if moneyReminders.month.value.day != day {
      moneyReminders.month.value.day = day
      moneyReminders.month.value.told = []
    }
    planMonthEnd(at: context.now)
    tellMonthEnd(isExact: nil, in: context)
  }

  /// Tells those debtors who do not know yet.
  ///
  /// - Parameter isExact: Only if their hour is still ahead, and if the day is not over everywhere.
  private mutating func tellMonthEnd(isExact: Bool?, in context: Context) {
    guard !dismissal.isDismissed, let day = moneyReminders.month.value.day else { return }
    let end = zone.end(of: day) + Self.widestZones
    if isExact == true, end <= context.now { return }
    let debtors = Set(left.map(\.from)).filter { person in
      membership.members.contains(person) && !moneyReminders.month.value.told.contains(person)
    }
    // However late it comes after a downtime, their own rooms tell them.
    let dueAt = max(end, context.now) + Limits.inboxAge
    for debtor in debtors.sorted() {
      moneyReminders.month.value.told.insert(debtor)
      let reminder = Reminder(
        kind: .debts, day: day, dueAt: dueAt, zone: info.facts.value.timeZone, isExact: isExact)
      context.send(SetReminder(ref: DebtReminders.ref(debtor, on: day), reminder: reminder), to: .person(debtor))
    }
  }

  /// Tells people once more whose own rooms have forgotten it: they have come back to the household.
  mutating func tellMonthEnd(anewTo people: [ID<Person>], in context: Context) {
    for person in people where moneyReminders.month.value.told.contains(person) {
      moneyReminders.month.value.told.remove(person)
    }
    if moneyReminders.month.value.day != nil { tellMonthEnd(isExact: true, in: context) }
  }

  // MARK: what is open

  /// The debts of a person to others, or to one of them, once all pending payments are confirmed: by creditor, then
  /// currency.
  func debts(of debtor: ID<Person>, to creditor: ID<Person>? = nil, _ currency: String? = nil) -> [OwedAmount] {
    left.filter { rest in
      rest.from == debtor && creditor.map { $0 == rest.to } ?? true && currency.map { $0 == rest.currency } ?? true
    }
    .map { OwedAmount(to: $0.to, currency: $0.currency, amount: $0.amount) }
    .sorted { ($0.to, $0.currency) < ($1.to, $1.currency) }
  }

  /// Closes the reminders of debts that are settled, on all devices (REM-6).
  private mutating func closeDebtReminders(in context: Context) {
    for (debtor, open) in moneyReminders.reminders {
      guard membership.members.contains(debtor) else {
        moneyReminders.reminders[debtor] = nil
        continue
      }
      let debts = debts(of: debtor)
      var rest = open
      for creditor in open.by where !debts.contains(where: { $0.to == creditor }) {
        context.send(Resolve(ref: DebtReminders.ref(debtor, by: creditor)), to: .person(debtor))
        rest.by.remove(creditor)
      }
      if let day = open.month, debts.isEmpty {
        context.send(Resolve(ref: DebtReminders.ref(debtor, on: day)), to: .person(debtor))
        rest.month = nil
      }
      if rest != open { moneyReminders.reminders[debtor] = rest == DebtReminders() ? nil : rest }
    }
  }
}

extension LocalDay {
  fileprivate var endOfMonth: LocalDay { LocalDay(monthNumber: monthNumber, day: 31) }
}

extension Notification {
  /// Adds what is owed; amount and currency, too, where there is one debt only.
  mutating func add(_ debts: [OwedAmount]) {
    self.debts = Array(debts.prefix(Limits.debtsTold))
    guard debts.count == 1, let debt = debts.first else { return }
    (amount, currency) = (debt.amount, debt.currency)
  }
}

/// It is the hour of a person on the last day of a month: they are told what they owe. The message comes from their own
/// room.
struct DebtsAsked: Message {
  static let name = "debtsAsked"
  var day = LocalDay()
  /// Their hour, which is the cause: after a downtime it is the same notification.
  var at = Instant()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("day", \.day)
    field("at", \.at)
  }

  func apply(to home: inout HouseholdState, from source: RoomID, in context: Context) {
    guard case .person(let person) = source, home.membership.members.contains(person), !home.dismissal.isDismissed
    else { return }
    let debts = home.debts(of: person)
    if debts.isEmpty { return }
    var notification = Notification(
      kind: .debts, room: context.room.name, ref: DebtReminders.ref(person, on: day), at: at)
    notification.add(debts)
    home.notify(person, notification, in: context)
    var open = home.moneyReminders.reminders[person] ?? DebtReminders()
    open.month = day
    home.moneyReminders.reminders[person] = open
  }
}
