import Platform
import Rooms

/// Loads rooms that are due and not in memory: shares before all others, a bounded number at a time.
///
/// Due times are read from the store in their order, and a timer waits for the next one. The store is read once from
/// the beginning: whatever changes afterwards changes in a room that is in memory, which has a timer of its own and is
/// noted here when it leaves memory.
final class DueRooms {
  /// Rooms by due time, those of one kind.
  private struct Lane {
    let kind: DueKind
    /// The last room that was read.
    var cursor: DueRoom?
    /// Rooms that have been read and not been taken, the earliest first.
    var found: ArraySlice<DueRoom> = []
    /// Rooms that have left memory while the store was read.
    var late: [DueRoom] = []
    var isReading = false
    /// The store has no room behind `cursor`.
    var isAtEnd = false

    /// Adds a room at its place, unless it will be read there.
    mutating func insert(_ room: DueRoom) {
      if isReading { return late.append(room) }
      if !isAtEnd, cursor.map({ $0.precedes(room) }) ?? true { return }
      var (low, high) = (found.startIndex, found.endIndex)
      while low < high {
        let middle = (low + high) / 2
        if room.precedes(found[middle]) { high = middle } else { low = middle + 1 }
      }
      found.insert(room, at: low)
      // The rest is read again when it is its turn.
      if found.count > 2 * DueRooms.page {
        found = found.prefix(DueRooms.page)
        cursor = found.last
        isAtEnd = false
      }
    }
  }

  private let link: ShardLink
  private var shard: Shard { link.shard }
  private let loop: any Loop
  private var lanes = [Lane(kind: .shares), Lane(kind: .others)]
  private var loadingCount = 0
  /// Rooms are due and wait until others have left memory.
  private(set) var isBlocked = false
  /// Rooms are being loaded because they are due.
  var isBusy: Bool { isBlocked || loadingCount > 0 }
  private var timer: (any LoopTimer)?
  private var timerDue: Instant?

  /// Rooms that are read at a time, and rooms that are loaded at a time.
  private static let page = 4096
  private static let loadsAtOnce = 128
  /// Rooms are loaded a little before they are due.
  private static let lead = Duration.seconds(1)
  /// A room that could not be read is tried again after this time.
  private static let retry = Duration.seconds(30)

  init(_ link: ShardLink) {
    self.link = link
    loop = link.loop
  }

  /// A room has left memory, to be loaded again when it is due.
  func note(_ room: RoomID, due: Instant?) {
    guard let due else { return }
    lanes[DueKind(room) == .shares ? 0 : 1].insert(DueRoom(room: room, due: due))
    setTimer(due)
  }

  /// Goes on where it was blocked.
  func batchEnded() { if isBlocked { serve() } }

  /// Loads rooms that are due, as many as may be in memory.
  func serve() {
    isBlocked = false
    guard !shard.isLeaving else { return }
    for index in lanes.indices {
      while true {
        guard let next = lanes[index].found.first else {
          // Until the shares are known, the others wait.
          if !lanes[index].isAtEnd { return read(index) }
          break
        }
        guard next.due - loop.now <= Self.lead else {
          setTimer(next.due)
          break
        }
        guard loadingCount < Self.loadsAtOnce, shard.rooms.hasSpace else {
          isBlocked = true
          return
        }
        lanes[index].found.removeFirst()
        load(next)
      }
    }
  }

  private func read(_ index: Int) {
    guard !lanes[index].isReading else { return }
    lanes[index].isReading = true
    shard.services.store.due(
      lanes[index].kind, in: shard.shards.partitions(of: shard.index), after: lanes[index].cursor, limit: Self.page,
      reply: Reply(on: loop.poster) { [unowned self] result in
        lanes[index].isReading = false
        guard case .success(let rooms) = result else {
          setTimer(loop.now + Self.retry)
          return
        }
        lanes[index].found = rooms[...]
        lanes[index].cursor = rooms.last ?? lanes[index].cursor
        lanes[index].isAtEnd = rooms.count < Self.page
        let late = lanes[index].late
        lanes[index].late = []
        for room in late { lanes[index].insert(room) }
        serve()
      })
  }

  private func load(_ next: DueRoom) {
    // A room in memory has a timer of its own.
    guard shard.rooms.seat(of: next.room)?.room == nil else { return }
    loadingCount += 1
    shard.rooms.withSeat(next.room, isPassing: true) { [unowned self] seat in
      loadingCount -= 1
      if seat.isUnreadable { note(seat.id, due: loop.now + Self.retry) }
    }
  }

  private func setTimer(_ due: Instant) {
    if let timerDue, timerDue <= due { return }
    timer?.cancel()
    timerDue = due
    // A distant due time is checked in between: timers follow the monotonic clock, due times the wall clock.
    let wait = max(min(due - loop.now - Self.lead, .seconds(60)), .zero)
    timer = loop.schedule(after: wait) { [unowned self] in
      timer = nil
      timerDue = nil
      serve()
    }
  }
}
