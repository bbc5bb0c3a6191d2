import JSON
public import Rooms

extension PresenceBoard {
  static let messages: [MessageHandler<HouseholdState>] = [.of(PresenceChosen.self)]
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
  /// The households that do not see the person online: all if the person has chosen so, else those with a member whom
  /// the person has blocked. A room shows all its members the same, so it hides the person from each of them.
  private var hidingHouseholds: Set<ID<Household>> {
    if settings.settings.value.presence == .hidden { return Set(memberships.households.keys) }
    var hiding: Set<ID<Household>> = []
    for person in contacts.blocked.keys {
      for household in memberships.mates[person]?.households ?? [] { hiding.insert(household) }
    }
    return hiding
  }

  /// Hides the person from all their households, or shows them.
  mutating func choose(_ presence: PresenceChoice, in context: Context) {
    guard presence != settings.settings.value.presence ?? .shown else { return }
    changePresence(in: context) { $0.settings.settings.value.presence = presence == .hidden ? .hidden : nil }
  }

  /// Changes something on which it depends who sees the person online, and tells the households for which that changes.
  mutating func changePresence(in context: Context, _ change: (inout Self) -> Void) {
    let before = hidingHouseholds
    change(&self)
    let after = hidingHouseholds
    for household in memberships.households.keys where before.contains(household) != after.contains(household) {
      let presence: PresenceChoice = after.contains(household) ? .hidden : .shown
      context.send(PresenceChosen(presence: presence), to: .household(household))
    }
  }

  /// Corrects a household that the person has joined, if it shows them otherwise than they want.
  func checkPresence(isHidden: Bool?, in household: ID<Household>, _ context: Context) {
    let mustHide = hidingHouseholds.contains(household)
    guard (isHidden == true) != mustHide else { return }
    context.send(PresenceChosen(presence: mustHide ? .hidden : .shown), to: .household(household))
  }
}

extension HomeRooms {
  /// The members whom a household shows as online; `nil` for a room of another kind.
  public static func online(in room: Room) -> Set<ID<Person>>? {
    (room as? TypedRoom<HouseholdState>)?.state.presence.online
  }

  /// Notes whether a member is online, and when they were last there: `nil` if nobody knows.
  public static func note(_ person: ID<Person>, isOnline: Bool, seenAt: Instant?, in household: Room, turn: Turn) {
    guard let room = household as? TypedRoom<HouseholdState> else { return }
    try? room.performLive(turn) { home, context in
      guard home.admits(person, to: context.room) else { return }
      home.presence.note(person, isOnline: isOnline, seenAt: seenAt, at: context.now)
    }
  }
}
