import HTTP
import JSON
import Platform
import Rooms

/// The head of a `POST /rpc`, or of the question whether a web page may send one, once it is found to be in order.
struct HTTPRequest {
  let head: RequestHead
  /// CORS (Fetch §3.2): an origin that is allowed, and nothing where none was named.
  let corsHeaders: Headers
  let isPreflight: Bool
  let token: String?
  /// The owner of the calls' numbers: an installation, a key for one call, or none.
  let client: ID<Client>
  /// The session that the token stands for.
  var record: SessionRecord?

  init(_ head: RequestHead, origins: Set<Origin>) throws(HTTPProblem) {
    self.head = head
    let headers = head.headers
    corsHeaders = try Self.corsHeaders(of: headers, origins)
    isPreflight = head.method == "OPTIONS"
    guard isPreflight || head.method == "POST" else { throw .method }
    if isPreflight {
      token = nil
      client = ID()
      return
    }
    if headers.contains("Expect"), head.version == .http11, !head.expectsContinue {
      throw HTTPProblem(.expectationFailed, .invalidRequest, "expect", "Only 100-continue may be expected.")
    }
    // A page of another origin cannot send this type without having asked.
    guard let type = headers["Content-Type"], Self.isJSON(type) else {
      throw HTTPProblem(
        .unsupportedMediaType, .invalidRequest, "contentType", "The body must be of the type application/json.")
    }
    if headers.contains("Content-Encoding") {
      throw HTTPProblem(
        .unsupportedMediaType, .invalidRequest, "contentEncoding", "The body must not be encoded.")
    }
    guard headers.contains("Content-Length") || headers.contains("Transfer-Encoding") else {
      throw HTTPProblem(.lengthRequired, .invalidRequest, "length", "A request must say how long its body is.")
    }
    token = try Self.token(in: headers)
    client = try Self.client(in: headers)
  }

  private static func corsHeaders(of headers: Headers, _ origins: Set<Origin>) throws(HTTPProblem) -> Headers {
    guard headers.contains("Origin") else { return [:] }
    guard let text = headers["Origin"], let origin = Origin(text), origins.contains(origin) else {
      throw HTTPProblem(.forbidden, .forbidden, "origin", "Pages of this origin may not call.")
    }
    return [
      // As it came: browsers compare it byte for byte (Fetch §4.10).
      "Access-Control-Allow-Origin": text, "Vary": "Origin", "Access-Control-Allow-Methods": "POST",
      "Access-Control-Allow-Headers": "Authorization, Content-Type, Hearth-Client, Idempotency-Key",
      "Access-Control-Max-Age": "600",
    ]
  }

  static func isJSON(_ type: String) -> Bool {
    let name = type.utf8.prefix { $0 != UInt8(ascii: ";") }
    return String(decoding: name.trimmingBlanks(), as: UTF8.self).isEqualIgnoringCase("application/json")
  }

  /// RFC 6750 §2.1; nowhere else is a token looked for.
  private static func token(in headers: Headers) throws(HTTPProblem) -> String? {
    guard headers.contains("Authorization") else { return nil }
    let parts = (headers["Authorization"] ?? "").split(separator: " ", maxSplits: 1)
    guard parts.count == 2, String(parts[0]).isEqualIgnoringCase("Bearer") else { throw .badToken }
    let token = String(parts[1])
    guard (1...128).contains(token.utf8.count), token.utf8.allSatisfy(\.isVisible) else { throw .badToken }
    return token
  }

  private static func client(in headers: Headers) throws(HTTPProblem) -> ID<Client> {
    var client = ID<Client>()
    if headers.contains("Hearth-Client") {
      guard let named = headers["Hearth-Client"].flatMap({ ID<Client>($0) }), named != ID(), !named.isIdempotencyKey
      else { throw .invalid("Hearth-Client must be a UUID.") }
      client = named
    }
    if headers.contains("Idempotency-Key") {
      guard let key = headers["Idempotency-Key"], (1...64).contains(key.utf8.count), key.utf8.allSatisfy(\.isVisible)
      else { throw .invalid("Idempotency-Key must have 1 to 64 visible ASCII characters.") }
      client = ID(idempotencyKey: key)
    }
    return client
  }
}

extension HTTPError {
  /// The answer to a request whose head is malformed: as to a call where the path is that of calls, else a sentence.
  func response(toPath path: String?) -> Response {
    path == "/rpc" ? HTTPProblem(self).response([:]) : Response(status, text: explanation + "\n")
  }
}

/// Why a request is not carried out: a status, and the same error object that a call would be answered with.
struct HTTPProblem: Error {
  let status: Status
  let refusal: Refusal
  var headers: Headers = [:]

  init(_ status: Status, _ code: Refusal.Code, _ reason: String, _ message: String, _ headers: Headers = [:]) {
    self.status = status
    self.headers = headers
    refusal = Refusal(code, reason, message)
  }

  init(_ error: HTTPError) {
    let isLarge = error.status == .contentTooLarge
    self.init(error.status, isLarge ? .tooLarge : .invalidRequest, isLarge ? "messageBytes" : "http", error.explanation)
  }

  init(_ status: Status, _ refusal: Refusal, _ headers: Headers = [:]) {
    self.status = status
    self.refusal = refusal
    self.headers = headers
  }

  static func invalid(_ text: String) -> HTTPProblem {
    HTTPProblem(.badRequest, .invalidRequest, "invalidRequest", text)
  }

  static let method = HTTPProblem(
    .methodNotAllowed, .invalidRequest, "method", "Calls come by POST.", ["Allow": "POST, OPTIONS"])
  static let noToken = HTTPProblem(
    .unauthorized, .unauthorized, "unauthorized", "This needs a token: Authorization: Bearer ….",
    ["WWW-Authenticate": "Bearer realm=\"hearth\""])
  static let badToken = HTTPProblem(
    .unauthorized, .unauthorized, "token", "This token is not valid (any more): log in again.",
    ["WWW-Authenticate": "Bearer realm=\"hearth\", error=\"invalid_token\""])
  static let tooSlow = HTTPProblem(.requestTimeout, .invalidRequest, "tooSlow", "The body did not come in time.")
  static let unavailable = HTTPProblem(.serviceUnavailable, Refusal.unavailable, ["Retry-After": "1"])

  func response(_ more: Headers) -> Response {
    var all = headers
    for field in more.fields { all.add(field.name, field.value) }
    all.add("Content-Type", "application/json")
    all.add("Cache-Control", "no-store")
    let writer = Writer(capacity: 256)
    writer.raw("{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":")
    refusal.write(to: writer)
    writer.raw("}")
    return Response(status, headers: all, body: writer.bytes())
  }
}
