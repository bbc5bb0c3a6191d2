import Rooms

/// A walk along a track: where the walker is after a time.
struct Route {
  struct Stop: Equatable {
    /// The time since the start.
    var after: Duration
    var place: Coordinate
    /// Metres since the start.
    var walked: Double
  }

  /// Metres a second, where a track has no times.
  static let pace = 1.4
  /// A phone has a fix at least so often, also where a track without times has no point.
  private static let restLimit = Duration.seconds(5)
  /// The most points that are put into a track without times.
  private static let addedLimit = 100_000

  /// The way there, in order of time; at least one.
  private let stops: [Stop]
  /// Whether the walker turns at each end instead of stopping.
  private let isRepeated: Bool
  /// The time for the way there. One that is repeated takes a second at least.
  let duration: Duration

  /// - Parameter speed: how many times as fast as the track says.
  init(_ track: GPXTrack, speed: Double = 1, isRepeated: Bool = false) {
    var stops: [Stop] = []
    let length = zip(track.points, track.points.dropFirst()).reduce(0) { $0 + $1.0.place.distance(to: $1.1.place) }
    let rest = max(Self.restLimit, .seconds(length / Self.pace) / Self.addedLimit)
    for point in track.points {
      guard let last = stops.last else {
        stops.append(Stop(after: .zero, place: point.place, walked: 0))
        continue
      }
      let step = last.place.distance(to: point.place)
      if let time = point.time, let start = track.points.first?.time {
        stops.append(Stop(after: time - start, place: point.place, walked: last.walked + step))
        continue
      }
      let time = Duration.seconds(step / Self.pace)
      let parts = max(1, Int((time / rest).rounded(.up)))
      for part in 1...parts {
        let share = Double(part) / Double(parts)
        stops.append(
          Stop(
            after: last.after + time * share, place: last.place.place(at: share, of: point.place),
            walked: last.walked + step * share))
      }
    }
    // Whole milliseconds, as times have them: the quotient of a second is not quite a second.
    self.stops = stops.map { stop in
      let after = Duration.milliseconds(Int64((stop.after / .milliseconds(1) / speed).rounded()))
      return Stop(after: after, place: stop.place, walked: stop.walked)
    }
    self.isRepeated = isRepeated
    duration = max(self.stops.last?.after ?? .zero, isRepeated ? .seconds(1) : .zero)
  }

  /// Metres of the way there.
  var length: Double { stops.last?.walked ?? 0 }

  /// Whether the walk has ended.
  func isOver(after time: Duration) -> Bool { !isRepeated && time >= duration }

  /// Where the walker is after a time since the start; at the end, once the walk has ended.
  func stop(after time: Duration) -> Stop {
    let (passes, rest) = pass(at: time)
    let isBack = passes % 2 == 1
    let inside = isBack ? duration - rest : rest
    let next = stops.first { $0.after >= inside }
    var stop = stops[min(next, stops.count - 1)]
    if next > 0, next < stops.count {
      let before = stops[next - 1]
      let part = (inside - before.after) / (stop.after - before.after)
      stop.place = before.place.place(at: part, of: stop.place)
      stop.walked = before.walked + (stop.walked - before.walked) * part
    }
    return Stop(after: time, place: stop.place, walked: walked(to: stop, passes))
  }

  /// The first point of the track that the walker reaches at that time or later; `nil` behind the end.
  func point(from time: Duration) -> Stop? {
    let (passes, rest) = pass(at: time)
    let start = time - rest
    if passes % 2 == 1 {
      let stop = stops[stops.first { $0.after > duration - rest } - 1]
      return Stop(after: start + duration - stop.after, place: stop.place, walked: walked(to: stop, passes))
    }
    let index = stops.first { $0.after >= rest }
    if index < stops.count {
      return Stop(
        after: start + stops[index].after, place: stops[index].place, walked: walked(to: stops[index], passes))
    }
    return isRepeated ? point(from: start + duration) : nil
  }

  private func walked(to stop: Stop, _ passes: Int) -> Double {
    Double(passes) * length + (passes % 2 == 1 ? length - stop.walked : stop.walked)
  }

  /// How often the walker has gone the whole way, and the time since then. Odd passes lead back.
  private func pass(at time: Duration) -> (count: Int, rest: Duration) {
    guard isRepeated else { return (0, time) }
    var count = Int(time / duration)
    // The quotient is rounded.
    if duration * count > time { count -= 1 }
    if duration * (count + 1) <= time { count += 1 }
    return (count, time - duration * count)
  }
}

extension [Route.Stop] {
  /// The index of the first stop for which `isBehind` holds, which it does for all later ones; else `count`.
  fileprivate func first(_ isBehind: (Route.Stop) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isBehind(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
