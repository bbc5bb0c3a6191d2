import HTTP
import Home
import JSON
import Platform
import Rooms

/// The endpoints of plain HTTP: calls, health, readiness and metrics (OPS-2).
extension Shard {
  /// Serves a request whose head has come; `rest` is what came behind it.
  func serve(_ request: RequestHead, _ rest: Span<UInt8>, _ session: Session) {
    switch request.target.path {
    case "/rpc":
      let connection = HTTPConnection(self, session)
      session.phase = .http(connection)
      connection.accept(request)
      connection.receive(rest)
    case "/healthz": respond(to: request, .ok, "ok\n", session)
    case "/readyz":
      guard isQuestion(request, session) else { return }
      checkReadiness { [unowned self] problem in
        respond(to: request, problem == nil ? .ok : .serviceUnavailable, (problem ?? "ready") + "\n", session)
      }
    case "/metrics": tellMetrics(request, session)
    case let path where path.hasPrefix(HomeRooms.exportPath): serveExport(request, session)
    default:
      respond(to: request, .notFound, "WebSocket clients connect to /sync, calls are POSTed to /rpc.\n", session)
    }
  }

  /// Whether a request asks to be told something; otherwise it is answered here. Nothing more is read from it.
  func isQuestion(_ request: RequestHead, _ session: Session) -> Bool {
    guard request.method == "GET" || request.method == "HEAD" else {
      let response = Response(.methodNotAllowed, headers: ["Allow": "GET, HEAD"], text: "Only GET and HEAD.\n")
      respond(response, session, method: request.method)
      return false
    }
    session.phase = .closing
    return true
  }

  func respond(to request: RequestHead, _ status: Status, _ text: String, _ session: Session) {
    let response = Response(status, headers: ["Cache-Control": "no-store"], text: text)
    respond(response, session, method: request.method)
  }

  // MARK: readiness

  /// A disk without space says so only when something is written: for this long nothing more is expected of it.
  static let failureMemory = Duration.seconds(10)

  /// Whether the server should be given work; answers why not.
  private func checkReadiness(_ done: @escaping (String?) -> Void) {
    neighbours.askAll(.trouble) { [unowned self] answers in
      for case .trouble(let trouble?) in answers { return done(trouble) }
      services.store.commit(
        [], reply: Reply(on: loop.poster) { if case .success = $0 { done(nil) } else { done("the store fails") } })
    }
  }

  /// Why this shard should get no work.
  var trouble: String? {
    switch stage {
    case .leaving: return "stopping"
    case .starting: return "starting"
    case .serving: break
    }
    guard let failed = commits.failedAt, loop.uptime - failed < Self.failureMemory else { return nil }
    return "commits fail"
  }
}
