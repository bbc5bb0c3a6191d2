import JSON
import Rooms

/// The beginning and the end of a corner.
struct CornerLifetime: Subject {
  typealias State = CornerState
  static let messages: [MessageHandler<CornerState>] = [
    .of(CornerOpened.self), .of(CornerEnded.self), .of(CornerDismissed.self), .of(CornerRestored.self),
  ]

  var closure = Single<CornerClosure>()

  mutating func parts(_ part: inout some PartVisitor) { part("closure", &closure, .hidden) }

  /// Whether the household is dismissed: the owner may come back with it.
  var isClosed: Bool { closure.value.at != nil }
}

/// The time since which a corner's household is dismissed; `nil` if it is not.
struct CornerClosure: Record {
  var at: Instant?

  static func fields(_ field: inout some FieldVisitor<Self>) { field("at", \.at) }
}

/// The owner has become a member.
struct CornerOpened: Message {
  static let name = "cornerOpened"
  static let opensRoom = true

  static func fields(_ field: inout some FieldVisitor<Self>) {}

  func apply(to corner: inout CornerState, from source: RoomID, in context: Context) {}
}

/// The owner is no longer a member: the corner ends, and the store keeps nothing of it.
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

/// The household is dismissed: the corner keeps what it has, and nobody may look (HH-11).
struct CornerDismissed: Message {
  static let name = "cornerDismissed"

  static func fields(_ field: inout some FieldVisitor<Self>) {}

  func apply(to corner: inout CornerState, from source: RoomID, in context: Context) {
    guard case .corner(_, let person) = context.room else { return }
    corner.lifetime.closure.value.at = context.now
    context.expel(person, reason: ClosingReason.dismissed)
  }
}

/// The household is back, and so is the corner.
struct CornerRestored: Message {
  static let name = "cornerRestored"

  static func fields(_ field: inout some FieldVisitor<Self>) {}

  func apply(to corner: inout CornerState, from source: RoomID, in context: Context) {
    corner.lifetime.closure.value.at = nil
  }
}

/// The corner has sent its last message.
struct CornerClosed: Message {
  static let name = "cornerClosed"
  static let isLast = true

  static func fields(_ field: inout some FieldVisitor<Self>) {}

  func apply(to household: inout HouseholdState, from source: RoomID, in context: Context) {}
}
