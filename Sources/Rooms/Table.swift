public import JSON

/// A part of a document that journals a mutation's changes, for rollback and for the patch.
///
/// The journal of old values serves both. Rollback goes back to the beginning of the running mutation. Sealing compares
/// the oldest value of each key with the present one and clears the journal.
public protocol Tracked: Sendable {
  /// Marks the beginning of a mutation.
  mutating func begin()
  /// Undoes everything since `begin`.
  mutating func rollBack()
  /// Writes the changes since the last seal as the member `name` of a merge patch, or nothing, and forgets them.
  mutating func seal(_ name: StaticString, to writer: Writer)
  /// Forgets the changes since the last seal.
  mutating func settle()
  /// Whether any change has been made since the last seal.
  var isTouched: Bool { get }
  /// Whether the running mutation has changed anything.
  var isTouchedByMutation: Bool { get }
  /// Writes the whole value as the member `name`; an empty one is left out.
  func writeState(_ name: StaticString, to writer: Writer)
  /// Applies a patch from the log.
  mutating func merge(_ patch: View, _ problems: Problems)
  /// Whether a row has this id.
  func names(_ id: ID<Thing>) -> Bool
  /// A JSON Schema of the whole value.
  static var schema: JSON { get }
}

extension Tracked {
  @inlinable public func names(_ id: ID<Thing>) -> Bool { false }
}

/// A row shared by table and journal. Copying a row with a dozen fields costs a dozen retains, and a growing table
/// moves its rows.
@usableFromInline final class SharedRow<Row: Record>: Sendable {
  @usableFromInline let row: Row
  @inlinable init(_ row: Row) { self.row = row }

  /// Writes the merge patch that turns `old` into this row.
  @inlinable func writeChange(from old: SharedRow, to writer: Writer) {
    writer.openObject()
    var diffing = RowDiffing(from: old, to: self, writer)
    Row.fields(&diffing)
    writer.closeObject()
  }
}

/// Rows by id: a JSON object of objects.
///
/// One array sorted by key: a household has hundreds of rows in all, and a dictionary takes twice the memory for each.
/// Ids grow with time (RFC 9562 §5.7), so most new rows come last.
public struct Table<Key: MapKey, Row: Record>: Tracked {
  @usableFromInline struct Entry: Sendable {
    @usableFromInline let key: Key
    @usableFromInline var row: SharedRow<Row>
    @inlinable init(key: Key, row: SharedRow<Row>) {
      self.key = key
      self.row = row
    }
  }

  /// A key and its row; no row means a removal.
  @usableFromInline struct Keyed: Sendable {
    @usableFromInline let key: Key
    @usableFromInline let row: SharedRow<Row>?
    @inlinable init(key: Key, row: SharedRow<Row>?) {
      self.key = key
      self.row = row
    }
  }

  @usableFromInline var entries: [Entry] = []
  @usableFromInline var journal: [Keyed] = []
  @usableFromInline var mark = 0

  @inlinable public init() {}

  @inlinable public var count: Int { entries.count }
  @inlinable public var isEmpty: Bool { entries.isEmpty }
  @inlinable public var keys: some Collection<Key> { entries.lazy.map { $0.key } }
  @inlinable public var values: some Collection<Row> { entries.lazy.map { $0.row.row } }
  @inlinable public func contains(_ key: Key) -> Bool { row(of: key) != nil }
  @inlinable @inline(__always) public func names(_ id: ID<Thing>) -> Bool {
    guard let key = Key.key(id), let last = entries.last, key <= last.key else { return false }
    return contains(key)
  }

  /// The keys of the rows that match, in order. No row is copied.
  @inlinable public func keys(where isWanted: (Row) -> Bool) -> [Key] {
    var keys: [Key] = []
    for entry in entries where isWanted(entry.row.row) { keys.append(entry.key) }
    return keys
  }

