internal import JSON

/// Consecutive changes of a room, as the store keeps them for clients that resume after a long absence (SYN-9).
public struct Segment: Sendable, Equatable {
  /// The least changes that a room's segments reach back over. They also cover a least time if `keptBytes` suffice.
  public static let keptChanges: Int64 = 1024
  public static let keptTime = Duration.seconds(24 * 3600)
  public static let keptBytes = 8 << 20

  /// The versions between which the segment leads.
  public var from: Int64
  public var version: Int64
  /// The time at which the segment was handed over; its changes are older.
  public var at: Instant
  /// A JSON array of `[from, version, patch]`. In place of one patch there may be an array, to be applied in order:
  /// older releases did not keep the versions in between.
  public var body: [UInt8]

  public init(from: Int64, version: Int64, at: Instant, body: [UInt8]) {
    self.from = from
    self.version = version
    self.at = at
    self.body = body
  }

  /// Writes one patch in the form of a segment's item.
  static func write(from: Int64, version: Int64, _ patch: Span<UInt8>, to body: Writer) {
    body.openArray()
    body.int(Int(from))
    body.int(Int(version))
    body.value(patch)
    body.closeArray()
  }
}
