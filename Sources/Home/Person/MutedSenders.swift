import JSON
import Rooms

/// The people whose reminders a person does not want to hear for 30 days (REM-3). They are not told.
struct MutedSenders: Subject {
  typealias State = PersonState
  static let methods: [Method] = [.of(MuteSender.self)]

  var mutedSenders = Table<ID<Person>, MutedSender>()
  private(set) var due = DueTime()

  mutating func parts(_ part: inout some PartVisitor) { part("mutedSenders", &mutedSenders) }

  mutating func planAll() {
    for sender in mutedSenders.values { due.plan(sender.until) }
  }

  mutating func mute(_ person: ID<Person>, until end: Instant) {
    mutedSenders[person] = MutedSender(until: end)
    mutedSenders.keep(Limits.mutedSenders) { $0.until }
    due.plan(end)
  }

  static func fallDue(in me: inout PersonState, _ context: Context) {
    me.mutedSenders.mutedSenders.removeAll { $1.until <= context.now }
    me.mutedSenders.due = DueTime()
    me.mutedSenders.planAll()
  }
}

struct MutedSender: Record {
  var until = Instant()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("until", \.until) }
}

/// Keeps a person's reminders out of the caller's sight for 30 days, or no longer; they are not told (REM-3).
struct MuteSender: Mutation {
  static let method: StaticString = "inbox.mute"
  static let summary: StaticString =
    "Keeps a person's reminders out of the caller's sight for 30 days, or no longer; they are not told (REM-3)."
  var person = ID<Person>()
  var isMuted = true

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("person", \.person)
    field("muted", \.isMuted)
  }

  func apply(to me: inout PersonState, in context: Context) throws(Refusal) -> NoAnswer {
    if !isMuted {
      if me.mutedSenders.mutedSenders.contains(person) { me.mutedSenders.mutedSenders[person] = nil }
      return NoAnswer()
    }
    guard me.memberships.mates.contains(person) else {
      throw Refusal(.notFound, "person", "This person shares no household with you.")
    }
    me.mutedSenders.mute(person, until: context.now + Limits.muteAge)
    return NoAnswer()
  }
}
