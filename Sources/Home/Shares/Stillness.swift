import JSON
import Rooms

/// Finds out since when a sharer has not moved (LOC-27).
struct Stillness: Record {
  /// The place around which the sharer stays, and since when.
  var lat: Double?
  var lon: Double?
  var since: Instant?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("lat", \.lat)
    field("lon", \.lon)
    field("since", \.since)
  }

  /// Takes the next fix; returns since when the sharer has been there, once that is long enough.
  mutating func take(_ place: (lat: Double, lon: Double), at: Instant) -> Instant? {
    guard let lat, let lon, let since, at >= since, Self.isNear((lat, lon), place) else {
      (lat, lon, since) = (place.lat, place.lon, at)
      return nil
    }
    return at - since >= Limits.stillAge ? since : nil
  }

  private static func isNear(_ a: (lat: Double, lon: Double), _ b: (lat: Double, lon: Double)) -> Bool {
    Geography.distanceAtMost(from: a, to: b) < Limits.stillRadius
      || Geography.distance(from: a, to: b) < Limits.stillRadius
  }
}
