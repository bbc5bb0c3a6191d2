import JSON
import Rooms

/// The fields of a chore that a member adds or changes; in a change, a field that is left out stays (CHO-4, CHO-11).
struct ChoreForm: Record {
  var name: Change<Line> = .unchanged
  var essential: Change<Essential> = .unchanged
  var note: Change<Prose> = .unchanged
  var date: Change<LocalDay> = .unchanged
  var time: Change<LocalTime> = .unchanged
  var recurrence: Change<Recurrence> = .unchanged
  var isStanding: Change<Bool> = .unchanged
  var strategy: Change<ChoreStrategy> = .unchanged
  var people: Change<[ID<Person>]> = .unchanged
  var weekdays: Change<SmallMap<Weekday, ID<Person>>> = .unchanged
  var rotation: Change<RotationPeriod> = .unchanged
  var needsAll: Change<Bool> = .unchanged
  var isUrgent: Change<Bool> = .unchanged
  var points: Change<Int> = .unchanged
  var graceHours: Change<Int> = .unchanged
  var skipsItself: Change<Bool> = .unchanged
  var needsApproval: Change<Bool> = .unchanged

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("name", \.name, Limits.choreName)
    field("essential", \.essential)
    field("note", \.note, Limits.choreNote)
    field("date", \.date)
    field("time", \.time)
    field("repeat", \.recurrence)
    field("standing", \.isStanding)
    field("strategy", \.strategy)
    field("people", \.people, 0...Limits.members)
    field("weekdays", \.weekdays)
    field("rotation", \.rotation)
    field("all", \.needsAll)
    field("urgent", \.isUrgent)
    field("points", \.points, Limits.chorePoints)
    field("graceHours", \.graceHours, Limits.choreGraceHours)
    field("skipsItself", \.skipsItself)
    field("needsApproval", \.needsApproval)
  }

  /// Whether it says whose turn the chore is.
  var changesPeople: Bool {
    strategy != .unchanged || people != .unchanged || weekdays != .unchanged || needsAll != .unchanged
  }

  /// Whether it says when the chore is due.
  var changesDates: Bool {
    date != .unchanged || time != .unchanged || recurrence != .unchanged || isStanding != .unchanged
  }

  /// Writes what it says into a chore; flags that are off are left out.
  func apply(to chore: inout Chore) {
    if case .set(let name) = name { chore.name = name.text }
    essential.apply(to: &chore.essential)
    note.map(\.text).apply(to: &chore.note)
    date.apply(to: &chore.date)
    time.apply(to: &chore.time)
    recurrence.apply(to: &chore.recurrence)
    isStanding.apply(to: &chore.isStanding)
    if case .set(let strategy) = strategy { chore.strategy = strategy }
    if case .set(let people) = people { chore.people = people } else if people == .cleared { chore.people = [] }
    if case .set(let days) = weekdays { chore.weekdays = days } else if weekdays == .cleared { chore.weekdays = [:] }
    rotation.apply(to: &chore.rotation)
    needsAll.apply(to: &chore.needsAll)
    isUrgent.apply(to: &chore.isUrgent)
    points.apply(to: &chore.points)
    graceHours.apply(to: &chore.graceHours)
    skipsItself.apply(to: &chore.skipsItself)
    needsApproval.apply(to: &chore.needsApproval)
    if chore.isStanding == false { chore.isStanding = nil }
    if chore.needsAll == false { chore.needsAll = nil }
    if chore.isUrgent == false { chore.isUrgent = nil }
    if chore.skipsItself == false { chore.skipsItself = nil }
    if chore.needsApproval == false { chore.needsApproval = nil }
  }

  /// Notes the fields that contradict each other or the household in the chore that would come of it.
  func check(_ problems: Problems, from before: Chore, in home: HouseholdState, _ now: Instant) {
    if name == .cleared { problems.note("chore.name", "cannot be removed") }
    if strategy == .cleared { problems.note("chore.strategy", "cannot be removed") }
    var chore = before
    apply(to: &chore)
    if chore.date == nil, chore.time != nil { problems.note("chore.time", "needs a date") }
    if chore.date == nil, chore.recurrence != nil { problems.note("chore.repeat", "needs a date") }
    if chore.date != nil, chore.isStanding == true { problems.note("chore.standing", "contradicts date") }
    if chore.date == nil, chore.skipsItself == true { problems.note("chore.skipsItself", "needs a date") }
    if case .set(let day) = date, abs(home.zone.day(at: now).days(to: day)) > Limits.choreDays {
      problems.note("chore.date", "must be at most \(Limits.choreDays) days from today")
    }
    if case .set(let recurrence) = recurrence {
      let own = Problems()
      recurrence.check(own)
      for problem in own.list { problems.note("chore.repeat.\(problem.path)", problem.text) }
      if let until = recurrence.until, let day = chore.date, until < day {
        problems.note("chore.repeat.until", "must not be before the date")
      }
    }
    checkPeople(problems, chore, in: home)
  }

  private func checkPeople(_ problems: Problems, _ chore: Chore, in home: HouseholdState) {
    let members = home.membership.members
    if case .set(let people) = people {
      for (index, person) in people.enumerated() {
        if !members.contains(person) {
          problems.note("chore.people.\(index)", "is no member")
        } else if people[..<index].contains(person) {
          problems.note("chore.people.\(index)", "stands there already")
        }
      }
    }
    if case .set(let days) = weekdays {
      for (day, person) in days where !members.contains(person) {
        problems.note("chore.weekdays.\(day.rawValue)", "is no member")
      }
    }
    if chore.strategy == .fixed, chore.people.count > Limits.choreAssignees {
      problems.note("chore.people", "must have at most \(Limits.choreAssignees) entries")
    }
    if chore.needsAll == true, chore.strategy != .fixed { problems.note("chore.all", "needs the strategy fixed") }
    if (chore.strategy == .byWeekday) != !chore.weekdays.isEmpty {
      problems.note("chore.weekdays", "and the strategy byWeekday need each other")
    }
    if chore.strategy == .byWeekday, chore.date == nil { problems.note("chore.weekdays", "needs a date") }
    if chore.rotation != nil, chore.strategy != .roundRobin {
      problems.note("chore.rotation", "needs the strategy roundRobin")
    }
  }
}
