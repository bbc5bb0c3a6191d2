import Testing

@testable import loadtest

private let second: Int64 = 1_000_000_000

@Suite("Load test: silence checker")
struct HearingCheckerTests {
  @Test("SYN-6: a gap of 60 s between two frames is allowed, a nanosecond more is not", arguments: [-1, 0, 1])
  func gap(excess: Int64) {
    for kind in 0..<3 {
      var checker = HearingChecker()
      let watch = checker.begin(at: 5, version: 3)
      let now = 5 + 60 * second + excess
      switch kind {
      case 0: checker.tick(watch, version: 3, at: now)
      case 1: checker.patch(watch, from: 3, version: 4, at: now)
      default: checker.live(watch, fixedAt: nil, at: now)
      }
      checker.finish(at: now + second)
      #expect(checker.lateCount == (excess > 0 ? 1 : 0))
      #expect(checker.gaps.largest == 60 * second + excess)
    }
  }

  @Test("SYN-6: a room without any frame is reported at the end, also beside one with frames")
  func silence() {
    var checker = HearingChecker()
    _ = checker.begin(at: 0, version: 1)
    let heard = checker.begin(at: 0, version: 1)
    for moment in 1...3 { checker.tick(heard, version: 1, at: Int64(moment) * 25 * second) }
    #expect(checker.lateCount == 0)
    checker.finish(at: 75 * second)
    #expect(checker.lateCount == 1)
    #expect(checker.gaps.largest == 75 * second)
  }

  @Test("SYN-6: an ended subscription owes no frames")
  func over() {
    var checker = HearingChecker()
    let watch = checker.begin(at: 0, version: 1)
    checker.close(watch)
    checker.finish(at: 200 * second)
    #expect(checker.lateCount == 0)
  }

  @Test("LOC-7: patches and ticks of a room do not count as its position", arguments: [60, 61])
  func positionGap(seconds: Int64) {
    var checker = HearingChecker()
    let watch = checker.begin(at: 0, version: 1)
    checker.live(watch, fixedAt: 1000, at: second)
    for moment in 2...seconds { checker.tick(watch, version: 1, at: moment * second) }
    checker.live(watch, fixedAt: nil, at: seconds * second)
    checker.tickPosition(watch, fixedAt: 1000, at: (1 + seconds) * second)
    #expect(checker.latePositionCount == (seconds > 60 ? 1 : 0))
    #expect(checker.positionGaps.largest == seconds * second)
    #expect(checker.wrongCount == 0)
  }

  @Test("LOC-7: a position received by subscribing must be refreshed, too; before the first position nothing is due")
  func firstPosition() {
    var checker = HearingChecker()
    _ = checker.begin(at: 0, version: 1, fixedAt: 7)
    _ = checker.begin(at: 30 * second, version: 1)
    checker.finish(at: 61 * second)
    #expect(checker.latePositionCount == 1)
    #expect(checker.positionGaps.count == 1)
  }

  @Test("SYN-1: versions that are missing, repeated or late are reported")
  func versions() {
    var checker = HearingChecker()
    let watch = checker.begin(at: 0, version: 10)
    checker.patch(watch, from: 10, version: 12, at: 1)
    #expect((checker.missingCount, checker.twiceCount, checker.disorderCount) == (0, 0, 0))
    checker.patch(watch, from: 14, version: 15, at: 2)
    #expect((checker.missingCount, checker.twiceCount, checker.disorderCount) == (2, 0, 0))
    checker.patch(watch, from: 13, version: 16, at: 3)
    #expect((checker.missingCount, checker.twiceCount, checker.disorderCount) == (2, 2, 0))
    checker.patch(watch, from: 15, version: 16, at: 4)
    #expect((checker.missingCount, checker.twiceCount, checker.disorderCount) == (2, 2, 1))
    checker.tick(watch, version: 16, at: 5)
    #expect(checker.missingCount == 2)
    checker.tick(watch, version: 17, at: 6)
    #expect(checker.missingCount == 3)
    checker.tick(watch, version: 15, at: 7)
    #expect(checker.wrongCount == 1)
  }

  @Test("LOC-8: an older position after a newer one and the age of an unsent position are reported")
  func positions() {
    var checker = HearingChecker()
    let watch = checker.begin(at: 0, version: 1)
    checker.live(watch, fixedAt: 2000, at: 1)
    checker.live(watch, fixedAt: 1000, at: 2)
    #expect(checker.disorderCount == 1)
    checker.tickPosition(watch, fixedAt: 2000, at: 3)
    #expect(checker.wrongCount == 0)
    checker.tickPosition(watch, fixedAt: 1000, at: 4)
    checker.tickPosition(watch, fixedAt: 3000, at: 5)
    #expect(checker.wrongCount == 2)
  }

  @Test("ages are those of the newest position, over all rooms that have one")
  func ages() {
    var checker = HearingChecker()
    _ = checker.begin(at: 0, version: 1)
    let watch = checker.begin(at: 0, version: 1)
    checker.live(watch, fixedAt: 10_000, at: 1)
    for now in [10_000, 20_000, 30_000] { checker.sampleAges(wallMilliseconds: Int64(now)) }
    #expect(checker.ages.count == 3)
    #expect(checker.ages.largest == 20 * second)
    checker.live(watch, fixedAt: 30_000, at: 2)
    checker.sampleAges(wallMilliseconds: 31_000)
    #expect(checker.ages.percentile(0.5) >= second)
    #expect(checker.ages.largest == 20 * second)
  }
}
