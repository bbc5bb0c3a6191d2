/// A completion that runs on the loop that asked, whichever thread answers.
///
/// Every slow call takes one, so that whoever lives on a loop needs no lock, and a run on a simulated loop is one
/// deterministic order of calls.
public struct Reply<Value: Sendable>: Sendable {
  /// The way to the loop that asked.
  public let poster: any Poster
  private let body: LoopBound<(Value) -> Void>

  /// Call this on the loop that `poster` leads to: `body` may use whatever lives there.
  public init(on poster: any Poster, _ body: @escaping (Value) -> Void) {
    self.poster = poster
    self.body = LoopBound(value: body)
  }

  /// Answers. At most once.
  public func callAsFunction(_ value: Value) {
    poster.post { [body] in body.value(value) }
  }
}

/// Carries a value that belongs to one loop past other threads, which never look at it.
///
/// `@unchecked`: the value is made on the loop and used only in work posted back to it (`Reply` is the only user).
private struct LoopBound<Value>: @unchecked Sendable {
  let value: Value
}

/// Threads for slow work: key derivation, name look-ups, mail.
public protocol Workers: Sendable {
  /// Runs `work` away from any loop; `nil` goes to `reply` when too much is waiting already.
  func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value, reply: Reply<Value?>)
}

/// Unpredictable bytes, from the system in production and from a seed in simulation.
public protocol Randomness: Sendable {
  /// `count` bytes, 1 to 256.
  func bytes(_ count: Int) -> [UInt8]
}
