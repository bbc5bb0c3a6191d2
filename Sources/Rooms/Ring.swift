public import JSON

/// The newest patches of a room, for clients that were away (SYN-2, SYN-9).
///
/// They stand as they were made, one behind the other, and are composed when somebody asks, which is seldom, while one
/// is added with every commit. What is older than memory has room for leaves as a segment for the store.
public struct Ring: Sendable {
  /// Encoded bytes kept in memory, but for a single patch that is longer: some forty changes, for whoever was away for
  /// a moment. Every household that somebody watches holds as much, and the store has what is older.
  public static let byteLimit = 8 * 1024
  /// Memory for patches grows by so many bytes: an array by itself would double it, and every room has a ring.
  private static let growth = 1024
  /// Patches kept in memory, however short.
  public static let countLimit = 512
  /// A room's segments in the store reach back over at least so many changes, and so long if `storedBytes` suffice.
  public static let storedChanges: Int64 = 1024
  public static let storedTime = Duration.seconds(24 * 3600)
  public static let storedBytes = 8 << 20

  /// One merge patch, and between which versions it leads.
  public struct Entry: Sendable, Equatable {
    public var from: Int64
    public var version: Int64
    /// The patch, a JSON object; in a segment also an array of patches, one to be applied behind the other.
    public var patch: [UInt8]

    @inlinable public init(from: Int64, version: Int64, patch: [UInt8]) {
      self.from = from
      self.version = version
      self.patch = patch
    }
  }

  /// Where a patch stands: it ends before `end`, and begins where the one before it ends.
  private struct Place {
    var from: Int64
    var version: Int64
    var end: Int
  }

  private var places: [Place] = []
  private var bytes: [UInt8] = []

  public init() {}

  /// The version that the oldest patch starts from; `nil` when there is none.
  public var reach: Int64? { places.first?.from }
  public var count: Int { places.count }
  /// Bytes of memory held for patches, whether used or not.
  var capacity: Int { bytes.capacity }
  /// The version that the newest patch leads to.
  public var version: Int64? { places.last?.version }

  private func start(_ index: Int) -> Int { index == 0 ? 0 : places[index - 1].end }
  private func patch(_ index: Int) -> ArraySlice<UInt8> { bytes[start(index)..<places[index].end] }

  /// Adds the newest patch. Answers what leaves memory for it: the oldest patches, as one segment for the store.
  public mutating func append(from: Int64, version: Int64, _ patch: Span<UInt8>) -> Entry? {
    let count = countLeaving(for: patch.count)
    let old = list(0..<count)
    add(from: from, version: version, patch, inPlaceOf: count)
    return old
  }

  /// Adds a patch from the log: what leaves memory for it went to the store when it was new.
  mutating func replay(from: Int64, version: Int64, _ patch: Span<UInt8>) {
    add(from: from, version: version, patch, inPlaceOf: countLeaving(for: patch.count))
  }

  private mutating func add(from: Int64, version: Int64, _ patch: Span<UInt8>, inPlaceOf count: Int) {
    if count > 0 { removeFirst(count) }
    let size = bytes.count + patch.count
    if size > bytes.capacity { bytes.reserveCapacity((size + Self.growth - 1) / Self.growth * Self.growth) }
    bytes.append(contentsOf: patch)
    places.append(Place(from: from, version: version, end: bytes.count))
  }

  /// How many of the oldest patches have to leave for one of so many bytes: half at once, so that segments are few.
  private func countLeaving(for size: Int) -> Int {
    guard bytes.count + size > Self.byteLimit || places.count == Self.countLimit else { return 0 }
    var count = 0
    while count < places.count,
      bytes.count - start(count) + size > Self.byteLimit / 2 || places.count - count >= Self.countLimit / 2
    {
      count += 1
    }
    return count
  }

  /// Patches behind one another, uncomposed: few are ever asked for.
  private func list(_ range: Range<Int>) -> Entry? {
    guard let first = range.first, let last = range.last else { return nil }
    if first == last {
      return Entry(from: places[first].from, version: places[first].version, patch: Array(patch(first)))
    }
    let writer = Writer(capacity: places[last].end - start(first) + range.count + 2)
    writer.openArray()
    for index in range { writer.value(patch(index).span) }
    writer.closeArray()
    return Entry(from: places[first].from, version: places[last].version, patch: writer.bytes())
  }

  private mutating func removeFirst(_ count: Int) {
    let end = start(count)
    places.removeFirst(count)
    bytes.removeFirst(end)
    for index in places.indices { places[index].end -= end }
  }

