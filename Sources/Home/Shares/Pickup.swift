import JSON
import Rooms

/// Whether the sharer needs a ride (LOC-3, LOC-15).
struct Pickup: Record {
  var state = PickupState.none

  static func fields(_ field: inout some FieldVisitor<Self>) { field("state", \.state) }
}

/// The progress of a pick-up (LOC-14).
enum PickupState: String, Word {
  case none
  /// Set at the start: the sharer needs a ride.
  case wanted

  /// A driver may still be on the way to the sharer.
  var isPending: Bool { self != .none }
}
