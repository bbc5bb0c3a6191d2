public import HTTP
public import JSON
public import Transport

/// An error that the server answered a call with (JSON-RPC 2.0 §5.1; protocol.md lists the codes).
public struct ServerError: Error, Sendable, Equatable {
  public var code: Int
  /// An explanation for people.
  public var message: String
  /// A stable word for programs; empty if the server gave none.
  public var reason: String
  /// The error's `data`, an object.
  public var data: JSON

  public init(code: Int, message: String, reason: String = "", data: JSON = [:]) {
    self.code = code
    self.message = message
    self.reason = reason
    self.data = data
  }

  /// The problem with each invalid parameter, keyed by path such as `place.y`; empty for other errors.
  public var fields: [String: String] { data["fields"]?.object?.compactMapValues(\.string) ?? [:] }

  /// Whether the same call may succeed later.
  public var isTemporary: Bool { data["temporary"]?.bool ?? false }

  /// The delay before a retry, if the server gave one.
  public var retryAfter: Duration? { data["retryAfter"]?.int.map { .milliseconds($0) } }
}

/// The reason why a call failed or a connection ended.
public enum ClientError: Error, Sendable, Equatable {
  /// The connection could not be established.
  case unreachable(ConnectError)
  /// The peer answered, but not with a WebSocket of this protocol.
  case refused(Status)
  /// A message violates the protocol; the text is for developers.
  case malformed(String)
  /// The limit of this name is exceeded.
  case tooMuch(String)
  /// The parameters of a call are not a JSON object.
  case parametersNotAnObject
  /// The server refused the call.
  case server(ServerError)
  /// The server ended the session: its token is no longer valid.
  case sessionEnded(reason: String)
  /// The server is stopping and asks for a reconnection after this time.
  case leaving(reconnectAfter: Duration)
  /// The server closed the connection; `nil` if the close frame has no code.
  case closedByServer(code: UInt16?, reason: String)
  /// Nothing was received for longer than the limit.
  case silent
  /// The connection was lost.
  case lost
  /// This side closed the connection.
  case closed
  /// There is no connection at the moment.
  case offline
  /// A file could not be read or written.
  case storage(FileError)
  /// A change waited so long that the server can no longer know whether it was already carried out.
  case outdated
  /// The parameters have this member, which the client sets itself.
  case reservedParameter(String)
}

/// An explanation for people.
extension ClientError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .unreachable(.unknownHost(let host)): "The host \(host) is unknown."
    case .unreachable(.failed(let error)): "No connection could be made (\(error))."
    case .unreachable(.timedOut): "No connection could be made in time."
    case .unreachable(.notTrusted(let why)): "The server's certificate is not trusted (\(why))."
    case .unreachable(.notSecured(let why)): "No secure connection could be made (\(why))."
    case .unreachable(.busy), .unreachable(.stopped): "No connection can be made at the moment."
    case .refused(let status): "The server refused the connection (HTTP \(status.rawValue))."
    case .malformed(let what): "The server violated the protocol: \(what)."
    case .tooMuch(let limit): "The limit \(limit) is exceeded."
    case .parametersNotAnObject: "The parameters must be a JSON object."
    case .server(let error): error.message
    case .sessionEnded(let reason): "The server ended the session (\(reason)): log in again."
    case .leaving(let delay): "The server is stopping. Reconnect in \(delay)."
    case .closedByServer(let code, let reason):
      "The server closed the connection (code \(code.map { "\($0)" } ?? "none")): \(reason.isEmpty ? "-" : reason)"
    case .silent: "The server did not send anything for too long."
    case .lost: "The connection was lost."
    case .closed: "The connection is closed."
    case .offline: "There is no connection at the moment."
    case .storage(let error): "A file could not be read or written: \(error)"
    case .outdated: "The change waited too long to be sent again."
    case .reservedParameter(let name): "The parameter \(name) is set by the client itself."
    }
  }
}
