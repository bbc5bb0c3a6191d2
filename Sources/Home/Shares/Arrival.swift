import JSON
import Rooms

/// The destination that ends a share (LOC-2). Its coordinates are for the people in the share; others get the label.
struct Destination: Record {
  /// Degrees.
  var lat = 0.0
  var lon = 0.0
  /// The radius in metres; always set in a share.
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

/// The progress of a sharer towards their destination (LOC-17).
enum ArrivalState: String, Word {
  /// The sharer was there from the beginning, or may have been: they must leave before they can arrive.
  case alreadyInside
  case underWay
  case arrived
}

/// Derives an arrival from fixes; reports it at most once (R-ARRIVE).
///
/// It gets only fixes that are neither suspect nor coarse; the others have no effect. A step takes consecutive fixes
/// that all agree, with 10 s or more from the first to the last. One good fix proves nothing, however often it is
/// reported.
struct Arrival: Equatable {
  /// `nil` until the first fix.
  var state: ArrivalState?
  /// The time of the first of the consecutive fixes that agree on the next step.
  var since: Instant?
  /// The time of the fix that proved the arrival.
  var arrivedAt: Instant?

  /// Takes the next fix: `distance` metres from the centre of a place of `radius` metres, within `accuracy` metres.
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

  /// Whether a first fix may be inside, so that it begins no arrival: better none than a false one.
  static func mayBeInside(distance: Double, accuracy: Double, radius: Double) -> Bool { distance - accuracy <= radius }
}

/// The phone's position when a share starts; the answer says whether it may be at the destination already.
struct StartPosition: Record {
  var lat = 0.0
  var lon = 0.0
  var accuracy = Accuracy()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("lat", \.lat, -90...90)
    field("lon", \.lon, -180...180)
    field("accuracy", \.accuracy)
  }

  /// Whether the position may be inside a place; `nil` if it is too vague to tell.
  func mayBeInside(_ place: Destination) -> Bool? {
    guard accuracy.metres <= Position.coarseAccuracy else { return nil }
    return Arrival.mayBeInside(
      distance: place.distance(to: (lat, lon)), accuracy: accuracy.metres, radius: place.radius)
  }
}
