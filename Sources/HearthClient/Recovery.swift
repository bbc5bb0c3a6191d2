/// What follows from the end of a connection.
enum Recovery: Equatable {
  /// Come back after a random time, and not before this one.
  case retry(atLeast: Duration)
  /// Come back after exactly this time.
  case retryExactly(Duration)
  /// Do not come back by oneself, but keep everything.
  case stop
  /// The session is over: do not come back, and forget everything.
  case forget

  init(after error: ClientError) {
    switch error {
    case .sessionEnded: self = .forget
    case .leaving(let delay): self = .retryExactly(delay)
    case .closedByServer(let code, _): self.init(closeCode: code)
    case .server(let error) where error.isTemporary: self = .retry(atLeast: error.retryAfter ?? .zero)
    // Of a call among others this means that hello has been forgotten; of hello, that the token is not valid.
    case .server(let error) where error.code == 1:
      self = error.reason == "unauthorized" ? .retry(atLeast: .zero) : .forget
    case .server, .closed, .parametersNotAnObject: self = .stop
    case .unreachable, .refused, .malformed, .tooMuch, .silent, .lost, .offline, .storage, .outdated,
      .reservedParameter:
      self = .retry(atLeast: .zero)
    }
  }

  /// protocol.md, Close codes.
  init(closeCode: UInt16?) {
    switch closeCode {
    case 4101, 4102: self = .forget
    // Another token is needed; or another process goes on under our name, and would be closed in turn.
    case 4002, 4006: self = .stop
    case .some(4100...4199): self = .stop
    default: self = .retry(atLeast: .zero)
    }
  }
}