  /// The index of `key`, or the index at which to insert it.
  @inlinable func place(of key: Key) -> Int {
    // Rows of a loaded table arrive in this order.
    guard let last = entries.last, key <= last.key else { return entries.count }
    var (low, high) = (0, entries.count - 1)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].key < key { low = middle + 1 } else { high = middle }
    }
    return low
  }

  @inlinable func row(of key: Key) -> SharedRow<Row>? { row(of: key, at: place(of: key)) }

  @inlinable func row(of key: Key, at place: Int) -> SharedRow<Row>? {
    place < entries.count && entries[place].key == key ? entries[place].row : nil
  }

  /// Inserts, replaces or removes the row of a key; returns the old row.
  @inlinable @discardableResult
  mutating func replace(_ key: Key, by row: SharedRow<Row>?) -> SharedRow<Row>? {
    let place = place(of: key)
    let old = self.row(of: key, at: place)
    replace(key, by: row, at: place, isThere: old != nil)
    return old
  }

  /// Inserts, replaces or removes the row at a known index, which `isThere` says is taken or not.
  @inlinable mutating func replace(_ key: Key, by row: SharedRow<Row>?, at place: Int, isThere: Bool) {
    switch (row, isThere) {
    case (let row?, true): entries[place].row = row
    case (let row?, false): entries.insert(Entry(key: key, row: row), at: place)
    case (nil, true): entries.remove(at: place)
    case (nil, false): break
    }
  }

  @inlinable public subscript(key: Key) -> Row? {
    get { row(of: key)?.row }
    set { exchange(newValue, at: key) }
    _modify {
      var row = row(of: key)?.row
      // Also if the change throws: the journal then holds the old row, for rollback.
      defer { self[key] = row }
      yield &row
    }
  }

  /// Inserts, replaces or removes the row of a key; returns the old row.
  @inlinable @discardableResult public mutating func exchange(_ row: Row?, at key: Key) -> Row? {
    let old = replace(key, by: row.map { SharedRow($0) })
    journal.append(Keyed(key: key, row: old))
    return old?.row
  }

  /// Keeps at most `limit` rows; evicts those with the least value, then the least key.
  @inlinable public mutating func keep(_ limit: Int, by value: (Row) -> some Comparable) {
    while count > limit {
      let least = entries.min { (value($0.row.row), $0.key) < (value($1.row.row), $1.key) }
      if let least { self[least.key] = nil }
    }
  }

  /// Removes all rows for which `isOver` is true.
  @inlinable public mutating func removeAll(where isOver: (Key, Row) -> Bool) {
    let over = entries.filter { isOver($0.key, $0.row.row) }.map { Keyed(key: $0.key, row: $0.row) }
    if over.isEmpty { return }
    journal.append(contentsOf: over)
    replace(all: over.map { Keyed(key: $0.key, row: nil) })
  }

  @inlinable public var isTouched: Bool { !journal.isEmpty }
  @inlinable public var isTouchedByMutation: Bool { journal.count > mark }
  @inlinable public mutating func begin() { mark = journal.count }

  @inlinable public mutating func rollBack() {
    while journal.count > mark {
      let old = journal.removeLast()
      replace(old.key, by: old.row)
    }
  }

  @inlinable public mutating func seal(_ name: StaticString, to writer: Writer) {
    if journal.isEmpty { return }
    let start = writer.mark
    writer.key(name)
    writer.openObject()
    let empty = writer.count
    var seen = Set<Key>(minimumCapacity: journal.count <= 8 ? 0 : journal.count)
    for index in journal.indices {
      let key = journal[index].key
      // The first old value of a key is the one that clients have. A handful is compared, more are hashed.
      if journal.count <= 8 {
        if journal[..<index].contains(where: { $0.key == key }) { continue }
      } else if !seen.insert(key).inserted {
        continue
      }
      switch (journal[index].row, row(of: key)) {
      case (nil, nil): break
      case (nil, let new?):
        key.writeKey(to: writer)
        new.row.write(to: writer)
      case (.some, nil):
        key.writeKey(to: writer)
        writer.null()
      case (let old?, let new?):
        let before = writer.mark
        key.writeKey(to: writer)
        let nothing = writer.count + 2
        new.writeChange(from: old, to: writer)
        // Only braces: the row is as it was. Comparing the rows first would compare them twice.
        if writer.count == nothing { writer.rollback(to: before) }
      }
    }
    if writer.count == empty { writer.rollback(to: start) } else { writer.closeObject() }
    settle()
  }

  @inlinable public mutating func settle() {
    journal.removeAll(keepingCapacity: journal.capacity <= 16)
    mark = 0
  }

  @inlinable public func writeState(_ name: StaticString, to writer: Writer) {
    if entries.isEmpty { return }
    writer.key(name)
    writer.openObject()
    for entry in entries {
      entry.key.writeKey(to: writer)
      entry.row.row.write(to: writer)
    }
    writer.closeObject()
  }

  @inlinable public mutating func merge(_ patch: View, _ problems: Problems) {
    let count = patch.count
    let isOneByOne = count <= 8 && !entries.isEmpty
    var changes: [Keyed] = []
    if !isOneByOne { changes.reserveCapacity(count) }
    patch.forEachMember { name, change in
      guard let key = Key(key: name) else { return problems.note("bad key") }
      let place = place(of: key)
      let old = row(of: key, at: place)
      var new: SharedRow<Row>?
      if !change.isNull {
        // A new row is merged into an empty one, so that fields of a later release keep their defaults.
        var row = old?.row ?? Row()
        row.merge(change, problems)
        new = SharedRow(row)
      }
      if isOneByOne {
        replace(key, by: new, at: place, isThere: old != nil)
      } else {
        changes.append(Keyed(key: key, row: new))
      }
    }
    if !isOneByOne { replace(all: changes) }
  }

  /// Inserts, replaces and removes many rows in one pass.
  @inlinable mutating func replace(all changes: [Keyed]) {
    var changes = changes
    if zip(changes, changes.dropFirst()).contains(where: { $0.key >= $1.key }) { changes.sort { $0.key < $1.key } }
    // Reserves no more than needed: a household keeps most of the rows that it was loaded with.
    var merged: [Entry] = []
    merged.reserveCapacity(entries.count + changes.count)
    var next = 0
    for change in changes {
      while next < entries.count, entries[next].key < change.key {
        merged.append(entries[next])
        next += 1
      }
      if next < entries.count, entries[next].key == change.key { next += 1 }
      if merged.last?.key == change.key { merged.removeLast() }
      if let row = change.row { merged.append(Entry(key: change.key, row: row)) }
    }
    merged.append(contentsOf: entries[next...])
    entries = merged
  }
}

