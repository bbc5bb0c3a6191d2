import JSON
import Rooms

extension Dinner {
  static let methods: [Method] = [
    .of(SetDinner.self), .of(SetDinnerPattern.self), .question(CountDinners.self),
  ]
}

/// The evening that the answer is for, and how many eat then.
struct DinnerAnswer: Record {
  var date = LocalDay()
  /// `true` if the call came after the cut-off.
  var isLate: Bool?
  var eating = 0

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("date", \.date)
    field("late", \.isLate)
    field("eating", \.eating)
  }
}

/// Says whether a member eats at home on an evening, with how many guests, and whether they cook (DIN-1, DIN-2).
struct SetDinner: Mutation {
  static let method: StaticString = "dinner.set"
  static let summary: StaticString =
    "Says whether a member eats at home on an evening, with how many guests, and whether they cook (DIN-1, DIN-2)."
  /// Tonight if it is absent.
  var date: LocalDay?
  /// The caller if it is absent: somebody may answer for another at the fridge.
  var person: ID<Person>?
  var eats: Change<Eats> = .unchanged
  var guests: Int?
  var cook: Bool?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("date", \.date)
    field("person", \.person)
    field("eats", \.eats)
    field("guests", \.guests, Limits.dinnerGuests)
    field("cook", \.cook)
  }

  func check(_ problems: Problems, in home: inout HouseholdState, _ context: Context) {
    let tonight = home.tonight(at: context.now)
    if let date, !(tonight...tonight.adding(Limits.dinnerDays)).contains(date) {
      problems.note("date", "must be tonight or one of the \(Limits.dinnerDays) days after it")
    }
    if guests ?? 0 > 0, eats != .unchanged, eats != .set(.in) { problems.note("guests", "contradicts eats") }
  }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> DinnerAnswer {
    _ = try home.caller(context)
    let person = person ?? context.person
    guard home.membership.members.contains(person) else { throw .gone("This member") }
    let tonight = home.tonight(at: context.now)
    let date = date ?? tonight
    if home.isAway(person, on: date) { throw Refusal(.conflict, "away", "This member is away on that day.") }
    let isLate = home.isLate(for: date, at: context.now) ? true : nil
    let before = home.evening(date)
    let old = home.dinner.days[date]?.answers[person] ?? Attendance()
    var answer = changed(old)
    if answer != old {
      answer.isLate = isLate
      answer.at = context.now
      answer.by = person == context.person ? nil : context.person
      home.dinner.put(answer, of: person, on: date)
      if isLate == true { home.tellCooks(of: before, that: person, in: context) }
    }
    return DinnerAnswer(date: date, isLate: isLate, eating: home.evening(date).eating)
  }

  /// The answer with what the call says. Guests come to a member who eats at home, and one who is out does not cook
  /// unless the call says so.
  private func changed(_ old: Attendance) -> Attendance {
    var answer = old
    eats.apply(to: &answer.eats)
    if let guests { answer.guests = guests > 0 ? guests : nil }
    if guests ?? 0 > 0 { answer.eats = .in }
    if answer.eats != .in { answer.guests = nil }
    if eats == .set(.out) { answer.cook = nil }
    if let cook { answer.cook = cook ? true : nil }
    return answer
  }
}

/// Says on which days of the week the caller usually eats at home; it replaces what they said before (DIN-1).
struct SetDinnerPattern: Mutation {
  static let method: StaticString = "dinner.pattern"
  static let summary: StaticString =
    "Says on which days of the week the caller usually eats at home; it replaces what they said before (DIN-1)."
  var days: SmallMap<Weekday, Eats> = [:]

  static func fields(_ field: inout some FieldVisitor<Self>) { field("days", \.days) }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> NoAnswer {
    _ = try home.caller(context)
    let pattern = SmallMap(days.filter { $0.value != .unknown }.map { ($0.key, $0.value) })
    if pattern == home.dinner.patterns[context.person]?.days ?? [:] { return NoAnswer() }
    // After the cut-off tonight stays as it is: a late change is one that the cook hears of.
    let tonight = home.tonight(at: context.now)
    let first = home.isLate(for: tonight, at: context.now) ? tonight.adding(1) : tonight
    home.dropOldDinners(at: context.now)
    let away = home.membership.members[context.person]?.away
    home.dinner.set(pattern, of: context.person, from: first, at: context.now) { day in
      away.map { $0.from <= day && day <= $0.to } ?? false
    }
    return NoAnswer()
  }
}

