internal import Platform
internal import Rooms

/// Which rows of the log belong to which room and are not in its snapshot: what an index would say, were it not that an
/// index costs more than the log itself.
///
/// The writer changes it after each transaction and before the replies, so whoever got a reply finds the rows.
final class Tails: Sendable {
  enum Change {
    case appended(RoomID, position: Int64)
    /// The room has a snapshot that holds all of its rows, or is gone.
    case cleared(RoomID)
  }

  private let positions = Locked<[RoomID: [Int64]]>([:])

  /// The positions of a room's rows, the oldest first.
  func positions(of room: RoomID) -> [Int64] {
    positions.withLock { $0[room] ?? [] }
  }

  /// The position of a room's newest row.
  func last(of room: RoomID) -> Int64? {
    positions.withLock { $0[room]?.last }
  }

  /// How many rows are not in a snapshot, for all rooms.
  var count: Int {
    positions.withLock { $0.values.reduce(0) { $0 + $1.count } }
  }

  /// Makes the changes of one transaction; answers the positions of rows that nobody needs any more.
  func apply(_ changes: [Change]) -> [Int64] {
    guard !changes.isEmpty else { return [] }
    return positions.withLock { positions in
      var dead: [Int64] = []
      for change in changes {
        switch change {
        case .appended(let room, let position): positions[room, default: []].append(position)
        case .cleared(let room): dead += positions.removeValue(forKey: room) ?? []
        }
      }
      return dead
    }
  }
}
