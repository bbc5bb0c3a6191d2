import JSON
import Rooms

/// A point of the way that the sharer has come (LOC-24).
struct TrailPoint: Record {
  /// Degrees, five decimals.
  var lat = 0.0
  var lon = 0.0
  /// Metres; absent where the phone does not know it.
  var accuracy: Double?
  /// The time of the fix.
  var at = Instant()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("lat", \.lat)
    field("lon", \.lon)
    field("accuracy", \.accuracy)
    field("at", \.at)
  }
}

extension ShareState {
  /// Adds the points of a report to the trail, if the sharer has switched it on; the oldest points leave it.
  mutating func extendTrail(by positions: [Position]) {
    for position in positions {
      guard let place = position.place, let at = position.at else { continue }
      // Ids in the order of time. A better fix of the same time takes the place of the other.
      let id = ID<TrailPoint>(high: UInt64(max(at.milliseconds, 0)), low: 1)
      trail[id] =
        position.isTrusted
        ? TrailPoint(lat: place.lat, lon: place.lon, accuracy: position.accuracy, at: at) : nil
    }
    guard let newest = positions.last?.at else { return }
    trail.removeAll { newest - $1.at > Limits.trailAge }
    trail.keep(Limits.trail) { $0.at }
  }

  /// When the trail is too old as a whole: without a newer fix, so is its newest point.
  var trailDue: Instant? { trail.isEmpty ? nil : position.value.at.map { $0 + Limits.trailAge } }

  mutating func clearTrail() { trail.removeAll { _, _ in true } }
}
