import JSON
import Rooms

/// The phone of a person who walks a route: its fixes, and those that no report has brought to the server yet.
struct WalkingPhone {
  struct Fix: Equatable {
    var place: Coordinate
    var time: Instant
    /// Metres since the start.
    var walked: Double
    /// Per cent.
    var battery: Int?
  }

  /// The most fixes in a report (protocol.md, Limits).
  static let reportLimit = 60
  /// The most fixes that wait for a connection: an hour's. Then the oldest go.
  static let unsentLimit = 3600
  /// The shortest time between two fixes.
  static let rest = Duration.seconds(1)

  let route: Route
  let start: Instant
  /// Metres.
  let accuracy: Double
  /// At the start; one per cent less every five minutes.
  var battery: Int?

  /// In order of time.
  private(set) var unsent: [Fix] = []
  /// How many fixes went because too many waited, since all were sent.
  private(set) var forgottenCount = 0
  /// The newest fix.
  private(set) var last: Fix?

  init(_ route: Route, from start: Instant, accuracy: Double, battery: Int? = nil) {
    self.route = route
    self.start = start
    self.accuracy = accuracy
    self.battery = battery
  }

  /// Whether the walk is over, and everything about it has been sent.
  func isDone(at now: Instant) -> Bool { route.isOver(after: now - start) && unsent.isEmpty }

  /// Makes the fixes since the last one: one at each point of the track, and one now.
  mutating func look(at now: Instant) {
    let time = min(max(.zero, now - start), route.isOver(after: now - start) ? route.duration : now - start)
    var earliest = last.map { $0.time - start + Self.rest } ?? .zero
    // A machine that was asleep has no fixes of that time.
    earliest = max(earliest, time - Self.rest * Self.unsentLimit)
    while let stop = route.point(from: earliest), stop.after < time {
      add(stop)
      earliest = stop.after + Self.rest
    }
    // At the end the last fix is the end of the track.
    let isDue = last.map { route.isOver(after: time) ? $0.time < start + time : $0.time + Self.rest <= start + time }
    if isDue ?? true { add(route.stop(after: time)) }
  }

  private mutating func add(_ stop: Route.Stop) {
    let spent = Int(stop.after / .seconds(300))
    let fix = Fix(
      place: stop.place, time: start + stop.after, walked: stop.walked, battery: battery.map { max(1, $0 - spent) })
    unsent.append(fix)
    last = fix
    guard unsent.count > Self.unsentLimit else { return }
    unsent.removeFirst()
    forgottenCount += 1
  }

  /// The fixes of the next report: the oldest ones.
  var due: ArraySlice<Fix> { unsent.prefix(Self.reportLimit) }

  /// Forgets the first fixes, which the server has answered.
  mutating func answered(_ count: Int) {
    unsent.removeFirst(min(count, unsent.count))
    if unsent.isEmpty { forgottenCount = 0 }
  }

  /// The parameters of a report of the fixes that are due.
  func report(at now: Instant) -> JSON {
    let fixes = due.map { fix in
      var members: [String: JSON] = [
        "lat": .rounded(fix.place.lat), "lon": .rounded(fix.place.lon), "accuracy": .rounded(accuracy),
        "fixTime": .string(fix.time.description),
      ]
      members["battery"] = fix.battery.map { .number(JSON.Number($0)) }
      return JSON.object(members)
    }
    return ["sentAt": .string(now.description), "fixes": .array(fixes)]
  }
}

extension JSON {
  /// Six decimals, a tenth of a metre as degrees.
  static func rounded(_ number: Double) -> JSON {
    JSON.Number((number * 1e6).rounded() / 1e6).map(JSON.number) ?? .null
  }
}
