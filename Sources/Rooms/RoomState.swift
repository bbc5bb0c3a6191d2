/// The document of one kind of room together with the room's own actions.
public protocol RoomState: Document {
  static var kind: RoomKindName { get }
  /// The mutations and questions of such rooms.
  static var methods: [Method] { get }
  static var messages: [MessageHandler<Self>] { get }
  static var history: [HistoryKind] { get }
  /// Whether such a room may be made again under its address after it has ended.
  static var mayBeginAgain: Bool { get }
  /// Whether nothing of such a room may be sent over a connection in clear text (LOC-31).
  static var needsEncryption: Bool { get }
  /// Whether a person may be in the room: the one place that decides access (DESIGN "A room is the unit of privacy").
  func admits(_ person: ID<Person>, to room: RoomID) -> Bool
  /// Refuses a call as a whole, after its rule has changed the state; the default takes every one.
  mutating func approve(in context: Context) throws(Refusal)
  /// The next due time of the room.
  var nextDue: Instant? { mutating get }
  /// Does everything that is due at `context.now`.
  mutating func fallDue(in context: Context)
  /// Learns that another room, to which this one has sent a message, is over; `false` if that changes nothing here.
  mutating func learn(endOf room: RoomID, in context: Context) -> Bool
  /// Works out the values that follow from the rows and are not stored. Called after the rows have been loaded.
  mutating func restored()
}

extension RoomState {
  public static var messages: [MessageHandler<Self>] { [] }
  public static var history: [HistoryKind] { [] }
  public static var mayBeginAgain: Bool { false }
  public static var needsEncryption: Bool { false }
  @inlinable public mutating func approve(in context: Context) throws(Refusal) {}
  public var nextDue: Instant? { nil }
  public mutating func fallDue(in context: Context) {}
  public mutating func learn(endOf room: RoomID, in context: Context) -> Bool { false }
  public mutating func restored() {}
}
