import JSON
import Rooms

/// The settings of a person.
struct Settings: Subject {
  typealias State = PersonState
  var settings = Single<PersonSettings>()

  mutating func parts(_ part: inout some PartVisitor) { part("settings", &settings) }

  /// The person's quiet hours, by their own zone.
  var quietHours: QuietHours? {
    let settings = settings.value
    guard let from = settings.quietFrom, let to = settings.quietTo, let zone = settings.timeZone else { return nil }
    return QuietHours(from: LocalTime(text: from).minute, to: LocalTime(text: to).minute, zone: ZoneTime(zone))
  }

  func mutes(_ kind: NotificationKind) -> Bool { settings.value.muted[kind] == true && !kind.isUrgent }
}

struct PersonSettings: Record {
  /// The kinds of notification that the person does not want.
  var muted: SmallMap<NotificationKind, Bool> = [:]
  /// Absent if their households see them online.
  var presence: PresenceChoice?
  /// The person's own zone; absent until they choose one (ACC-12).
  var timeZone: String?
  /// The local time at which notifications of a day come (REM-4).
  var hour: String?
  /// The local times between which the person wants to hear nothing; they may pass midnight.
  var quietFrom: String?
  var quietTo: String?
  /// The colour of the board behind the notes.
  var boardColour: Colour?
  /// The tabs whose introduction the person has seen (ACC-11).
  var seen: SmallMap<TabName, Bool> = [:]
  /// A text of the client's own.
  var client: String?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("muted", \.muted)
    field("presence", \.presence)
    field("timeZone", \.timeZone)
    field("hour", \.hour)
    field("quietFrom", \.quietFrom)
    field("quietTo", \.quietTo)
    field("boardColour", \.boardColour)
    field("seen", \.seen)
    field("client", \.client)
  }
}
