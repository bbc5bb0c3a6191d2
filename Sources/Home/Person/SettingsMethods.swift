import JSON
import Rooms

extension Settings {
  static let methods: [Method] = [.of(EditSettings.self)]
}

/// Changes what a person has chosen for all their devices; what is left out stays as it is (ACC-11, ACC-12, REM-4).
struct EditSettings: Mutation {
  static let method: StaticString = "settings.edit"
  static let summary: StaticString =
    "Changes what a person has chosen for all their devices; what is left out stays as it is (ACC-11, ACC-12, REM-4)."
  var muted: SmallMap<NotificationKind, Bool> = [:]
  var presence: PresenceChoice?
  var timeZone: Change<TimeZoneName> = .unchanged
  var hour: Change<LocalTime> = .unchanged
  var quietFrom: Change<LocalTime> = .unchanged
  var quietTo: Change<LocalTime> = .unchanged
  var boardColour: Change<Colour> = .unchanged
  var seen: SmallMap<TabName, Bool> = [:]
  var client: Change<String> = .unchanged

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

  func check(_ problems: Problems, in me: inout PersonState, _ context: Context) {
    for (kind, isMuted) in muted where isMuted && kind.isUrgent {
      problems.note("muted.\(kind.rawValue)", "cannot be switched off")
    }
    let known = me.settings.settings.value
    let newTabs = seen.filter { $0.value && known.seen[$0.key] == nil }.count
    if known.seen.count + newTabs > Limits.seen {
      problems.note("seen", "must have at most \(Limits.seen) tabs in all")
    }
    if case .set(let text) = client, text.utf8.count > Limits.clientSettings {
      problems.note("client", "must have at most \(Limits.clientSettings) bytes")
    }
    let isFromSet = quietFrom.isSet(unlessChanged: known.quietFrom)
    if isFromSet != quietTo.isSet(unlessChanged: known.quietTo) {
      problems.note(isFromSet ? "quietTo" : "quietFrom", "is missing: quiet hours have a beginning and an end")
    }
    if isFromSet, !timeZone.isSet(unlessChanged: known.timeZone) {
      problems.note("timeZone", "is missing: quiet hours are by your own clocks")
    }
  }

  func apply(to me: inout PersonState, in context: Context) throws(Refusal) -> NoAnswer {
    var settings = me.settings.settings.value
    for (kind, isMuted) in muted { settings.muted[kind] = isMuted ? true : nil }
    for (tab, isSeen) in seen { settings.seen[tab] = isSeen ? true : nil }
    timeZone.map(\.text).apply(to: &settings.timeZone)
    hour.map(\.text).apply(to: &settings.hour)
    quietFrom.map(\.text).apply(to: &settings.quietFrom)
    quietTo.map(\.text).apply(to: &settings.quietTo)
    boardColour.apply(to: &settings.boardColour)
    client.apply(to: &settings.client)
    me.settings.settings.value = settings
    if hour != .unchanged || timeZone != .unchanged { me.planReminders(at: context.now) }
    if let presence { me.choose(presence, in: context) }
    return NoAnswer()
  }
}

extension Change {
  /// Whether there is a value after the change.
  fileprivate func isSet(unlessChanged before: String?) -> Bool {
    switch self {
    case .unchanged: before != nil
    case .cleared: false
    case .set: true
    }
  }
}
