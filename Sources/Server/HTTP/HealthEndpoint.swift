import HTTP
import Platform

/// `GET /readyz`: whether the server should be given work (OPS-2).
enum HealthEndpoint {
  /// A disk without space says so only when something is written: for this long nothing more is expected of it.
  static let failureMemory = Duration.seconds(10)

  static func tellReadiness(_ exchange: HTTPExchange, of shard: Shard) {
    shard.checkReadiness { problem in
      exchange.respond(problem == nil ? .ok : .serviceUnavailable, (problem ?? "ready") + "\n")
    }
  }
}

extension Shard {
  /// Whether the server should be given work; answers why not.
  fileprivate func checkReadiness(_ done: @escaping (String?) -> Void) {
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
    guard let failed = commits.failedAt, loop.uptime - failed < HealthEndpoint.failureMemory else { return nil }
    return "commits fail"
  }
}
