public import JSON

/// The patches that led to the present state, for clients that were away (SYN-2, SYN-9).
///
/// The newest stand singly; older ones are composed into segments, which cost less the more they overlap. A client
/// inside a segment takes the whole of it: re-applying an overlap is harmless (DESIGN §1).
public struct Ring: Sendable {
  /// Patches that stand singly.
  public static let singles = 64
  /// Changes per segment of the middle, and of the oldest part.
  public static let middle = 64
  public static let oldest = 512
  /// Encoded bytes kept in all; beyond them the oldest go.
  public static let byteLimit = 256 * 1024

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

  public mutating func append(_ entry: Entry) {
    entries.append(entry)
    byteCount += entry.patch.count
    if entries.count > Self.singles + Self.middle { fold() }
    while byteCount > Self.byteLimit, entries.count > 1 { byteCount -= entries.removeFirst().patch.count }
  }

  /// One patch that leads from `version`, or from a little before it, to the present; `nil` when the ring does not
  /// reach back that far, or the way cannot be composed. An empty object where nothing was missed.
  public func patch(since version: Int64) -> (from: Int64, patch: [UInt8])? {
    guard let start = entries.firstIndex(where: { $0.version > version }) else { return (version, Array("{}".utf8)) }
    guard entries[start].from <= version else { return nil }
    if start == entries.count - 1 { return (entries[start].from, entries[start].patch) }
    guard let patch = Self.compose(entries[start...]) else { return nil }
    return (entries[start].from, patch)
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
    guard let patch = Self.compose(entries[range]) else {
      // No client can be led across this range, so what lies before it is of no use; and it would be tried for ever.
      byteCount -= entries[..<range.upperBound].reduce(0) { $0 + $1.patch.count }
      entries.removeSubrange(..<range.upperBound)
      return
    }
    let from = entries[range.lowerBound].from
    let version = entries[range.upperBound - 1].version
    byteCount += patch.count - entries[range].reduce(0) { $0 + $1.patch.count }
    entries.replaceSubrange(range, with: [Entry(from: from, version: version, patch: patch)])
  }

  private static func compose(_ entries: ArraySlice<Entry>) -> [UInt8]? {
    let tape = Tape(nodeLimit: 1_000_000, byteLimit: 16 << 20)
    // The views of a patch read from it.
    defer { withExtendedLifetime(tape) {} }
    var sum = JSON.object([:])
    for entry in entries {
      guard let patch = try? tape.parse(entry.patch.span), MergePatch.add(JSON(patch), to: &sum) else { return nil }
    }
    let writer = Writer(capacity: 1024)
    sum.write(to: writer)
    return writer.bytes()
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
