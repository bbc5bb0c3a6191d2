/// The kinds of room, as a method's target.
public enum RoomKindName: String, Sendable, CaseIterable {
  case me
  case household
  case corner
  case share

  public init(_ room: RoomID) {
    switch room {
    case .person: self = .me
    case .household: self = .household
    case .corner: self = .corner
    case .share: self = .share
    }
  }
}

/// A kind of room as a value: its constructor, its methods and its messages.
public struct RoomKind: Sendable {
  public let name: RoomKindName
  public let make: @Sendable (RoomID) -> Room
  public let methods: [Method]
  /// The kinds of history that such rooms write.
  public let history: [HistoryKind]
  /// Whether such a room may be made again under its address after it has ended.
  public let mayBeginAgain: Bool
  /// Whether nothing of such a room may be sent over a connection in clear text (LOC-31).
  public let needsEncryption: Bool
  /// Names of the messages that make a room of this kind.
  public let openingMessages: Set<String>
  /// Describes what a store keeps of such rooms.
  public let describeContent: @Sendable () -> ContentDescription

  public static func of<State: RoomState>(_: State.Type) -> RoomKind {
    RoomKind(
      name: State.kind, make: { TypedRoom<State>($0) }, methods: State.methods, history: State.history,
      mayBeginAgain: State.mayBeginAgain, needsEncryption: State.needsEncryption,
      openingMessages: Set(State.messages.filter(\.opensRoom).map(\.name)),
      describeContent: { ContentDescription(State.self) })
  }
}
