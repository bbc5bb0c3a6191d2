import JSON
import Rooms

/// The last position that the sharer's phone reported (R-LOC). Empty before the first fix and after the end.
struct Position: Record {
  /// Degrees, five decimals.
  var lat: Double?
  var lon: Double?
  /// Metres; absent where the phone does not know it.
  var accuracy: Double?
  /// The time of the fix, by the server's clock.
  var at: Instant?
  var receivedAt: Instant?
  /// Too imprecise to prove an arrival.
  var coarse: Bool?
  /// Too far from the previous fix to be plausible.
  var suspect: Bool?
  /// Since when the sharer has not moved; absent while they do (LOC-27).
  var stillSince: Instant?
  /// Per cent.
  var battery: Int?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("lat", \.lat)
    field("lon", \.lon)
    field("accuracy", \.accuracy)
    field("at", \.at)
    field("receivedAt", \.receivedAt)
    field("coarse", \.coarse)
    field("suspect", \.suspect)
    field("stillSince", \.stillSince)
    field("battery", \.battery)
  }
}

/// The time of the last report from the sharer's phone, with a fix or without.
struct Link: Record {
  var at: Instant?

  static func fields(_ field: inout some FieldVisitor<Self>) { field("at", \.at) }
}

/// The radius around a fix, in metres: 0 to 50,000. 0, like a missing one, says that the phone does not know it.
struct Accuracy: Field {
  var metres = 0.0

  static func read(_ view: View?, _ problems: Problems) -> Self? {
    guard let view, !view.isNull else { return Accuracy() }
    guard let metres = Double.read(view, problems) else { return nil }
    guard metres >= 0, metres <= 50_000 else {
      problems.note("must be 0 to 50000")
      return nil
    }
    return Accuracy(metres: metres)
  }

  func write(to writer: Writer) { metres.write(to: writer) }

  static func schema(_ limit: ClosedRange<Int>?) -> JSON {
    ["type": "number", "minimum": 0, "maximum": 50_000]
  }

  /// `nil` where the phone does not know it.
  var known: Double? { metres > 0 ? metres : nil }

  /// Too vague to tell an arrival (R-LOC).
  var isCoarse: Bool { known.map { $0 > Position.coarseAccuracy } ?? true }
}

/// One fix of a phone, by its own clock.
struct Fix: Record {
  var lat = 0.0
  var lon = 0.0
  var accuracy = Accuracy()
  var fixTime = Instant()
  var battery: Int?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("lat", \.lat, -90...90)
    field("lon", \.lon, -180...180)
    field("accuracy", \.accuracy)
    field("fixTime", \.fixTime)
    field("battery", \.battery, 0...100)
  }
}

extension Position {
  /// Metres; a fix with a larger radius is coarse.
  static let coarseAccuracy = 1000.0
  /// Metres a second; a faster movement is suspect.
  static let topSpeed = 100.0

  /// Judges a fix by the previous one, whether that was plausible or not (R-LOC).
  init(_ fix: Fix, at: Instant, receivedAt: Instant, after last: Position) {
    lat = Geography.rounded(fix.lat)
    lon = Geography.rounded(fix.lon)
    accuracy = fix.accuracy.known
    self.at = at
    self.receivedAt = receivedAt
    coarse = fix.accuracy.isCoarse ? true : nil
    battery = fix.battery
    guard let from = last.place, let lastAt = last.at else { return }
    let to = (fix.lat, fix.lon)
    let seconds = Double((at - lastAt).milliseconds) / 1000
    let reach = Self.topSpeed * seconds + (last.accuracy ?? 0) + fix.accuracy.metres
    // Nearly every fix is near enough however one measures.
    guard Geography.distanceAtMost(from: from, to: to) > reach else { return }
    suspect = Geography.distance(from: from, to: to) > reach ? true : nil
  }

  /// Degrees; `nil` before the first fix.
  var place: (lat: Double, lon: Double)? {
    guard let lat, let lon else { return nil }
    return (lat, lon)
  }

  /// Whether the position can prove an arrival.
  var isTrusted: Bool { coarse != true && suspect != true }

  /// Whether a fix of the same time stands instead: it is more exact, or as exact and says something else.
  func isBettered(by fix: Fix) -> Bool {
    if fix.accuracy.known != accuracy { return fix.accuracy.isBetter(than: accuracy) }
    return lat != Geography.rounded(fix.lat) || lon != Geography.rounded(fix.lon)
  }
}

/// The reliability of a position, by the age of its fix (R-LOC, LOC-8).
enum Freshness: String {
  case fresh, stale, lost

  init(age: Duration) {
    self = age <= Limits.freshAge ? .fresh : age < Limits.lossAge ? .stale : .lost
  }
}
