import Crypto
public import HTTP

/// The origins from which pages may connect (RFC 6455 §10.2). Browsers always send an origin; other programs may not.
public enum OriginPolicy: Sendable {
  case any
  /// These, such as `https://app.example`; also clients without one, if `orNone`. `null` must be listed like any other.
  case only(Set<Origin>, orNone: Bool = true)

  func allows(_ origins: [String]) -> Bool {
    switch self {
    case .any: true
    case .only(let allowed, let orNone):
      origins.count == 1 ? Origin(origins[0]).map(allowed.contains) ?? false : origins.isEmpty && orNone
    }
  }
}

/// A server's conditions for a WebSocket upgrade (RFC 6455 §4.2).
public struct UpgradePolicy: Sendable {
  /// The supported subprotocols in order of preference.
  public var subprotocols: [String]
  /// Whether to refuse a client that offers none of them. Otherwise it is served without a subprotocol.
  public var requiresSubprotocol: Bool
  public var origins: OriginPolicy
  /// The compression to grant; `nil` for none.
  public var deflate: DeflatePolicy?

  public init(
    subprotocols: [String] = [], requiresSubprotocol: Bool = false, origins: OriginPolicy = .only([]),
    deflate: DeflatePolicy? = .stateless
  ) {
    self.subprotocols = subprotocols
    self.requiresSubprotocol = requiresSubprotocol
    self.origins = origins
    self.deflate = deflate
  }

  /// Checks a request and makes the response. The caller checks the path.
  ///
  /// `unreadByteCount` is the number of bytes received after the head. It must be 0: a client waits for the response,
  /// so bytes there may be a smuggled second request.
  public func accept(_ request: RequestHead, unreadByteCount: Int = 0) throws(UpgradeError) -> ServerUpgrade {
    guard request.method == "GET" else { throw .method }
    guard request.version == .http11 else { throw .version }
    let headers = request.headers
    guard headers.contains("Host") else { throw .malformed("Host") }
    guard let framing = try? request.bodyFraming(), framing == .none || framing == .length(0), unreadByteCount == 0
    else { throw .unexpectedBody }
    guard headers.list("Upgrade", contains: "websocket") else { throw .notWebSocket }
    guard headers.list("Connection", contains: "Upgrade") else { throw .malformed("Connection") }
    guard headers.values(of: "Sec-WebSocket-Version").count <= 1 else { throw .malformed("Sec-WebSocket-Version") }
    guard headers["Sec-WebSocket-Version"] == "13" else { throw .webSocketVersion }
    guard let key = headers["Sec-WebSocket-Key"], Base64.standard.decode(key)?.count == 16 else {
      throw .malformed("Sec-WebSocket-Key")
    }
    guard origins.allows(headers.values(of: "Origin")) else { throw .origin }

    let subprotocol = try selectSubprotocol(headers)
    let parameters = try negotiateDeflate(headers)
    var answer: Headers = [
      "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Accept": AcceptKey.make(from: key),
    ]
    if let subprotocol { answer.add("Sec-WebSocket-Protocol", subprotocol) }
    if let parameters { answer.add("Sec-WebSocket-Extensions", parameters.extension.text) }
    return ServerUpgrade(
      response: Response(.switchingProtocols, headers: answer), subprotocol: subprotocol, deflate: parameters)
  }

  private func selectSubprotocol(_ headers: Headers) throws(UpgradeError) -> String? {
    let offered = headers.list("Sec-WebSocket-Protocol")
    guard offered.allSatisfy(\.isToken), Set(offered).count == offered.count,
      offered.isEmpty != headers.contains("Sec-WebSocket-Protocol")
    else { throw .malformed("Sec-WebSocket-Protocol") }
    let selected = subprotocols.first(where: offered.contains)
    guard selected != nil || !requiresSubprotocol else { throw .subprotocol }
    return selected
  }

  private func negotiateDeflate(_ headers: Headers) throws(UpgradeError) -> DeflateParameters? {
    guard let text = headers.joined("Sec-WebSocket-Extensions") else { return nil }
    guard let header = ExtensionHeader(text) else { throw .malformed("Sec-WebSocket-Extensions") }
    return deflate?.accept(header)
  }
}

/// An accepted request: the response and the negotiated options.
public struct ServerUpgrade: Sendable {
  public let response: Response
  public let subprotocol: String?
  /// `nil` if messages are not compressed.
  public let deflate: DeflateParameters?
}

/// The reason why a server refuses an upgrade.
public enum UpgradeError: Error, Hashable, Sendable {
  case method
  /// HTTP/1.0, which has no upgrade.
  case version
  /// A request without `Upgrade: websocket`.
  case notWebSocket
  /// A version of the WebSocket protocol other than 13.
  case webSocketVersion
  /// The header of this name is absent, repeated or malformed.
  case malformed(String)
  /// The request has a body, or bytes follow its head.
  case unexpectedBody
  case origin
  /// The client offers none of our subprotocols, and one is required.
  case subprotocol

  /// The response for each error. It says that the server closes the connection behind it (RFC 9112 §9.6).
  public var response: Response {
    switch self {
    case .method: refusal(.methodNotAllowed, "A WebSocket begins with GET.", ["Allow": "GET"])
    case .version: refusal(.httpVersionNotSupported, "A WebSocket needs HTTP/1.1.")
    case .notWebSocket:
      refusal(.upgradeRequired, "This address accepts only WebSocket connections.", ["Upgrade": "websocket"])
    case .webSocketVersion:
      refusal(
        .upgradeRequired, "Only version 13 of the WebSocket protocol is supported.",
        ["Upgrade": "websocket", "Sec-WebSocket-Version": "13"])
    case .malformed(let name): refusal(.badRequest, "\(name) is missing, repeated or malformed.")
    case .unexpectedBody: refusal(.badRequest, "A client must wait for the response before it sends more.")
    case .origin: refusal(.forbidden, "Pages from this origin are not allowed to connect.")
    case .subprotocol: refusal(.badRequest, "None of the offered subprotocols is supported.")
    }
  }

  private func refusal(_ status: Status, _ text: String, _ headers: Headers = [:]) -> Response {
    var headers = headers
    // `Upgrade` must be named beside it (RFC 9110 §7.8).
    headers.add("Connection", headers.contains("Upgrade") ? "Upgrade, close" : "close")
    return Response(status, headers: headers, text: text + "\n")
  }
}

/// Computes `Sec-WebSocket-Accept` (RFC 6455 §4.2.2), which proves that the server understood the request.
enum AcceptKey {
  static func make(from key: String) -> String {
    Base64.standard.encode(SHA1.hash(Array("\(key)258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8)))
  }
}
