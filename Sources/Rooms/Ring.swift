internal import JSON

/// The newest patches of a room, for clients that resume after a short absence (SYN-2, SYN-9).
///
/// Patches are stored as sealed and composed only when a client resumes: every commit adds one, but clients seldom
/// resume. The store has older patches: evicted ones go there as a segment, all others with a snapshot. So a loaded
/// room holds only the changes since its snapshot.
public struct Ring: Sendable {
  /// Bytes of encoded patches in memory, about forty changes, unless a single patch is longer. Every watched household
  /// holds as much.
  public static let byteLimit = 8 * 1024
  /// Bytes by which the memory for patches grows: an array by itself would double it, and every room has a ring.
  private static let growth = 1024
  /// The most patches in memory, however short they are.
  public static let countLimit = 512

  /// One merge patch, and the two versions between which it leads.
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

  /// The place of a patch: it ends before `end`, and begins where the previous one ends.
  private struct Place {
    var from: Int64
    var version: Int64
    var end: Int
  }

  private var places: [Place] = []
  private var bytes: [UInt8] = []
  /// The version up to which the store has the patches, too.
  private var storedVersion: Int64

  public init(storedVersion: Int64 = 0) { self.storedVersion = storedVersion }

  /// The version that the oldest patch starts from; `nil` if there is none.
  public var reach: Int64? { places.first?.from }
  public var count: Int { places.count }
  /// Bytes of all patches.
  public var byteCount: Int { bytes.count }
  /// Bytes of memory allocated for patches.
  var capacity: Int { bytes.capacity }
  /// The version that the newest patch leads to.
  public var version: Int64? { places.last?.version }

  private func start(_ index: Int) -> Int { index == 0 ? 0 : places[index - 1].end }
  private func patch(_ index: Int) -> ArraySlice<UInt8> { bytes[start(index)..<places[index].end] }

  /// Adds the newest patch. Returns the evicted patches that the store does not have yet.
  public mutating func append(from: Int64, version: Int64, at now: Instant, _ patch: Span<UInt8>) -> Segment? {
    let count = countLeaving(for: patch.count)
    let old = unstored(of: count, at: now)
    if count > 0 { removeFirst(count) }
    let size = bytes.count + patch.count
    if size > bytes.capacity { bytes.reserveCapacity((size + Self.growth - 1) / Self.growth * Self.growth) }
    bytes.append(contentsOf: patch)
    places.append(Place(from: from, version: version, end: bytes.count))
    return old
  }

  /// All patches that the store does not have yet, as one segment. They stay in memory.
  public func unstored(at now: Instant) -> Segment? { unstored(of: places.count, at: now) }

  /// Notes that the store has the patches up to a version.
  public mutating func noteStored(to version: Int64) { storedVersion = max(storedVersion, version) }

  /// The patches among the first `count` that the store does not have yet.
  private func unstored(of count: Int, at now: Instant) -> Segment? {
    guard let first = places[..<count].firstIndex(where: { $0.version > storedVersion }) else { return nil }
    let body = Writer(capacity: places[count - 1].end - start(first) + 48 * (count - first) + 2)
    body.openArray()
    for index in first..<count {
      Segment.write(from: places[index].from, version: places[index].version, patch(index).span, to: body)
    }
    body.closeArray()
    return Segment(from: places[first].from, version: places[count - 1].version, at: now, body: body.bytes())
  }

  /// How many of the oldest patches to evict for a new one of `size` bytes: half at once, so that segments are few.
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

  private mutating func removeFirst(_ count: Int) {
    let end = start(count)
    places.removeFirst(count)
    bytes.removeFirst(end)
    for index in places.indices { places[index].end -= end }
  }

  /// One patch that leads from `version` to the newest. `nil` if the patches do not reach back that far, or cannot be
  /// composed. `older` holds the patches from the store.
  public func patch(since version: Int64, behind older: Entry? = nil) -> Entry? {
    var composer = Composer(since: version)
    if let older, reach.map({ $0 > version }) ?? true { composer.add(older) }
    for index in places.indices where places[index].version > composer.version {
      composer.add(from: places[index].from, version: places[index].version, patch(index).span)
    }
    return composer.entry
  }
}

extension Room {
  /// One patch from `version`, or a little before it, to the sealed version. `nil` if the patches in memory and
  /// `older`, from the store, do not lead there.
  public func missed(since version: Int64, behind older: Ring.Entry? = nil) -> Ring.Entry? {
    guard version < sealedVersion else { return Ring.Entry(from: version, version: version, patch: Array("{}".utf8)) }
    let missed = ring.patch(since: version, behind: older)
    return missed?.version == sealedVersion ? missed : nil
  }

  /// Whether the patches since `version` begin before those in memory.
  public func isBeyondRing(_ version: Int64) -> Bool {
    version < sealedVersion && ring.reach ?? sealedVersion > version
  }
}
