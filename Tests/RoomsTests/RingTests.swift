import JSON
import Testing

@testable import Rooms

/// The past of a room: little in memory, the rest in the store, nothing lost between the two (SYN-9).
@Suite("The ring")
struct RingTests {
  /// Changes of a document with `keys` texts: each sets one, every seventh removes one.
  private struct History {
    var ring = Ring()
    var segments: [Segment] = []
    /// The document at each version.
    var states: [JSON] = [.object([:])]

    /// - Parameter cut: after so many changes each a snapshot hands over all of them.
    init(count: Int, size: Int, keys: Int, cut: Int = .max) {
      for number in 1...count {
        let key = "k\(number * 7919 % keys)"
        let text = "\(number) " + String(repeating: "x", count: size)
        let patch: JSON = .object([key: number % 7 == 0 ? .null : .string(text)])
        states.append(MergePatch.apply(patch, to: states[number - 1]))
        let bytes = Array(patch.text.utf8)
        let old = ring.append(from: Int64(number - 1), version: Int64(number), at: time, bytes.span)
        let rest = number.isMultiple(of: cut) ? ring.unstored(at: time) : nil
        if let rest { ring.noteStored(to: rest.version) }
        segments += [old, rest].compactMap(\.self)
      }
    }

    /// The answer of a store that has these segments.
    func older(since version: Int64) -> Ring.Entry? {
      var composer = Ring.Composer(since: version)
      for segment in segments { composer.add(segment) }
      return composer.entry
    }

    /// The document as a client has it that was at `version` and takes one patch.
    func resumed(from version: Int) throws -> JSON? {
      guard let patch = ring.patch(since: Int64(version), behind: older(since: Int64(version))) else { return nil }
      #expect(patch.from == Int64(version) && patch.version == Int64(states.count - 1))
      return MergePatch.apply(try JSON.parse(patch.patch), to: states[version])
    }
  }

