import Crypto
import HTTP
import JSON
public import Platform

/// Links that log a person in once, for people who try a server out: `hearth serve --sample` prints some.
///
/// A link works for a browser on this machine only, and only the first time. Links are gone with the process.
public final class LoginLinks: Sendable {
  private struct Account {
    let email: String
    let password: String
  }

  static let path = "/login/"

  private let accounts = Locked<[String: Account]>([:])

  public init() {}

  /// Makes a link for an account; returns its path.
  public func add(email: String, password: String, _ randomness: any Randomness) -> String {
    let code = Base64.url.encode(randomness.bytes(16))
    accounts.withLock { $0[code] = Account(email: email, password: password) }
    return Self.path + code
  }

  /// Answers `POST /login/CODE` with what `auth.logIn` takes; the page does the rest.
  static func serve(_ exchange: HTTPExchange, by shard: Shard) {
    guard exchange.head.method == "POST" else { return WebEndpoint.serve(exchange, by: shard) }
    let code = String(exchange.head.target.path.dropFirst(path.count))
    let isFromHere = exchange.session.isLocal && shard.isOwn(exchange.head)
    guard isFromHere, let links = shard.services.loginLinks,
      let account = links.accounts.withLock({ $0.removeValue(forKey: code) })
    else { return exchange.respond(.notFound, "This link has been used, or is none of this server's.\n") }
    let writer = Writer(capacity: 128)
    writer.openObject()
    writer.key("email")
    writer.string(account.email)
    writer.key("password")
    writer.string(account.password)
    writer.closeObject()
    let headers: Headers = ["Cache-Control": "no-store", "Content-Type": "application/json"]
    exchange.respond(Response(.ok, headers: headers, body: writer.bytes()))
  }
}
