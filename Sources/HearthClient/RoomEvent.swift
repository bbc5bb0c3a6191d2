public import JSON
public import Rooms

/// What a client knows of a room: its document as of a version, and what is only true now.
public struct RoomSnapshot: Sendable, Equatable {
  /// Belongs to the room's log; a version means something within one epoch only.
  public var epoch: String
  public var version: Int64
  public var state: JSON
  /// The live document: no versions, never logged.
  public var live: JSON

  public init(epoch: String, version: Int64, state: JSON, live: JSON = [:]) {
    self.epoch = epoch
    self.version = version
    self.state = state
    self.live = live
  }
}

/// What happens to a watched room, in order.
public enum RoomEvent: Sendable, Equatable {
  /// The whole room: the first event, and again whenever what was missed cannot be told as a change. `reason` is the
  /// server's (`new`, `tooOld`, `epoch`, `ahead`), `behind` where a reader was too slow for single changes, or `kept`
  /// for what a client knew already.
  case state(RoomSnapshot, reason: String)
  case patch(RoomPatch)
  /// A merge patch of the live document; no time where it tells what a resubscription found changed.
  case live(at: Instant?, patch: JSON)
  /// Nothing has happened: the room is at this version. `live` says how old a shared position is.
  case tick(at: Instant, version: Int64, live: LiveTimes?)
  /// Our own changes that are shown though the server has not confirmed them are others now, and so many. Only of a
  /// `HearthClient`, whose `document(of:)` has them.
  case pending(Int)
  /// Nothing more comes of this room. `reason` is the server's, or that of an error on the way back into the room.
  case closed(reason: String)
}

/// A change of a room's document, which leads from any version of `from..<version` to `version`.
public struct RoomPatch: Sendable, Equatable {
  public var from: Int64
  public var version: Int64
  /// When it was committed; `nil` for several changes in one.
  public var at: Instant?
  /// Whose change it is, if all of it is one person's.
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

/// How old what a live document says is.
public struct LiveTimes: Sendable, Equatable {
  /// When the position was fixed.
  public var at: Instant?
  /// When its phone was last heard of.
  public var link: Instant?

  public init(at: Instant?, link: Instant?) {
    self.at = at
    self.link = link
  }
}
