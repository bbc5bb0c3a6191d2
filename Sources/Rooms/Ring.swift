public import JSON

/// The patches that led to the present state, for clients that were away (SYN-2, SYN-9).
///
/// The newest stand singly; older ones are composed into segments, which cost less the more they overlap. A client
/// inside a segment takes the whole of it: re-applying an overlap is harmless (DESIGN §1). What is older than memory
/// has room for leaves as one more segment, for the store.
public struct Ring: Sendable {
  /// Patches that stand singly.
  public static let singles = 64
  /// Changes per segment of the middle, and of the oldest part.
  public static let middle = 64
  public static let oldest = 512
  /// Encoded bytes kept in memory, but for a single patch that is longer.
  public static let byteLimit = 24 * 1024
  /// A room's segments in the store reach back over at least so many changes, and so long if `storedBytes` suffice.
  public static let storedChanges: Int64 = 1024
  public static let storedTime = Duration.seconds(24 * 3600)
  public static let storedBytes = 8 << 20

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
  }

  private var entries: [Entry] = []
  private var byteCount = 0

  public init() {}

  /// The version that the oldest entry starts from; `nil` when there is none.
  public var reach: Int64? { entries.first?.from }
  public var count: Int { entries.count }
  /// The version that the newest entry leads to.
  public var version: Int64? { entries.last?.version }

  /// Adds the newest patch. Answers what leaves memory for it: the oldest patches as one, for the store.
  public mutating func append(_ entry: Entry) -> Entry? {
    entries.append(entry)
    byteCount += entry.patch.count
    if entries.count > Self.singles + Self.middle { fold() }
    guard byteCount > Self.byteLimit, entries.count > 1 else { return nil }
    var end = 0
    // Half at once, so that segments are few.
    while byteCount > Self.byteLimit / 2, end < entries.count - 1 {
      byteCount -= entries[end].patch.count
      end += 1
    }
    defer { entries.removeFirst(end) }
    // Across what cannot be composed nobody can be led: the store's segments end before it.
    return Self.join(entries[..<end])
  }

  /// One patch that leads from `version`, or from a little before it, to the newest entry; `nil` when the ring does
  /// not reach back that far, or the way cannot be composed. `older` is what the store has of the way.
  public func patch(since version: Int64, behind older: Entry? = nil) -> Entry? {
    if let older, let reach, reach > version {
      guard older.from <= version else { return nil }
      let start = entries.firstIndex { $0.version > older.version } ?? entries.count
      return start == entries.count ? older : Self.join([older] + entries[start...])
    }
    guard let start = entries.firstIndex(where: { $0.version > version }), entries[start].from <= version
    else { return nil }
    return Self.join(entries[start...])
  }

  /// Composes entries that follow one another, oldest first, and may overlap, into one; `nil` if there are none, there
  /// is a gap, or no merge patch does what they do one after the other.
  public static func join(_ entries: some Collection<Entry>) -> Entry? {
    guard let first = entries.first else { return nil }
    if entries.count == 1 { return first }
    var composer = Composer(first.from)
    for entry in entries {
      guard composer.add(entry) else { return nil }
    }
    return composer.entry
  }

  /// Composes patches one by one.
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

    /// Adds a patch that begins where the last ended, or before; `false` if it does not, or cannot be composed.
    public mutating func add(_ entry: Entry) -> Bool {
      // The view of a patch reads from the tape.
      defer { withExtendedLifetime(tape) {} }
      guard entry.from <= version, let patch = try? tape.parse(entry.patch.span), MergePatch.add(JSON(patch), to: &sum)
      else { return false }
      version = max(version, entry.version)
      return true
    }

    public var entry: Entry {
      let writer = Writer(capacity: 1024)
      sum.write(to: writer)
      return Entry(from: from, version: version, patch: writer.bytes())
    }
  }

  /// Composes the oldest singles into a segment, and segments of the middle into one of the oldest part.
  private mutating func fold() {
    let firstSingle = entries.count - Self.singles - Self.middle
    let run = entries.firstIndex { $0.version - $0.from < Int64(Self.middle) } ?? firstSingle
    let end = min(run + Self.middle, entries.count - Self.singles)
    // Commits of many changes each may fill the ring with what is as long as a segment already.
    if run < end { replace(run..<end) }
    let segments = entries.prefix { $0.version - $0.from >= Int64(Self.middle) }
    let young = segments.drop { $0.version - $0.from >= Int64(Self.oldest) }
    if young.count >= Self.oldest / Self.middle { replace(young.startIndex..<young.startIndex + young.count) }
  }

  private mutating func replace(_ range: Range<Int>) {
    guard range.count > 1 else { return }
    guard let segment = Self.join(entries[range]) else {
      // No client can be led across this range, so what lies before it is of no use; and it would be tried for ever.
      byteCount -= entries[..<range.upperBound].reduce(0) { $0 + $1.patch.count }
      entries.removeSubrange(..<range.upperBound)
      return
    }
    byteCount += segment.patch.count - entries[range].reduce(0) { $0 + $1.patch.count }
    entries.replaceSubrange(range, with: [segment])
  }

  // MARK: snapshot

  /// Writes the ring as a JSON array of `[from, version, patch]`.
  public func encoded() -> [UInt8] {
    let writer = Writer(capacity: byteCount + 64 * entries.count + 16)
    writer.openArray()
    for entry in entries {
      writer.openArray()
      writer.int(Int(entry.from))
      writer.int(Int(entry.version))
      writer.value(entry.patch)
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
      let patch = items[2].withBytes { span in
        var bytes: [UInt8] = []
        bytes.reserveCapacity(span.count)
        for index in span.indices { bytes.append(span[index]) }
        return bytes
      }
      entries.append(Entry(from: Int64(from), version: Int64(version), patch: patch))
      byteCount += patch.count
    }
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
