import JSON
import Rooms

/// The reminders that members have sent each other, so that nobody sends too many (REM-3).
struct Nudges: Subject {
  typealias State = HouseholdState
  static let methods: [Method] = [.of(RemindOfChore.self)]

  /// By sender.
  var nudges = Table<ID<Person>, SentNudges>()

  mutating func parts(_ part: inout some PartVisitor) { part("nudges", &nudges, .hidden) }

  /// Notes a reminder; refuses it if the sender has sent too many.
  mutating func send(_ kind: NudgeKind, from sender: ID<Person>, to person: ID<Person>, at now: Instant) throws(Refusal)
  {
    var row = nudges[sender] ?? SentNudges()
    row.sent.removeAll { now - $0.at >= Limits.nudgeWeek }
    let limits = NudgeLimits(sent: row.sent.map { .init(to: $0.to, kind: $0.kind, at: $0.at) })
    if let wait = limits.wait(toRemind: person, of: kind, at: now) {
      var refusal = Refusal(.rateLimited, "reminded", "They were reminded a short while ago.")
      // Not temporary: client libraries would remind people again by themselves.
      refusal.retryAfter = wait
      throw refusal
    }
    row.sent.append(SentNudge(to: person, kind: kind, at: now))
    nudges[sender] = row
  }
}

/// A member's reminders to others in the last seven days.
struct SentNudges: Record {
  var sent: [SentNudge] = []

  static func fields(_ field: inout some FieldVisitor<Self>) { field("sent", \.sent) }
}

struct SentNudge: Record {
  var to = ID<Person>()
  var kind = NudgeKind.chore
  var at = Instant()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("to", \.to)
    field("kind", \.kind)
    field("at", \.at)
  }
}

/// Reminds the members who are to do a chore, or one of them (CHO-18, REM-3).
struct RemindOfChore: Mutation {
  static let method: StaticString = "chores.remind"
  static let summary: StaticString = "Reminds the members who are to do a chore, or one of them (CHO-18, REM-3)."
  var id = ID<Occurrence>()
  var person: ID<Person>?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("person", \.person)
  }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> NoAnswer {
    let sender = try home.caller(context)
    let (occurrence, chore) = try home.chores.open(id)
    let left = occurrence.people.filter { $0 != context.person && occurrence.doneBy[$0] == nil }
    let people = left.filter { person == nil || $0 == person }
    if people.isEmpty { throw Refusal(.conflict, "nobody", "Nobody else is to do this chore.") }
    for person in people {
      try home.nudges.send(.chore, from: context.person, to: person, at: context.now)
      var notification = Notification(
        kind: .choreReminder, room: context.room.name, ref: id.cast(), actor: context.person, actorName: sender.name,
        at: context.now, name: chore.name)
      notification.isUrgent = chore.isUrgent
      home.notify(person, notification, in: context)
    }
    return NoAnswer()
  }
}
