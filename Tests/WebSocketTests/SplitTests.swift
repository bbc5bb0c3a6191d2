import TestSupport
import Testing
import WebSocket

/// The output of a receiver must not depend on the sizes of network packets (RELIABILITY D3).
@Suite("Splits of received bytes")
struct SplitTests {
  /// A random session of a client: plain and compressed messages, whole and in fragments, with control frames between.
  /// Some sessions have a damaged byte.
  static func session(_ random: inout SeededGenerator, keepsContext: Bool) -> [UInt8] {
    let deflater = Deflater(keepsContext: keepsContext)
    var bytes: [UInt8] = []
    for _ in 0..<Int.random(in: 1...6, using: &random) {
      let isText = Bool.random(using: &random)
      let size = [0, 1, 5, 125, 126, 300, 5000].randomElement(using: &random) ?? 0
      let letters = Array("aé漢😀".unicodeScalars)
      let message =
        isText
        ? Array(
          String(String.UnicodeScalarView((0..<size / 3).map { _ in letters.randomElement(using: &random) ?? "a" }))
            .utf8)
        : random.bytes(size)
      let isCompressed = Bool.random(using: &random)
      let payload = isCompressed ? deflater.compress(message.span) : message
      var cuts = (0..<Int.random(in: 0...3, using: &random)).map { _ in
        Int.random(in: 0...payload.count, using: &random)
      }
      cuts = [0] + cuts.sorted() + [payload.count]
      for index in 0..<(cuts.count - 1) {
        if Int.random(in: 0...3, using: &random) == 0 {
          bytes += frame(
            Bool.random(using: &random) ? 0x89 : 0x8A, random.bytes(Int.random(in: 0...125, using: &random)))
        }
        let opcode: UInt8 = index > 0 ? 0 : (isText ? 1 : 2) | (isCompressed ? 0x40 : 0)
        let final: UInt8 = index == cuts.count - 2 ? 0x80 : 0
        bytes += frame(final | opcode, Array(payload[cuts[index]..<cuts[index + 1]]), mask: random.bytes(4))
      }
    }
    if Bool.random(using: &random) { bytes += frame(0x88, [0x03, 0xE8] + Array("bye".utf8)) + [0xFF] }
    if Int.random(in: 0...2, using: &random) == 0 {
      bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= 1 << UInt8.random(in: 0...7, using: &random)
    }
    return bytes
  }

  @Test("events do not depend on how the bytes are split", arguments: 1...50, [false, true])
  func anySplit(seed: UInt64, keepsContext: Bool) {
    var random = SeededGenerator(seed: seed)
    let bytes = Self.session(&random, keepsContext: keepsContext)
    let limits = Limits(framePayloadBytes: 6000, messageBytes: 5500, fragments: 8)
    func outcome(_ cuts: [Int]) -> Outcome {
      receive(bytes, cuts: cuts, limits: limits, inflater: Inflater(keepsContext: keepsContext))
    }
    let whole = outcome([])
    if bytes.count < 3000 { #expect(outcome(Array(bytes.indices)) == whole, "seed \(seed)") }
    for _ in 0..<5 {
      let cuts = (0..<Int.random(in: 1...8, using: &random)).map { _ in Int.random(in: 0...bytes.count, using: &random)
      }
      #expect(outcome(cuts) == whole, "seed \(seed), cuts \(cuts)")
    }
  }

  @Test("random bytes give at most an error, however they are split", arguments: 1...8)
  func garbage(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      var bytes = random.bytes(Int.random(in: 0...200, using: &random))
      // Mostly valid first bytes, so that more than the header is tested.
      if bytes.count > 2 {
        bytes[0] = [0x81, 0x82, 0x01, 0xC1, 0x88, 0x89].randomElement(using: &random) ?? 0x81
        bytes[1] |= 0x80
      }
      let whole = receive(bytes, inflater: Inflater())
      let cut = Int.random(in: 0...bytes.count, using: &random)
      #expect(receive(bytes, cuts: [cut], inflater: Inflater()) == whole, "seed \(seed)")
    }
  }
}
