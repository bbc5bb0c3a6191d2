import JSON
import Rooms

/// The chosen place that ends a share (LOC-2). Its coordinates are for those in the share; others know the label.
struct Destination: Record {
  /// Degrees.
  var lat = 0.0
  var lon = 0.0
  /// The radius in metres; always there in a share.
  var r: Int?
  /// The sharer's name for it: "home".
  var label = Line()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("lat", \.lat, -90...90)
    field("lon", \.lon, -180...180)
    field("r", \.r, Limits.placeRadius)
    field("label", \.label, Limits.placeLabel)
  }

  var radius: Double { Double(r ?? Limits.defaultPlaceRadius) }

  func distance(to point: (lat: Double, lon: Double)) -> Double {
    Geography.distance(from: (lat, lon), to: point)
  }
}

/// How far a sharer has come on the way to their place (LOC-17).
enum ArrivalState: String, Word {
  /// The sharer was there from the beginning, or may have been: to arrive, they have to leave first.
  case alreadyInside
  case underWay
  case arrived
}

/// From fixes to an arrival, told at most once (R-ARRIVE).
///
/// Only fixes that are neither suspect nor coarse are shown to it; the others neither help nor hinder. A step takes
/// fixes in a row, 10 s or more from the first to the last of them, that all say the same: one good fix proves nothing,
/// however often it comes.
struct Arrival: Equatable {
  /// `nil` until the first fix.
  var state: ArrivalState?
  /// Since when all fixes have said what the next step takes.
  var since: Instant?
  /// When the fix was made that told the arrival.
  var arrivedAt: Instant?

  /// Takes the next fix: `distance` metres from the middle of a place of `radius` metres, within `accuracy` metres.
  mutating func take(distance: Double, accuracy: Double, radius: Double, at: Instant) {
    switch state {
    case nil:
      state = Self.mayBeInside(distance: distance, accuracy: accuracy, radius: radius) ? .alreadyInside : .underWay
    case .alreadyInside:
      if isSure(Self.isOutside(distance: distance, accuracy: accuracy, radius: radius), at) { state = .underWay }
    case .underWay:
      guard isSure(Self.isInside(distance: distance, accuracy: accuracy, radius: radius), at) else { return }
      state = .arrived
      arrivedAt = at
    case .arrived: break
    }
  }

  private mutating func isSure(_ isSaid: Bool, _ at: Instant) -> Bool {
    guard isSaid, let first = since else {
      since = isSaid ? at : nil
      return false
    }
    guard at - first >= Limits.arrivalGap else { return false }
    since = nil
    return true
  }

  static func isInside(distance: Double, accuracy: Double, radius: Double) -> Bool {
    distance <= radius && accuracy <= max(radius, 50)
  }

  static func isOutside(distance: Double, accuracy: Double, radius: Double) -> Bool {
    distance - accuracy > radius + max(0.1 * radius, 20)
  }

  /// A sharer who starts so may not have come from elsewhere: better no arrival than a false one.
  static func mayBeInside(distance: Double, accuracy: Double, radius: Double) -> Bool { distance - accuracy <= radius }
}

/// Where the phone is when a share is started, for the answer to say whether that is the place already.
struct StartPosition: Record {
  var lat = 0.0
  var lon = 0.0
  var accuracy = Accuracy()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("lat", \.lat, -90...90)
    field("lon", \.lon, -180...180)
    field("accuracy", \.accuracy)
  }

  /// `nil` where the position is too vague to tell.
  func mayBeInside(_ place: Destination) -> Bool? {
    guard accuracy.metres <= Position.coarseAccuracy else { return nil }
    return Arrival.mayBeInside(
      distance: place.distance(to: (lat, lon)), accuracy: accuracy.metres, radius: place.radius)
  }
}
