/// The life of a connection after the upgrade: which side closes, when, and with which code (RFC 6455 §5.5 and §7).
///
/// The machine owns no socket and no timer. Each event returns one action, which the driver must carry out; the driver
/// decides nothing. After `sendClose` the driver gives the peer some seconds to answer, then reports `timedOut`.
///
///     open ----- close ----> closing
///       \                      /
///     received close,   received close,
///     failed, timedOut  failed, timedOut
///         \                  /
///          `---> closed <---'
public struct ConnectionMachine: Sendable {
  /// The phases of a connection after the upgrade.
  public enum State: Hashable, Sendable {
    case open
    /// Our close frame is sent; the peer's has not arrived.
    case closing
    /// Nothing may be sent any longer. A client waits for the server to end the connection (RFC 6455 §7.1.1).
    case closed
  }

  /// The events that the driver reports.
  public enum Event: Hashable, Sendable {
    case received(Receiver.Event)
    /// `Receiver.receive` threw this error.
    case failed(ProtocolError)
    /// The application closes the connection with this code.
    case close(CloseCode)
    /// The peer did not close in time.
    case timedOut
  }

  /// The actions that the driver must carry out.
  public enum Action: Hashable, Sendable {
    /// Deliver the message to the application.
    case deliver
    /// Send a pong with the ping's payload.
    case sendPong
    /// Send a close frame, then wait for the peer's close frame or for the end of the connection.
    case sendClose(CloseCode?)
    /// Send a close frame, then end the connection.
    case sendCloseAndDisconnect(CloseCode?)
    case disconnect
    case ignore
  }

  public let role: Role
  public private(set) var state = State.open

  public init(role: Role) { self.role = role }

  /// Handles an event and returns the action for the driver.
  public mutating func handle(_ event: Event) -> Action {
    switch (state, event) {
    case (.open, .received(.text)), (.open, .received(.binary)): return .deliver
    case (.open, .received(.ping)): return .sendPong
    case (.open, .received(.pong)): return .ignore
    case (.open, .received(.close(let code))):
      state = .closed
      return role == .server ? .sendCloseAndDisconnect(code) : .sendClose(code)
    case (.open, .failed(let error)):
      state = .closed
      return .sendCloseAndDisconnect(error.closeCode)
    case (.open, .close(let code)):
      state = .closing
      return .sendClose(code)
    case (.closing, .received(.close)):
      state = .closed
      return role == .server ? .disconnect : .ignore
    case (.closing, .failed), (_, .timedOut):
      state = .closed
      return .disconnect
    // After a close frame nothing may be sent, and messages of the peer still in flight are ignored.
    case (.closing, .received), (.closing, .close), (.closed, _): return .ignore
    }
  }
}
