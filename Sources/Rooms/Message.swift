import JSON

/// A message from one room to another. The target never refuses it: its cause is on disk already.
public protocol Message: Record {
  associatedtype State: RoomState
  static var name: String { get }
  /// Whether the message makes its target if that does not exist.
  static var opensRoom: Bool { get }
  /// Whether the source sends nothing after it until it is made again.
  static var isLast: Bool { get }
  func apply(to state: inout State, from source: RoomID, in context: Context)
}

extension Message {
  public static var opensRoom: Bool { false }
  public static var isLast: Bool { false }
}

/// A handler of one kind of message, as a value.
public struct MessageHandler<State: RoomState>: Sendable {
  public let name: String
  public let opensRoom: Bool
  let isLast: Bool
  /// The message's fields.
  let describe: @Sendable () -> [FieldDescription]
  let take: @Sendable (View, inout State, RoomID, Context) -> Void

  public static func of<M: Message>(_: M.Type) -> MessageHandler where M.State == State {
    MessageHandler(
      name: M.name, opensRoom: M.opensRoom, isLast: M.isLast, describe: { M.descriptions },
      take: { view, state, source, context in
        // The message is merged, not read: fields that an older release did not send keep their defaults.
        var message = M()
        message.merge(view, Problems())
        message.apply(to: &state, from: source, in: context)
      })
  }
}
