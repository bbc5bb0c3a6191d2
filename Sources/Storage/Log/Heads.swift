internal import Rooms

/// The writer's knowledge of a room, without asking the database.
struct Head: Equatable {
  /// The room's row; 0 while the room is being made.
  var number: Int64
  var version: Int64
}

/// The heads of rooms that were written to lately: bounded, and exact for those it holds.
///
/// Two halves: what is used moves to the younger one, and when that is full it becomes the older, whose room is given
/// up. So a room survives between half of and the whole capacity of others, without a list to keep in order.
struct Heads {
  private var young: [RoomID: Head] = [:]
  private var old: [RoomID: Head] = [:]
  private let capacity: Int

  init(capacity: Int) {
    self.capacity = max(2, capacity)
  }

  subscript(room: RoomID) -> Head? {
    mutating get {
      if let head = young[room] { return head }
      guard let head = old.removeValue(forKey: room) else { return nil }
      young[room] = head
      return head
    }
    set {
      if newValue == nil { old[room] = nil }
      young[room] = newValue
    }
  }

  /// Forgets what was not used for long. Not within a transaction: a room made in it is known only here.
  mutating func trim() {
    guard young.count > capacity / 2 else { return }
    old = young
    young = [:]
  }
}
