import Platform
import Testing

/// Places for slow work are shared fairly among addresses (SEC-12, ACC-3).
@Suite("A fair queue")
struct FairQueueTests {
  private var queue = FairQueue<String>(limit: 16)

  /// Adds items named after their owner, such as `a1`; answers the one that had to go, if any.
  private mutating func add(_ names: String..., urgency: WorkLane.Urgency = .usual) -> [String] {
    names.compactMap { name in
      switch queue.add(name, WorkLane(owner: String(name.prefix(1)), urgency: urgency)) {
      case .waits: nil
      case .displaces(let other): other
      case .refused: name
      }
    }
  }

  private mutating func takeAll() -> [String] {
    var taken: [String] = []
    while let item = queue.next() { taken.append(item) }
    return taken
  }

  @Test("SEC-12: owners take turns, whatever number of items each has")
  mutating func turns() {
    #expect(add("a1", "a2", "a3", "a4", "b1", "b2", "c1") == [])
    #expect(takeAll() == ["a1", "b1", "c1", "a2", "b2", "a3", "a4"])
  }

  @Test("an owner whose turn has just been goes behind those who come now")
  mutating func late() {
    queue.pass(WorkLane(owner: "a"))
    #expect(add("a1", "a2", "b1") == [])
    #expect(queue.next() == "b1")
    #expect(queue.next() == "a1")
    #expect(add("b2", "c1") == [])
    #expect(takeAll() == ["b2", "c1", "a2"])
    // Many turns are no debt once the others have left.
    #expect(add("a3", "d1", "a4", "d2") == [])
    #expect(takeAll() == ["d1", "a3", "d2", "a4"])
  }

  @Test("SEC-12, A-signup: log-ins go before sign-ups, and take the place of the newest of them when all are taken")
  mutating func urgent() {
    let names = (10..<26).map { "a\($0)" }
    for name in names { #expect(add(name, urgency: .low) == []) }
    #expect(add("a26", urgency: .low) == ["a26"])
    #expect(add("b1") == ["a25"])
    #expect(add("c1", urgency: .low) == ["a24"])
    #expect(add("a1") == ["a23"])
    #expect(queue.next() == "b1")
    #expect(queue.next() == "a1")
    #expect(add("d1", urgency: .low) == [])
    #expect(takeAll() == ["a10", "c1", "d1"] + names[1..<13])
  }

  @Test("SEC-12: one owner cannot keep the places from another, and no newcomer displaces somebody who has as few")
  mutating func displacing() {
    for number in 10..<26 { #expect(add("a\(number)") == []) }
    #expect(add("a26") == ["a26"])
    #expect(add("b1", "b2", "b3", "b4", "b5", "b6", "b7", "b8") == (18...25).reversed().map { "a\($0)" })
    #expect(add("b9", "a27") == ["b9", "a27"])
    #expect(add("c1") == ["b8"])
    #expect(add("d1", urgency: .low) == ["d1"])
    #expect(queue.count == 16)
    #expect(Array(takeAll().prefix(4)) == ["a10", "b1", "c1", "a11"])
  }

  @Test("ACC-3: known devices go before all others, and always get a place that one of these has")
  mutating func known() {
    for number in 10..<26 { #expect(add("a\(number)") == []) }
    #expect(add("a1", urgency: .high) == ["a25"])
    #expect(add("b1", urgency: .high) == ["a24"])
    #expect(add("b2") == ["a23"])
    #expect(add("c1", urgency: .low) == ["c1"])
    #expect(Array(takeAll().prefix(4)) == ["a1", "b1", "a10", "b2"])
  }

  @Test("an item is refused where there are no places at all")
  func none() {
    var queue = FairQueue<Int>(limit: 0)
    guard case .refused = queue.add(1, WorkLane()) else {
      Issue.record("taken")
      return
    }
    #expect(queue.next() == nil)
  }
}
