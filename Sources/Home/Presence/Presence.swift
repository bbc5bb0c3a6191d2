import JSON
public import Rooms

/// The presence of a household's members (HH-17): live, so it is in no log. A member who hides it has none.
struct PresenceBoard: Subject {
  typealias State = HouseholdState
  static let messages: [MessageHandler<HouseholdState>] = [.of(PresenceChosen.self)]

  var presence = Table<ID<Person>, Presence>()
  var hiddenPresence = Table<ID<Person>, HiddenPresence>()

  mutating func parts(_ part: inout some PartVisitor) {
    part("presence", &presence, .kept)
    part("hiddenPresence", &hiddenPresence, .hidden)
  }

  /// The members who are shown as online.
  var online: Set<ID<Person>> { Set(presence.filter { $0.value.online == true }.map(\.key)) }

  /// Notes whether a member is online; `isLate` if nobody knows when they went.
  mutating func note(_ person: ID<Person>, isOnline: Bool, isLate: Bool, at now: Instant) {
    if hiddenPresence.contains(person) { return }
    let minute = Instant(milliseconds: now.milliseconds / 60_000 * 60_000)
    var row = presence[person] ?? Presence(lastSeen: minute)
    if !isLate { row.lastSeen = minute }
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
  /// When the member came or, if they are gone, went: to the minute.
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

/// A person's choice whether their households see them online; it comes from their own room.
struct PresenceChosen: Message {
  static let name = "presenceChosen"
  var presence = PresenceChoice.shown

  static func fields(_ field: inout some FieldVisitor<Self>) { field("presence", \.presence) }

  func apply(to home: inout HouseholdState, from source: RoomID, in context: Context) {
    guard case .person(let person) = source, home.membership.members.contains(person) else { return }
    home.presence.hide(person, presence == .hidden, at: context.now)
  }
}

extension PersonState {
  /// Hides the person from all their households, or shows them.
  mutating func choose(_ presence: PresenceChoice, in context: Context) {
    guard presence != settings.settings.value.presence ?? .shown else { return }
    settings.settings.value.presence = presence == .hidden ? .hidden : nil
    for household in memberships.households.keys {
      context.send(PresenceChosen(presence: presence), to: .household(household))
    }
  }

  /// Corrects a household that the person has joined: they may have chosen otherwise since.
  func checkPresence(isHidden: Bool?, in household: ID<Household>, _ context: Context) {
    let presence = settings.settings.value.presence ?? .shown
    guard (isHidden == true) != (presence == .hidden) else { return }
    context.send(PresenceChosen(presence: presence), to: .household(household))
  }
}

extension HomeRooms {
  /// The members whom a household shows as online; `nil` for a room of another kind.
  public static func online(in room: Room) -> Set<ID<Person>>? {
    (room as? TypedRoom<HouseholdState>)?.state.presence.online
  }

  /// Notes which of some people are online; `isLate` if nobody knows when those went who are not.
  public static func note(presence: [ID<Person>: Bool], isLate: Bool = false, in household: Room, turn: Turn) {
    guard let room = household as? TypedRoom<HouseholdState> else { return }
    try? room.performLive(turn) { home, context in
      for (person, isOnline) in presence where home.membership.members.contains(person) {
        home.presence.note(person, isOnline: isOnline, isLate: isLate, at: context.now)
      }
    }
  }
}
