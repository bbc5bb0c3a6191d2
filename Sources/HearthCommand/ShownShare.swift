import HearthClient
import JSON
import Rooms

/// A share as its room shows it (protocol.md, Sharing a position). Everything that the room does not say is `nil`.
struct ShownShare: Equatable {
  struct Position: Equatable {
    var place: Coordinate
    /// When it was fixed.
    var at: Instant?
    /// Metres.
    var accuracy: Double?
    /// Per cent.
    var battery: Int?
    var isCoarse: Bool
    var isSuspect: Bool
    /// Since when the sharer has not moved.
    var stillSince: Instant?
  }

  struct Destination: Equatable {
    var place: Coordinate
    /// Metres.
    var radius: Double
    var label: String
  }

  struct Pickup: Equatable {
    /// Such as `wanted` or `accepted`.
    var state: String
    var driver: String?
    var arriveBy: Instant?
    var isLate: Bool
  }

  /// A receiver, or one who has been.
  struct Receiver: Equatable {
    var name: String
    /// Such as `seen` or `left`.
    var state: String
  }

  /// How trustworthy the age of a position is.
  enum Freshness: String {
    case fresh, stale, lost

    init(age seconds: Int64) { self = seconds <= 60 ? .fresh : seconds < 180 ? .stale : .lost }
  }

  /// `you` if it is the person's own.
  var sharer: String
  var until: Instant?
  var destination: Destination?
  /// Such as `underWay`.
  var arrival: String?
  var note: String?
  /// Why there is no position, and since when.
  var lost: String?
  var lostAt: Instant?
  var position: Position?
  /// When the phone was last heard.
  var link: Instant?
  /// The way there, the oldest place first.
  var trail: [Coordinate]
  var pickup: Pickup?
  /// In order of states and names.
  var receivers: [Receiver]
  var formerReceivers: [Receiver]
  /// The time until which a request to stop may be answered.
  var stopsAt: Instant?
  /// Whether a request that nobody answers stops the share.
  var silenceConfirms: Bool

  /// - Parameters:
  ///   - times: newer times than those of the live document.
  ///   - me: the person who looks on.
  init(state: JSON, live: JSON, times: LiveTimes? = nil, me: ID<Person>?) {
    let share = state["share"] ?? [:]
    func name(_ id: String?, _ said: JSON?) -> String? {
      id != nil && id == me?.description ? "you" : said?.string
    }
    func receivers(_ table: JSON?) -> [Receiver] {
      (table?.object ?? [:]).map { id, entry in
        Receiver(name: name(id, entry["name"]) ?? id, state: entry["state"]?.string ?? "")
      }.sorted { ($0.state, $0.name) < ($1.state, $1.name) }
    }
    sharer = name(share["sharer"]?.string, share["name"]) ?? "somebody"
    until = share["until"].instant
    destination = share["place"].flatMap { place in
      place.coordinate.map {
        Destination(
          place: $0, radius: place["r"]?.double ?? 100, label: place["label"]?.string ?? "the destination")
      }
    }
    arrival = share["arrival"]?.string
    note = share["note"]?.string
    lost = share["lost"]?.string
    lostAt = share["lostAt"].instant
    position = live["position"].flatMap { position in
      position.coordinate.map {
        Position(
          place: $0, at: times?.at ?? position["at"].instant, accuracy: position["accuracy"]?.double,
          battery: position["battery"]?.int, isCoarse: position["coarse"] == true,
          isSuspect: position["suspect"] == true, stillSince: position["stillSince"].instant)
      }
    }
    link = times?.link ?? live["link"]?["at"].instant
    // Their ids are in the order of their times.
    trail = (live["trail"]?.object ?? [:]).sorted { $0.key < $1.key }.compactMap { $0.value.coordinate }
    pickup = state["pickup"].flatMap { pickup in
      pickup["state"]?.string.map {
        Pickup(
          state: $0, driver: name(pickup["by"]?.string, pickup["byName"]), arriveBy: pickup["arriveBy"].instant,
          isLate: pickup["late"] == true)
      }
    }
    self.receivers = receivers(state["receivers"])
    formerReceivers = receivers(state["formerReceivers"])
    silenceConfirms = share["silence"] == "confirms"
    stopsAt = state["stopRequest"]?["until"].instant
  }

  /// Seconds since the position was fixed.
  func age(at time: Instant) -> Int64? { position?.at.map { max(0, (time - $0).milliseconds / 1000) } }
}

extension JSON {
  /// The place that `lat` and `lon` of an object name.
  fileprivate var coordinate: Coordinate? {
    guard let lat = self["lat"]?.double, let lon = self["lon"]?.double else { return nil }
    return Coordinate(lat: lat, lon: lon)
  }
}

extension JSON? {
  /// The time that a text says.
  var instant: Instant? { self?.string.flatMap { Instant($0) } }
}
