import Home
import Rooms

/// Every method of the domain by name and kind of room, and the kinds themselves.
struct MethodTable {
  private var methods: [String: [RoomKindName: Method]] = [:]
  private var kinds: [RoomKindName: RoomKind] = [:]

  init(_ kinds: [RoomKind] = HomeRooms.kinds) {
    for kind in kinds {
      self.kinds[kind.name] = kind
      for method in kind.methods { methods[method.name, default: [:]][kind.name] = method }
    }
  }

  /// The methods of one name, one for each kind of room that has it; `nil` if there is no such name.
  subscript(name: String) -> [RoomKindName: Method]? { methods[name] }

  var all: [Method] { methods.values.flatMap(\.values).sorted { $0.name < $1.name } }

  func makeRoom(_ id: RoomID) -> Room {
    guard let kind = kinds[RoomKindName(id)] else { preconditionFailure("every kind of room is in HomeRooms.kinds") }
    return kind.make(id)
  }

  /// Whether a message makes its room.
  func opens(_ room: RoomID, message: String) -> Bool {
    kinds[RoomKindName(room)]?.openingMessages.contains(message) ?? false
  }
}
