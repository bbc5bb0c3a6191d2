/// The first line and the headers of a response.
public struct ResponseHead: Equatable, Sendable {
  public var version: HTTPVersion
  public var status: Status
  public var headers: Headers

  public init(version: HTTPVersion = .http11, status: Status, headers: Headers = [:]) {
    self.version = version
    self.status = status
    self.headers = headers
  }

  /// Whether another request may follow on the connection after this response.
  public var keepsAlive: Bool { version == .http11 && !headers.list("Connection", contains: "close") }

  /// The framing of the body, which depends on the request's method (RFC 9112 §6.3): a response to HEAD has none.
  public func bodyFraming(answering method: String) throws(HTTPError) -> BodyFraming {
    let declared = try BodyFraming.declared(in: headers, version: version)
    return method == "HEAD" || status.hasNoBody ? .none : declared ?? .untilClose
  }
}

/// Parses one response head from pieces of any size.
public struct ResponseParser: Sendable {
  private var scanner: HeadScanner

  public init(limits: HeadLimits = HeadLimits()) { scanner = HeadScanner(limits: limits) }

  /// Takes the next bytes of the connection, like `RequestParser.receive`. An interim response (1xx) is returned, too;
  /// use a new parser for the final one.
  public mutating func receive(_ bytes: Span<UInt8>) throws(HTTPError) -> (head: ResponseHead, consumed: Int)? {
    guard let consumed = try scanner.scan(bytes) else { return nil }
    var head = try startLine()
    head.headers = try scanner.headers()
    _ = try BodyFraming.declared(in: head.headers, version: head.version)
    return (head, consumed)
  }

  private func startLine() throws(HTTPError) -> ResponseHead {
    guard let line = scanner.lines.first else { throw .malformedStartLine }
    // Some servers omit the space before an empty reason.
    let parts = scanner.bytes[line].split(separator: .space, maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count >= 2, parts[0].starts(with: "HTTP/".utf8) else { throw .malformedStartLine }
    guard let version = HTTPVersion(rawValue: String(decoding: parts[0], as: UTF8.self)) else {
      throw .unsupportedVersion
    }
    guard parts[1].count == 3, parts[1].allSatisfy(\.isDigit) else { throw .malformedStartLine }
    let code = parts[1].reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    guard code >= 100, code < 600 else { throw .malformedStartLine }
    return ResponseHead(version: version, status: Status(rawValue: code))
  }
}
