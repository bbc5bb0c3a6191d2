import JSON
import Rooms
import TestSupport
import Testing

@Suite("Sets inside records")
struct SmallSetTests {
  @Test("a small set equals a sorted set under random changes", arguments: 0..<20 as Range<UInt64>)
  func set(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var set: SmallSet<ID<Paper>> = []
    var expected: Set<ID<Paper>> = []
    for _ in 0..<200 {
      let before = set
      let element = ID<Paper>(high: 1, low: UInt64.random(in: 0..<5, using: &random))
      if Bool.random(using: &random) {
        set.insert(element)
        expected.insert(element)
      } else {
        set.remove(element)
        expected.remove(element)
      }
      #expect(Array(set) == expected.sorted() && set.count == expected.count && set.isEmpty == expected.isEmpty)
      #expect(set.contains(element) == expected.contains(element))
      #expect(set == SmallSet(expected.shuffled(using: &random)))
      // A client that applies the change has the set.
      #expect(try merged(before) { set.writeChange(from: before, to: $0) } == set)
      #expect(try merged([]) { set.write(to: $0) } == set)
      if set.isEmpty { #expect(try merged(before) { set.writeRemoval(of: before, to: $0) }.isAbsent) }
    }
  }

  private func merged(_ set: SmallSet<ID<Paper>>, _ write: (Writer) -> Void) throws -> SmallSet<ID<Paper>> {
    let writer = Writer(capacity: 64)
    write(writer)
    var merged = set
    let (tape, problems) = (Tape(), Problems())
    let bytes = writer.bytes()
    try withExtendedLifetime(tape) { merged.merge(try tape.parse(bytes.span), problems) }
    #expect(problems.isEmpty)
    return merged
  }

  @Test(
    "a small set is read only from an object whose values are true",
    arguments: [
      (#"{"00000000-0000-0000-0000-000000000001":true}"#, 1), ("{}", 0), ("null", nil), ("[]", nil),
      (#"{"00000000-0000-0000-0000-000000000001":false}"#, nil), (#"{"x":true}"#, nil),
      (#"{"00000000-0000-0000-0000-000000000001":1}"#, nil),
    ])
  func read(text: String, count: Int?) throws {
    let (tape, problems) = (Tape(), Problems())
    try withExtendedLifetime(tape) {
      let view = try tape.parse(Array(text.utf8).span)
      #expect(SmallSet<ID<Paper>>.read(view, problems)?.count == count)
      #expect(problems.isEmpty == (count != nil))
    }
    #expect(SmallSet<ID<Paper>>.read(nil, Problems())?.isEmpty == true)
  }
}
