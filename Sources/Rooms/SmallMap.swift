public import JSON

/// A map inside a record, a JSON object with few entries, most often one. Use a `Table` for more.
///
/// Households hold hundreds of these, and a dictionary of one entry takes three times the entry's memory. A lookup
/// compares the keys one after the other.
public struct SmallMap<Key: MapKey, Value: Field>: Sendable, ExpressibleByDictionaryLiteral {
  @usableFromInline struct Entry: Equatable, Sendable {
    @usableFromInline var key: Key
    @usableFromInline var value: Value
    @inlinable init(_ key: Key, _ value: Value) {
      self.key = key
      self.value = value
    }
  }

  @usableFromInline var entries: [Entry] = []

  @inlinable public init() {}

  /// Builds a map; of several entries with one key the last counts.
  @inlinable public init(_ entries: some Sequence<(Key, Value)>) {
    for (key, value) in entries { self[key] = value }
  }

  @inlinable public init(dictionaryLiteral entries: (Key, Value)...) { self.init(entries) }

  @inlinable public var count: Int { entries.count }
  @inlinable public var isEmpty: Bool { entries.isEmpty }
  @inlinable public var keys: some Collection<Key> { entries.lazy.map { $0.key } }
  @inlinable public var values: some Collection<Value> { entries.lazy.map { $0.value } }
  @inlinable public func contains(_ key: Key) -> Bool { index(of: key) != nil }

  @inlinable func index(of key: Key) -> Int? {
    let entries = entries.span
    for index in entries.indices where entries[index].key == key { return index }
    return nil
  }

  @inlinable public subscript(key: Key) -> Value? {
    get { index(of: key).map { entries[$0].value } }
    set {
      switch (newValue, index(of: key)) {
      case (let value?, let index?): entries[index].value = value
      case (let value?, nil): entries.append(Entry(key, value))
      case (nil, let index?): entries.remove(at: index)
      case (nil, nil): break
      }
    }
  }
}

extension SmallMap: Sequence {
  @inlinable public func makeIterator() -> some IteratorProtocol<(key: Key, value: Value)> {
    entries.lazy.map { (key: $0.key, value: $0.value) }.makeIterator()
  }
}

extension SmallMap: Equatable {
  /// Compares maps whatever the order of their entries.
  @inlinable public static func == (left: Self, right: Self) -> Bool {
    guard left.count == right.count else { return false }
    // Spans borrow the entries; arrays would copy them.
    let (lefts, rights) = (left.entries.span, right.entries.span)
    for index in lefts.indices {
      var there = index
      if rights[index].key != lefts[index].key {
        guard let other = right.index(of: lefts[index].key) else { return false }
        there = other
      }
      if lefts[index].value != rights[there].value { return false }
    }
    return true
  }
}

/// Absent on the wire if empty. Removal is key by key, so that patches compose.
extension SmallMap: Field {
  @inlinable public static func read(_ view: View?, _ problems: Problems) -> Self? {
    guard let view else { return Self() }
    guard view.kind == .object else {
      problems.note("must be an object")
      return nil
    }
    var map = Self()
    let before = problems.count
    view.forEachMember { name, member in
      let start = problems.count
      if let key = Key(key: name) {
        map[key] = Value.read(member, problems)
      } else {
        problems.note("is not a key that may stand here")
      }
      if problems.count > start { problems.nest(name.string ?? "", since: start) }
    }
    return problems.count == before ? map : nil
  }
  @inlinable public func write(to writer: Writer) {
    writer.openObject()
    for (key, value) in self {
      key.writeKey(to: writer)
      value.write(to: writer)
    }
    writer.closeObject()
  }
  @inlinable public func writeChange(from old: Self, to writer: Writer) {
    writer.openObject()
    let (news, olds) = (entries.span, old.entries.span)
    for index in news.indices {
      if let there = old.index(of: news[index].key) {
        if olds[there].value != news[index].value {
          news[index].key.writeKey(to: writer)
          news[index].value.writeChange(from: olds[there].value, to: writer)
        }
      } else {
        news[index].key.writeKey(to: writer)
        news[index].value.write(to: writer)
      }
    }
    for key in old.keys where index(of: key) == nil {
      key.writeKey(to: writer)
      writer.null()
    }
    writer.closeObject()
  }
  @inlinable public mutating func merge(_ view: View, _ problems: Problems) {
    view.forEachMember { name, member in
      guard let key = Key(key: name) else { return problems.note("bad key") }
      if member.isNull {
        self[key] = nil
      } else if self[key] != nil {
        self[key]?.merge(member, problems)
      } else if let value = Value.read(member, problems) {
        self[key] = value
      }
    }
  }
  /// Removes key by key: `null` for the whole map could not be composed with a later change of it.
  @inlinable public func writeRemoval(of old: Self, to writer: Writer) { writeChange(from: old, to: writer) }
  @inlinable public var isAbsent: Bool { isEmpty }
  @inlinable public func fits(_ limit: ClosedRange<Int>) -> Bool { limit.contains(count) }
  public static func limitText(_ limit: ClosedRange<Int>) -> String {
    "must have \(limit.lowerBound) to \(limit.upperBound) members"
  }
}
