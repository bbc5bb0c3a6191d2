internal import Dispatch
public import Platform

/// A few serial queues for slow work. Dispatch's global pool is shared and small, and a queue for each object would be
/// a thread for each object.
public final class WorkerQueues: Workers {
  private let queues: [DispatchQueue]
  private let waitingLimit: Int
  private let state: Locked<State>

  private struct State {
    /// The indices of idle queues.
    var idle: [Int]
    /// The work that no queue has begun yet, oldest first.
    var waiting: [@Sendable () -> Void] = []
  }

  private enum Admission {
    case start(Int)
    case wait, refuse
  }

  /// Creates `count` queues. At most `waitingLimit` pieces of work wait; more are refused.
  public init(name: String, count: Int = 2, waitingLimit: Int = 16) {
    queues = (0..<count).map { DispatchQueue(label: "\(name).\($0)") }
    self.waitingLimit = waitingLimit
    state = Locked(State(idle: Array(0..<count)))
  }

  public func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value, reply: Reply<Value?>) {
    let job: @Sendable () -> Void = { reply(work()) }
    let way: Admission = state.withLock {
      if let queue = $0.idle.popLast() { return .start(queue) }
      guard $0.waiting.count < waitingLimit else { return .refuse }
      $0.waiting.append(job)
      return .wait
    }
    switch way {
    case .start(let number): queues[number].async { self.work(job, on: number) }
    case .wait: break
    case .refuse: reply(nil)
    }
  }

  /// Runs `first`, and then the waiting work until none is left.
  private func work(_ first: @Sendable () -> Void, on number: Int) {
    first()
    while let next = takeNext(for: number) { next() }
  }

  private func takeNext(for number: Int) -> (@Sendable () -> Void)? {
    state.withLock {
      if !$0.waiting.isEmpty { return $0.waiting.removeFirst() }
      $0.idle.append(number)
      return nil
    }
  }
}
