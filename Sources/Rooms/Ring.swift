public import JSON

/// The newest patches of a room, for clients that were away (SYN-2, SYN-9).
///
/// They stand as they were made, one behind the other: each is composed with others only when somebody asks, which is
/// seldom, while one is added with every commit. What is older than memory has room for leaves as a segment, for the
/// store.
public struct Ring: Sendable {
  /// Encoded bytes kept in memory, but for a single patch that is longer.
  public static let byteLimit = 24 * 1024
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
    /// The patch, a JSON object.
    public var patch: [UInt8]

    @inlinable public init(from: Int64, version: Int64, patch: [UInt8]) {
      self.from = from
      self.version = version
      self.patch = patch
    }

    /// This patch and then another, which begins where this ends, or before; `nil` if no merge patch does that.
    public func followed(by other: Entry) -> Entry? {
      var composer = Composer(from)
      guard composer.add(self), composer.add(other) else { return nil }
      return composer.entry
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
  /// The version that the newest patch leads to.
  public var version: Int64? { places.last?.version }

  private func start(_ index: Int) -> Int { index == 0 ? 0 : places[index - 1].end }
  private func patch(_ index: Int) -> ArraySlice<UInt8> { bytes[start(index)..<places[index].end] }

  /// Adds the newest patch. Answers what leaves memory for it.
  public mutating func append(from: Int64, version: Int64, _ patch: Span<UInt8>) -> RingSegment.Patches? {
    for index in patch.indices { bytes.append(patch[index]) }
    places.append(Place(from: from, version: version, end: bytes.count))
    guard bytes.count > Self.byteLimit || places.count > Self.countLimit, places.count > 1 else { return nil }
    var count = 0
    // Half at once, so that segments are few.
    while count < places.count - 1,
      bytes.count - start(count) > Self.byteLimit / 2 || places.count - count > Self.countLimit / 2
    {
      count += 1
    }
    return removeFirst(count)
  }

  private mutating func removeFirst(_ count: Int) -> RingSegment.Patches? {
    guard count > 0 else { return nil }
    let end = places[count - 1].end
    let writer = Writer(capacity: end + count + 2)
    writer.openArray()
    for index in 0..<count { writer.value(patch(index).span) }
    writer.closeArray()
    let patches = RingSegment.Patches(
      from: places[0].from, version: places[count - 1].version, list: writer.bytes())
    places.removeFirst(count)
    bytes.removeFirst(end)
    for index in places.indices { places[index].end -= end }
    return patches
  }

  /// One patch that leads from `version`, or from a little before it, to the newest; `nil` when the ring does not reach
  /// back that far, or the way cannot be composed. `older` is what the store has of the way.
  public func patch(since version: Int64, behind older: Entry? = nil) -> Entry? {
    var composer: Composer?
    var begin = version
    if let older, let reach, reach > version {
      guard older.from <= version else { return nil }
      composer = Composer(older.from)
      guard composer?.add(older) == true else { return nil }
      begin = older.version
    }
    guard let first = places.firstIndex(where: { $0.version > begin }) else { return older }
    guard places[first].from <= begin else { return nil }
    if composer == nil, first == places.count - 1 {
      return Entry(from: places[first].from, version: places[first].version, patch: Array(patch(first)))
    }
    var all = composer ?? Composer(places[first].from)
    for index in first..<places.count {
      let place = places[index]
      guard all.add(from: place.from, version: place.version, patch(index).span) else { return nil }
    }
    return all.entry
  }

  /// Composes patches that follow one another, oldest first, and may overlap, into one.
  public struct Composer {
    private let from: Int64
    private var version: Int64
    private var sum = JSON.object([:])
    private let tape = Tape(nodeLimit: 1_000_000, byteLimit: 16 << 20)

    /// The patches lead on from `version`.
    public init(_ version: Int64) {
      from = version
      self.version = version
    }

    /// Adds a patch that begins where the last ended, or before; `false` if it does not, or no merge patch does what
    /// they do one after the other.
    public mutating func add(_ entry: Entry) -> Bool {
      add(from: entry.from, version: entry.version, entry.patch.span)
    }

    fileprivate mutating func add(from: Int64, version: Int64, _ patch: Span<UInt8>) -> Bool {
      add(from, version, patch) { sum, view in MergePatch.add(JSON(view), to: &sum) }
    }

    /// Adds patches that have left a room's memory.
    public mutating func add(_ patches: RingSegment.Patches) -> Bool {
      add(patches.from, patches.version, patches.list.span) { sum, list in
        var isComposed = list.kind == .array
        list.forEachItem { isComposed = isComposed && MergePatch.add(JSON($0), to: &sum) }
        return isComposed
      }
    }

    private mutating func add(
      _ from: Int64, _ version: Int64, _ text: Span<UInt8>, _ add: (inout JSON, View) -> Bool
    ) -> Bool {
      // The view reads from the tape.
      defer { withExtendedLifetime(tape) {} }
      guard from <= self.version, let view = try? tape.parse(text), add(&sum, view) else { return false }
      self.version = max(version, self.version)
      return true
    }

    public var entry: Entry {
      let writer = Writer(capacity: 1024)
      sum.write(to: writer)
      return Entry(from: from, version: version, patch: writer.bytes())
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
    rows.forEachItem { row in
      var items: [View] = []
      row.forEachItem { items.append($0) }
      guard items.count == 3, let from = items[0].int, let version = items[1].int else { return }
      items[2].withBytes { patch in
        for index in patch.indices { bytes.append(patch[index]) }
      }
      places.append(Place(from: Int64(from), version: Int64(version), end: bytes.count))
    }
  }
}

/// Patches that have left a room's memory, for the store.
public struct RingSegment: Sendable, Equatable {
  /// Patches that lead from one version to another, not composed yet.
  public struct Patches: Sendable, Equatable {
    public var from: Int64
    public var version: Int64
    /// A JSON array of the patches, oldest first.
    public var list: [UInt8]

    public init(from: Int64, version: Int64, list: [UInt8]) {
      self.from = from
      self.version = version
      self.list = list
    }
  }

  public var patches: Patches
  /// When they left; the changes are older.
  public var at: Instant

  public init(_ patches: Patches, at: Instant) {
    self.patches = patches
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
