import Rooms

/// Measures how far a point is from a sharer's last position; nothing of it is kept (LOC-18).
struct MeasureShare: Question {
  static let method: StaticString = "shares.distance"
  static let summary: StaticString =
    "Measures how far a point is from a sharer's last position; nothing of it is kept (LOC-18)."
  /// Degrees.
  var lat = 0.0
  var lon = 0.0

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("lat", \.lat, -90...90)
    field("lon", \.lon, -180...180)
  }

  func answer(from share: ShareState, in inquiry: Inquiry) throws(Refusal) -> DistanceAnswer {
    let position = share.position.value
    guard let there = position.place, let at = position.at else {
      throw Refusal(.notFound, "position", "There is no position yet.")
    }
    let metres = Geography.distance(from: (lat, lon), to: there)
    return DistanceAnswer(metres: Int(metres.rounded()), at: at)
  }
}

struct DistanceAnswer: Record {
  var metres = 0
  /// The time of the sharer's position.
  var at = Instant()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("metres", \.metres)
    field("at", \.at)
  }
}
