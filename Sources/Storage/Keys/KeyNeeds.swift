internal import GRDB
internal import Rooms

/// Which keys the rows of a store name, and for which sealed rooms.
struct KeyNeeds: Sendable {
  private(set) var content: [Int64: RoomID] = [:]
  /// Messages, by key: their rows.
  private(set) var outbox: [Int64: [Int64]] = [:]

  /// Looks at sealed rooms and messages only, of which there are few, and at the log, which is short.
  init(_ database: Database) throws {
    try RoomTable.keys(database) { content[$0] = $1 }
    try LogTable.keys(database) { content[$0] = $1 }
    try OutboxTable.keys(database) { outbox[$0, default: []].append($1) }
  }

  var isEmpty: Bool { numbers.isEmpty }

  private var numbers: Set<Int64> { Set(content.keys).union(outbox.keys) }

  /// Opens the keys of the store at `path`; refuses a file that is not whole, or does not know a key that is needed.
  func openKeys(of store: String) throws -> Keys {
    let path = Keys.path(besides: store)
    if !numbers.isEmpty, !isFile(path) { throw StoreOpeningError.keysLost(path: path, store: store, "is missing") }
    let keys: Keys
    do throws(StoreOpeningError) {
      keys = try Keys(path: path)
    } catch {
      switch error {
      case .notAStore: throw StoreOpeningError.keysLost(path: path, store: store, "is something else")
      case .damaged(_, let detail):
        throw StoreOpeningError.keysLost(path: path, store: store, "is damaged (\(detail))")
      default: throw error
      }
    }
    for number in numbers where keys[number] == nil {
      guard try keys.wasShredded(number) else {
        throw StoreOpeningError.keysLost(path: path, store: store, "lacks some that are needed")
      }
    }
    return keys
  }
}

extension RoomWriter {
  /// Makes store and keys agree again, which the crash of a process or a copy put back may have parted: what was
  /// sealed with a shredded key goes, and so does every key that nothing is left of.
  mutating func settleKeys(_ needs: KeyNeeds, _ database: Database) throws {
    let gone = Set(needs.content.filter { keys[$0.key] == nil }.values)
    let lost = needs.outbox.filter { keys[$0.key] == nil }.values.joined()
    begin()
    try database.inTransaction(.immediate) {
      for row in lost { try OutboxTable.delete(row: row, database) }
      if !gone.isEmpty { try erase(gone.sorted { $0.storageKey.lexicographicallyPrecedes($1.storageKey) }, database) }
      try releaseKeys(of: keys.rooms, database)
      return .commit
    }
    finish()
    try shred()
  }
}

extension Keys {
  /// The content of a row, opened if it is sealed.
  func open(_ bytes: [UInt8], _ number: Int64, _ place: SealedPlace, of room: RoomID) throws -> [UInt8] {
    if number == 0 { return bytes }
    guard let key = self[number] else { throw SQLiteFailure.unopenable }
    return try key.open(bytes, place, of: room)
  }
}
