import HTTP
import JSON
import TestSupport
import Testing

/// A parsed HTTP response.
struct HTTPAnswer {
  let status: Int
  let headers: [String: String]
  let body: String

  var json: JSON? { try? JSON.parse(body) }
  var error: JSON? { json?["error"] }
  var reason: String? { error?["data"]?["reason"]?.string }

  /// Parses all responses of a connection, in order.
  static func all(in text: String, toHead isToHead: Bool = false) throws -> [HTTPAnswer] {
    var rest = text[...]
    var answers: [HTTPAnswer] = []
    while let end = rest.firstRange(of: "\r\n\r\n") {
      // Swift counts CR LF as one character, so lengths are computed in bytes.
      let lines = rest[..<end.lowerBound].split(separator: "\r\n").map(String.init)
      var headers: [String: String] = [:]
      for line in lines.dropFirst() {
        guard let colon = line.firstIndex(of: ":") else { throw Unexpected("not a header: \(line)") }
        headers[line[..<colon].lowercased()] = line[line.index(after: colon)...].drop { $0 == " " }.description
      }
      let status = try #require(lines.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) })
      let bytes = Array(rest[end.upperBound...].utf8)
      let length = isToHead ? 0 : headers["content-length"].flatMap { Int($0) } ?? 0
      let isChunked = !isToHead && headers["transfer-encoding"] == "chunked"
      let (body, left) = isChunked ? try chunks(in: bytes[...]) : (bytes.prefix(length), bytes.dropFirst(length))
      guard isChunked || body.count == length else { throw Unexpected("the body is cut off: \(text)") }
      answers.append(HTTPAnswer(status: status, headers: headers, body: String(decoding: body, as: UTF8.self)))
      rest = Substring(decoding: left, as: UTF8.self)
    }
    return answers
  }

  /// The content of a chunked body without trailers, and what follows it.
  private static func chunks(in bytes: ArraySlice<UInt8>) throws -> (body: ArraySlice<UInt8>, rest: ArraySlice<UInt8>) {
    var (body, rest) = (ArraySlice<UInt8>(), bytes)
    while let end = rest.firstIndex(of: 0x0A) {
      let size = Int(String(decoding: rest[..<end].dropLast(), as: UTF8.self), radix: 16)
      rest = rest[(end + 1)...]
      guard let size, rest.count >= size + 2 else { break }
      body += rest.prefix(size)
      rest = rest.dropFirst(size + 2)
      if size == 0 { return (body, rest) }
    }
    throw Unexpected("the chunks are cut off")
  }
}

/// Calls methods by `POST /rpc`, each on its own connection.
struct HTTPCaller {
  let port: UInt16
  var token: String?
  var headers: [String] = []

  /// The text of the last request on a connection.
  static func last(_ path: String) -> String {
    "GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
  }

  /// The text of a request. `nil` in `changes` removes a default header.
  func request(_ body: String, method: String = "POST", path: String = "/rpc", _ changes: [String: String?] = [:])
    -> String
  {
    var all = [
      "Host": "localhost", "Content-Type": "application/json", "Content-Length": "\(body.utf8.count)",
      "Connection": "close",
    ]
    if let token { all["Authorization"] = "Bearer \(token)" }
    for (name, value) in changes { all[name] = value }
    let lines = all.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" } + headers
    return "\(method) \(path) HTTP/1.1\r\n\(lines.joined(separator: "\r\n"))\r\n\r\n\(body)"
  }

  func send(_ body: String, method: String = "POST", path: String = "/rpc", _ changes: [String: String?] = [:])
    async throws -> HTTPAnswer
  {
    let text = try await HTTPExchange.send(request(body, method: method, path: path, changes), to: port)
    return try #require(
      try HTTPAnswer.all(in: text, toHead: method == "HEAD").last { $0.status != 100 }, "\(text)")
  }

  /// Makes a call and requires status 200.
  @discardableResult
  func call(
    _ method: String, _ parameters: [String: JSON] = [:], headers: [String: String?] = [:]
  ) async throws -> JSON {
    let answer = try await send(Self.message(method, parameters), headers)
    guard answer.status == 200, let json = answer.json else { throw Unexpected("\(answer.status) \(answer.body)") }
    if let error = json["error"] { throw WireError(error: error) }
    return try #require(json["result"])
  }

  func refusal(
    _ method: String, _ parameters: [String: JSON] = [:], headers: [String: String?] = [:]
  ) async throws -> WireError {
    do {
      let result = try await call(method, parameters, headers: headers)
      throw Unexpected("\(method) was not refused: \(result.text)")
    } catch let error as WireError { return error }
  }

  static func message(_ method: String, _ parameters: [String: JSON] = [:], id: JSON = 1) -> String {
    JSON.object(["jsonrpc": "2.0", "id": id, "method": .string(method), "params": .object(parameters)]).text
  }
}

extension TestServer {
  func caller(_ member: Member? = nil) -> HTTPCaller { HTTPCaller(port: port, token: member?.token) }
}

/// The origins that these texts stand for.
func originSet(_ texts: String...) -> Set<Origin> { Set(texts.compactMap { Origin($0) }) }
