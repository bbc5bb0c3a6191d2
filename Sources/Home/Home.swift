public import Rooms

/// The domain as the server sees it: the kinds of room, and in extensions beside the subjects what the server itself
/// does with rooms.
///
/// Entities and methods stay inside this target; what leaves it are values that were made where the types are known.
public enum HomeRooms {
  /// Every kind of room.
  public static let kinds: [RoomKind] = [
    .of(PersonState.self), .of(HouseholdState.self), .of(CornerState.self), .of(ShareState.self),
  ]
}
