internal import Platform
internal import Rooms

/// Which rows of the log belong to which room and are not in its snapshot: what an index would say, were it not that an
/// index costs more than the log itself.
///
/// The writer changes it after each transaction and before the replies, so whoever got a reply finds the rows.
final class Tails: Sendable {
  enum Change {
    case appended(RoomID, position: Int64)
    /// The room, whose row has this number, has a snapshot that holds all of its rows, or is gone.
    case cleared(RoomID, number: Int64)
  }

  private struct State {
    var positions: [RoomID: [Int64]] = [:]
    var count = 0
  }

  private let state = Locked(State())

  /// The positions of a room's rows, the oldest first.
  func positions(of room: RoomID) -> [Int64] {
    state.withLock { $0.positions[room] ?? [] }
  }

  /// The position of a room's newest row.
  func last(of room: RoomID) -> Int64? {
    state.withLock { $0.positions[room]?.last }
  }

  /// How many rows are not in a snapshot, for all rooms.
  var count: Int { state.withLock { $0.count } }

  /// Makes the changes of one transaction; answers the rows that nobody needs any more.
  func apply(_ changes: [Change]) -> [DeadRows.Row] {
    guard !changes.isEmpty else { return [] }
    return state.withLock { state in
      var dead: [DeadRows.Row] = []
      for change in changes {
        switch change {
        case .appended(let room, let position):
          state.positions[room, default: []].append(position)
          state.count += 1
        case .cleared(let room, let number):
          for position in state.positions.removeValue(forKey: room) ?? [] {
            dead.append(DeadRows.Row(position: position, room: number))
          }
        }
      }
      state.count -= dead.count
      return dead
    }
  }
}
