import Rooms

/// The secret links to the calendars of members, at most one for each (CHO-27).
///
/// The room knows only the hash of a secret, so its content opens no calendar.
struct CalendarLinks: Subject {
  typealias State = HouseholdState

  var links = Table<ID<Person>, CalendarLink>()

  mutating func parts(_ part: inout some PartVisitor) { part("calendarLinks", &links, .hidden) }

  /// The member to whom the secret with this hash, in hexadecimal, belongs.
  func person(hash: String) -> ID<Person>? { links.first { $0.value.hash == hash }?.key }
}

/// A link to a member's calendar: SHA-256 of its secret, hexadecimal, and when it was made.
struct CalendarLink: Record {
  var hash = ""
  var at = Instant()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("hash", \.hash)
    field("at", \.at)
  }
}
