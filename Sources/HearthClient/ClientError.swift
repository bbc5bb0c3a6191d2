public import HTTP
public import JSON
public import Transport

/// A call that the server refused (JSON-RPC 2.0 §5.1; the codes stand in protocol.md).
public struct ServerError: Error, Sendable, Equatable {
  public var code: Int
  /// A sentence for people.
  public var message: String
  /// A stable word for programs; empty where the server gave none.
  public var reason: String
  /// All that came with it, an object.
  public var data: JSON

  public init(code: Int, message: String, reason: String = "", data: JSON = [:]) {
    self.code = code
    self.message = message
    self.reason = reason
    self.data = data
  }

  /// What is wrong with which parameter, by its path such as `place.y`; empty unless parameters were invalid.
  public var fields: [String: String] { data["fields"]?.object?.compactMapValues(\.string) ?? [:] }

  /// Whether the same call may succeed later.
  public var isTemporary: Bool { data["temporary"]?.bool ?? false }

  /// When to try again, if the server said so.
  public var retryAfter: Duration? { data["retryAfter"]?.int.map { .milliseconds($0) } }
}

/// Why something could not be done, or why a connection is over.
public enum ClientError: Error, Sendable, Equatable {
  /// No connection was made.
  case unreachable(ConnectError)
  /// Somebody answered, but not with a WebSocket of ours.
  case refused(Status)
  /// What the other side said is not the protocol; the text is for whoever mends it.
  case malformed(String)
  /// Something is larger, or there is more of it, than the limit of that name.
  case tooMuch(String)
  /// Parameters are one JSON object.
  case parametersNotAnObject
  /// The server refused a call.
  case server(ServerError)
  /// The server ended the session: its token does not help any more.
  case sessionEnded(reason: String)
  /// The server is stopping, and wants to be asked again after this time.
  case leaving(reconnectAfter: Duration)
  /// The server closed the connection; `nil` where it gave no code.
  case closedByServer(code: UInt16?, reason: String)
  /// Nothing was heard for too long.
  case silent
  /// The connection broke.
  case lost
  /// We closed the connection.
  case closed
  /// There is no connection at the moment.
  case offline
  /// A file could not be read or written.
  case storage(FileError)
  /// A change has waited for so long that the server could not tell any more whether it was carried out already.
  case outdated
  /// Parameters have this member, which the client sets itself.
  case reservedParameter(String)
}

/// A sentence for people.
extension ClientError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .unreachable(.unknownHost(let host)): "There is no host \(host)."
    case .unreachable(.failed(let error)): "No connection could be made (\(error))."
    case .unreachable(.timedOut): "No connection could be made in time."
    case .unreachable(.notTrusted(let why)): "The server cannot prove who it is (\(why))."
    case .unreachable(.notSecured(let why)): "No secure connection could be made (\(why))."
    case .unreachable(.busy), .unreachable(.stopped): "No connection can be made at the moment."
    case .refused(let status): "The server does not serve this address (HTTP \(status.rawValue))."
    case .malformed(let what): "What the server said is not the protocol: \(what)."
    case .tooMuch(let limit): "That is more than the limit \(limit) allows."
    case .parametersNotAnObject: "Parameters are one JSON object."
    case .server(let error): error.message
    case .sessionEnded(let reason): "The server has ended the session (\(reason)): log in again."
    case .leaving(let delay): "The server is stopping: come back in \(delay)."
    case .closedByServer(let code, let reason):
      "The server closed the connection (code \(code.map { "\($0)" } ?? "none")): \(reason.isEmpty ? "-" : reason)"
    case .silent: "Nothing was heard from the server for too long."
    case .lost: "The connection broke."
    case .closed: "The connection is closed."
    case .offline: "There is no connection at the moment."
    case .storage(let error): "What must be kept could not be: \(error)"
    case .outdated: "The change has waited for too long."
    case .reservedParameter(let name): "The parameter \(name) is not for callers to set."
    }
  }
}
