/// A completion that runs on the loop of the caller, whichever thread answers.
///
/// Every slow call takes one. So code on a loop needs no lock, and a simulated run is one deterministic order of calls.
public struct Reply<Value: Sendable>: Sendable {
  /// Posts to the loop of the caller.
  public let poster: any Poster
  private let body: LoopBound<(Value) -> Void>

  /// Call this on the loop of `poster`: `body` may use objects of that loop.
  public init(on poster: any Poster, _ body: @escaping (Value) -> Void) {
    self.poster = poster
    self.body = LoopBound(value: body)
  }

  /// Delivers the answer. May be called at most once.
  public func callAsFunction(_ value: Value) {
    poster.post { [body] in body.value(value) }
  }
}

/// Carries a value of one loop through other threads, which do not use it.
///
/// `@unchecked`: the value is created on the loop and used only in work posted back to it (only by `Reply`).
private struct LoopBound<Value>: @unchecked Sendable {
  let value: Value
}

/// A pool of threads for slow work: key derivation, name look-ups, mail.
public protocol Workers: Sendable {
  /// Runs `work` off the loops. Calls `reply` with `nil` if too much work is already waiting.
  func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value, in lane: WorkLane, reply: Reply<Value?>)
}

extension Workers {
  /// Runs `work` of the server itself.
  public func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value, reply: Reply<Value?>) {
    run(work, in: WorkLane(), reply: reply)
  }
}

/// A source of unpredictable bytes: OpenSSL in production, a seed in simulation.
public protocol Randomness: Sendable {
  /// Returns `count` bytes, 1 to 256.
  func bytes(_ count: Int) -> [UInt8]
}
