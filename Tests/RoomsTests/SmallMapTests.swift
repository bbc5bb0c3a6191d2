import JSON
import Rooms
import TestSupport
import Testing

@Suite("Maps inside records")
struct SmallMapTests {
  @Test("a small map equals a dictionary under random changes", arguments: 0..<20 as Range<UInt64>)
  func dictionary(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var map: SmallMap<String, Int> = [:]
    var expected: [String: Int] = [:]
    for step in 0..<200 {
      let before = map
      let key = "k\(Int.random(in: 0..<5, using: &random))"
      let value = Int.random(in: 0..<3, using: &random) == 0 ? nil : step
      (map[key], expected[key]) = (value, value)
      #expect(map.count == expected.count && map.isEmpty == expected.isEmpty)
      #expect(Dictionary(uniqueKeysWithValues: map.map { ($0.key, $0.value) }) == expected)
      #expect(map.contains(key) == (value != nil) && Set(map.keys) == Set(expected.keys))
      // The order in which entries came is no difference.
      #expect(map == SmallMap(expected.map { ($0.key, $0.value) }.shuffled(using: &random)))
      #expect((map == before) == (value == before[key]))
      // A client that applies the change has the map.
      let writer = Writer(capacity: 64)
      map.writeChange(from: before, to: writer)
      var followed = before
      let (tape, problems) = (Tape(), Problems())
      let bytes = writer.bytes()
      try withExtendedLifetime(tape) { followed.merge(try tape.parse(bytes.span), problems) }
      #expect(followed == map && problems.isEmpty)
    }
  }
}
