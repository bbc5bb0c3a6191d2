import JSON
import TestSupport
import Testing

@Suite("Merge patches (RFC 7396)")
struct MergePatchTests {
  @Test(
    "applying a patch gives the results of RFC 7396 appendix A",
    arguments: [
      (#"{"a":"b"}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
      (#"{"a":"b"}"#, #"{"b":"c"}"#, #"{"a":"b","b":"c"}"#),
      (#"{"a":"b"}"#, #"{"a":null}"#, #"{}"#),
      (#"{"a":"b","b":"c"}"#, #"{"a":null}"#, #"{"b":"c"}"#),
      (#"{"a":["b"]}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
      (#"{"a":"c"}"#, #"{"a":["b"]}"#, #"{"a":["b"]}"#),
      (#"{"a":{"b":"c"}}"#, #"{"a":{"b":"d","c":null}}"#, #"{"a":{"b":"d"}}"#),
      (#"{"a":[{"b":"c"}]}"#, #"{"a":[1]}"#, #"{"a":[1]}"#),
      (#"["a","b"]"#, #"["c","d"]"#, #"["c","d"]"#),
      (#"{"a":"b"}"#, #"["c"]"#, #"["c"]"#),
      (#"{"a":"foo"}"#, #"null"#, #"null"#),
      (#"{"a":"foo"}"#, #""bar""#, #""bar""#),
      (#"{"e":null}"#, #"{"a":1}"#, #"{"e":null,"a":1}"#),
      (#"[1,2]"#, #"{"a":"b","c":null}"#, #"{"a":"b"}"#),
      (#"{}"#, #"{"a":{"bb":{"ccc":null}}}"#, #"{"a":{"bb":{}}}"#),
    ])
  func appendixA(target: String, patch: String, result: String) throws {
    #expect(try MergePatch.apply(JSON.parse(patch), to: JSON.parse(target)) == JSON.parse(result))
  }

  @Test(
    "the diff of two documents is the smallest patch, or nil if they are equal",
    arguments: [
      ("{}", "{}", nil), ("1", "1", nil), (#"{"a":[1,null]}"#, #"{"a":[1,null]}"#, nil),
      ("1", "2", "2"), ("1", "{}", "{}"), ("{}", "1", "1"), (#"{"a":1}"#, "{}", #"{"a":null}"#),
      ("{}", #"{"a":{}}"#, #"{"a":{}}"#), (#"{"a":{"b":1}}"#, #"{"a":{}}"#, #"{"a":{"b":null}}"#),
      (#"{"a":1,"b":{"c":1,"d":2}}"#, #"{"a":1,"b":{"c":1,"d":3}}"#, #"{"b":{"d":3}}"#),
      (#"{"a":[1,2]}"#, #"{"a":[1,3]}"#, #"{"a":[1,3]}"#), (#"{"a":1}"#, #"{"a":1.0}"#, #"{"a":1.0}"#),
      ("{\"a\":\"é\"}", "{\"a\":\"e\u{301}\"}", "{\"a\":\"e\u{301}\"}"),
    ] as [(String, String, String?)])
  func diff(old: String, new: String, patch: String?) throws {
    #expect(try MergePatch.diff(from: JSON.parse(old), to: JSON.parse(new))?.text == patch)
  }

  @Test(
    "two patches compose to one, or to nil when an object follows a non-object",
    arguments: [
      (#"{"a":1}"#, #"{"b":2}"#, #"{"a":1,"b":2}"#), (#"{"a":1}"#, #"{"a":null}"#, #"{"a":null}"#),
      (#"{"a":{"b":1}}"#, #"{"a":{"c":null}}"#, #"{"a":{"b":1,"c":null}}"#),
      (#"{"a":{"b":1}}"#, #"{"a":null}"#, #"{"a":null}"#), ("1", "2", "2"), ("{}", "null", "null"),
      (#"{"a":null}"#, #"{"a":1}"#, #"{"a":1}"#), (#"{"a":null}"#, #"{"a":{}}"#, nil), (#"{"a":1}"#, #"{"a":{}}"#, nil),
      (#"{"a":[]}"#, #"{"a":{}}"#, nil), ("1", "{}", nil), ("null", #"{"a":1}"#, nil),
      (#"{"a":{"b":null}}"#, #"{"a":{"b":{"c":1}}}"#, nil),
      (#"{"a":{"b":null}}"#, #"{"a":{"c":{}}}"#, #"{"a":{"b":null,"c":{}}}"#),
    ] as [(String, String, String?)])
  func compose(first: String, second: String, both: String?) throws {
    #expect(try MergePatch.compose(JSON.parse(first), JSON.parse(second))?.text == both)
  }

  @Test("the diff of two random documents turns one into the other, and applying it twice changes nothing")
  func diffThenApply() {
    let seed: UInt64 = 0x5EED_0010
    var random = SeededGenerator(seed: seed)
    for _ in 0..<30_000 {
      let (old, new) = (random.document(depth: 4), random.document(depth: 4))
      guard let patch = MergePatch.diff(from: old, to: new) else {
        #expect(old == new, "seed \(seed)")
        continue
      }
      let made = MergePatch.apply(patch, to: old)
      if old == new || made != new || MergePatch.apply(patch, to: made) != new {
        Issue.record("seed \(seed): \(old.text) → \(new.text)")
      }
    }
  }

  /// Whether `second` has an object at a path where `first` has a non-object.
  static func crosses(_ first: JSON, _ second: JSON) -> Bool {
    guard let later = second.object else { return false }
    guard let earlier = first.object else { return true }
    return later.contains { key, change in earlier[key].map { crosses($0, change) } ?? false }
  }

  @Test("a composed patch has the effect of both patches in order, and is nil only when they cross")
  func composeThenApply() {
    let seed: UInt64 = 0x5EED_0011
    var random = SeededGenerator(seed: seed)
    var composed = 0
    var crossed = 0
    while composed < 20_000 {
      let (target, first, second) = (random.document(depth: 3), random.patch(depth: 3), random.patch(depth: 3))
      let inTurn = MergePatch.apply(second, to: MergePatch.apply(first, to: target))
      guard let both = MergePatch.compose(first, second) else {
        crossed += 1
        if !Self.crosses(first, second) { Issue.record("seed \(seed): \(first.text) then \(second.text)") }
        continue
      }
      composed += 1
      if MergePatch.apply(both, to: target) != inTurn {
        Issue.record("seed \(seed): \(target.text), \(first.text) then \(second.text)")
      }
    }
    print("seed \(seed): \(composed) pairs composed, \(crossed) crossed")
    #expect(crossed > 200)
  }

  @Test("patches with many keys compose to a patch with their combined effect")
  func composeMany() {
    let seed: UInt64 = 0x5EED_0013
    var random = SeededGenerator(seed: seed)
    var composed = 0
    for _ in 0..<5_000 {
      let target = random.document(depth: 3)
      let names = (0..<30).map { "a\u{e9}\"\($0)" }
      let patches = (0..<4).map { _ in
        let members = (0..<5).map { _ in (names.randomElement(using: &random) ?? "", random.patch(depth: 2)) }
        return JSON.object(Dictionary(members) { $1 })
      }
      guard let sum = MergePatch.compose(patches) else { continue }
      composed += 1
      let inTurn = patches.reduce(target) { MergePatch.apply($1, to: $0) }
      if MergePatch.apply(sum, to: target) != inTurn { Issue.record("seed \(seed): \(patches.map(\.text))") }
    }
    #expect(composed > 500)
  }

  @Test("a composed patch gives the newest state on a copy at any version that it covers")
  func overlap() {
    let seed: UInt64 = 0x5EED_0012
    var random = SeededGenerator(seed: seed)
    var checked = 0
    for _ in 0..<4_000 {
      var states: [JSON] = [["d": random.document(depth: 3)]]
      var sum: JSON = [:]
      for _ in 0..<5 {
        let last = states[states.count - 1]
        let next = MergePatch.apply(["d": random.patch(depth: 3)], to: last)
        states.append(next)
        guard let longer = MergePatch.compose(sum, MergePatch.diff(from: last, to: next) ?? [:]) else { break }
        sum = longer
        for state in states {
          checked += 1
          if MergePatch.apply(sum, to: state) != next {
            Issue.record("seed \(seed): \(sum.text) on \(state.text) is not \(next.text)")
          }
        }
      }
    }
    #expect(checked > 10_000)
  }
}
