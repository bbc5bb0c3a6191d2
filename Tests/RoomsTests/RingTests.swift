import JSON
import Testing

@testable import Rooms

/// What is kept of a room's past: little in memory, the rest handed to the store, nothing lost between the two (SYN-9).
@Suite("The ring")
struct RingTests {
  /// Changes of a document with `keys` texts: each sets one, every seventh removes one.
  private struct History {
    var ring = Ring()
    var segments: [Ring.Entry] = []
    /// The document at each version.
    var states: [JSON] = [.object([:])]
    var largest = 0

    init(count: Int, size: Int, keys: Int) {
      for number in 1...count {
        let key = "k\(number * 7919 % keys)"
        let text = "\(number) " + String(repeating: "x", count: size)
        let patch: JSON = .object([key: number % 7 == 0 ? .null : .string(text)])
        states.append(MergePatch.apply(patch, to: states[number - 1]))
        if let old = ring.append(from: Int64(number - 1), version: Int64(number), Array(patch.text.utf8).span) {
          segments.append(old)
        }
        largest = max(largest, ring.encoded().count)
      }
    }

    /// The document as a client has it that was at `version` and takes one patch.
    func resumed(from version: Int) throws -> JSON? {
      let older = segments.composed(since: Int64(version))
      guard let patch = ring.patch(since: Int64(version), behind: older) else { return nil }
      #expect(patch.from <= Int64(version) && patch.version == Int64(states.count - 1))
      return MergePatch.apply(try JSON.parse(patch.patch), to: states[version])
    }
  }

  @Test("SYN-9: at most 8 KB stay in memory, and any of 2,000 versions is led to the present", arguments: [20, 4_000])
  func reach(size: Int) throws {
    let history = History(count: 2_000, size: size, keys: 40)
    #expect(history.largest <= Ring.byteLimit + 4_096 + 32 * Ring.countLimit)
    for version in stride(from: 0, to: 2_000, by: 97) {
      #expect(try history.resumed(from: version) == history.states.last, "\(version)")
    }
    #expect(history.segments.isEmpty == false)
  }

  @Test("memory for patches is hardly a kilobyte more than they take, also behind a snapshot")
  func memory() throws {
    let patch = Array(#"{"a":"\#(String(repeating: "x", count: 1_192))"}"#.utf8)
    var ring = Ring()
    for version in 1...4 as ClosedRange<Int64> { _ = ring.append(from: version - 1, version: version, patch.span) }
    let tape = Tape()
    let encoded = ring.encoded()
    ring = try withExtendedLifetime(tape) { Ring(try tape.parse(encoded.span)) }
    // The allocator rounds up a little.
    let slack = 1024 + 64
    #expect(ring.capacity < 4 * patch.count + slack)
    for version in 5...40 as ClosedRange<Int64> {
      _ = ring.append(from: version - 1, version: version, patch.span)
      #expect(ring.capacity < min(Int(version) * patch.count, Ring.byteLimit) + slack)
    }
  }

  @Test("SYN-9: without what has left memory, or with a piece of it missing, there is no answer")
  func gaps() throws {
    var history = History(count: 300, size: 4_000, keys: 40)
    try #require(history.segments.count > 10)
    let reach = try #require(history.ring.reach)
    #expect(history.ring.patch(since: reach) != nil)
    #expect(history.ring.patch(since: reach - 1) == nil)
    history.segments.remove(at: 5)
    #expect(try history.resumed(from: 0) == nil)
    history.segments = Array(history.segments.dropLast())
    #expect(try history.resumed(from: Int(reach) - 1) == nil)
    history.segments = Array(history.segments.dropFirst())
    #expect(try history.resumed(from: 0) == nil)
  }

  @Test("SYN-9: a patch larger than all that memory has room for is kept until there is a newer one")
  func large() {
    var ring = Ring()
    let patch = Array(#"{"a":"\#(String(repeating: "x", count: 60_000))"}"#.utf8)
    #expect(ring.append(from: 0, version: 1, patch.span) == nil)
    #expect(ring.patch(since: 0)?.patch == patch)
    let old = ring.append(from: 1, version: 2, Array("{}".utf8).span)
    #expect(old == Ring.Entry(from: 0, version: 1, patch: patch))
    #expect(ring.count == 1)
  }

  @Test("SYN-9: a room hands over what leaves memory with the commit, and loaded again it is as before")
  func room() throws {
    let room = makeBoard()
    var segments: [Ring.Entry] = []
    var entries: [[UInt8]] = []
    var snapshot: (body: [UInt8], ring: [UInt8])?
    for number in 1...300 {
      _ = try room.perform(
        Pin(text: "\(number) " + String(repeating: "y", count: 900)), Turn(caller: ana, now: time))
      let sealed = room.sealed().rest
      segments += sealed.segments.map(\.entry)
      entries.append(sealed.entry)
      if number == 150 {
        snapshot = room.snapshot(at: time)
        entries = []
      }
    }
    let again = makeBoard()
    try again.restore(snapshot: snapshot, entries: entries, live: nil, random: [], due: nil)
    for version in [0, 1, 149, 150, 151, 299] as [Int64] {
      let older = segments.composed(since: version)
      let missed = try #require(again.missed(since: version, behind: older))
      #expect(missed == room.missed(since: version, behind: older))
      #expect(again.isBeyondRing(version) == (version < 280))
    }
    #expect(again.missed(since: 300)?.patch == Array("{}".utf8))
  }

  @Test("SYN-9: a room whose ring cannot be read has no way to the present from any earlier version")
  func unreadable() throws {
    let room = makeBoard()
    _ = try room.perform(Pin(text: "a"), Turn(caller: ana, now: time))
    _ = room.sealed()
    let again = makeBoard()
    try again.restore(
      snapshot: (room.snapshot(at: time).body, Array("[]".utf8)), entries: [], live: nil, random: [], due: nil)
    #expect(again.missed(since: 0) == nil)
    #expect(again.missed(since: 1)?.from == 1)
  }
}

extension [Ring.Entry] {
  /// What a store answers that has these.
  fileprivate func composed(since version: Int64) -> Ring.Entry? {
    var composer = Ring.Composer()
    for entry in self where entry.version > version { composer.add(entry) }
    return composer.entry
  }
}