extension Table: Sequence {
  @inlinable public func makeIterator() -> some IteratorProtocol<(key: Key, value: Row)> {
    entries.lazy.map { (key: $0.key, value: $0.row.row) }.makeIterator()
  }
}

/// One record: a JSON object of fixed fields, such as a household's name and time zone.
public struct Single<Row: Record>: Tracked {
  @usableFromInline var row = Row()
  @usableFromInline var journal: [Row] = []
  @usableFromInline var mark = 0

  @inlinable public init() {}

  @inlinable public var value: Row {
    get { row }
    _modify {
      journal.append(row)
      yield &row
    }
  }

  @inlinable public var isTouched: Bool { !journal.isEmpty }
  @inlinable public var isTouchedByMutation: Bool { journal.count > mark }
  @inlinable public mutating func begin() { mark = journal.count }

  @inlinable public mutating func rollBack() {
    if journal.count > mark {
      row = journal[mark]
      journal.removeSubrange(mark...)
    }
  }

  @inlinable public mutating func seal(_ name: StaticString, to writer: Writer) {
    guard let old = journal.first else { return }
    if old != row {
      writer.key(name)
      // If the record was absent until now, clients have none of its fields, not even those at their defaults.
      if old == Row() { row.write(to: writer) } else { row.writeChange(from: old, to: writer) }
    }
    settle()
  }

  @inlinable public mutating func settle() {
    // A record that changes once changes often: a position, a count.
    journal.removeAll(keepingCapacity: journal.capacity <= 4)
    mark = 0
  }

  @inlinable public func writeState(_ name: StaticString, to writer: Writer) {
    if row == Row() { return }
    writer.key(name)
    row.write(to: writer)
  }

  @inlinable public mutating func merge(_ patch: View, _ problems: Problems) {
    if patch.isNull { row = Row() } else { row.merge(patch, problems) }
  }
}
