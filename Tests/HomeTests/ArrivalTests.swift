import JSON
import Rooms
import TestSupport
import Testing

@testable import Home

@Suite("R-ARRIVE")
struct ArrivalTests {
  /// A place of 100 m, unless it is said otherwise.
  private static func at(_ seconds: Double) -> Instant { World.start + .milliseconds(Int64(seconds * 1000)) }

  @Test(
    "R-ARRIVE: a fix is inside if its distance is at most r and its accuracy at most r or 50 m",
    arguments: [
      (100, 8, 100, true), (100.01, 8, 100, false), (0, 100, 100, true), (0, 100.01, 100, false), (30, 50, 30, true),
      (30, 50.01, 30, false), (30.01, 1, 30, false), (2000, 1000, 2000, true), (49, 60, 60, true),
    ] as [(Double, Double, Double, Bool)])
  func inside(distance: Double, accuracy: Double, radius: Double, expected: Bool) {
    #expect(Arrival.isInside(distance: distance, accuracy: accuracy, radius: radius) == expected)
  }

  @Test(
    "R-ARRIVE: a fix is outside if its distance less its accuracy exceeds r by a tenth of r, at least 20 m",
    arguments: [
      (130, 10, 100, false), (130.01, 10, 100, true), (60, 10, 30, false), (60.01, 10, 30, true),
      (2210, 10, 2000, false), (2210.01, 10, 2000, true), (1000, 890, 100, false), (1000, 879, 100, true),
    ] as [(Double, Double, Double, Bool)])
  func outside(distance: Double, accuracy: Double, radius: Double, expected: Bool) {
    #expect(Arrival.isOutside(distance: distance, accuracy: accuracy, radius: radius) == expected)
  }

  @Test(
    "R-ARRIVE two fixes in a row, 10 s to 10 min apart",
    arguments: [(9.999, false), (10, true), (600, true), (600.001, false)])
  func gap(seconds: Double, isArrival: Bool) {
    var arrival = Arrival(state: .underWay)
    for time in [0, seconds] {
      #expect(arrival.state == .underWay)
      arrival.take(distance: 10, accuracy: 8, radius: 100, at: Self.at(time))
    }
    #expect((arrival.state == .arrived) == isArrival)
    #expect(arrival.arrivedAt == (isArrival ? Self.at(seconds) : nil))
  }

  @Test("R-ARRIVE: more fixes inside do not delay an arrival, and one outside starts the count again")
  func row() {
    var arrival = Arrival(state: .underWay)
    for (time, distance) in [(0, 10), (5, 10), (9, 101), (12, 10), (17, 10), (21.9, 10)] as [(Double, Double)] {
      arrival.take(distance: distance, accuracy: 8, radius: 100, at: Self.at(time))
      #expect(arrival.state == .underWay)
    }
    arrival.take(distance: 10, accuracy: 8, radius: 100, at: Self.at(22))
    #expect(arrival.state == .arrived)
  }

  @Test("R-ARRIVE a run begins anew with a fix that comes more than 10 min after the one before, whatever it spans")
  func pause() {
    var arrival = Arrival(state: .underWay)
    for (time, state) in [(0, .underWay), (9, .underWay), (610, .underWay), (619, .underWay), (620, .arrived)]
      as [(Double, ArrivalState)]
    {
      arrival.take(distance: 10, accuracy: 8, radius: 100, at: Self.at(time))
      #expect(arrival.state == state, "after \(time) s")
    }
  }

  @Test(
    "R-ARRIVE a sharer starts inside if a fix says so that is exact enough, and a vague one leaves it open",
    arguments: [
      (0, 8, .alreadyInside), (100, 100, .alreadyInside), (100.01, 8, .underWay), (950, 900, .underWay),
      (0, 100.01, nil), (100, 900, nil), (101, 900, .underWay),
    ] as [(Double, Double, ArrivalState?)])
  func start(distance: Double, accuracy: Double, state: ArrivalState?) {
    var arrival = Arrival()
    arrival.take(distance: distance, accuracy: accuracy, radius: 100, at: Self.at(0))
    #expect(arrival.state == state)
  }

  @Test("R-ARRIVE: a share that starts inside its place arrives only after two fixes outside")
  func leaving() {
    var arrival = Arrival()
    let steps: [(Double, Double, ArrivalState)] = [
      (0, 10, .alreadyInside), (60, 10, .alreadyInside), (120, 200, .alreadyInside), (125, 300, .alreadyInside),
      // Between the two bounds is neither.
      (129, 125, .alreadyInside), (140, 300, .alreadyInside), (149, 400, .alreadyInside), (150, 500, .underWay),
      (160, 10, .underWay), (169, 10, .underWay), (171, 10, .arrived), (300, 900, .arrived), (400, 10, .arrived),
    ]
    for (time, distance, state) in steps {
      arrival.take(distance: distance, accuracy: 8, radius: 100, at: Self.at(time))
      #expect(arrival.state == state, "after \(time) s")
    }
  }

  // MARK: against a second implementation

  /// The rule as it is written, over the whole list: the shortest run that ends a step, found by trying all.
  private static func plainly(_ fixes: [(distance: Double, accuracy: Double, at: Double)], _ radius: Double) -> Double?
  {
    func end(from start: Int, _ holds: (Double, Double) -> Bool) -> Int? {
      for last in start..<max(start, fixes.count) {
        for first in start..<last where fixes[last].at - fixes[first].at >= 10 {
          let run = fixes[first...last]
          let isDense = zip(run, run.dropFirst()).allSatisfy { $1.at - $0.at <= 600 }
          if isDense, run.allSatisfy({ holds($0.distance, $0.accuracy) }) { return last }
        }
      }
      return nil
    }
    guard let first = fixes.firstIndex(where: { $0.distance > radius || $0.accuracy <= max(radius, 50) }) else {
      return nil
    }
    var start = first + 1
    if fixes[first].distance <= radius {
      guard let left = end(from: start, { $0 - $1 > radius + max(0.1 * radius, 20) }) else { return nil }
      start = left + 1
    }
    return end(from: start) { $0 <= radius && $1 <= max(radius, 50) }.map { fixes[$0].at }
  }

  @Test(
    "R-ARRIVE: any list of fixes arrives at the same fix as in a plain second implementation",
    arguments: 1...40 as ClosedRange<UInt64>)
  func plain(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var arrivals = 0
    for _ in 0..<50 {
      let radius = Double(Int.random(in: 30...300, using: &random))
      var time = 0.0
      var fixes: [(distance: Double, accuracy: Double, at: Double)] = []
      var isNear = Bool.random(using: &random)
      for _ in 0..<Int.random(in: 0...20, using: &random) {
        time += Double(Int.random(in: Int.random(in: 0..<12, using: &random) == 0 ? 595...605 : 0...12, using: &random))
        if Int.random(in: 0..<4, using: &random) == 0 { isNear.toggle() }
        let distance = radius * Double.random(in: isNear ? 0...1.1 : 1...2, using: &random)
        fixes.append((distance, Double(Int.random(in: 1...60, using: &random)), time))
      }
      var arrival = Arrival()
      for fix in fixes {
        arrival.take(distance: fix.distance, accuracy: fix.accuracy, radius: radius, at: Self.at(fix.at))
      }
      #expect(arrival.arrivedAt == Self.plainly(fixes, radius).map(Self.at))
      if arrival.state == .arrived { arrivals += 1 }
    }
    #expect(arrivals > 2, "too few to mean anything")
  }
}
