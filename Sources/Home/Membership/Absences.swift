import JSON
import Rooms

/// The days from which to which a member is away, both included, and the member who stands in for them (HH-12).
struct Absence: Record {
  var from = LocalDay()
  var to = LocalDay()
  var delegate: ID<Person>?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("from", \.from)
    field("to", \.to)
    field("delegate", \.delegate)
  }
}

/// The moment at which a member's absence ends by itself.
struct AbsenceEnd: Record {
  var at = Instant()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("at", \.at) }
}

extension Membership {
  /// Notes or ends the absence of a member, whose household is in a zone.
  mutating func note(_ absence: Absence?, of person: ID<Person>, in zone: String) {
    members[person]?.away = absence
    plan(absence, of: person, in: zone)
  }

  /// Moves the ends of all absences to another zone: the days stay.
  mutating func moveAbsences(to zone: String) {
    for (person, member) in members where member.away != nil { plan(member.away, of: person, in: zone) }
  }

  /// Ends what a person who leaves has to do with absences: their own, and their standing in for others.
  mutating func forgetAbsences(of person: ID<Person>) {
    if absenceEnds.contains(person) { absenceEnds[person] = nil }
    for other in members.keys(where: { $0.away?.delegate == person }) { members[other]?.away?.delegate = nil }
  }
}

/// Says from which to which day the caller is away, and who stands in for them, until the last day is over (HH-12).
struct BeAway: Mutation {
  static let method: StaticString = "members.away"
  static let summary: StaticString =
    "Says from which to which day the caller is away, and who stands in for them, until the last day is over (HH-12)."
  var from = LocalDay()
  var to = LocalDay()
  var delegate: ID<Person>?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("from", \.from)
    field("to", \.to)
    field("delegate", \.delegate)
  }

  func check(_ problems: Problems, in home: inout HouseholdState, _ context: Context) {
    // A day that was not read is reported already.
    if from == LocalDay() || to == LocalDay() { return }
    let today = ZoneTime(home.info.facts.value.timeZone).day(at: context.now)
    if to < from { problems.note("to", "must not be before `from`") }
    if to < today { problems.note("to", "must not be over") }
    if to > today.adding(Limits.absenceDays) {
      problems.note("to", "must be at most \(Limits.absenceDays) days from now")
    }
  }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> NoAnswer {
    let member = try home.caller(context)
    if member.guestOf != nil { throw .guest }
    if delegate == context.person {
      throw Refusal(.conflict, "yourself", "Nobody stands in for themselves.")
    }
    if let delegate, !home.membership.members.contains(delegate) { throw .gone("This member") }
    let absence = Absence(from: from, to: to, delegate: delegate)
    if member.away == absence { return NoAnswer() }
    home.changeAbsence(in: context) { home in
      home.keepMissedDinners(of: context.person, at: context.now)
      home.membership.note(absence, of: context.person, in: home.info.facts.value.timeZone)
    }
    if let delegate, delegate != member.away?.delegate {
      let notification = Notification(
        kind: .standIn, room: context.room.name, ref: context.person.cast(), actor: context.person,
        actorName: member.name, at: context.now)
      home.notify(delegate, notification, in: context)
    }
    if let before = member.away { home.takeBackTurns(of: context.person, after: before, in: context) }
    home.passOnTurns(of: context.person, in: context)
    return NoAnswer()
  }
}

/// Ends the caller's absence, and the stay of their guests, before its last day (HH-12).
struct BeBack: Mutation {
  static let method: StaticString = "members.back"
  static let summary: StaticString =
    "Ends the caller's absence, and the stay of their guests, before its last day (HH-12)."

  static func fields(_ field: inout some FieldVisitor<Self>) {}

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> NoAnswer {
    let member = try home.caller(context)
    if member.away != nil { home.changeAbsence(in: context) { $0.endAbsence(of: context.person, in: context) } }
    return NoAnswer()
  }
}
