/// A status code (RFC 9110 §15). Codes from a peer are 100 to 599.
public struct Status: RawRepresentable, Hashable, Sendable {
  public var rawValue: Int

  public init(rawValue: Int) { self.rawValue = rawValue }

  public static let `continue` = Status(rawValue: 100)
  public static let switchingProtocols = Status(rawValue: 101)
  public static let ok = Status(rawValue: 200)
  public static let created = Status(rawValue: 201)
  public static let accepted = Status(rawValue: 202)
  public static let noContent = Status(rawValue: 204)
  public static let found = Status(rawValue: 302)
  public static let notModified = Status(rawValue: 304)
  public static let badRequest = Status(rawValue: 400)
  public static let unauthorized = Status(rawValue: 401)
  public static let forbidden = Status(rawValue: 403)
  public static let notFound = Status(rawValue: 404)
  public static let methodNotAllowed = Status(rawValue: 405)
  public static let requestTimeout = Status(rawValue: 408)
  public static let conflict = Status(rawValue: 409)
  public static let lengthRequired = Status(rawValue: 411)
  public static let gone = Status(rawValue: 410)
  public static let contentTooLarge = Status(rawValue: 413)
  public static let uriTooLong = Status(rawValue: 414)
  public static let unsupportedMediaType = Status(rawValue: 415)
  public static let expectationFailed = Status(rawValue: 417)
  public static let misdirectedRequest = Status(rawValue: 421)
  public static let upgradeRequired = Status(rawValue: 426)
  public static let tooManyRequests = Status(rawValue: 429)
  public static let requestHeaderFieldsTooLarge = Status(rawValue: 431)
  public static let internalServerError = Status(rawValue: 500)
  public static let notImplemented = Status(rawValue: 501)
  public static let serviceUnavailable = Status(rawValue: 503)
  public static let httpVersionNotSupported = Status(rawValue: 505)

  /// The reason phrase; empty for a code not listed here.
  public var reason: String {
    switch self {
    case .continue: "Continue"
    case .switchingProtocols: "Switching Protocols"
    case .ok: "OK"
    case .created: "Created"
    case .accepted: "Accepted"
    case .noContent: "No Content"
    case .found: "Found"
    case .notModified: "Not Modified"
    case .badRequest: "Bad Request"
    case .unauthorized: "Unauthorized"
    case .forbidden: "Forbidden"
    case .notFound: "Not Found"
    case .methodNotAllowed: "Method Not Allowed"
    case .requestTimeout: "Request Timeout"
    case .conflict: "Conflict"
    case .gone: "Gone"
    case .lengthRequired: "Length Required"
    case .contentTooLarge: "Content Too Large"
    case .uriTooLong: "URI Too Long"
    case .unsupportedMediaType: "Unsupported Media Type"
    case .expectationFailed: "Expectation Failed"
    case .misdirectedRequest: "Misdirected Request"
    case .upgradeRequired: "Upgrade Required"
    case .tooManyRequests: "Too Many Requests"
    case .requestHeaderFieldsTooLarge: "Request Header Fields Too Large"
    case .internalServerError: "Internal Server Error"
    case .notImplemented: "Not Implemented"
    case .serviceUnavailable: "Service Unavailable"
    case .httpVersionNotSupported: "HTTP Version Not Supported"
    default: ""
    }
  }

  /// Whether a response of this status has no body, whatever its headers say (RFC 9112 §6.3).
  public var hasNoBody: Bool { rawValue < 200 || self == .noContent || self == .notModified }
}