  @Test(
    "SYN-9: from each of 2,000 versions there is a patch to the present one", arguments: [20, 4_000], [.max, 50, 1])
  func reach(size: Int, cut: Int) throws {
    let history = History(count: 2_000, size: size, keys: 40, cut: cut)
    for version in stride(from: 0, to: 2_000, by: 97) {
      #expect(try history.resumed(from: version) == history.states.last, "\(version)")
    }
    // Nothing is handed over twice, and nothing left out.
    for (one, next) in zip(history.segments, history.segments.dropFirst()) { #expect(one.version == next.from) }
    #expect(history.segments.first?.from == 0)
  }

  @Test("SYN-9: at most 8 KB of patches are in memory, in a buffer hardly larger than them")
  func memory() throws {
    let patch = Array(#"{"a":"\#(String(repeating: "x", count: 1_192))"}"#.utf8)
    var ring = Ring()
    // The allocator rounds up a little.
    let slack = 1024 + 64
    for version in 1...40 as ClosedRange<Int64> {
      _ = ring.append(from: version - 1, version: version, at: time, patch.span)
      #expect(ring.capacity < min(Int(version) * patch.count, Ring.byteLimit) + slack)
      #expect(ring.count * patch.count <= Ring.byteLimit && ring.count >= min(Int(version), 3))
    }
    let short = Array("{}".utf8)
    for version in 41...2_000 as ClosedRange<Int64> {
      _ = ring.append(from: version - 1, version: version, at: time, short.span)
    }
    #expect(ring.count <= Ring.countLimit)
  }

  @Test("SYN-9: without the changes that have left memory, or with some of them missing, there is no patch")
  func gaps() throws {
    var history = History(count: 300, size: 4_000, keys: 40)
    try #require(history.segments.count > 10)
    let reach = try #require(history.ring.reach)
    #expect(history.ring.patch(since: reach) != nil)
    #expect(history.ring.patch(since: reach - 1) == nil)
    #expect(history.ring.patch(since: 300) == nil && history.older(since: 300) == nil)
    let missing = history.segments.remove(at: 5)
    #expect(try history.resumed(from: 0) == nil)
    #expect(try history.resumed(from: Int(missing.version)) == history.states.last)
    history.segments = Array(history.segments.dropLast())
    #expect(try history.resumed(from: Int(reach) - 1) == nil)
    history.segments = Array(history.segments.dropFirst())
    #expect(try history.resumed(from: 0) == nil)
  }

  @Test("SYN-9: a patch that is larger than the limit of memory is kept until there is a newer one")
  func large() {
    var ring = Ring()
    let patch = Array(#"{"a":"\#(String(repeating: "x", count: 60_000))"}"#.utf8)
    #expect(ring.append(from: 0, version: 1, at: time, patch.span) == nil)
    #expect(ring.patch(since: 0)?.patch == patch)
    let old = ring.append(from: 1, version: 2, at: time + .seconds(1), Array("{}".utf8).span)
    let body = Array("[[0,1,".utf8) + patch + Array("]]".utf8)
    #expect(old == Segment(from: 0, version: 1, at: time + .seconds(1), body: body))
    #expect(ring.count == 1 && ring.reach == 1)
  }

  @Test("changes that the store has are not handed over again, and may still be in memory")
  func stored() throws {
    var ring = Ring()
    func append(_ version: Int64, _ patch: String) -> Segment? {
      ring.append(from: version - 1, version: version, at: time, Array(patch.utf8).span)
    }
    for version in 1...3 as ClosedRange<Int64> { #expect(append(version, #"{"a":\#(version)}"#) == nil) }
    let all = #"[[0,1,{"a":1}],[1,2,{"a":2}],[2,3,{"a":3}]]"#
    // Twice, where the store has not taken it.
    for _ in 0..<2 {
      let whole = try #require(ring.unstored(at: time))
      #expect(String(decoding: whole.body, as: UTF8.self) == all && whole.from == 0 && whole.version == 3)
    }
    ring.noteStored(to: 3)
    #expect(ring.unstored(at: time) == nil && ring.patch(since: 0)?.version == 3)
    // Of what leaves memory, what is not there yet.
    #expect(append(4, "{}") == nil)
    let left = append(5, #"{"a":"\#(String(repeating: "x", count: Ring.byteLimit))"}"#)
    let rest = try #require(left)
    #expect(String(decoding: rest.body, as: UTF8.self) == "[[3,4,{}]]" && rest.from == 3)
  }

  @Test(
    "SYN-9: there is no patch across a segment that cannot be read", arguments: ["", "[", "{}", "[[1]]", "[[1,2]]"])
  func unreadable(body: String) {
    var composer = Ring.Composer(since: 0)
    composer.add(Segment(from: 0, version: 1, at: time, body: Array("[[0,1,{}]]".utf8)))
    #expect(composer.entry?.version == 1)
    composer.add(Segment(from: 1, version: 2, at: time, body: Array(body.utf8)))
    composer.add(Segment(from: 2, version: 3, at: time, body: Array("[[2,3,{}]]".utf8)))
    #expect(composer.entry == nil)
  }

  @Test("SYN-9: several patches that an earlier release kept as one are all sent to a client between them")
  func listed() throws {
    let body = #"[[0,9,[{"a":1,"b":1},{"a":null}]],[9,10,{"c":3}]]"#
    for version in [0, 5] as [Int64] {
      var composer = Ring.Composer(since: version)
      composer.add(Segment(from: 0, version: 10, at: Instant(), body: Array(body.utf8)))
      let entry = try #require(composer.entry)
      #expect(entry.from == 0 && entry.version == 10)
      #expect(try JSON.parse(entry.patch) == ["a": .null, "b": 1, "c": 3])
    }
  }

  @Test("SYN-9: a room hands over with its commits the changes that leave memory, and finds them when it is reloaded")
  func room() throws {
    let room = makeBoard()
    var segments: [Segment] = []
    var entries: [[UInt8]] = []
    var snapshot: [UInt8]?
    func load(_ snapshot: [UInt8]?, _ entries: [[UInt8]]) throws -> Room {
      let again = makeBoard()
      let stored = segments.last?.version ?? 0
      try again.restore(snapshot: snapshot, entries: entries, segmentVersion: stored, live: nil, random: [], due: nil)
      return again
    }
    for number in 1...300 {
      _ = try room.perform(
        Pin(text: "\(number) " + String(repeating: "y", count: number * 487 % 1_500)), Turn(caller: ana, now: time))
      let sealed = room.sealed().rest
      segments += sealed.segments
      entries.append(sealed.entry)
      if number == 150 {
        let whole = room.snapshot(at: time)
        room.noteStored(whole.segment)
        snapshot = whole.body
        segments.append(try #require(whole.segment))
        entries = []
      }
      // Whenever it is loaded, memory begins where the segments end.
      let again = try load(snapshot, entries)
      #expect((again.ring.reach ?? again.version) == segments.last?.version ?? 0)
      #expect(again.ring.unstored(at: time) == room.ring.unstored(at: time))
    }
    func check(_ again: Room) throws {
      for version in [0, 1, 149, 150, 151, 299] as [Int64] {
        var composer = Ring.Composer(since: version)
        for segment in segments { composer.add(segment) }
        let missed = try #require(again.missed(since: version, behind: composer.entry))
        #expect(missed == room.missed(since: version, behind: composer.entry) && missed.from == version)
      }
      #expect(again.missed(since: 300)?.patch == Array("{}".utf8))
      #expect(again.missed(since: 0) == nil && again.isBeyondRing(0) && !again.isBeyondRing(300))
    }
    // Behind its segments a room has of its past what the log says, and it has all of that.
    let again = try load(snapshot, entries)
    try check(again)
    #expect(again.isBeyondRing(280) == (280 < segments.last?.version ?? 0))
    segments.append(try #require(again.snapshot(at: time).segment))
    let bare = try load(again.snapshot(at: time).body, [])
    try check(bare)
    #expect(bare.isBeyondRing(299) && bare.ring.count == 0)
  }
}
