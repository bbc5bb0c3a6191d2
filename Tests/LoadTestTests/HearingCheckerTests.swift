import Testing

@testable import loadtest

private let second: Int64 = 1_000_000_000

@Suite("Load test: silence checker")
struct HearingCheckerTests {
  @Test("SYN-6: a gap of 60 s between two frames is allowed, a nanosecond more is not", arguments: [-1, 0, 1])
  func gap(excess: Int64) {
    for kind in 0..<3 {
      var checker = HearingChecker()
      let watch = checker.begin(at: 5, version: 3, wall: 0)
      let now = 5 + 60 * second + excess
      switch kind {
      case 0: checker.tick(watch, version: 3, at: now)
      case 1: checker.patch(watch, from: 3, version: 4, at: now)
      default: checker.live(watch, fixedAt: nil, at: now, wall: 0)
      }
      checker.finish(at: now + second)
      #expect(checker.lateCount == (excess > 0 ? 1 : 0))
      #expect(checker.gaps.largest == 60 * second + excess)
    }
  }

  @Test("SYN-6: a room without any frame is reported at the end, also beside one with frames")
  func silence() {
    var checker = HearingChecker()
    _ = checker.begin(at: 0, version: 1, wall: 0)
    let heard = checker.begin(at: 0, version: 1, wall: 0)
    for moment in 1...3 { checker.tick(heard, version: 1, at: Int64(moment) * 25 * second) }
    #expect(checker.lateCount == 0)
    checker.finish(at: 75 * second)
    #expect(checker.lateCount == 1)
    #expect(checker.gaps.largest == 75 * second)
  }

  @Test("SYN-6: an ended subscription owes no frames")
  func over() {
    var checker = HearingChecker()
    let watch = checker.begin(at: 0, version: 1, wall: 0)
    checker.close(watch)
    checker.finish(at: 200 * second)
    #expect(checker.lateCount == 0)
  }

  @Test("LOC-7: patches and ticks of a room do not count as its position", arguments: [60, 61])
  func positionGap(seconds: Int64) {
    var checker = HearingChecker()
    let watch = checker.begin(at: 0, version: 1, wall: 0)
    checker.live(watch, fixedAt: 1000, at: second, wall: 0)
    for moment in 2...seconds { checker.tick(watch, version: 1, at: moment * second) }
    checker.live(watch, fixedAt: nil, at: seconds * second, wall: 0)
    checker.tickPosition(watch, fixedAt: 1000, at: (1 + seconds) * second, wall: 0)
    #expect(checker.latePositionCount == (seconds > 60 ? 1 : 0))
    #expect(checker.positionGaps.largest == seconds * second)
    #expect(checker.wrongCount == 0)
  }

  @Test("LOC-7: a position received by subscribing must be refreshed, too; before the first position nothing is due")
  func firstPosition() {
    var checker = HearingChecker()
    _ = checker.begin(at: 0, version: 1, fixedAt: 7, wall: 0)
    _ = checker.begin(at: 30 * second, version: 1, wall: 0)
    checker.finish(at: 61 * second)
    #expect(checker.latePositionCount == 1)
    #expect(checker.positionGaps.count == 1)
  }

  @Test("SYN-1: versions that are missing, repeated or late are reported")
  func versions() {
    var checker = HearingChecker()
    let watch = checker.begin(at: 0, version: 10, wall: 0)
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
    let watch = checker.begin(at: 0, version: 1, wall: 0)
    checker.live(watch, fixedAt: 2000, at: 1, wall: 0)
    checker.live(watch, fixedAt: 1000, at: 2, wall: 0)
    #expect(checker.disorderCount == 1)
    checker.tickPosition(watch, fixedAt: 2000, at: 3, wall: 0)
    #expect(checker.wrongCount == 0)
    checker.tickPosition(watch, fixedAt: 1000, at: 4, wall: 0)
    checker.tickPosition(watch, fixedAt: 3000, at: 5, wall: 0)
    #expect(checker.wrongCount == 2)
  }

  @Test("ages are those of the newest position, over all rooms that have one")
  func ages() {
    var checker = HearingChecker()
    _ = checker.begin(at: 0, version: 1, wall: 0)
    let watch = checker.begin(at: 0, version: 1, wall: 0)
    checker.live(watch, fixedAt: 10_000, at: 1, wall: 0)
    for now in [10_000, 20_000, 30_000] { checker.sampleAges(wallMilliseconds: Int64(now)) }
    #expect(checker.ages.count == 3)
    #expect(checker.ages.largest == 20 * second)
    checker.live(watch, fixedAt: 30_000, at: 2, wall: 0)
    checker.sampleAges(wallMilliseconds: 31_000)
    #expect(checker.ages.percentile(0.5) >= second)
    #expect(checker.ages.largest == 20 * second)
  }

