/// Distances on the Earth.
///
/// This target must not import the C library, so it sums sine and arc sine itself. The error is a millionth; the
/// phones' own is a few metres.
enum Geography {
  /// Metres, mean radius of the Earth (IUGG).
  static let radius = 6_371_008.8

  /// Metres along a great circle between two points in degrees, by the haversine formula.
  static func distance(from a: (lat: Double, lon: Double), to b: (lat: Double, lon: Double)) -> Double {
    let halfLat = sine(radians((b.lat - a.lat) / 2))
    let halfLon = sine(radians((b.lon - a.lon) / 2))
    let haversine = halfLat * halfLat + cosine(radians(a.lat)) * cosine(radians(b.lat)) * halfLon * halfLon
    return 2 * radius * arcSine(min(1, haversine).squareRoot())
  }

  /// An upper bound of a distance, in metres: along the meridian, then along a parallel as long as the equator. It
  /// needs no sine.
  static func distanceAtMost(from a: (lat: Double, lon: Double), to b: (lat: Double, lon: Double)) -> Double {
    radius * radians(abs(b.lat - a.lat) + abs(b.lon - a.lon))
  }

  /// Rounds degrees to five decimals, about a metre (LOC-19).
  static func rounded(_ degrees: Double) -> Double { (degrees * 1e5).rounded() / 1e5 }

  static func radians(_ degrees: Double) -> Double { degrees * .pi / 180 }
  static func cosine(_ angle: Double) -> Double { sine(.pi / 2 - angle) }

  /// Sine by Taylor's series, after reducing the angle to −π/2...π/2.
  static func sine(_ angle: Double) -> Double {
    var x = angle.remainder(dividingBy: 2 * .pi)
    if x > .pi / 2 { x = .pi - x } else if x < -.pi / 2 { x = -.pi - x }
    var term = x
    var sum = x
    for n in stride(from: 2.0, through: 22, by: 2) {
      term *= -x * x / (n * (n + 1))
      sum += term
    }
    return sum
  }

  /// Arc sine for 0...1. Halving the angle twice (√ is exact) leaves a small one: the series converges quickly.
  static func arcSine(_ value: Double) -> Double {
    if value > 0.5 { return .pi / 2 - 2 * arcSine(((1 - value) / 2).squareRoot()) }
    var term = value
    var sum = value
    for n in stride(from: 1.0, through: 45, by: 2) {
      term *= value * value * n / (n + 1)
      sum += term / (n + 2)
    }
    return sum
  }
}
