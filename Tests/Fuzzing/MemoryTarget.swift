import JSON
import Rooms

/// Compares a room's bounded memory with the full history: of its patches if the first byte is even, of the calls that
/// it has answered if it is odd. Each further byte is a step.
func fuzzMemory(_ input: [UInt8]) throws {
  var input = Input(input)
  if input.byte() % 2 == 0 { try rememberPatches(&input) } else { try rememberCalls(&input) }
}

// MARK: patches

private func rememberPatches(_ input: inout Input) throws {
  var ring = Ring()
  var segments: [Segment] = []
  // The document at each version, and the size of the largest patch in bytes.
  var states: [JSON] = [.object([:])]
  var longest = 0
  var version: Int64 { Int64(states.count - 1) }

  func take(_ segment: Segment?) throws {
    guard let segment else { return }
    try expect(segment.from == segments.last?.version ?? 0, "a segment starts at \(segment.from)")
    segments.append(segment)
  }
  func append(_ patch: JSON) throws {
    states.append(MergePatch.apply(patch, to: states[states.count - 1]))
    let bytes = patch.bytes
    longest = max(longest, bytes.count)
    try take(ring.append(from: version - 1, version: version, at: Instant(), bytes.span))
  }
  func check(since asked: Int64, behind older: Ring.Entry?) throws {
    let reach = [ring.reach, older?.from].compactMap(\.self).min() ?? version
    // No merge patch can sum up a string followed by an object at one key.
    guard let entry = ring.patch(since: asked, behind: older) else { return }
    try expect(asked >= reach, "a patch leads from \(asked), before the reach of \(reach)")
    try expect(entry.from == asked && entry.version == version, "a patch leads from \(entry.from) to \(entry.version)")
    let state = MergePatch.apply(try JSON.parse(entry.patch), to: states[Int(asked)])
    try expect(state == states[states.count - 1], "the patch from \(asked) gives \(state)")
  }

  for _ in 0..<40 where !input.rest.isEmpty {
    let step = input.byte()
    let amount = Int(step >> 2)
    switch step % 4 {
    case 0: try append(["k\(amount % 8)": .string(String(repeating: "x", count: amount * 60))])
    case 1:
      for index in 0...amount {
        let key = "k\(index % 8)"
        try append(index % 5 == 4 ? [key: .null] : [key: index % 3 == 2 ? ["in": "a"] : .string("\(version)")])
      }
    case 2:
      let asked = max(0, version - Int64(amount * amount / 4))
      var composer = Ring.Composer(since: asked)
      for segment in segments { composer.add(segment) }
      try check(since: asked, behind: nil)
      try check(since: asked, behind: composer.entry)
    default:
      // A snapshot; after every other one the room is loaded again.
      try take(ring.unstored(at: Instant()))
      ring.noteStored(to: version)
      try expect(segments.last?.version ?? 0 == version, "the stored log ends at \(segments.last?.version ?? 0)")
      if amount % 2 == 0 { ring = Ring(storedVersion: version) }
    }
    try expect(ring.count <= Ring.countLimit, "\(ring.count) patches are in memory")
    try expect(ring.byteCount <= max(Ring.byteLimit, longest), "\(ring.byteCount) bytes are in memory")
    try expect(ring.version ?? version == version, "the ring ends at \(ring.version ?? 0) instead of \(version)")
    let reach = ring.reach ?? version
    try expect(reach <= segments.last?.version ?? 0, "there is a gap between memory and store")
  }
}

// MARK: calls

private struct Known {
  var hash: UInt64
  /// `nil` while another room's answer is pending.
  var answer: [UInt8]?
}

private func rememberCalls(_ input: inout Input) throws {
  var receipts = Receipts()
  var known: [ID<Client>: [Int64: Known]] = [:]
  // The number up to which each client has confirmed its answers.
  var answered: [ID<Client>: Int64] = [:]
  var usedAt: [ID<Client>: Instant] = [:]
  var now = Instant(milliseconds: 1_795_000_000_000)
  let person = ID<Person>(high: 0x8000, low: 1 << 63 | 1)

  for _ in 0..<200 where !input.rest.isEmpty {
    let (step, detail) = (input.byte(), input.byte())
    let client =
      step % 8 == 7
      ? ID<Client>(idempotencyKey: "key \(detail % 4)") : ID<Client>(high: 0x8000, low: 1 << 63 | UInt64(step % 32))
    let mark = receipts.mark(person: person, client: client)
    try expect(mark == known[client]?.keys.max() ?? 0, "wrong mark \(mark) of \(client)")
    switch step >> 5 {
    case 0...4:
      // The next number, or one used before.
      let number = max(1, detail < 160 ? mark + 1 + Int64(detail % 3) : mark - Int64(detail - 160))
      let call = CallKey(person: person, client: client, number: number)
      let hash = UInt64(detail % 2)
      let before = known[client]?[number]
      let isOver = number <= answered[client] ?? 0
      switch receipts.find(call, hash: hash) {
      case .new:
        try expect(number > mark, "\(number) is reported as new, although the mark is \(mark)")
        let answer = detail % 5 == 0 ? nil : Array(#""result":{"n":\#(number)}"#.utf8)
        let told = step >> 5 == 4 ? max(mark - Int64(detail % 70), answered[client] ?? 0) : 0
        receipts.add(call, hash: hash, at: now, answer: answer.map { .given($0) } ?? .pending, answered: told)
        known[client, default: [:]][number] = Known(hash: hash, answer: answer)
        answered[client] = max(told, answered[client] ?? 0)
        usedAt[client] = now
      case .repeated(let answer):
        try expect(before?.hash == hash && before?.answer == answer, "\(number) had another answer")
      case .pending: try expect(before?.hash == hash && before?.answer == nil, "\(number) is not pending")
      case .reused: try expect(before.map { $0.hash != hash } ?? false, "\(number) was used for the same call")
      case .skipped: try expect(number < mark && (before == nil || isOver), "\(number) had an effect")
      case .forgotten: try expect(number <= mark, "\(number) was never used")
      }
    case 5:
      let number = mark - Int64(detail % 4)
      let waits = known[client]?[number].map { $0.answer == nil } ?? false
      let answer = Array(#""error":{"n":\#(number)}"#.utf8)
      if receipts.complete(CallKey(person: person, client: client, number: number), with: answer) {
        try expect(waits, "\(number) was not pending")
        known[client]?[number]?.answer = answer
      }
    default:
      now = now + .seconds(Int(detail) * 24 * 360)
      receipts.expire(at: now)
      for (client, time) in usedAt where now - time >= Receipts.age {
        (known[client], answered[client], usedAt[client]) = (nil, nil, nil)
      }
    }
  }
}
