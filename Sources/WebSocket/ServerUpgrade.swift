import Crypto
public import HTTP

/// Whose pages may connect (RFC 6455 §10.2). Browsers always say where a page came from; other programs need not.
public enum OriginPolicy: Sendable {
  case any
  /// Exactly these, byte for byte, such as `https://app.example`; and whoever says nothing, unless that is forbidden.
  case only(Set<String>, orNone: Bool = true)

  func allows(_ origins: [String]) -> Bool {
    switch self {
    case .any: true
    case .only(let allowed, let orNone): origins.count == 1 ? allowed.contains(origins[0]) : origins.isEmpty && orNone
    }
  }
}

/// What a server agrees to when a client asks for a WebSocket (RFC 6455 §4.2).
public struct UpgradePolicy: Sendable {
  /// In the server's order, the best first.
  public var subprotocols: [String]
  /// Whether a client that offers none of them is refused, rather than served without one.
  public var requiresSubprotocol: Bool
  public var origins: OriginPolicy
  /// `nil` compresses nothing.
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

  /// Checks a request and answers what to send; its path is the caller's business.
  ///
  /// `unreadByteCount` is how many bytes came right behind the head. A client must wait for the answer, so there
  /// are none, unless two requests are being passed off as one.
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

/// A request that was accepted: what to answer, and what was agreed on.
public struct ServerUpgrade: Sendable {
  public let response: Response
  public let subprotocol: String?
  /// `nil` where messages are not compressed.
  public let deflate: DeflateParameters?
}

/// Why a server refuses to speak WebSocket.
public enum UpgradeError: Error, Hashable, Sendable {
  case method
  /// HTTP/1.0 has no upgrade.
  case version
  /// An ordinary request, without `Upgrade: websocket`.
  case notWebSocket
  /// Another version of the protocol than 13.
  case webSocketVersion
  /// The header of this name is absent, repeated, or not what its grammar says.
  case malformed(String)
  /// A body, or bytes behind the head.
  case unexpectedBody
  case origin
  /// None of our subprotocols is offered, and one is required.
  case subprotocol

  /// The whole policy in one place.
  public var response: Response {
    switch self {
    case .method: Response(.methodNotAllowed, headers: ["Allow": "GET"], text: "A WebSocket begins with GET.\n")
    case .version: Response(.httpVersionNotSupported, text: "A WebSocket needs HTTP/1.1.\n")
    case .notWebSocket:
      Response(
        .upgradeRequired, headers: ["Connection": "Upgrade", "Upgrade": "websocket"],
        text: "This address speaks WebSocket.\n")
    case .webSocketVersion:
      Response(
        .upgradeRequired,
        headers: ["Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13"],
        text: "Only version 13 of the WebSocket protocol is spoken.\n")
    case .malformed(let name): Response(.badRequest, text: "\(name) is missing, repeated or malformed.\n")
    case .unexpectedBody: Response(.badRequest, text: "Nothing may follow the head before it is answered.\n")
    case .origin: Response(.forbidden, text: "Pages of this origin may not connect.\n")
    case .subprotocol: Response(.badRequest, text: "None of the offered subprotocols is spoken.\n")
    }
  }
}

/// `Sec-WebSocket-Accept` (RFC 6455 §4.2.2): shows that whoever answers has read the request as one for a WebSocket.
enum AcceptKey {
  static func make(from key: String) -> String {
    Base64.standard.encode(SHA1.hash(Array("\(key)258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8)))
  }
}
