import JSON
import Rooms

/// The facts of a household: its name, zone, currency, host and policies (HH-1).
struct HouseholdInfo: Subject {
  typealias State = HouseholdState
  var facts = Single<HouseholdFacts>()

  mutating func parts(_ part: inout some PartVisitor) { part("household", &facts) }
}

struct HouseholdFacts: Record {
  var name = ""
  /// An IANA name.
  var timeZone = ""
  /// ISO 4217.
  var currency = ""
  var createdAt = Instant()
  var host = ID<Person>()
  /// Lifetime of a note without a time of its own, in milliseconds.
  var noteLifetime = Int(Limits.defaultNoteLifetime.milliseconds)
  var policies = Policies()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("name", \.name)
    field("timeZone", \.timeZone)
    field("currency", \.currency)
    field("createdAt", \.createdAt)
    field("host", \.host)
    field("noteLifetime", \.noteLifetime)
    field("policies", \.policies)
  }
}

/// The rights of members in a household.
struct Policies: Record {
  /// Which members may edit and remove a note.
  var notes = NotePolicy.authorOrHost

  static func fields(_ field: inout some FieldVisitor<Self>) { field("notes", \.notes) }
}

enum NotePolicy: String, Word {
  case authorOrHost, any
}
