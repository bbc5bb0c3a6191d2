/// Draws the same cases as Fixtures/draws.py does, so that its files need only digests.
struct Draws {
  var state: UInt64

  init(seed: Int) { state = UInt64(seed) }

  mutating func below(_ limit: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state >> 33) % UInt64(limit))
  }
}

/// FNV-1a over words, as the files have it.
struct Digest {
  private var value: UInt64 = 14_695_981_039_346_656_037

  mutating func add(_ word: Int64) { value = (value ^ UInt64(bitPattern: word)) &* 1_099_511_628_211 }

  var text: String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
