internal import JSON

/// Changes of a room, one behind the other, as the store keeps them for clients that were away for long (SYN-9).
public struct Segment: Sendable, Equatable {
  /// A room's segments reach back over at least so many changes, and over so long if `keptBytes` suffice.
  public static let keptChanges: Int64 = 1024
  public static let keptTime = Duration.seconds(24 * 3600)
  public static let keptBytes = 8 << 20

  /// The versions that they lead between.
  public var from: Int64
  public var version: Int64
  /// When they were handed over; they are older.
  public var at: Instant
  /// A JSON array of `[from, version, patch]`. In place of one patch there may be an array of them, to be applied one
  /// behind the other: so did releases that did not keep the versions between.
  public var body: [UInt8]

  public init(from: Int64, version: Int64, at: Instant, body: [UInt8]) {
    self.from = from
    self.version = version
    self.at = at
    self.body = body
  }

  /// Writes one patch as it stands in a segment.
  static func write(from: Int64, version: Int64, _ patch: Span<UInt8>, to body: Writer) {
    body.openArray()
    body.int(Int(from))
    body.int(Int(version))
    body.value(patch)
    body.closeArray()
  }
}