/// Counts who eats and cooks on an evening, and how often each member has on the evenings before tonight (DIN-4).
struct CountDinners: Question {
  static let method: StaticString = "dinner.counts"
  static let summary: StaticString =
    "Counts who eats and cooks on an evening, and how often each member has on the evenings before tonight (DIN-4)."
  /// Tonight if it is absent.
  var date: LocalDay?

  static func fields(_ field: inout some FieldVisitor<Self>) { field("date", \.date) }

  func answer(from home: HouseholdState, in inquiry: Inquiry) throws(Refusal) -> DinnerCounts {
    let tonight = home.tonight(at: inquiry.now)
    let date = date ?? tonight
    guard (tonight.adding(-Limits.dinnerAge)...tonight.adding(Limits.dinnerDays)).contains(date) else {
      throw .invalid("date", "must be at most \(Limits.dinnerAge) days ago and \(Limits.dinnerDays) from now")
    }
    var counts = home.evening(date)
    for person in home.membership.members.keys {
      counts.members[person] = home.dinner.count(of: person, before: tonight) { home.isAway(person, on: $0) }
    }
    return counts
  }
}

/// An evening at home, and the members' counts so far.
struct DinnerCounts: Record {
  var date = LocalDay()
  /// Members and guests.
  var eating = 0
  /// Members who have not said, and who cook.
  var unknown: [ID<Person>] = []
  var cooks: [ID<Person>] = []
  var members: SmallMap<ID<Person>, DinnerCount> = [:]

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("date", \.date)
    field("eating", \.eating)
    field("unknown", \.unknown)
    field("cooks", \.cooks)
    field("members", \.members)
  }
}

extension HouseholdState {
  /// The day of the dinner that is next or not yet over: an evening ends at 04:00 by the clock on the wall (DIN-3).
  func tonight(at now: Instant) -> LocalDay {
    let local = zone.local(now)
    return local.minute < Limits.dinnerDayStart ? local.day.adding(-1) : local.day
  }

  /// Whether a change of a day's dinner comes after the cut-off of that day (DIN-2).
  func isLate(for date: LocalDay, at now: Instant) -> Bool {
    now > zone.instant(date, minute: info.facts.value.dinnerCutoff?.minute ?? Limits.usualDinnerCutoff)
  }

  /// The members' parts in an evening, without their counts.
  func evening(_ date: LocalDay) -> DinnerCounts {
    var evening = DinnerCounts(date: date)
    for person in membership.members.keys {
      let meal = dinner.meal(of: person, on: date, isAway: isAway(person, on: date))
      evening.eating += meal.places
      if meal.eats == .unknown { evening.unknown.append(person) }
      if meal.isCooking { evening.cooks.append(person) }
    }
    return evening
  }

  /// Notifies the cooks of an evening if a late change of a member's dinner alters how many eat (DIN-2).
  func tellCooks(of before: DinnerCounts, that person: ID<Person>, in context: Context) {
    if evening(before.date).eating == before.eating { return }
    let notification = Notification(
      kind: .dinner, room: context.room.name, ref: person.cast(), actor: context.person,
      actorName: membership.members[context.person]?.name, at: context.now)
    for cook in before.cooks where cook != context.person { notify(cook, notification, in: context) }
  }

  /// Changes whether the caller is away; the cooks of tonight hear of it if it is late (DIN-2, HH-12).
  mutating func changeAbsence(in context: Context, _ change: (inout Self) -> Void) {
    let before = evening(tonight(at: context.now))
    change(&self)
    if isLate(for: before.date, at: context.now) { tellCooks(of: before, that: context.person, in: context) }
  }

  /// Keeps the dinners that a member has missed so far in an absence that is about to end (HH-12).
  mutating func keepMissedDinners(of person: ID<Person>, at now: Instant) {
    guard let away = membership.members[person]?.away else { return }
    dinner.keepAway(person, from: away.from, through: min(away.to, zone.day(at: now).adding(-1)), at: now)
  }

  mutating func dropOldDinners(at now: Instant) {
    let members = membership.members
    dinner.dropOldDays(at: now, of: members.keys) { person, day in
      members[person]?.away.map { $0.from <= day && day <= $0.to } ?? false
    }
  }
}
