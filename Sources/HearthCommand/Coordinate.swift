import ArgumentParser
import Foundation

/// A place on Earth, in degrees.
struct Coordinate: Equatable, Sendable {
  var lat: Double
  var lon: Double

  /// `nil` outside of -90...90 and -180...180.
  init?(lat: Double, lon: Double) {
    guard -90...90 ~= lat, -180...180 ~= lon else { return nil }
    self.lat = lat
    self.lon = lon
  }

  /// Reads `52.51627,13.3777`.
  init?(_ text: String) {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
      .map { Double($0.trimmingCharacters(in: .whitespaces)) }
    guard parts.count == 2, let lat = parts[0], let lon = parts[1] else { return nil }
    self.init(lat: lat, lon: lon)
  }

  /// Metres, mean radius of the Earth (IUGG).
  private static let radius = 6_371_008.8

  /// Metres along a great circle, by the haversine formula.
  func distance(to other: Coordinate) -> Double {
    let halfLat = sin((other.lat - lat) * .pi / 360)
    let halfLon = sin((other.lon - lon) * .pi / 360)
    let haversine = halfLat * halfLat + cos(lat * .pi / 180) * cos(other.lat * .pi / 180) * halfLon * halfLon
    return 2 * Self.radius * asin(min(1, haversine).squareRoot())
  }

  /// The direction in which a great circle to another place starts: degrees clockwise from north, 0..<360.
  func bearing(to other: Coordinate) -> Double {
    let (from, to) = (lat * .pi / 180, other.lat * .pi / 180)
    let turn = (other.lon - lon) * .pi / 180
    let angle = atan2(sin(turn) * cos(to), cos(from) * sin(to) - sin(from) * cos(to) * cos(turn)) * 180 / .pi
    return angle < 0 ? angle + 360 : angle
  }

  /// Metres to the east and to the north on a flat map around this place, which is good enough for one screen.
  func offset(of other: Coordinate) -> (east: Double, north: Double) {
    // The short way round, also across the 180th meridian.
    let turn = (other.lon - lon).remainder(dividingBy: 360)
    let metresPerDegree = Self.radius * .pi / 180
    return (turn * metresPerDegree * cos(lat * .pi / 180), (other.lat - lat) * metresPerDegree)
  }

  /// The place at a part of the way, 0...1, to another one that is near.
  func place(at part: Double, of other: Coordinate) -> Coordinate {
    let turn = (other.lon - lon).remainder(dividingBy: 360)
    var place = self
    place.lat += (other.lat - lat) * part
    place.lon = (lon + turn * part).remainder(dividingBy: 360)
    return place
  }

  /// Five decimals, about a metre, in the order in which maps take them.
  var text: String { "\(Self.decimals(lat)),\(Self.decimals(lon))" }

  static func decimals(_ degrees: Double) -> String { String(format: "%.5f", degrees) }
}

extension Coordinate: ExpressibleByArgument {
  init?(argument: String) { self.init(argument) }
}

/// A length or direction in words.
enum Lengths {
  static let metresPerMile = 1609.344

  /// Such as `430 m (0.27 mi)` or `1.24 km (0.77 mi)`.
  static func text(_ metres: Double) -> String { "\(metric(metres)) (\(decimals(metres / metresPerMile)) mi)" }

  /// Such as `430 m` or `1.24 km`.
  static func metric(_ metres: Double) -> String {
    metres < 999.5 ? "\(Int(metres.rounded())) m" : "\(decimals(metres / 1000)) km"
  }

  /// Fewer decimals for more.
  static func decimals(_ number: Double) -> String { String(format: number < 99.95 ? "%.2f" : "%.0f", number) }

  private static let winds = ["N", "NE", "E", "SE", "S", "SW", "W", "NW"]

  /// Such as `273° W`.
  static func bearing(_ degrees: Double) -> String {
    "\(Int(degrees.rounded()) % 360)° \(winds[Int((degrees / 45).rounded()) % 8])"
  }
}
