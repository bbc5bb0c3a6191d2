import Platform
import Rooms
import Testing

/// The division of rooms, which is part of the store's format: a number here never changes.
@Suite("Partitions")
struct PartitionTests {
  static let numbers: [(high: UInt64, low: UInt64, number: Int)] = [
    (0, 0, 0), (0, 1, 441), (0, 2, 882), (0x1111_0000_0000_8000, 1 << 63, 933),
    (0x0190_A1B2_C3D4_7E5F, 0x8123_4567_89AB_CDEF, 723), (.max, 0, 582), (.max >> 1, .max, 0),
  ]

  @Test("a room's partition follows from its id, as it always has", arguments: numbers)
  func pinned(high: UInt64, low: UInt64, number: Int) {
    #expect(Partition(of: .person(ID(high: high, low: low))).number == number)
    #expect(Partition(of: .household(ID(high: high, low: low))).number == number)
    #expect(Partition(of: .share(ID(high: high, low: low))).number == number)
    #expect(Partition(of: .corner(ID(high: high, low: low), ID(high: 5, low: 6))).number == number)
    #expect(Partition(of: ID<Person>(high: high, low: low)).number == number)
  }

  @Test("consecutive ids spread over all 1,024 partitions")
  func spread() {
    var counts = [Int](repeating: 0, count: Partition.count)
    for low in 0..<UInt64(102_400) { counts[Partition(of: ID<Household>(high: 7, low: low)).number] += 1 }
    #expect(Partition.count == 1024)
    #expect(counts.allSatisfy { 90...110 ~= $0 })
  }

  @Test("each partition is run by one of the shards", arguments: [1, 2, 3, 7, 64])
  func shards(count: Int) {
    for low in 0..<UInt64(1_000) {
      let partition = Partition(of: ID<Share>(high: low << 20, low: 9))
      let runners = (0..<count).filter { Partitions(ofShard: $0, of: count).contains(partition) }
      #expect(runners == [partition.number % count])
    }
    #expect(Partitions.all.contains(Partition(of: .test(3))))
  }
}
