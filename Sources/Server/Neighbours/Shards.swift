public import Platform
import Rooms

/// The shards of a server, each on its own loop, and the way from one to another (DESIGN §4).
///
/// A room's shard follows from its id. Shards send each other values: rooms, sessions and streams stay where they are.
public final class Shards: Sendable {
  /// `@unchecked`: `shard` is set on its loop when that starts, and used only there.
  private final class Place: @unchecked Sendable {
    let poster: any Poster
    weak var shard: ShardReference?
    init(_ poster: any Poster) { self.poster = poster }
  }

  private let places: [Place]

  /// One shard for each loop that a poster leads to.
  public init(posters: [any Poster]) { places = posters.map { Place($0) } }

  public var count: Int { places.count }

  /// Runs `work` on a shard's loop, in the order of the calls from one thread; nothing happens once it is gone. For the
  /// program around the shards: they themselves send each other messages.
  public func run(on index: Int, _ work: @escaping @Sendable (Shard) -> Void) {
    let place = places[index]
    place.poster.post {
      if let reference = place.shard { work(reference.shard) }
    }
  }

  /// Sends a message to a shard, in the order of the calls from one thread.
  func send(_ message: ShardMessage, to index: Int) {
    let place = places[index]
    place.poster.post { place.shard?.shard.receive(message) }
  }

  /// Makes a shard known. Called on its loop.
  func settle(_ shard: Shard, at index: Int) { places[index].shard = shard.reference }

  /// The shard that runs a room.
  func home(of room: RoomID) -> Int {
    count > 1 ? Partitions.shard(of: Partition(of: room), count: count) : 0
  }

  /// The shard that runs the room with an id.
  func home<Of>(of id: ID<Of>) -> Int {
    count > 1 ? Partitions.shard(of: Partition(of: id), count: count) : 0
  }

  /// The partitions whose rooms a shard runs.
  func partitions(of index: Int) -> Partitions { Partitions(ofShard: index, of: count) }
}

/// A shard's stand-in where one must know whether it is still there. Whatever has been referred to weakly is retained
/// and released by a longer way from then on; a shard is retained several times a call.
final class ShardReference {
  unowned let shard: Shard
  init(_ shard: Shard) { self.shard = shard }
}

/// A connection, as other shards name it, in eight bytes: 16 bits of the shard, 48 of the number.
struct SessionKey: Hashable, Sendable {
  private let bits: UInt64

  init(shard: Int, number: UInt64) { bits = UInt64(shard) << 48 | number }

  var shard: Int { Int(bits >> 48) }
  var number: UInt64 { bits & (1 << 48 - 1) }
}
