import Testing

@testable import HearthCommand

/// A place that a test names; the pole if there is none.
func place(_ text: String) -> Coordinate { Coordinate(text) ?? .pole }

extension Coordinate {
  static var pole: Coordinate {
    guard let pole = Coordinate(lat: 90, lon: 0) else { preconditionFailure("the pole is a place") }
    return pole
  }
}

@Suite("Places, lengths and directions")
struct CoordinateTests {
  @Test(
    "a place is read from two numbers of degrees, and nothing else is one",
    arguments: [
      ("52.51627,13.3777", 52.51627), (" -33.8 , 151.2", -33.8), ("90,180", 90), ("90.00001,0", nil), ("0,-180.1", nil),
      ("52", nil), ("52,13,1", nil), ("nan,1", nil), ("inf,1", nil), ("", nil), ("52°,13°", nil),
    ] as [(String, Double?)])
  func reading(text: String, lat: Double?) { #expect(Coordinate(text)?.lat == lat) }

  @Test("LOC-18: distances are those of the server's rule, also across the 180th meridian")
  func distance() {
    #expect(place("52.51631,13.3777").distance(to: place("52.52531,13.3777")).rounded() == 1001)
    #expect(abs(place("0,179.999").distance(to: place("0,-179.999")) - 222.4) < 0.1)
    #expect(place("1,1").distance(to: place("1,1")) == 0)
    #expect(abs(place("0,179.999").offset(of: place("0,-179.999")).east - 222.4) < 0.1)
    #expect(abs(place("0,179.999").place(at: 0.75, of: place("0,-179.999")).lon - -179.9995) < 1e-9)
  }

  @Test(
    "a direction is in degrees clockwise from north, with the nearest of eight winds",
    arguments: [
      ("1,0", "0° N"), ("1,1", "45° NE"), ("0,1", "90° E"), ("-1,1", "135° SE"), ("-1,0", "180° S"), ("0,-1", "270° W"),
      ("1,-0.001", "0° N"), ("1,-0.415", "337° NW"), ("1,-0.405", "338° N"),
    ])
  func bearing(to: String, text: String) {
    #expect(Lengths.bearing(place("0,0").bearing(to: place(to))) == text)
  }

  @Test(
    "a length is in metres or kilometres, and in miles",
    arguments: [
      (0, "0 m (0.00 mi)"), (430.4, "430 m (0.27 mi)"), (999.4, "999 m (0.62 mi)"), (999.5, "1.00 km (0.62 mi)"),
      (1240, "1.24 km (0.77 mi)"), (99_949, "99.95 km (62.11 mi)"), (160_934.4, "161 km (100 mi)"),
    ])
  func length(metres: Double, text: String) { #expect(Lengths.text(metres) == text) }
}
