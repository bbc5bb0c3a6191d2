/// A response to send.
public struct Response: Equatable, Sendable {
  public var status: Status
  public var headers: Headers
  public var body: [UInt8]

  public init(_ status: Status, headers: Headers = [:], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// Makes a response whose body is a plain text for people.
  public init(_ status: Status, headers: Headers = [:], text: String) {
    var headers = headers
    headers.add("Content-Type", "text/plain; charset=utf-8")
    self.init(status, headers: headers, body: Array(text.utf8))
  }

  /// Encodes the response. Adds `Content-Length` if the status allows a body. For a response to HEAD, pass
  /// `includesBody: false`: the header still has the length that the body would have.
  public func encoded(includesBody: Bool = true) -> [UInt8] {
    var output = encodedHead(length: status.hasNoBody ? nil : body.count)
    if includesBody && !status.hasNoBody { output.append(contentsOf: body) }
    return output
  }

  /// Encodes the head alone, of a response whose body follows in pieces.
  ///
  /// - Parameter length: The value of `Content-Length`, if it is known.
  public func encodedHead(length: Int? = nil) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(256 + (length ?? 0))
    output.append(contentsOf: "\(HTTPVersion.http11.rawValue) \(status.rawValue) \(status.reason)\r\n".utf8)
    headers.write(to: &output)
    if let length { output.append(contentsOf: "Content-Length: \(length)\r\n".utf8) }
    output.append(contentsOf: "\r\n".utf8)
    return output
  }
}

/// A request to send.
public struct Request: Equatable, Sendable {
  public var head: RequestHead
  public var body: [UInt8]

  /// - Parameter host: the value of `Host`: a name, with the port unless it is the scheme's default.
  public init(_ method: String, _ target: Target, host: String, headers: Headers = [:], body: [UInt8] = []) {
    var all: Headers = ["Host": host]
    for field in headers.fields { all.add(field.name, field.value) }
    head = RequestHead(method: method, target: target, headers: all)
    self.body = body
  }

  /// Encodes the request. Adds `Content-Length` unless the body is empty and the method is GET or HEAD.
  public func encoded() -> [UInt8] {
    let target = head.target.query.map { "\(head.target.path)?\($0)" } ?? head.target.path
    var output = Array("\(head.method) \(target) \(head.version.rawValue)\r\n".utf8)
    head.headers.write(to: &output)
    if !body.isEmpty || head.method != "GET" && head.method != "HEAD" {
      output.append(contentsOf: "Content-Length: \(body.count)\r\n".utf8)
    }
    output.append(contentsOf: "\r\n".utf8)
    output.append(contentsOf: body)
    return output
  }
}
