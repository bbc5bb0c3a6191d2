public import JSON

/// The address of a room.
///
/// On the wire `me` and `household/ID/mine` always mean the caller's own room, so no caller can name another person's.
/// Inside the server the person is part of the address.
public enum RoomID: Hashable, Sendable {
  /// A person's own room, `me`.
  case person(ID<Person>)
  case household(ID<Household>)
  /// A member's private corner of a household, `household/ID/mine`.
  case corner(ID<Household>, ID<Person>)
  case share(ID<Share>)

  public func _rawHashValue(seed: Int) -> Int {
    switch self {
    case .person(let id): id._rawHashValue(seed: seed)
    case .household(let id): id._rawHashValue(seed: seed)
    case .corner(let id, let person): person._rawHashValue(seed: id._rawHashValue(seed: seed))
    case .share(let id): id._rawHashValue(seed: seed)
    }
  }

  /// The room's key in a store: a byte for the kind, then one or two ids.
  public var storageKey: [UInt8] {
    switch self {
    case .person(let person): [1] + person.bytes
    case .household(let household): [2] + household.bytes
    case .corner(let household, let person): [3] + household.bytes + person.bytes
    case .share(let share): [4] + share.bytes
    }
  }

  /// Reads `storageKey` back; `nil` for bytes that name no room.
  public init?(storageKey key: [UInt8]) {
    guard let kind = key.first else { return nil }
    switch (kind, key.count) {
    case (1, 17):
      guard let person = ID<Person>(bytes: key[1...]) else { return nil }
      self = .person(person)
    case (2, 17):
      guard let household = ID<Household>(bytes: key[1...]) else { return nil }
      self = .household(household)
    case (3, 33):
      guard let household = ID<Household>(bytes: key[1..<17]), let person = ID<Person>(bytes: key[17...])
      else { return nil }
      self = .corner(household, person)
    case (4, 17):
      guard let share = ID<Share>(bytes: key[1...]) else { return nil }
      self = .share(share)
    default: return nil
    }
  }

  /// Reads a room's name as `caller` writes it on the wire; `nil` for anything that is not such a name.
  public init?(name: String, caller: ID<Person>) { self.init(name: Array(name.utf8).span, caller: caller) }

  public init?(name: Span<UInt8>, caller: ID<Person>) {
    if name.count >= 46, name.extracting(first: 10).equals("household/"),
      let household = ID<Household>(text: name.extracting(10..<46))
    {
      if name.count == 46 {
        self = .household(household)
      } else if name.extracting(droppingFirst: 46).equals("/mine") {
        self = .corner(household, caller)
      } else {
        return nil
      }
    } else if name.count == 42, name.extracting(first: 6).equals("share/"),
      let share = ID<Share>(text: name.extracting(6..<42))
    {
      self = .share(share)
    } else if name.equals("me") {
      self = .person(caller)
    } else {
      return nil
    }
  }

  /// The room's name on the wire, the same for every person who may be in it.
  public var name: String {
    switch self {
    case .person: "me"
    case .household(let household): "household/\(household)"
    case .corner(let household, _): "household/\(household)/mine"
    case .share(let share): "share/\(share)"
    }
  }

  /// The full address in words: a key inside hidden tables, where `me` and `mine` would be ambiguous.
  public var text: String {
    switch self {
    case .person(let person): "person/\(person)"
    case .household(let household): "household/\(household)"
    case .corner(let household, let person): "household/\(household)/\(person)"
    case .share(let share): "share/\(share)"
    }
  }

  /// Reads `text` back; `nil` for anything that is not a full address.
  public init?(text: Span<UInt8>) {
    if text.count == 43, text.extracting(first: 7).equals("person/"),
      let person = ID<Person>(text: text.extracting(droppingFirst: 7))
    {
      self = .person(person)
    } else if text.count >= 46, text.extracting(first: 10).equals("household/"),
      let household = ID<Household>(text: text.extracting(10..<46))
    {
      if text.count == 46 {
        self = .household(household)
      } else if text[46] == UInt8(ascii: "/"), let person = ID<Person>(text: text.extracting(droppingFirst: 47)) {
        self = .corner(household, person)
      } else {
        return nil
      }
    } else if text.count == 42, text.extracting(first: 6).equals("share/"),
      let share = ID<Share>(text: text.extracting(droppingFirst: 6))
    {
      self = .share(share)
    } else {
      return nil
    }
  }
}

extension RoomID: MapKey {
  /// Orders rooms as `storageKey` does.
  public static func < (left: Self, right: Self) -> Bool { left.words < right.words }

  private var words: (kind: UInt64, UInt64, UInt64, UInt64, UInt64) {
    switch self {
    case .person(let id): (1, id.high, id.low, 0, 0)
    case .household(let id): (2, id.high, id.low, 0, 0)
    case .corner(let id, let person): (3, id.high, id.low, person.high, person.low)
    case .share(let id): (4, id.high, id.low, 0, 0)
    }
  }

  public init?(key: View) {
    guard let id = key.withBytes({ Self(text: $0) }) else { return nil }
    self = id
  }

  public func writeKey(to writer: Writer) { writer.key(text) }
}
