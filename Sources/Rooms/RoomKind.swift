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

/// A kind of room as a value: how to make one, and what it understands.
public struct RoomKind: Sendable {
  public let name: RoomKindName
  public let make: @Sendable (RoomID) -> Room
  public let methods: [Method]
  /// What such rooms write to their history.
  public let history: [HistoryKind]
  /// A room of this kind may be made again under its address when it has ended.
  public let mayBeginAgain: Bool
  /// Nothing of such a room is sent over a connection in clear text (LOC-31).
  public let needsEncryption: Bool
  /// Names of the messages that make a room of this kind.
  public let openingMessages: Set<String>
  /// What rooms of this kind keep in a store.
  public let describeContent: @Sendable () -> ContentDescription

  public static func of<State: RoomState>(_: State.Type) -> RoomKind {
    RoomKind(
      name: State.kind, make: { TypedRoom<State>($0) }, methods: State.methods, history: State.history,
      mayBeginAgain: State.mayBeginAgain, needsEncryption: State.needsEncryption,
      openingMessages: Set(State.messages.filter(\.opensRoom).map(\.name)),
      describeContent: { ContentDescription(State.self) })
  }
}
