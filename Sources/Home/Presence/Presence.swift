import JSON
import Rooms

/// The presence of a household's members (HH-17): live, so it is in no log. A member who hides it has none.
struct PresenceBoard: Subject {
  typealias State = HouseholdState

  var presence = Table<ID<Person>, Presence>()
  var hiddenPresence = Table<ID<Person>, HiddenPresence>()

  mutating func parts(_ part: inout some PartVisitor) {
    part("presence", &presence, .kept)
    part("hiddenPresence", &hiddenPresence, .hidden)
  }

  /// The members who are shown as online.
  var online: Set<ID<Person>> { Set(presence.filter { $0.value.online == true }.map(\.key)) }

  /// Notes whether a member is online, and when they were last there: `nil` if nobody knows.
  mutating func note(_ person: ID<Person>, isOnline: Bool, seenAt: Instant?, at now: Instant) {
    if hiddenPresence.contains(person) { return }
    func minute(of instant: Instant) -> Instant { Instant(milliseconds: instant.milliseconds / 60_000 * 60_000) }
    var row = presence[person] ?? Presence(lastSeen: minute(of: now))
    if let seenAt { row.lastSeen = minute(of: seenAt) }
    row.online = isOnline ? true : nil
    presence[person] = row
  }

  mutating func hide(_ person: ID<Person>, _ isHidden: Bool, at now: Instant) {
    if isHidden {
      if !hiddenPresence.contains(person) { hiddenPresence[person] = HiddenPresence(since: now) }
      presence[person] = nil
    } else if hiddenPresence.contains(person) {
      hiddenPresence[person] = nil
    }
  }

  /// Shows nobody any longer: the household is dismissed.
  mutating func hideAll() { for person in Array(presence.keys) { presence[person] = nil } }

  /// Forgets a person who leaves the household.
  mutating func forget(_ person: ID<Person>) {
    if presence.contains(person) { presence[person] = nil }
    if hiddenPresence.contains(person) { hiddenPresence[person] = nil }
  }
}

/// Whether a member is online now.
struct Presence: Record {
  /// Absent while the member is offline.
  var online: Bool?
  /// When the member came or, if they are gone, was last there: to the minute.
  var lastSeen = Instant()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("online", \.online)
    field("lastSeen", \.lastSeen)
  }
}

enum PresenceChoice: String, Word {
  case shown, hidden
}

/// A member who does not want to be seen online.
struct HiddenPresence: Record {
  var since = Instant()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("since", \.since) }
}
