import Rooms

/// The birthdays of members, which are chores of all others (CHO-21).
///
/// Each is a chore of its own with an occurrence a year. It follows the profile and the membership: nobody edits it.
extension HouseholdState {
  /// Brings the birthdays in line with the members and their dates.
  ///
  /// - Parameter leaver: A member who is about to leave.
  mutating func keepBirthdays(without leaver: ID<Person>? = nil, in context: Context) {
    var known: Set<ID<Person>> = []
    // Nobody celebrates the birthday of one who lives alone.
    let isAlone = membership.members.keys.count { $0 != leaver } < 2
    for (id, chore) in chores.chores {
      guard let person = chore.birthdayOf else { continue }
      let date = isAlone || person == leaver ? nil : membership.members[person].flatMap { $0.birthday }
      if date == nil || chore.birthday != date { forgetBirthday(id, in: context) } else { known.insert(person) }
    }
    for (person, member) in membership.members where !isAlone && person != leaver && !known.contains(person) {
      if let date = member.birthday { addBirthday(date, of: person, in: context) }
    }
    for (id, occurrence) in chores.occurrences where chores.chores[occurrence.chore]?.birthdayOf != nil {
      shareBirthday(id, occurrence, without: leaver, in: context)
    }
  }

  /// - Parameter date: `MM-DD`; 29 February is the 28th in most years.
  private mutating func addBirthday(_ date: String, of person: ID<Person>, in context: Context) {
    let parts = date.split(separator: "-").compactMap { Int($0) }
    guard parts.count == 2 else { return }
    let today = zone.day(at: context.now)
    // A leap year before this one remembers the 29th.
    let first = LocalDay(year: today.year / 4 * 4 - 4, month: parts[0], day: parts[1])
    let rule = Recurrence(every: 1, unit: .years)
    let day = rule.day(after: today.adding(-1), from: first)
    let id: ID<Chore> = context.newID()
    chores.chores[id] = Chore(
      at: context.now, date: day, recurrence: rule, skipsItself: true, birthdayOf: person, birthday: date, first: first)
    open(context.newID(), of: id, on: day, in: context)
  }

  private mutating func forgetBirthday(_ id: ID<Chore>, in context: Context) {
    if let open = chores.occurrence(of: id) {
      withdraw(open.key, open.value, in: context)
      chores.occurrences[open.key] = nil
      forget(open.key, at: context.now)
    }
    chores.chores[id] = nil
    forget(id, at: context.now)
  }

  /// Makes a birthday the chore of all other members.
  private mutating func shareBirthday(
    _ id: ID<Occurrence>, _ occurrence: Occurrence, without leaver: ID<Person>?, in context: Context
  ) {
    guard let chore = chores.chores[occurrence.chore], let person = chore.birthdayOf else { return }
    let others = celebrants(of: person).filter { $0 != leaver }
    if others == occurrence.people { return }
    var shared = occurrence
    shared.people = others
    chores.put(shared, at: id)
    for other in others where !occurrence.people.contains(other) {
      remind(other, of: shared, id, chore, in: context)
    }
    for other in occurrence.people where !others.contains(other) {
      context.send(Resolve(ref: id.cast()), to: .person(other))
    }
  }

  /// The members who celebrate another one's birthday.
  func celebrants(of person: ID<Person>) -> [ID<Person>] { membership.members.keys.filter { $0 != person } }

  /// Tells a member of a birthday: a week and a day ahead, and on the day, at their hour; at no other time.
  func remindOfBirthday(
    _ member: ID<Person>, of person: ID<Person>, _ occurrence: Occurrence, _ id: ID<Occurrence>, in context: Context
  ) {
    guard let day = occurrence.date, let dueAt = occurrence.dueAt else { return }
    for days in Limits.birthdayNotice {
      let reminder = Reminder(
        kind: .birthday, day: day.adding(-days), dueAt: dueAt, zone: info.facts.value.timeZone,
        person: person, isExact: true)
      context.send(SetReminder(ref: id.cast(), part: days, reminder: reminder), to: .person(member))
    }
  }
}
