import Home
import JSON
import Rooms

/// Every method by name, and the kinds of room.
struct MethodTable {
  /// By a hash of their names; strangers cannot add any, so where a name's own slot is taken the next free one does.
  private var slots: [MethodEntry?]
  private var kinds: [RoomKindName: RoomKind] = [:]
  /// Counts the calls of methods that do not exist.
  let unknown = CallCounter()

  /// - Parameter server: the methods that the server itself answers.
  init(_ kinds: [RoomKind] = HomeRooms.kinds, server: [String: ServerMethod] = ServerMethod.all) {
    for kind in kinds { self.kinds[kind.name] = kind }
    let methods = Dictionary(grouping: kinds.flatMap(\.methods), by: \.name)
    let names = Set(methods.keys).union(server.keys)
    var capacity = 64
    while capacity < 4 * names.count { capacity *= 2 }
    slots = Array(repeating: nil, count: capacity)
    for name in names {
      let entry = MethodEntry(name, server[name], methods[name] ?? [])
      let bytes = entry.bytes
      var slot = Self.slot(of: bytes.span, capacity)
      while slots[slot] != nil { slot = (slot + 1) % capacity }
      slots[slot] = entry
    }
  }

  private static func slot(of name: Span<UInt8>, _ capacity: Int) -> Int {
    Int(truncatingIfNeeded: name.digest()) & (capacity - 1)
  }

  /// The entry called `name`; `nil` if there is none.
  subscript(name: Span<UInt8>) -> MethodEntry? {
    var slot = Self.slot(of: name, slots.count)
    while let entry = slots[slot] {
      let bytes = entry.bytes
      if bytes.span.equals(name) { return entry }
      slot = (slot + 1) & (slots.count - 1)
    }
    return nil
  }

  subscript(name: String) -> MethodEntry? { self[Array(name.utf8).span] }

  /// The same for a name as it was written.
  subscript(name: View) -> MethodEntry? {
    guard name.kind == .string else { return nil }
    if name.hasEscapes { return name.string.flatMap { self[$0] } }
    return name.withBytes { self[$0] }
  }

  var entries: [MethodEntry] { slots.compactMap(\.self).sorted { $0.name < $1.name } }

  func makeRoom(_ id: RoomID, _ configuration: Configuration) -> Room {
    guard let kind = kinds[RoomKindName(id)] else { preconditionFailure("every kind of room is in HomeRooms.kinds") }
    let room = kind.make(id)
    room.remember(clientsPerPerson: configuration.connectionsPerPerson)
    return room
  }

  /// The history kinds of all rooms.
  var history: [HistoryKind] { kinds.values.flatMap(\.history).sorted { $0.name < $1.name } }

  /// Whether a room may be made again under the address of one that has ended.
  func mayBeginAgain(_ room: RoomID) -> Bool { kinds[RoomKindName(room)]?.mayBeginAgain ?? false }

  /// Nothing of such a room is sent over a connection in clear text (LOC-31).
  func needsEncryption(_ room: RoomID) -> Bool { kinds[RoomKindName(room)]?.needsEncryption ?? false }

  /// Whether a message makes its room.
  func opens(_ room: RoomID, message: String) -> Bool {
    kinds[RoomKindName(room)]?.openingMessages.contains(message) ?? false
  }
}

/// All that goes by one name: what the server itself answers, or one method for each kind of room that has it.
final class MethodEntry {
  let name: String
  fileprivate let bytes: [UInt8]
  let server: ServerMethod?
  let methods: [Method]
  /// The call is refused over a connection in clear text (LOC-31).
  let needsEncryption: Bool
  let counter = CallCounter()

  init(_ name: String, _ server: ServerMethod?, _ methods: [Method]) {
    self.name = name
    bytes = Array(name.utf8)
    self.server = server
    self.methods = methods
    needsEncryption = server?.needsEncryption == true || methods.contains(where: \.needsEncryption)
  }

  subscript(kind: RoomKindName) -> Method? { methods.first { $0.room == kind } }
  var kinds: [RoomKindName] { methods.map(\.room) }
  /// The call need not name a room: there is only the caller's own.
  var isOfPersonOnly: Bool { only?.room == .me }

  /// The one method of this name; `nil` if rooms of several kinds have one.
  var only: Method? { methods.count == 1 ? methods[0] : nil }
}
