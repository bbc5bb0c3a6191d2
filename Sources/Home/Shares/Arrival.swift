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
  /// The sharer was there from the beginning: to arrive, they have to leave first.
  case alreadyInside
  case underWay
  case arrived
}

/// Derives an arrival from fixes; reports it at most once (R-ARRIVE).
///
/// Only fixes that are neither suspect nor coarse are shown to it; the others neither help nor hinder. A step takes a
/// run of fixes that all say the same, 10 s or more from the first to the last, and none of them more than 10 min after
/// the one before: one good fix proves nothing, however often it comes.
struct Arrival: Equatable {
  /// `nil` until a fix has said where the sharer starts.
  var state: ArrivalState?
  /// The times of the first and the last fix of the run that says what the next step takes.
  var since: Instant?
  var runAt: Instant?
  /// When the fix was made that told the arrival.
  var arrivedAt: Instant?

  /// Takes the next fix: `distance` metres from the centre of a place of `radius` metres, within `accuracy` metres.
  mutating func take(distance: Double, accuracy: Double, radius: Double, at: Instant) {
    switch state {
    case nil: state = Self.start(distance: distance, accuracy: accuracy, radius: radius)
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
    guard isSaid else {
      (since, runAt) = (nil, nil)
      return false
    }
    guard let first = since, let last = runAt, at - last <= Limits.arrivalPause else {
      (since, runAt) = (at, at)
      return false
    }
    runAt = at
    guard at - first >= Limits.arrivalSpan else { return false }
    (since, runAt) = (nil, nil)
    return true
  }

  /// The state in which a sharer starts; `nil` where the fix is too vague to be inside.
  static func start(distance: Double, accuracy: Double, radius: Double) -> ArrivalState? {
    if isInside(distance: distance, accuracy: accuracy, radius: radius) { return .alreadyInside }
    return distance > radius ? .underWay : nil
  }

  static func isInside(distance: Double, accuracy: Double, radius: Double) -> Bool {
    distance <= radius && accuracy <= max(radius, 50)
  }

  static func isOutside(distance: Double, accuracy: Double, radius: Double) -> Bool {
    distance - accuracy > radius + max(0.1 * radius, 20)
  }
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

  /// `nil` where the position is too vague to tell.
  func isInside(_ place: Destination) -> Bool? {
    guard !accuracy.isCoarse else { return nil }
    return Arrival.start(
      distance: place.distance(to: (lat, lon)), accuracy: accuracy.metres, radius: place.radius
    ).map { $0 == .alreadyInside }
  }
}
