/// Makes a track from a seed: a way, a phone that fails in some manner, and a network.
///
/// Errors of positions go on from fix to fix, as they do between houses. Two thirds of them are within the accuracy
/// that the phone states.
public struct Walk {
  private var random: SeededGenerator
  private var path: [Track.Point] = []

  /// Metres that the phone states.
  public var accuracy = 4.0...8.0
  /// Seconds between two fixes, and between two reports.
  public var fixEvery = 10.0
  public var reportEvery = 30.0
  /// When there is no satellite in sight, no network, or no power.
  public var hidden: [Range<Double>] = []
  public var offline: [Range<Double>] = []
  public var dead: [Range<Double>] = []
  /// When only cells of the network say where the phone is, to a kilometre or more.
  public var vague: [Range<Double>] = []
  /// Errors beside tall houses, which the phone states as half of what they are.
  public var reflections: [Range<Double>] = []
  /// When a fix is far off, for how many fixes, and where it says that the phone is.
  public var jumps: [(at: Double, count: Int, east: Double, north: Double)] = []
  /// How far the phone's clock is ahead.
  public var clock: @Sendable (Double) -> Double = { _ in 0 }
  /// How far the satellites' receiver is ahead of the phone.
  public var receiver = 0.0

  public init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  // MARK: the way

  private var now: Double { path.last?.at ?? 0 }
  private var here: (east: Double, north: Double) { path.last.map { ($0.east, $0.north) } ?? (0, 0) }

  /// Begins so many metres from the place, in any direction.
  public mutating func begin(_ metres: Double) {
    let direction = unit()
    path = [Track.Point(at: 0, east: direction.east * metres, north: direction.north * metres)]
  }

  /// The point so many metres from the place, as seen from it in the direction of here.
  public func towardsHere(_ metres: Double) -> (east: Double, north: Double) {
    let length = Self.length(here.east, here.north)
    return (here.east / length * metres, here.north / length * metres)
  }

  public func distance(to point: (east: Double, north: Double)) -> Double {
    Self.length(point.east - here.east, point.north - here.north)
  }

  /// Goes to a point along streets, waiting at some of their corners. Returns the time of getting there.
  @discardableResult
  public mutating func go(toEast east: Double = 0, north: Double = 0, speed: Double = 1.4) -> Double {
    let start = here
    let length = Self.length(east - start.east, north - start.north)
    let legs = max(1, Int(length / (80 * speed)))
    for leg in 1...legs {
      let share = Double(leg) / Double(legs)
      // Streets do not lead straight to it.
      let side = leg < legs ? Double.random(in: -30...30, using: &random) / max(length, 1) : 0
      let point = (
        east: start.east + (east - start.east) * share - (north - start.north) * side,
        north: start.north + (north - start.north) * share + (east - start.east) * side
      )
      let from = here
      let pace = speed * Double.random(in: 0.9...1.1, using: &random)
      move(to: point, after: Self.length(point.east - from.east, point.north - from.north) / pace)
      if speed < 3, leg < legs, Int.random(in: 0..<5, using: &random) == 0 {
        stay(Double.random(in: 10...40, using: &random))
      }
    }
    return now
  }

  public mutating func stay(_ seconds: Double) { move(to: here, after: seconds) }

  private mutating func move(to point: (east: Double, north: Double), after seconds: Double) {
    path.append(Track.Point(at: now + max(seconds, 0.001), east: point.east, north: point.north))
  }

  // MARK: the phone

  /// The track with all that the phone reports, up to the end of the way.
  public mutating func track(_ name: String) -> Track {
    var track = Track(name: name, lat: 52, lon: 4, path: path, uploads: [])
    let fixes = fixes(of: track)
    var sent = 0
    for time in stride(from: reportEvery, through: now, by: reportEvery) where !isWithin(time, dead + offline) {
      let ready = fixes[sent...].prefix { $0.at <= time }
      sent += ready.count
      // A report has at most 60 fixes; without one it says that the phone is there.
      var rest = ready[...]
      repeat {
        track.uploads.append(
          Track.Upload(at: time, sentAt: time + clock(time), fixes: Array(rest.prefix(60))))
        rest = rest.dropFirst(60)
      } while !rest.isEmpty
    }
    return track
  }

  private mutating func fixes(of track: Track) -> [Track.Fix] {
    var fixes: [Track.Fix] = []
    var chance = (east: 0.0, north: 0.0)
    var reflection: (of: Range<Double>, east: Double, north: Double)?
    var wasJump = false
    for time in stride(from: fixEvery, through: now, by: fixEvery) where !isWithin(time, dead + hidden) {
      let truth = track.point(at: time)
      var stated = Double.random(in: isWithin(time, vague) ? 1200...3000 : accuracy, using: &random)
      chance = (0.8 * chance.east + 0.6 * normal(), 0.8 * chance.north + 0.6 * normal())
      // Of errors with this deviation on each axis two thirds are within what is stated.
      let error = (east: chance.east * stated / 1.5, north: chance.north * stated / 1.5)
      if let range = reflections.first(where: { $0.contains(time) }) {
        if reflection?.of != range {
          let (direction, metres) = (unit(), Double.random(in: 60...150, using: &random))
          reflection = (range, direction.east * metres, direction.north * metres)
        }
        stated = max(stated, Self.length(reflection?.east ?? 0, reflection?.north ?? 0) / 2)
      } else {
        reflection = nil
      }
      var fix = Track.Fix(
        at: time, east: truth.east + error.east + (reflection?.east ?? 0),
        north: truth.north + error.north + (reflection?.north ?? 0), accuracy: stated,
        fixTime: time + clock(time) + receiver)
      let jump = jumps.first { $0.at..<$0.at + Double($0.count) * fixEvery ~= time }
      if let jump { (fix.east, fix.north) = (jump.east + error.east, jump.north + error.north) }
      // The first fix there is a jump, and so is the first one back.
      fix.isJump = (jump != nil) != wasJump
      wasJump = jump != nil
      fixes.append(fix)
    }
    return fixes
  }

  // MARK: chance

  private func isWithin(_ time: Double, _ ranges: [Range<Double>]) -> Bool { ranges.contains { $0.contains(time) } }

  private static func length(_ east: Double, _ north: Double) -> Double { (east * east + north * north).squareRoot() }

  private mutating func unit() -> (east: Double, north: Double) {
    while true {
      let (east, north) = (Double.random(in: -1...1, using: &random), Double.random(in: -1...1, using: &random))
      let length = Self.length(east, north)
      if 0.1...1 ~= length { return (east / length, north / length) }
    }
  }

  /// About normally distributed, without the system's logarithm, whose last digit depends on the machine.
  private mutating func normal() -> Double {
    (0..<12).reduce(-6) { sum, _ in sum + Double.random(in: 0..<1, using: &random) }
  }

  public mutating func draw(_ range: ClosedRange<Double>) -> Double { Double.random(in: range, using: &random) }
  public mutating func point(at metres: Double) -> (east: Double, north: Double) {
    let direction = unit()
    return (direction.east * metres, direction.north * metres)
  }
  public mutating func shuffle(_ fixes: inout [Track.Fix]) { fixes.shuffle(using: &random) }
}