  @Test("SYN-6, LOC-7: a limit other than 60 s is kept to the nanosecond", arguments: [0, 1])
  func limit(excess: Int64) {
    var checker = HearingChecker(limit: 3 * second)
    let watch = checker.begin(at: 0, version: 1, fixedAt: 5, wall: 5)
    checker.tick(watch, version: 1, at: 3 * second + excess)
    checker.tickPosition(watch, fixedAt: 5, at: 3 * second + excess, wall: 5)
    #expect((checker.lateCount, checker.latePositionCount) == (Int(excess), Int(excess)))
  }

  @Test("SYN-6, LOC-7: a wait ends with the connection, and begins when it is back", arguments: [0, 1])
  func away(excess: Int64) {
    var checker = HearingChecker()
    let watch = checker.begin(at: 0, version: 1, fixedAt: 5, wall: 5)
    checker.pause(watch, at: 60 * second + excess)
    #expect((checker.lateCount, checker.latePositionCount) == (Int(excess), Int(excess)))
    // The connection may be lost while it is gone.
    checker.pause(watch, at: 500 * second)
    checker.sampleAges(wallMilliseconds: 500_000)
    checker.resume(watch, at: 1000 * second, from: 1, version: 1, fixedAt: 5, wall: 1_000_005)
    #expect(checker.ages.count == 0, "a receiver that is away sees no age")
    #expect((checker.lateCount, checker.latePositionCount) == (Int(excess), Int(excess)))
    checker.tick(watch, version: 1, at: 1060 * second)
    checker.finish(at: 1061 * second)
    #expect((checker.lateCount, checker.latePositionCount) == (Int(excess), 1 + Int(excess)))
    #expect(checker.toldAges.largest == 1000 * second)
  }

  @Test("LOC-7: a position that is not in the answer to subscribing again is not due")
  func noPositionAnyLonger() {
    var checker = HearingChecker()
    let watch = checker.begin(at: 0, version: 1, fixedAt: 5, wall: 5)
    checker.pause(watch, at: second)
    checker.resume(watch, at: 2 * second, from: nil, version: 1, wall: 5)
    for moment in 1...5 { checker.tick(watch, version: 1, at: Int64(moment) * 50 * second) }
    #expect((checker.lateCount, checker.latePositionCount) == (0, 0))
  }

  @Test("SYN-2, SYN-4: a patch that leaves something out on coming back is reported, and an earlier version")
  func resuming() {
    var checker = HearingChecker()
    let watch = checker.begin(at: 0, version: 10, wall: 0)
    checker.pause(watch, at: 1)
    checker.resume(watch, at: 2, from: 10, version: 12, wall: 0)
    #expect((checker.missingCount, checker.forgottenCount) == (0, 0))
    checker.resume(watch, at: 3, from: 14, version: 15, wall: 0)
    #expect((checker.missingCount, checker.forgottenCount) == (2, 0))
    checker.resume(watch, at: 4, from: nil, version: 20, wall: 0)
    #expect((checker.missingCount, checker.forgottenCount) == (2, 0), "the whole state leaves nothing out")
    checker.resume(watch, at: 5, from: nil, version: 19, wall: 0)
    #expect((checker.missingCount, checker.forgottenCount) == (2, 1))
    checker.patch(watch, from: 19, version: 20, at: 6)
    #expect((checker.missingCount, checker.disorderCount) == (2, 0))
  }

  @Test("LOC-26: a position from before a crash may be an earlier one, and the next must not be")
  func positionAfterCrash() {
    var checker = HearingChecker()
    let watch = checker.begin(at: 0, version: 1, fixedAt: 2000, wall: 2000)
    checker.pause(watch, at: 1)
    checker.resume(watch, at: 2, from: 1, version: 1, fixedAt: 1000, wall: 2000)
    checker.tickPosition(watch, fixedAt: 1000, at: 3, wall: 2000)
    #expect((checker.disorderCount, checker.wrongCount) == (0, 0))
    checker.live(watch, fixedAt: 900, at: 4, wall: 2000)
    #expect(checker.disorderCount == 1)
  }
}
