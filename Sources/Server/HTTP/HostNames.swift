import HTTP
import Platform

/// The names by which clients may reach the server's page.
///
/// A page of another origin can give its own name this server's address (DNS rebinding), and is then of the same origin
/// for the browser. So pages are of the server's own origin only under a name that is the server's: an address, which
/// nobody can rebind, or a name that the operator has chosen.
extension Shard {
  /// Whether `Host` names this server.
  func isAddressed(_ head: RequestHead) -> Bool {
    guard let host = head.headers["Host"].flatMap(Self.name) else { return head.version == .http10 }
    return Self.isAddress(host) || host == "localhost" || host.hasSuffix(".localhost")
      || configuration.names.contains(host) || services.ownsName(host)
  }

  /// The origin under which the client of a request knows this server, such as `https://home.example`: that of
  /// `public-url`, or else that of the request; `nil` if it does not name this server.
  func ownOrigin(of exchange: HTTPExchange) -> String? {
    if let url = configuration.publicURL, let scheme = url.firstRange(of: "://") {
      return String(url[..<(url[scheme.upperBound...].firstIndex(of: "/") ?? url.endIndex)])
    }
    guard isAddressed(exchange.head), let host = exchange.head.headers["Host"] else { return nil }
    return Origin("\(exchange.peer?.isEncrypted == true ? "https" : "http")://\(host)")?.description
  }

  /// Whether a request comes from a page of this server, or from a program.
  func isOwn(_ head: RequestHead) -> Bool {
    guard isAddressed(head) else { return false }
    guard let text = head.headers["Origin"] else { return true }
    return Origin(text).map { ownOrigins(of: head).contains($0) } ?? false
  }

  /// The origins whose pages may send this request: the chosen ones, and the server's own.
  func origins(of head: RequestHead) -> Set<Origin> {
    if head.headers["Origin"] == nil || !isAddressed(head) { return configuration.allowedOrigins }
    return configuration.allowedOrigins.union(ownOrigins(of: head))
  }

  /// The origins that a page of the host has which a request names: a proxy that encrypts makes `https` of `http`.
  private func ownOrigins(of head: RequestHead) -> [Origin] {
    guard let host = head.headers["Host"] else { return [] }
    return ["http", "https"].compactMap { Origin("\($0)://\(host)") }
  }

  /// The name in a `Host` header, in lower case and without the port.
  private static func name(in host: String) -> String? {
    let host = host.lowercased()
    if host.hasPrefix("[") { return host.firstIndex(of: "]").map { String(host[...$0]) } }
    return host.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).first.map(String.init)
  }

  private static func isAddress(_ host: String) -> Bool {
    if host.hasPrefix("[") { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
  }
}
