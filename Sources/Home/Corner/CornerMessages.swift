import JSON
import Rooms

/// The beginning and the end of a corner.
struct CornerLifetime: Subject {
  typealias State = CornerState
  static let messages: [MessageHandler<CornerState>] = [.of(CornerOpened.self), .of(CornerEnded.self)]

  mutating func parts(_ part: inout some PartVisitor) {}
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

/// The corner has sent its last message.
struct CornerClosed: Message {
  static let name = "cornerClosed"
  static let isLast = true

  static func fields(_ field: inout some FieldVisitor<Self>) {}

  func apply(to household: inout HouseholdState, from source: RoomID, in context: Context) {}
}