  private func compose(_ range: Range<Int>, behind older: Entry? = nil) -> Entry? {
    var composer = Composer()
    if let older { composer.add(older) }
    for index in range {
      composer.add(from: places[index].from, version: places[index].version, patch(index).span)
    }
    return composer.entry
  }

  /// One patch that leads from `version`, or from a little before it, to the newest; `nil` when the ring does not reach
  /// back that far, or the way cannot be composed. `older` is what the store has of the way.
  public func patch(since version: Int64, behind older: Entry? = nil) -> Entry? {
    guard let older, let reach, reach > version else {
      guard let first = places.firstIndex(where: { $0.version > version }), places[first].from <= version
      else { return nil }
      return compose(first..<places.count)
    }
    guard older.from <= version else { return nil }
    let first = places.firstIndex { $0.version > older.version } ?? places.count
    return compose(first..<places.count, behind: older)
  }

  /// Composes patches that follow one another, oldest first, and may overlap, into one.
  public struct Composer {
    private var from: Int64?
    private var version: Int64 = 0
    private var hasGap = false
    /// The patches, as a JSON array.
    private let list = Writer(capacity: 1024)

    public init() { list.openArray() }

    /// Adds a patch, or a segment, that begins where the last ended, or before.
    public mutating func add(_ entry: Entry) {
      add(from: entry.from, version: entry.version, entry.patch.span)
    }

    public mutating func add(from: Int64, version: Int64, _ patch: Span<UInt8>) {
      if self.from == nil { self.from = from } else if from > self.version { hasGap = true }
      self.version = max(version, self.version)
      list.value(patch)
    }

    /// All of them as one; `nil` if there are none, there is a gap, or no merge patch does what they do one after the
    /// other.
    public var entry: Entry? {
      guard let from, !hasGap else { return nil }
      let mark = list.mark
      list.closeArray()
      defer { list.rollback(to: mark) }
      let tape = Tape(nodeLimit: 2_000_000, byteLimit: 32 << 20)
      let sum = Writer(capacity: 1024)
      guard let patches = list.withSpan({ try? tape.parse($0) }) else { return nil }
      return withExtendedLifetime(tape) {
        var views: [View] = []
        patches.forEachItem { item in
          if item.kind == .array { item.forEachItem { views.append($0) } } else { views.append(item) }
        }
        guard MergePatch.compose(views, to: sum) else { return nil }
        return Entry(from: from, version: version, patch: sum.bytes())
      }
    }
  }

  // MARK: snapshot

  /// Writes the ring as a JSON array of `[from, version, patch]`.
  public func encoded() -> [UInt8] {
    let writer = Writer(capacity: bytes.count + 48 * places.count + 16)
    writer.openArray()
    for index in places.indices {
      writer.openArray()
      writer.int(Int(places[index].from))
      writer.int(Int(places[index].version))
      writer.value(patch(index).span)
      writer.closeArray()
    }
    writer.closeArray()
    return writer.bytes()
  }

  /// Reads what `encoded` wrote; an unreadable ring is an empty one, which only costs resuming clients the whole state.
  public init(_ rows: View) {
    var patches: [View] = []
    var size = 0
    rows.forEachItem { row in
      var items: [View] = []
      row.forEachItem { items.append($0) }
      guard items.count == 3, let from = items[0].int, let version = items[1].int else { return }
      size += items[2].withBytes { $0.count }
      places.append(Place(from: Int64(from), version: Int64(version), end: size))
      patches.append(items[2])
    }
    // Rooms are many, and what an array grows by is half of it.
    bytes.reserveCapacity(size)
    for patch in patches { patch.withBytes { bytes.append(contentsOf: $0) } }
  }
}

/// Patches that have left a room's memory, for the store.
public struct RingSegment: Sendable, Equatable {
  public var entry: Ring.Entry
  /// When it left; the changes are older.
  public var at: Instant

  public init(_ entry: Ring.Entry, at: Instant) {
    self.entry = entry
    self.at = at
  }
}

extension Room {
  /// One patch from `version`, or a little before it, to the sealed version; `nil` when that is not in memory and in
  /// `older`, which is what the store has.
  public func missed(since version: Int64, behind older: Ring.Entry? = nil) -> Ring.Entry? {
    guard version < sealedVersion else { return Ring.Entry(from: version, version: version, patch: Array("{}".utf8)) }
    guard ring.version == sealedVersion else { return nil }
    return ring.patch(since: version, behind: older)
  }

  /// Whether the way from `version` begins before what is in memory.
  public func isBeyondRing(_ version: Int64) -> Bool {
    version < sealedVersion && ring.reach ?? sealedVersion > version
  }
}
