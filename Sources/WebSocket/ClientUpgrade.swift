import Crypto
public import HTTP

/// The client's side of the opening handshake (RFC 6455 §4.1): makes the request and checks the response.
public struct ClientUpgrade: Sendable {
  /// The request to send.
  public let request: Request
  private let key: String
  private let subprotocols: [String]
  private let deflate: DeflateOffer?

  /// - Parameters:
  ///   - host: the host name, with the port unless it is the scheme's default.
  ///   - key: 16 unpredictable bytes, new for each connection.
  ///   - subprotocols: in order of preference.
  ///   - deflate: the compression to offer; `nil` offers none.
  ///   - headers: additional headers.
  public init(
    host: String, target: Target, key: [UInt8], subprotocols: [String] = [], deflate: DeflateOffer? = DeflateOffer(),
    headers: Headers = [:]
  ) {
    precondition(key.count == 16)
    self.key = Base64.standard.encode(key)
    self.subprotocols = subprotocols
    self.deflate = deflate
    var all: Headers = [
      "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": self.key,
    ]
    if !subprotocols.isEmpty { all.add("Sec-WebSocket-Protocol", subprotocols.joined(separator: ", ")) }
    if let deflate { all.add("Sec-WebSocket-Extensions", deflate.extension.text) }
    for field in headers.fields { all.add(field.name, field.value) }
    request = Request("GET", target, host: host, headers: all)
  }

  /// Checks the response and returns the negotiated options. After an error, close the connection without a frame.
  public func accept(
    _ response: ResponseHead
  ) throws(ClientUpgradeError) -> (subprotocol: String?, deflate: DeflateParameters?) {
    guard response.status == .switchingProtocols else { throw .refused(response.status) }
    let headers = response.headers
    guard response.version == .http11, headers["Upgrade"]?.isEqualIgnoringCase("websocket") == true else {
      throw .malformed("Upgrade")
    }
    guard headers.list("Connection", contains: "Upgrade") else { throw .malformed("Connection") }
    guard headers["Sec-WebSocket-Accept"] == AcceptKey.make(from: key) else {
      throw .malformed("Sec-WebSocket-Accept")
    }
    return (try subprotocol(headers), try parameters(headers))
  }

  private func subprotocol(_ headers: Headers) throws(ClientUpgradeError) -> String? {
    guard headers.contains("Sec-WebSocket-Protocol") else { return nil }
    guard let selected = headers["Sec-WebSocket-Protocol"], subprotocols.contains(selected) else {
      throw .malformed("Sec-WebSocket-Protocol")
    }
    return selected
  }

  private func parameters(_ headers: Headers) throws(ClientUpgradeError) -> DeflateParameters? {
    guard let text = headers.joined("Sec-WebSocket-Extensions") else { return nil }
    guard let deflate, let header = ExtensionHeader(text), header.extensions.count == 1,
      let parameters = DeflateParameters(header.extensions[0], to: deflate)
    else { throw .malformed("Sec-WebSocket-Extensions") }
    return parameters
  }
}

/// The reason why a client rejects a server's response.
public enum ClientUpgradeError: Error, Hashable, Sendable {
  /// The status is not 101.
  case refused(Status)
  /// The header of this name is absent, repeated, or does not match the request.
  case malformed(String)
}
