/// The reaction to the end of a connection.
enum Recovery: Equatable {
  /// Reconnect after a random delay of at least this time.
  case retry(atLeast: Duration)
  /// Reconnect after exactly this time.
  case retryExactly(Duration)
  /// Do not reconnect automatically; keep all data.
  case stop
  /// The session is over: do not reconnect, and remove all data.
  case forget

  init(after error: ClientError) {
    switch error {
    // A token that was not used for long: the person logs in again, and finds everything.
    case .sessionEnded("expired"): self = .stop
    case .sessionEnded: self = .forget
    case .leaving(let delay): self = .retryExactly(delay)
    case .closedByServer(let code, _): self.init(closeCode: code)
    case .server(let error) where error.isTemporary: self = .retry(atLeast: error.retryAfter ?? .zero)
    // For any other call this means that the server has forgotten `hello`; for `hello`, that the token is invalid.
    case .server(let error) where error.code == 1:
      switch error.reason {
      case "unauthorized": self = .retry(atLeast: .zero)
      case "expired": self = .stop
      default: self = .forget
      }
    case .server, .closed, .parametersNotAnObject: self = .stop
    case .unreachable, .refused, .malformed, .tooMuch, .silent, .lost, .offline, .storage, .outdated,
      .reservedParameter:
      self = .retry(atLeast: .zero)
    }
  }

  /// The reaction to a close code of the server (protocol.md, Close codes).
  init(closeCode: UInt16?) {
    switch closeCode {
    case 4101, 4102: self = .forget
    // Another token is needed, or another process took over our name and reconnecting would close it in turn.
    case 4002, 4006: self = .stop
    case .some(4100...4199): self = .stop
    default: self = .retry(atLeast: .zero)
    }
  }
}
