public import JSON
public import Rooms

/// The state of a room at a version, with its live document.
public struct RoomSnapshot: Sendable, Equatable {
  /// Identifies the room's log; versions are comparable only within one epoch.
  public var epoch: String
  public var version: Int64
  public var state: JSON
  /// The live document, which has no versions and is never logged.
  public var live: JSON

  public init(epoch: String, version: Int64, state: JSON, live: JSON = [:]) {
    self.epoch = epoch
    self.version = version
    self.state = state
    self.live = live
  }
}

/// An event of a watched room, in order.
public enum RoomEvent: Sendable, Equatable {
  /// The whole state: first, and whenever missed changes cannot be sent as a patch.
  ///
  /// `reason` is the server's (`new`, `tooOld`, `epoch`, `ahead`), or the client's: `behind` if a reader was too slow
  /// for single changes, `kept` for a state already known.
  case state(RoomSnapshot, reason: String)
  case patch(RoomPatch)
  /// A merge patch of the live document; without a time if it comes from a new subscription.
  case live(at: Instant?, patch: JSON)
  /// The room has not changed and is at this version. `live` has the age of a shared position.
  case tick(at: Instant, version: Int64, live: LiveTimes?)
  /// The set of shown, unconfirmed changes has changed to this many. Only from a `HearthClient`, whose `document(of:)`
  /// includes them.
  case pending(Int)
  /// The last event of the room. `reason` is the server's, or that of an error when subscribing again.
  case closed(reason: String)
}

/// A change of a room's document from any version in `from..<version` to `version`.
public struct RoomPatch: Sendable, Equatable {
  public var from: Int64
  public var version: Int64
  /// The time of the commit; `nil` for several changes in one.
  public var at: Instant?
  /// The author, if all of it is one person's change.
  public var by: ID<Person>?
  /// An RFC 7396 merge patch.
  public var patch: JSON

  public init(from: Int64, version: Int64, at: Instant?, by: ID<Person>?, patch: JSON) {
    self.from = from
    self.version = version
    self.at = at
    self.by = by
    self.patch = patch
  }
}

/// The age of the data in a live document.
public struct LiveTimes: Sendable, Equatable {
  /// When the position was measured.
  public var at: Instant?
  /// When the server last received anything from the device that shares it.
  public var link: Instant?

  public init(at: Instant?, link: Instant?) {
    self.at = at
    self.link = link
  }
}
