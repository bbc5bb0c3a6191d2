import JSON
import Rooms
import Testing

@testable import Home

@Suite("Reminders of debts")
struct MoneyReminderTests {
  let house: ChoreWorld
  init() throws { house = try ChoreWorld("Ana", "Ben", "Cem", "Dan") }

  private let day = Duration.seconds(24 * 3600)

  private func remind(_ debtor: Int, by creditor: Int = 0, _ more: [String: JSON] = [:]) -> Refusal? {
    let parameters: [String: JSON] = ["person": house.person(debtor)]
    return refusal { try house.call(creditor, "money.remind", .object(parameters.merging(more) { $1 })) }
  }

  private func amounts(_ notification: Notification?) -> [String: Int] {
    Dictionary((notification?.debts ?? []).map { ("\($0.to) \($0.currency)", $0.amount) }, uniquingKeysWith: +)
  }

  private func key(_ creditor: Int, _ currency: String = "EUR") -> String { "\(house.people[creditor]) \(currency)" }

  // MARK: by members

  @Test("REM-1: exactly the debtor is reminded, of the amount; nobody is of what is not owed, or is on its way")
  func one() throws {
    try house.bill(900, for: [0, 1, 2])
    #expect(remind(1) == nil)
    let told = try #require(try house.newest(.debtReminder, of: 1))
    #expect(told.amount == 300 && told.currency == "EUR" && told.actorName == "Ana" && amounts(told) == [key(0): 300])
    for other in [0, 2, 3] { #expect(try house.count(.debtReminder, of: other) == 0) }
    #expect(remind(3)?.reason == "nothingOwed" && remind(0, by: 1)?.reason == "nothingOwed")
    #expect(remind(0)?.reason == "nothingOwed" && remind(1, by: 2)?.reason == "nothingOwed")
    try house.propose(300, from: 2, to: 0)
    #expect(remind(2)?.reason == "nothingOwed", "a payment on its way counts as paid")
    // Several currencies are told apart, and never added up.
    try house.bill(500, for: [3], "USD")
    try house.bill(700, for: [3])
    #expect(remind(3, ["currency": "JPY"])?.reason == "nothingOwed")
    #expect(remind(3) == nil)
    let both = try #require(try house.newest(.debtReminder, of: 3))
    #expect(both.amount == nil && both.currency == nil && amounts(both) == [key(0): 700, key(0, "USD"): 500])
    let stranger = try house.world.signUp("Eve")
    #expect(reason { try house.call(0, "money.remind", ["person": .id(stranger)]) } == "notFound/gone")
  }

  @Test("REM-1: one currency alone can be reminded of")
  func oneCurrency() throws {
    try house.bill(500, for: [3], "USD")
    try house.bill(700, for: [3])
    #expect(remind(3, ["currency": "USD"]) == nil)
    #expect(try amounts(house.newest(.debtReminder, of: 3)) == [key(0, "USD"): 500])
  }

  @Test("REM-3: a debtor is reminded once a day and three times a week by one creditor, and may mute them")
  func limits() throws {
    try house.bill(900, for: [1])
    try house.bill(90, by: 2, for: [1])
    #expect(remind(1) == nil && remind(1)?.reason == "reminded" && remind(1)?.retryAfter == day)
    #expect(remind(1, by: 2) == nil)
    #expect(try house.count(.debtReminder, of: 1) == 2)
    try house.world.call(house.people[1], "inbox.mute", ["person": house.person(0), "muted": true])
    house.world.advance(day)
    #expect(remind(1) == nil)
    #expect(try house.newest(.debtReminder, of: 1)?.readAt != nil, "it comes as read")
    house.world.advance(day)
    #expect(remind(1) == nil)
    house.world.advance(day)
    #expect(remind(1)?.retryAfter == day * 4)
  }

  @Test("REM-2: all debtors are reminded in one call, each of their own total; at once again it is refused as spam")
  func all() throws {
    #expect(reason { try house.call(0, "money.remindAll", [:]) } == "conflict/nothingOwed")
    try house.bill(900, for: [0, 1, 2])
    try house.bill(100, for: [1])
    try house.bill(20, for: [2], "USD")
    let answer = try house.call(0, "money.remindAll", [:])
    let (ben, cem, dan) = (house.people[1].description, house.people[2].description, house.people[3].description)
    #expect(answer["sent"] == .object([ben: ["EUR": 400], cem: ["EUR": 300, "USD": 20]]))
    #expect(answer["skipped"] == .object([dan: "nothingOwed"]))
    #expect(try amounts(house.newest(.debtReminder, of: 1)) == [key(0): 400])
    #expect(try amounts(house.newest(.debtReminder, of: 2)) == [key(0): 300, key(0, "USD"): 20])
    for debtor in [1, 2] { #expect(try house.count(.debtReminder, of: debtor) == 1) }
    let again = refusal { try house.call(0, "money.remindAll", [:]) }
    #expect(again?.reason == "reminded" && again?.code == .rateLimited && again?.retryAfter == day)
    #expect(try house.count(.debtReminder, of: 1) == 1)
    // A new debtor is reminded, and the others are left in peace. One who has left cannot be reminded.
    house.world.advance(.seconds(3600))
    try house.bill(50, for: [3])
    try house.call(2, "members.leave", [:])
    let later = try house.call(0, "money.remindAll", [:])
    #expect(later["sent"] == .object([dan: ["EUR": 50]]))
    #expect(later["skipped"] == .object([ben: "reminded", cem: "former"]))
    #expect(refusal { try house.call(0, "money.remindAll", [:]) }?.retryAfter == day - .seconds(3600))
  }

  @Test("REM-6: a reminder is read everywhere once what is owed to its sender is paid, or on its way; not before")
  func closed() throws {
    try house.bill(900, for: [0, 1, 2])
    let other = try house.bill(100, by: 2, for: [1])
    #expect(remind(1) == nil && remind(1, by: 2) == nil)
    func open() throws -> Set<ID<Person>> {
      let inbox = try house.world.me(house.people[1]).inbox.notifications.values
      return Set(inbox.filter { $0.kind == .debtReminder && $0.readAt == nil }.compactMap(\.actor))
    }
    try house.record(299, from: 1, by: 0)
    #expect(try open() == [house.people[0], house.people[2]])
    let id = try house.propose(1, from: 1, to: 0)
    #expect(try open() == [house.people[2]])
    // It does not come back with the debt.
    try house.call(0, "payments.reject", ["id": .id(id)])
    #expect(try open() == [house.people[2]])
    try house.call(2, "bills.edit", ["id": .id(other), "bill": ["amount": 120]])
    #expect(try open() == [house.people[2]], "a bill that becomes another one is owed all the time")
    try house.call(2, "bills.remove", ["id": .id(other)])
    #expect(try open().isEmpty && house.state.moneyReminders.reminders.isEmpty)
    #expect(try house.world.isRestorable(house.home))
  }

  @Test("R-NET, REM-1: where debts are settled by few payments, those are what is owed")
  func simplified() throws {
    try house.bill(100, for: [1])
    try house.bill(100, by: 2, for: [0])
    #expect(remind(1) == nil)
    try house.call(0, "households.update", ["simplify": true])
    #expect(try house.newest(.debtReminder, of: 1)?.readAt != nil, "nothing is owed to Ana any longer")
    #expect(remind(1)?.reason == "nothingOwed" && remind(1, by: 2) == nil)
  }

  // MARK: at the end of the month

  /// The reminders that a member has got at the ends of months: the day and hour in Berlin, and the amounts.
  private func told(_ member: Int) throws -> [String] {
    try house.world.me(house.people[member]).inbox.notifications.values.filter { $0.kind == .debts }
      .sorted { $0.at < $1.at }
      .map { notification in
        let (day, minute) = ZoneTime("Europe/Berlin").local(notification.at)
        let sums = (notification.debts ?? []).map { debt in
          "\(house.people.firstIndex(of: debt.to) ?? -1):\(debt.amount) \(debt.currency)"
        }
        return ([day.text, LocalTime(minute: minute).text] + sums).joined(separator: " ")
      }
  }

  @Test(
    "BIL-20: on the last day of the month each debtor is told once, at 18:00, what they owe to whom in which currency")
  func monthEnd() throws {
    try house.bill(900, for: [0, 1, 2])
    try house.bill(100, by: 2, for: [1])
    try house.bill(500, for: [1], "USD")
    try house.go(to: "2026-02-28", "17:59")
    #expect(try told(1).isEmpty)
    try house.go(to: "2026-02-28", "18:00")
    #expect(try told(1) == ["2026-02-28 18:00 0:300 EUR 0:500 USD 2:100 EUR"])
    #expect(try told(2) == ["2026-02-28 18:00 0:300 EUR"])
    #expect(try told(0).isEmpty && told(3).isEmpty, "who owes nothing hears nothing")
    let single = try #require(try house.newest(.debts, of: 2))
    #expect(single.amount == 300 && single.currency == "EUR" && single.actor == nil)
    // Each month has its own, and clocks that change do not move the hour.
    try house.record(300, from: 2, by: 0)
    try house.go(to: "2026-04-01")
    // After 30 days a notification goes.
    #expect(try told(1) == ["2026-03-31 18:00 0:300 EUR 0:500 USD 2:100 EUR"] && told(2).isEmpty)
    #expect(try house.world.isRestorable(house.home) && house.world.isRestorable(.person(house.people[1])))
  }

  @Test("BIL-20, REM-4: the hour and the zone are the debtor's own, however far it is from the household's")
  func hours() throws {
    try house.bill(900, for: [0, 1, 2, 3])
    let settings: [(hour: String, zone: String)] = [
      ("08:30", "Europe/Berlin"), ("00:00", "Pacific/Kiritimati"), ("23:59", "Pacific/Pago_Pago"),
    ]
    for (member, setting) in zip(1..., settings) {
      try house.world.call(
        house.people[member], "settings.edit", ["hour": .string(setting.hour), "timeZone": .string(setting.zone)])
    }
    try house.go(to: "2026-03-02")
    for (member, setting) in zip(1..., settings) {
      let at = try #require(try house.newest(.debts, of: member)?.at)
      let (day, minute) = ZoneTime(setting.zone).local(at)
      #expect(day.text == "2026-02-28" && LocalTime(minute: minute).text == setting.hour, "\(setting)")
      #expect(try house.count(.debts, of: member) == 1)
    }
  }

  @Test("BIL-20: what is owed at the hour counts: debts of that day, and no longer what is settled or on its way")
  func lastMinute() throws {
    try house.bill(900, for: [0, 1, 2])
    try house.go(to: "2026-02-28", "12:00")
    try house.propose(300, from: 1, to: 0)
    try house.record(100, from: 2, by: 0)
    try house.bill(70, by: 2, for: [3])
    try house.go(to: "2026-02-28", "18:00")
    #expect(try told(1).isEmpty && told(2) == ["2026-02-28 18:00 0:200 EUR"])
    #expect(try told(3) == ["2026-02-28 18:00 2:70 EUR"])
    // Debts of the evening wait for the next month.
    try house.go(to: "2026-02-28", "20:00")
    try house.bill(50, by: 3, for: [0])
    try house.go(to: "2026-03-30")
    #expect(try told(0).isEmpty)
    try house.go(to: "2026-04-01")
    #expect(try told(0) == ["2026-03-31 18:00 3:50 EUR"] && told(3) == ["2026-03-31 18:00 2:70 EUR"])
  }

  @Test("BIL-20, R-030: after a downtime each debtor is told once, of the latest end of a month alone")
  func downtime() throws {
    try house.bill(900, for: [0, 1, 2])
    // No room acts from January to the middle of May.
    house.world.now = try local("2026-05-15", "12:00")
    house.world.advance(.zero)
    house.world.advance(.seconds(60))
    for debtor in [1, 2] { #expect(try house.count(.debts, of: debtor) == 1) }
    #expect(try house.state.moneyReminders.month.value.day == LocalDay("2026-04-30"))
    try house.go(to: "2026-05-31", "18:00")
    for debtor in [1, 2] { #expect(try house.count(.debts, of: debtor) == 2) }
    // The household has told the day; the debtors' rooms sleep over their hour.
    try house.go(to: "2026-06-30", "12:00")
    house.world.now = try local("2026-07-02", "12:00")
    house.world.advance(.zero)
    // The ones of May are 30 days old.
    for debtor in [1, 2] { #expect(try told(debtor) == ["2026-06-30 18:00 0:300 EUR"]) }
    house.world.advance(day * 20)
    for debtor in [1, 2] { #expect(try told(debtor).count == 1) }
  }

  @Test("BIL-20: a household's first debts on the last day are told of at that day's hour")
  func firstDebts() throws {
    try house.go(to: "2026-02-28", "12:00")
    try house.bill(900, for: [0, 1])
    try house.go(to: "2026-02-28", "19:00")
    #expect(try told(1) == ["2026-02-28 18:00 0:450 EUR"])
    try house.go(to: "2026-04-01")
    #expect(try told(1) == ["2026-03-31 18:00 0:450 EUR"])
  }

  @Test("BIL-20, REM-6: the reminder of the month is read everywhere once nothing is owed; settled before, none comes")
  func monthClosed() throws {
    try house.bill(900, for: [0, 1, 2])
    try house.bill(100, by: 2, for: [1])
    try house.go(to: "2026-02-28", "18:00")
    try house.record(300, from: 1, by: 0)
    #expect(try house.newest(.debts, of: 1)?.readAt == nil, "something is still owed to Cem")
    try house.record(100, from: 1, by: 2)
    #expect(try house.newest(.debts, of: 1)?.readAt != nil && house.newest(.debts, of: 2)?.readAt == nil)
    try house.record(300, from: 2, by: 0)
    try house.go(to: "2026-04-01")
    #expect(try told(1).isEmpty && told(2).isEmpty && house.state.moneyReminders.reminders.isEmpty)
  }

  @Test("BIL-20: members who have left hear nothing; those who come back on the last day do, also with their household")
  func comingAndGoing() throws {
    try house.bill(900, for: [0, 1, 2])
    try house.go(to: "2026-02-28", "12:00")
    for leaver in [1, 2] { try house.call(leaver, "members.leave", [:]) }
    try house.world.join([house.people[2]], ID(high: 0xB000, low: 1))
    try house.go(to: "2026-02-28", "19:00")
    #expect(try told(1).isEmpty && told(2).count == 1)
    try house.go(to: "2026-03-31", "12:00")
    house.world.confirmation = .pin
    try house.call(0, "households.dismiss", [:])
    house.world.confirmation = nil
    house.world.advance(.seconds(60))
    try house.world.call(house.people[0], "households.restore", ["household": .id(ID<Household>(high: 0xB000, low: 1))])
    try house.go(to: "2026-03-31", "19:00")
    #expect(try told(2) == ["2026-03-31 18:00 0:300 EUR"])
  }

  @Test("BIL-20, HH-18: in a household that moves to other clocks each month is told once")
  func otherZone() throws {
    try house.bill(900, for: [0, 1, 2])
    try house.go(to: "2026-02-28", "12:00")
    for zone in ["Pacific/Auckland", "Pacific/Honolulu", "Europe/Berlin"] {
      try house.call(0, "households.update", ["timeZone": .string(zone)])
      house.world.advance(.seconds(3600))
    }
    try house.go(to: "2026-03-02")
    #expect(try told(1).count == 1)
    try house.call(0, "households.update", ["timeZone": "Pacific/Honolulu"])
    try house.go(to: "2026-04-02")
    #expect(try told(1).count == 1)
    #expect(try house.newest(.debts, of: 1)?.at == local("2026-03-31", "18:00", in: "Pacific/Honolulu"))
  }
}
