import JSON
import Rooms

/// Whether the sharer needs a ride (LOC-3, LOC-15).
struct Pickup: Record {
  /// Absent while nobody needs one, and from the end of the share on.
  var state: PickupState?

  static func fields(_ field: inout some FieldVisitor<Self>) { field("state", \.state) }
}

/// How far a pick-up has come (LOC-14).
enum PickupState: String, Word {
  case none
  /// Said at the start: a ride is needed.
  case wanted
}
