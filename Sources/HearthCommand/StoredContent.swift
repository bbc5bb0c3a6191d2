import Home
import Platform
import Rooms
import Storage

/// The stored content of a room, read as the server reads it.
enum StoredContent {
  /// The problem of a stored room; `nil` if it has none.
  static func problem(of id: RoomID, _ stored: StoredRoom) -> String? {
    switch load(id, stored) {
    case .success(let room): HomeRooms.problem(of: room)
    case .failure(let damage): damage.what
    }
  }

  /// The room's whole state, as a snapshot.
  static func rebuild(_ id: RoomID, _ stored: StoredRoom) -> Result<[UInt8], UnreadableRoom> {
    load(id, stored).map { $0.snapshot(at: $0.changedAt).body }
  }

  private static func load(_ id: RoomID, _ stored: StoredRoom) -> Result<Room, UnreadableRoom> {
    guard let kind = HomeRooms.kinds.first(where: { $0.name == RoomKindName(id) }) else {
      return .failure(UnreadableRoom("a room of this kind is not known"))
    }
    let room = kind.make(id)
    do throws(RoomDamage) {
      try room.restore(
        snapshot: stored.snapshot, entries: stored.entries, segmentVersion: stored.segmentVersion, live: stored.live,
        random: stored.random, due: stored.due)
    } catch {
      return .failure(UnreadableRoom(error.what))
    }
    guard room.version == stored.version else {
      return .failure(UnreadableRoom("it ends at version \(room.version), not at \(stored.version)"))
    }
    return .success(room)
  }
}
