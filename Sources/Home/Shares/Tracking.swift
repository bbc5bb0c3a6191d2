import JSON
import Rooms

/// The memory of a share's reports: of one device, by its clock.
struct Tracking: Record {
  var device: ID<Session>?
  /// When the last report was sent, and the newest of all fixes made.
  var sentAt: Instant?
  var fixTime: Instant?
  /// As in `Arrival`; the state is the one in which the run was counted: the log may be ahead of what is kept, or
  /// behind.
  var since: Instant?
  var runAt: Instant?
  var state: ArrivalState?
  var stillness: Stillness?
  var before: BeforeNewest?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("device", \.device)
    field("sentAt", \.sentAt)
    field("fixTime", \.fixTime)
    field("since", \.since)
    field("runAt", \.runAt)
    field("state", \.state)
    field("stillness", \.stillness)
    field("before", \.before)
  }

  var arrival: Arrival {
    get { Arrival(state: state, since: since, runAt: runAt) }
    set { (state, since, runAt) = (newValue.state, newValue.since, newValue.runAt) }
  }

  /// Whether a report was sent no later than the last one. One that seems to be much older comes from a clock that was
  /// set back, which must not hide a sharer (R-LOC).
  func hasOvertaken(_ report: Report) -> Bool {
    guard let sentAt else { return false }
    return report.sentAt <= sentAt && sentAt - report.sentAt <= Limits.freshAge
  }

  /// Takes the next position that can be trusted; returns since when the sharer has not moved (LOC-27).
  mutating func takeStill(_ position: Position) -> Instant? {
    guard let place = position.place, let at = position.at else { return nil }
    var still = stillness ?? Stillness()
    defer { stillness = still }
    return still.take(place, at: at)
  }

  /// Goes on from `state`, which is what the log says.
  mutating func settle(_ state: ArrivalState?) {
    guard self.state != state else { return }
    let start = Arrival(state: state)
    arrival = start
    before?.arrival = start
  }
}

/// The state before the newest fix: a more accurate fix of the same time starts from here again (R-LOC).
struct BeforeNewest: Record {
  /// The position, as far as the next one is judged by it.
  var lat: Double?
  var lon: Double?
  var accuracy: Double?
  var at: Instant?
  /// As in `Position`.
  var stillSince: Instant?
  var stillness: Stillness?
  /// As in `Arrival`.
  var since: Instant?
  var runAt: Instant?
  var state: ArrivalState?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("lat", \.lat)
    field("lon", \.lon)
    field("accuracy", \.accuracy)
    field("at", \.at)
    field("stillSince", \.stillSince)
    field("stillness", \.stillness)
    field("since", \.since)
    field("runAt", \.runAt)
    field("state", \.state)
  }

  init() {}

  init(_ position: Position, _ stillness: Stillness?, _ arrival: Arrival) {
    (lat, lon, accuracy, at) = (position.lat, position.lon, position.accuracy, position.at)
    (stillSince, self.stillness) = (position.stillSince, stillness)
    self.arrival = arrival
  }

  var position: Position { Position(lat: lat, lon: lon, accuracy: accuracy, at: at, stillSince: stillSince) }

  var arrival: Arrival {
    get { Arrival(state: state, since: since, runAt: runAt) }
    set { (state, since, runAt) = (newValue.state, newValue.since, newValue.runAt) }
  }
}
