import JSON
import Rooms

/// A member's private corner of a household, `mine`: it begins on joining and ends with the membership.
struct CornerState: HasGroceries {
  static let kind = RoomKindName.corner
  /// It begins anew whenever its owner joins.
  static let mayBeginAgain = true
  static let messages: [MessageHandler<CornerState>] = [
    .of(CornerOpened.self), .of(CornerEnded.self), .of(GroceryHidden.self), .of(GrocerySettled<CornerState>.self),
  ]

  var groceries = Table<ID<Grocery>, Grocery>()
  var mergedGroceries = Table<ID<Grocery>, GroceryLine>()
  var moving = Table<ID<Grocery>, MovingGrocery>()
  var removed = Table<ID<Removed>, Removed>()
  var upkeep = Single<Upkeep>()

  mutating func parts(_ part: inout some PartVisitor) {
    part("groceries", &groceries)
    part("mergedGroceries", &mergedGroceries, .hidden)
    part("moving", &moving, .hidden)
    part("removed", &removed, .hidden)
    part("upkeep", &upkeep, .hidden)
  }

  func admits(_ person: ID<Person>, to room: RoomID) -> Bool {
    if case .corner(_, person) = room { true } else { false }
  }

  var nextDue: Instant? { upkeep.value.due }

  mutating func fallDue(in context: Context) {
    upkeep.value.due = removed.sweep(at: context.now)
  }

  func checkNew<Of>(_ id: ID<Of>) throws(Refusal) {
    if removed.count >= Limits.removedIDs { throw .tooManyRemoved }
    if names(grocery: id.cast()) || removed.contains(id) { throw .exists }
  }

  /// Nobody else sees what is here, so nothing is made of it.
  mutating func lineChanged(_ id: ID<Grocery>, from old: Grocery?, to new: Grocery?, in context: Context) {}

  mutating func forget<Of>(_ id: ID<Of>, at now: Instant) {
    removed.remember(id, at: now)
    upkeep.plan(now + Limits.removedAge)
  }
}

/// Somebody has become a member.
struct CornerOpened: Message {
  static let name = "cornerOpened"
  static let opensRoom = true

  static func fields(_ field: inout some FieldVisitor<Self>) {}

  func apply(to corner: inout CornerState, from source: RoomID, in context: Context) {}
}

/// He is a member no longer: nothing of the corner is kept.
struct CornerEnded: Message {
  static let name = "cornerEnded"
  var reason = ""

  static func fields(_ field: inout some FieldVisitor<Self>) { field("reason", \.reason) }

  func apply(to corner: inout CornerState, from source: RoomID, in context: Context) {
    if case .corner(_, let person) = context.room { corner.dropMoves(of: person, in: context) }
    context.send(CornerClosed(), to: source)
    context.endRoom(reason: reason)
  }
}

/// All that the corner had to say has been said.
struct CornerClosed: Message {
  static let name = "cornerClosed"
  static let isLast = true

  static func fields(_ field: inout some FieldVisitor<Self>) {}

  func apply(to household: inout HouseholdState, from source: RoomID, in context: Context) {}
}
