import HTTP
import Platform

/// The endpoints over HTTP, by path: the only table of them.
///
/// A GET route answers HEAD, too. Other methods of a known path are refused by the table, which names the right ones.
package struct Routes: Sendable {
  /// The paths that a route stands for.
  package enum Path: Sendable {
    case exact(String)
    /// All paths that begin so.
    case under(String)
    /// All that no other route stands for.
    case rest
  }

  package struct Route: Sendable {
    let path: Path
    /// The methods that are answered; `nil` where the endpoint decides.
    let methods: [String]?
    let serve: @Sendable (HTTPExchange, Shard) -> Void

    package init(path: Path, methods: [String]?, serve: @escaping @Sendable (HTTPExchange, Shard) -> Void) {
      self.path = path
      self.methods = methods
      self.serve = serve
    }

    package static func get(_ path: Path, _ serve: @escaping @Sendable (HTTPExchange, Shard) -> Void) -> Route {
      Route(path: path, methods: ["GET", "HEAD"], serve: serve)
    }
  }

  /// Earlier ones come first.
  package var all: [Route]

  package static let standard = Routes(all: [
    Route(path: .exact("/rpc"), methods: nil) { RPCEndpoint.serve($0, by: $1) },
    .get(.exact("/healthz")) { exchange, _ in exchange.respond(.ok, "ok\n") },
    .get(.exact("/readyz")) { HealthEndpoint.tellReadiness($0, of: $1) },
    .get(.exact("/metrics")) { $1.tellMetrics($0) },
    .get(.under(ExportEndpoint.path)) { ExportEndpoint.serve($0, by: $1) },
    .get(.under(CalendarEndpoint.path)) { CalendarEndpoint.serve($0, by: $1) },
    .get(.exact(OpenIDEndpoint.callback)) { WebEndpoint.serve($0, by: $1) },
    Route(path: .exact(OpenIDEndpoint.tokenPath), methods: ["POST"]) { OpenIDEndpoint.exchangeCode($0, by: $1) },
    .get(.under(OpenIDEndpoint.path)) { OpenIDEndpoint.serve($0, by: $1) },
    Route(path: .under(LoginLinks.path), methods: nil) { LoginLinks.serve($0, by: $1) },
    .get(.rest) { WebEndpoint.serve($0, by: $1) },
  ])

  func serve(_ exchange: HTTPExchange, by shard: Shard) {
    let path = exchange.head.target.path
    guard let route = all.first(where: { $0.path.matches(path) }) else {
      return exchange.respond(.notFound, "There is nothing here.\n")
    }
    if let methods = route.methods, !methods.contains(exchange.head.method) {
      if case .rest = route.path { return exchange.respond(.notFound, "There is nothing here.\n") }
      let allowed = methods.joined(separator: ", ")
      return exchange.respond(
        Response(.methodNotAllowed, headers: ["Allow": allowed], text: "Only \(allowed) here.\n"))
    }
    route.serve(exchange, shard)
  }
}

extension Routes.Path {
  func matches(_ path: String) -> Bool {
    switch self {
    case .exact(let whole): path == whole
    case .under(let beginning): path.hasPrefix(beginning)
    case .rest: true
    }
  }
}
