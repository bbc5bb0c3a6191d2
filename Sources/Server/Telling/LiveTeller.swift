import Home
import JSON
import Platform
import Rooms
import WebSocket

/// Tells the live documents of rooms: at the end of the batch or a little later, without a log. The newest kept values
/// are stored once a second.
final class LiveTeller {
  private let link: ShardLink
  private var shard: Shard { link.shard }
  private let loop: any Loop
  private let configuration: Configuration
  private let store: any RoomStore
  private let connections: ConnectionTable
  /// For the frame of one room.
  private let writer = Writer(capacity: 4096)

  /// Rooms whose live document has changed in this batch.
  private var changed: [Seat] = []
  /// Rooms that hold live frames, or have told them since, and when these are told.
  private var holding: [Seat] = []
  private var timer: (any LoopTimer)?

  init(_ link: ShardLink, _ connections: ConnectionTable) {
    self.link = link
    self.connections = connections
    loop = link.loop
    configuration = link.configuration
    store = link.services.store
  }

  /// Overwrites the working memory.
  func wipe() { writer.wipe() }

  /// Notes that the live document of a room has changed.
  func note(_ seat: Seat) {
    guard !seat.isLiveChanged else { return }
    seat.isLiveChanged = true
    changed.append(seat)
    loop.wantBatchEnd()
  }

  /// Tells the changes: at once while the loop has time to spare, else together with later ones within
  /// `liveGathering`, since a send costs more than all other work of telling.
  func tellChanged() {
    guard !changed.isEmpty else { return }
    let wait = configuration.liveGathering(atLoad: loop.load)
    if wait == .zero { tellHeld() }
    for seat in changed {
      seat.isLiveChanged = false
      guard let room = seat.room, let frame = seal(seat, room) else { continue }
      writer.withSpan(from: frame.lowerBound, to: frame.upperBound) {
        if wait == .zero { tell($0, seat, room) } else { hold($0, seat, for: wait) }
      }
      loop.flushIfMany()
    }
    changed.removeAll(keepingCapacity: true)
  }

  /// Tells the changes, and the frames that were held.
  func tellNow() {
    tellChanged()
    tellHeld()
  }

  /// Writes what has changed in a room as a frame; answers where the frame is, `nil` if nothing has changed.
  private func seal(_ seat: Seat, _ room: Room) -> Range<Int>? {
    writer.clear()
    writer.skip(FrameCodec.headerSpace)
    writer.raw("{\"jsonrpc\":\"2.0\",\"method\":\"room.live\",\"params\":{\"room\":")
    writer.string(seat.name)
    writer.key("at")
    shard.time(in: seat).write(to: writer)
    writer.key("patch")
    guard room.sealLive(to: writer) else { return nil }
    writer.raw("}}")
    return shard.teller.codec.finish(writer, FrameCodec.headerSpace..<writer.count)
  }

  private func hold(_ frame: Span<UInt8>, _ seat: Seat, for wait: Duration) {
    if seat.heldLive.isEmpty { holding.append(seat) }
    seat.heldLive.append(contentsOf: frame)
    if seat.heldLive.count > Self.heldByteLimit { return tellHeld(of: seat) }
    guard timer == nil else { return }
    timer = loop.schedule(after: wait) { [unowned self] in
      timer = nil
      tellHeld()
      // For connections of other shards.
      loop.wantBatchEnd()
    }
  }

  /// Of one room.
  private static let heldByteLimit = 16 << 10

  private func tellHeld() {
    for seat in holding {
      tellHeld(of: seat)
      loop.flushIfMany()
    }
    holding.removeAll(keepingCapacity: true)
  }

  /// Tells the held frames of a room: before anything else of the room is told, before a new subscription gets the live
  /// document, and before the room leaves memory.
  func tellHeld(of seat: Seat) {
    guard !seat.heldLive.isEmpty else { return }
    let frames = seat.heldLive
    seat.heldLive = []
    if let room = seat.room { tell(frames.span, seat, room) }
  }

  private func tell(_ frames: Span<UInt8>, _ seat: Seat, _ room: Room) {
    if HomeRooms.hasPosition(room) {
      if let told = seat.liveToldAt { shard.counters.positionGaps.observe(loop.uptime - told) }
      seat.liveToldAt = loop.uptime
    }
    for subscription in seat.subscriptions {
      let session = subscription.session
      // A watcher was a member at the last commit; they may have been removed in memory since.
      guard let person = session.person, room.isOpen(to: person), let stream = session.stream else { continue }
      if connections.isFull(session) {
        shard.teller.fallBehind(subscription, ofLive: true)
        continue
      }
      stream.send(frames)
      subscription.toldAt = loop.uptime
    }
    keep(seat)
  }

  /// Writes kept values at most once a second per room.
  private func keep(_ seat: Seat) {
    guard !seat.isKeepWaiting else { return }
    let wait = seat.keptAt.map { .seconds(1) - (loop.uptime - $0) } ?? .zero
    if wait <= .zero { return keepNow(seat) }
    seat.isKeepWaiting = true
    loop.schedule(after: wait) { [unowned self] in
      seat.isKeepWaiting = false
      keepNow(seat)
    }
  }

  private func keepNow(_ seat: Seat) {
    guard let room = seat.room, shard.rooms.holds(seat) else { return }
    seat.keptAt = loop.uptime
    let live = kept(of: room)
    if live.count > 2 { store.keepLive([(seat.id, live)]) }
  }

  /// The kept values of a room, as they are stored.
  func kept(of room: Room) -> [UInt8] {
    shard.work.members.lend { writer in
      room.writeKept(to: writer)
      return writer.bytes()
    }
  }
}
