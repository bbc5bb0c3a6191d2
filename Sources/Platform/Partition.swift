public import Rooms

/// One of the 1,024 parts into which the rooms of a server are divided by their addresses.
///
/// A shard runs the rooms of some partitions. The division is part of the store's format: a row that one release finds
/// by its partition must be found by the next one.
public struct Partition: Hashable, Sendable {
  public static let count = 1024

  /// 0 to 1,023.
  public let number: Int

  /// A member's corner is in the partition of its household, since clients watch both together.
  @inlinable public init(of room: RoomID) {
    switch room {
    case .person(let id): self.init(of: id)
    case .household(let id), .corner(let id, _): self.init(of: id)
    case .share(let id): self.init(of: id)
    }
  }

  @inlinable public init<Of>(of id: ID<Of>) {
    // Clients choose ids, and may choose consecutive numbers.
    let mixed = (id.high ^ id.low) &* 0x9E37_79B9_7F4A_7C15
    number = Int((mixed >> 32) % UInt64(Self.count))
  }
}

/// The partitions that one of several shards runs.
public struct Partitions: Hashable, Sendable {
  public let shard: Int
  public let shardCount: Int

  /// All partitions.
  public static let all = Partitions(ofShard: 0, of: 1)

  public init(ofShard shard: Int, of count: Int) {
    self.shard = shard
    shardCount = count
  }

  public func contains(_ partition: Partition) -> Bool { Self.shard(of: partition, count: shardCount) == shard }

  /// The shard that runs a partition.
  @inlinable public static func shard(of partition: Partition, count: Int) -> Int { partition.number % count }
}
