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

  init(_ kinds: [RoomKind] = HomeRooms.kinds) {
    var entries = ServerMethod.all.mapValues { MethodEntry($0) }
    for kind in kinds {
      self.kinds[kind.name] = kind
      for method in kind.methods {
        let entry = entries[method.name] ?? MethodEntry(nil)
        entries[method.name] = entry
        entry.add(method)
      }
    }
    var capacity = 64
    while capacity < 4 * entries.count { capacity *= 2 }
    slots = Array(repeating: nil, count: capacity)
    for (name, entry) in entries {
      entry.name = name
      var slot = Self.slot(of: Array(name.utf8).span, capacity)
      while slots[slot] != nil { slot = (slot + 1) % capacity }
      slots[slot] = entry
    }
  }

  private static func slot(of name: Span<UInt8>, _ capacity: Int) -> Int {
    Int(truncatingIfNeeded: name.digest()) & (capacity - 1)
  }

  /// What is called `name`; `nil` if there is no such name.
  subscript(name: Span<UInt8>) -> MethodEntry? {
    var slot = Self.slot(of: name, slots.count)
    while let entry = slots[slot] {
      if entry.bytes.span.equals(name) { return entry }
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

  func makeRoom(_ id: RoomID) -> Room {
    guard let kind = kinds[RoomKindName(id)] else { preconditionFailure("every kind of room is in HomeRooms.kinds") }
    return kind.make(id)
  }

  /// Whether a message makes its room.
  func opens(_ room: RoomID, message: String) -> Bool {
    kinds[RoomKindName(room)]?.openingMessages.contains(message) ?? false
  }
}

/// All that goes by one name: what the server itself answers, or one method for each kind of room that has it.
final class MethodEntry {
  fileprivate(set) var name = "" {
    didSet { bytes = Array(name.utf8) }
  }
  fileprivate private(set) var bytes: [UInt8] = []
  let server: ServerMethod?
  private(set) var methods: [Method] = []
  let counter = CallCounter()

  init(_ server: ServerMethod?) { self.server = server }

  func add(_ method: Method) { methods.append(method) }

  subscript(kind: RoomKindName) -> Method? { methods.first { $0.room == kind } }
  var kinds: [RoomKindName] { methods.map(\.room) }
  /// The call need not name a room: there is only the caller's own.
  var isOfPersonOnly: Bool { methods.count == 1 && methods[0].room == .me }
}
