import JSON

/// A message from one room to another. It is never refused: its cause is on disk already.
public protocol Message: Record {
  associatedtype State: RoomState
  static var name: String { get }
  /// The message makes its room when there is none.
  static var opensRoom: Bool { get }
  /// The room that sends it sends no other one before it is made again.
  static var isLast: Bool { get }
  func apply(to state: inout State, from source: RoomID, in context: Context)
}

extension Message {
  public static var opensRoom: Bool { false }
  public static var isLast: Bool { false }
}

/// How a room takes one kind of message, as a value.
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
        // A message is merged, not read: fields that an older release did not send keep their defaults.
        var message = M()
        message.merge(view, Problems())
        message.apply(to: &state, from: source, in: context)
      })
  }
}
