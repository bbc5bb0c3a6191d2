public import Rooms

/// The domain as the server sees it: the kinds of room, and, in extensions beside the subjects, the server's own
/// operations on rooms.
///
/// Entities and methods stay inside this target; only values leave it, and they are made where the types are known.
public enum HomeRooms {
  /// Every kind of room.
  public static let kinds: [RoomKind] = [
    .of(PersonState.self), .of(HouseholdState.self), .of(CornerState.self), .of(ShareState.self),
  ]

  /// The version of the zone data by which due times are worked out, such as 2026a.
  public static var zoneDataVersion: String { ZoneTime.dataVersion }
}
