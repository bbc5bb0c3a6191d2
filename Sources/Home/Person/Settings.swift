import JSON
import Rooms

/// The settings of a person.
struct Settings: Subject {
  typealias State = PersonState
  var settings = Single<PersonSettings>()

  mutating func parts(_ part: inout some PartVisitor) { part("settings", &settings) }

  func mutes(_ kind: NotificationKind) -> Bool { settings.value.muted[kind] == true && !kind.isUrgent }
}

struct PersonSettings: Record {
  /// The kinds of notification that the person does not want.
  var muted: SmallMap<NotificationKind, Bool> = [:]
  /// Absent if their households see them online.
  var presence: PresenceChoice?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("muted", \.muted)
    field("presence", \.presence)
  }
}
