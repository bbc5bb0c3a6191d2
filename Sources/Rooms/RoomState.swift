/// The document of one kind of room together with what the room itself does.
public protocol RoomState: Document {
  static var kind: RoomKindName { get }
  /// The mutations and questions of such rooms.
  static var methods: [Method] { get }
  static var messages: [MessageHandler<Self>] { get }
  static var history: [HistoryKind] { get }
  /// A room of this kind may be made again under its address when it has ended.
  static var mayBeginAgain: Bool { get }
  /// Nothing of such a room is sent over a connection in clear text (LOC-31).
  static var needsEncryption: Bool { get }
  /// Whether a person may be in the room: the one place that decides access (DESIGN "A room is the unit of privacy").
  func admits(_ person: ID<Person>, to room: RoomID) -> Bool
  /// When something in the room falls due next.
  var nextDue: Instant? { mutating get }
  /// Does what has fallen due at `context.now`.
  mutating func fallDue(in context: Context)
  /// The rows have been loaded: works out what follows from them and is not kept.
  mutating func restored()
}

extension RoomState {
  public static var messages: [MessageHandler<Self>] { [] }
  public static var history: [HistoryKind] { [] }
  public static var mayBeginAgain: Bool { false }
  public static var needsEncryption: Bool { false }
  public var nextDue: Instant? { nil }
  public mutating func fallDue(in context: Context) {}
  public mutating func restored() {}
}
