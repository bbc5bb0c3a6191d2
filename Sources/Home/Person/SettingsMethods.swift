import JSON
import Rooms

extension Settings {
  static let methods: [Method] = [.of(EditSettings.self)]
}

/// Changes which kinds of notification a person gets, and whether they are seen online (NTE-1, HH-17).
struct EditSettings: Mutation {
  static let method: StaticString = "settings.edit"
  static let summary: StaticString =
    "Changes which kinds of notification a person gets, and whether they are seen online (NTE-1, HH-17)."
  var muted: SmallMap<NotificationKind, Bool> = [:]
  var presence: PresenceChoice?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("muted", \.muted)
    field("presence", \.presence)
  }

  func check(_ problems: Problems, in me: inout PersonState, _ context: Context) {
    for (kind, isMuted) in muted where isMuted && kind.isUrgent {
      problems.note("muted.\(kind.rawValue)", "cannot be switched off")
    }
  }

  func apply(to me: inout PersonState, in context: Context) throws(Refusal) -> NoAnswer {
    for (kind, isMuted) in muted { me.settings.settings.value.muted[kind] = isMuted ? true : nil }
    if let presence { me.choose(presence, in: context) }
    return NoAnswer()
  }
}
