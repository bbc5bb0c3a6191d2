import JSON
import Rooms

/// Whether the sharer needs a ride (LOC-3, LOC-15).
struct Pickup: Record {
  var state = PickupState.none

  static func fields(_ field: inout some FieldVisitor<Self>) { field("state", \.state) }
}

/// How far a pick-up has come (LOC-14).
enum PickupState: String, Word {
  case none
  /// Said at the start: a ride is needed.
  case wanted

  /// A driver may still be on the way to the sharer.
  var isPending: Bool { self != .none }
}
