import JSON
public import Rooms

/// Whether a member is there now (HH-17): live, so it is in no log. Who does not want to be seen has none.
struct Presence: Record {
  /// Absent while he is not.
  var online: Bool?
  /// When he came or, if he is gone, went: to the minute.
  var lastSeen = Instant()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("online", \.online)
    field("lastSeen", \.lastSeen)
  }
}

enum PresenceChoice: String, Word {
  case shown, hidden
}

/// A member who does not want to be seen.
struct HiddenPresence: Record {
  var since = Instant()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("since", \.since) }
}

/// Somebody wants to be seen by his households, or not; it comes from his own room.
struct PresenceChosen: Message {
  static let name = "presenceChosen"
  var presence = PresenceChoice.shown

  static func fields(_ field: inout some FieldVisitor<Self>) { field("presence", \.presence) }

  func apply(to home: inout HouseholdState, from source: RoomID, in context: Context) {
    guard case .person(let person) = source, home.members.contains(person) else { return }
    home.hidePresence(of: person, presence == .hidden, at: context.now)
  }
}

extension HouseholdState {
  /// Notes which members are there; `isLate` if nobody knows when those left who are not.
  mutating func note(presence people: [ID<Person>: Bool], isLate: Bool, at now: Instant) {
    let minute = Instant(milliseconds: now.milliseconds / 60_000 * 60_000)
    for (person, isThere) in people where members.contains(person) && !hiddenPresence.contains(person) {
      var presence = self.presence[person] ?? Presence(lastSeen: minute)
      if !isLate { presence.lastSeen = minute }
      presence.online = isThere ? true : nil
      self.presence[person] = presence
    }
  }

  mutating func hidePresence(of person: ID<Person>, _ isHidden: Bool, at now: Instant) {
    if isHidden {
      if !hiddenPresence.contains(person) { hiddenPresence[person] = HiddenPresence(since: now) }
      presence[person] = nil
    } else if hiddenPresence.contains(person) {
      hiddenPresence[person] = nil
    }
  }

  /// Whoever leaves is not seen any more.
  mutating func forgetPresence(of person: ID<Person>) {
    if presence.contains(person) { presence[person] = nil }
    if hiddenPresence.contains(person) { hiddenPresence[person] = nil }
  }
}

extension PersonState {
  /// Hides the person from all his households, or shows him.
  mutating func choose(_ presence: PresenceChoice, in context: Context) {
    guard presence != settings.value.presence ?? .shown else { return }
    settings.value.presence = presence == .hidden ? .hidden : nil
    for household in households.keys { context.send(PresenceChosen(presence: presence), to: .household(household)) }
  }

  /// A household that the person has joined knows what he said then: he may have chosen otherwise since.
  func checkPresence(isHidden: Bool?, in household: ID<Household>, _ context: Context) {
    let presence = settings.value.presence ?? .shown
    guard (isHidden == true) != (presence == .hidden) else { return }
    context.send(PresenceChosen(presence: presence), to: .household(household))
  }
}

extension HomeRooms {
  /// The members whom a household shows as being there; `nil` for a room that is no household.
  public static func online(in room: Room) -> Set<ID<Person>>? {
    guard let home = room as? TypedRoom<HouseholdState> else { return nil }
    return Set(home.state.presence.filter { $0.value.online == true }.map(\.key))
  }

  /// Notes who of some people is there; `isLate` where nobody knows when those went who are not.
  public static func note(presence: [ID<Person>: Bool], isLate: Bool = false, in household: Room, turn: Turn) {
    guard let room = household as? TypedRoom<HouseholdState> else { return }
    try? room.performLive(turn) { home, context in home.note(presence: presence, isLate: isLate, at: context.now) }
  }
}
