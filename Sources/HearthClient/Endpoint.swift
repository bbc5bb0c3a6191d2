internal import HTTP

/// The address of a server.
public struct Endpoint: Sendable, Hashable {
  /// A host name or IP address without brackets.
  public var host: String
  public var port: UInt16
  /// An absolute path with an optional query, such as `/sync`.
  public var path: String
  /// The value of the `Host` header. Behind a proxy it may differ from `host` and `port`.
  public var hostHeader: String
  /// Whether to use TLS and require a certificate for `host`.
  public var isSecure: Bool

  /// `hostHeader` defaults to host and port.
  public init(
    host: String, port: UInt16 = 7400, path: String = "/sync", hostHeader: String? = nil, isSecure: Bool = false
  ) {
    self.host = host
    self.port = port
    self.path = path
    let name = host.contains(":") ? "[\(host)]" : host
    self.hostHeader = hostHeader ?? (port == Self.standardPort(isSecure) ? name : "\(name):\(port)")
    self.isSecure = isSecure
  }

  private static func standardPort(_ isSecure: Bool) -> UInt16 { isSecure ? 443 : 80 }

  /// Parses `ws://host[:port][/path]` or `wss://…` (RFC 6455 §3); `nil` for any other text.
  ///
  /// The port defaults to 80 or 443, the path to `/sync`.
  public init?(url: String) {
    let scheme = url.prefix { $0 != ":" }.lowercased()
    guard scheme == "ws" || scheme == "wss", url.dropFirst(scheme.count).hasPrefix("://") else { return nil }
    let isSecure = scheme == "wss"
    let rest = url.dropFirst(scheme.count + 3)
    let authority = rest.prefix { $0 != "/" && $0 != "?" }
    let tail = rest[authority.endIndex...]
    let path = tail.isEmpty || tail == "/" ? "/sync" : tail.hasPrefix("/") ? String(tail) : "/sync\(tail)"
    guard Target(path) != nil else { return nil }

    let host: Substring
    let port: Substring
    if authority.hasPrefix("[") {
      guard let end = authority.firstIndex(of: "]") else { return nil }
      host = authority[authority.index(after: authority.startIndex)..<end]
      port = authority[authority.index(after: end)...]
      guard host.contains(":") else { return nil }
    } else {
      host = authority.prefix { $0 != ":" }
      port = authority[host.endIndex...]
    }
    let isName = host.utf8.allSatisfy { byte in
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._:%".utf8.contains(byte)
    }
    guard !host.isEmpty, isName, port.isEmpty || port.hasPrefix(":") else { return nil }
    guard let number = port.isEmpty ? Self.standardPort(isSecure) : UInt16(port.dropFirst()), number > 0,
      !port.contains("+")
    else { return nil }
    self.init(host: String(host), port: number, path: path, isSecure: isSecure)
  }
}
