import JSON
import Rooms

/// Whether the sharer needs a ride (LOC-3, LOC-15).
struct Pickup: Record {
  /// Absent while nobody needs one, and from the end of the share on.
  var state: PickupState?

  static func fields(_ field: inout some FieldVisitor<Self>) { field("state", \.state) }
}

/// The progress of a pick-up (LOC-14).
enum PickupState: String, Word {
  case none
  /// Set at the start: the sharer needs a ride.
  case wanted
}
