import JSON
import Rooms

/// Whole states as they were last written, shared by clients that come together: the phones of a household reconnect at
/// the same time when the server restarts (SYN-2).
///
/// The shard clears it every second: states are large, most are needed once, and their rooms stay in memory.
final class StateCache {
  private struct Entry {
    /// A room that was dropped and loaded again may have another state at the same version.
    let room: Room
    let version: Int64
    let bytes: [UInt8]
  }

  private static let byteLimit = 4 << 20
  private var entries: [RoomID: Entry] = [:]
  private var byteCount = 0
  private let writer = Writer(capacity: 4096)

  /// The part of a room that clients see, as a JSON object.
  func state(of room: Room) -> [UInt8] {
    if let entry = entries[room.id], entry.room === room, entry.version == room.version { return entry.bytes }
    writer.clear()
    room.writeState(to: writer)
    let bytes = writer.bytes()
    if byteCount + bytes.count > Self.byteLimit { clear() }
    byteCount += bytes.count
    entries[room.id] = Entry(room: room, version: room.version, bytes: bytes)
    return bytes
  }

  /// Forgets all states and overwrites the working memory.
  func wipe() {
    clear()
    writer.wipe()
  }

  func clear() {
    entries.removeAll(keepingCapacity: true)
    byteCount = 0
  }
}
