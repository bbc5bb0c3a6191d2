internal import Crypto
internal import JSON

/// The documents that a client keeps on disk, one file per room (SEC-8).
///
/// After a start they are shown before the server has answered, and subscriptions resume from them. Live documents are
/// not stored, since their data would be out of date. An unreadable file counts as absent.
struct RoomCache {
  /// The most bytes of all files together (NFR-8).
  let limit: Int
  private let files: any ClientFiles
  private var sizes: [String: Int]

  private static let prefix = "room-"

  init(_ files: any ClientFiles, limit: Int) throws(FileError) {
    self.files = files
    self.limit = limit
    sizes = try files.sizes().filter { $0.key.hasPrefix(Self.prefix) }
  }

  /// The file for a room; its name reveals nothing about the room.
  private static func file(of room: String) -> String {
    prefix + Base64.url.encode(Array(SHA256.hash(Array(room.utf8)).prefix(18)))
  }

  func read(_ room: String) -> RoomSnapshot? {
    guard let bytes = try? files.read(Self.file(of: room)), bytes.count > 33,
      SHA256.hash(Array(bytes.dropFirst(32))) == Array(bytes.prefix(32)),
      let content = try? JSON.parse(Array(bytes.dropFirst(32)), depthLimit: 64), content["room"]?.string == room,
      let epoch = content["epoch"]?.string, let version = content["version"]?.int, let state = content["state"]
    else { return nil }
    return RoomSnapshot(epoch: epoch, version: Int64(version), state: state)
  }

  /// Stores a document and evicts rooms that are not `needed` to make space. If there is still too little, it is not
  /// stored.
  mutating func write(_ snapshot: RoomSnapshot, of room: String, needed: Set<String>) throws(FileError) {
    let content: JSON = [
      "room": .string(room), "epoch": .string(snapshot.epoch), "version": .number(JSON.Number(Int(snapshot.version))),
      "state": snapshot.state,
    ]
    let text = content.bytes
    let bytes = SHA256.hash(text) + text
    let name = Self.file(of: room)
    let keep = Set(needed.map(Self.file))
    var others = sizes.reduce(0) { $0 + ($1.key == name ? 0 : $1.value) }
    for (other, size) in sizes.sorted(by: { $0.key < $1.key })
    where others + bytes.count > limit && other != name && !keep.contains(other) {
      try drop(other)
      others -= size
    }
    guard others + bytes.count <= limit else { return try drop(name) }
    try files.replace(name, with: bytes)
    sizes[name] = bytes.count
  }

  mutating func remove(_ room: String) throws(FileError) { try drop(Self.file(of: room)) }

  /// Removes all rooms except the given ones.
  mutating func keepOnly(_ rooms: Set<String>) throws(FileError) {
    let names = Set(rooms.map(Self.file))
    for name in sizes.keys where !names.contains(name) { try drop(name) }
  }

  private mutating func drop(_ name: String) throws(FileError) {
    guard sizes[name] != nil else { return }
    try files.remove(name)
    sizes[name] = nil
  }
}
