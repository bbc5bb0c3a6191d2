/// The supported versions. Messages of any other version are rejected.
public enum HTTPVersion: String, Sendable {
  case http10 = "HTTP/1.0"
  case http11 = "HTTP/1.1"
}

/// The first line and the headers of a request.
public struct RequestHead: Equatable, Sendable {
  /// A case-sensitive token, such as `GET`.
  public var method: String
  public var target: Target
  public var version: HTTPVersion
  public var headers: Headers

  public init(method: String, target: Target, version: HTTPVersion = .http11, headers: Headers = [:]) {
    self.method = method
    self.target = target
    self.version = version
    self.headers = headers
  }

  /// Whether another request may follow on the connection (RFC 9112 §9.3). HTTP/1.0 connections are never kept.
  public var keepsAlive: Bool { version == .http11 && !headers.list("Connection", contains: "close") }

  /// Whether the client waits for `100 Continue` before it sends the body (RFC 9110 §10.1.1).
  public var expectsContinue: Bool {
    version == .http11 && headers.list("Expect", contains: "100-continue")
  }

  /// The framing of the body (RFC 9112 §6.3). Throws `ambiguousLength` or `unsupportedTransferEncoding`, but never for
  /// a head from `RequestParser`, which has checked it.
  public func bodyFraming() throws(HTTPError) -> BodyFraming {
    try BodyFraming.declared(in: headers, version: version) ?? .none
  }
}

/// Parses one request head from pieces of any size.
public struct RequestParser: Sendable {
  private var scanner: HeadScanner

  public init(limits: HeadLimits = HeadLimits()) { scanner = HeadScanner(limits: limits) }

  /// Takes the next bytes of the connection.
  ///
  /// Returns `nil` if all of them belong to the head and more must follow. Otherwise the first `consumed` bytes belong
  /// to it; the rest is a body, the next request, or frames. Use a new parser for the next request.
  public mutating func receive(_ bytes: Span<UInt8>) throws(HTTPError) -> (head: RequestHead, consumed: Int)? {
    guard let consumed = try scanner.scan(bytes) else { return nil }
    let line = try requestLine()
    guard let version = HTTPVersion(rawValue: line.version) else { throw .unsupportedVersion }
    var head = RequestHead(method: line.method, target: line.target, version: version, headers: try scanner.headers())
    try checkHost(of: head)
    // RFC 9112 §3.2.2: the target's host counts, whatever `Host` says.
    if let host = line.host {
      guard Self.isHost(host) else { throw .invalidHost }
      head.headers.replace("Host", with: host)
    }
    _ = try head.bodyFraming()
    return (head, consumed)
  }

  /// Method and target of a request whose first line has come and is in order, even if `receive` throws for the rest.
  public var start: (method: String, target: Target)? {
    guard let line = try? requestLine() else { return nil }
    return (line.method, line.target)
  }

  /// The three parts of the first line. The host is that of a target in absolute form.
  private func requestLine() throws(HTTPError) -> (method: String, target: Target, host: String?, version: String) {
    guard let line = scanner.lines.first else { throw .malformedStartLine }
    let parts = scanner.bytes[line].split(separator: .space, omittingEmptySubsequences: false)
    guard parts.count == 3, !parts[0].isEmpty, parts[0].allSatisfy(\.isTokenCharacter),
      parts[2].starts(with: "HTTP/".utf8)
    else { throw .malformedStartLine }
    let (method, version) = (String(decoding: parts[0], as: UTF8.self), String(decoding: parts[2], as: UTF8.self))
    let text = String(decoding: parts[1], as: UTF8.self)
    if let target = Target(text) { return (method, target, nil, version) }
    guard let (host, target) = Target.absolute(text) else { throw .malformedStartLine }
    return (method, target, host, version)
  }

  /// Checks that there is exactly one `Host`, which only HTTP/1.0 may omit (RFC 9112 §3.2).
  private func checkHost(of head: RequestHead) throws(HTTPError) {
    let hosts = head.headers.values(of: "Host")
    if hosts.isEmpty && head.version == .http10 { return }
    guard hosts.count == 1, Self.isHost(hosts[0]) else { throw .invalidHost }
  }

  /// Whether the text may name a host, with or without a port: it has no user before an `@`.
  private static func isHost(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.first != UInt8(ascii: ":")
      && text.utf8.allSatisfy { $0.isDigit || $0.isLetter || "-._~:[]%!$&'()*+;=".utf8.contains($0) }
  }
}
