internal import Dispatch
public import Platform

/// A few serial queues for slow work. Dispatch's global pool is shared and small, and a queue for each object would be
/// a thread for each object.
public final class WorkerQueues: Workers {
  /// Runs a piece of work, or answers that it is refused.
  private typealias Job = @Sendable (_ isTaken: Bool) -> Void

  private let queues: [DispatchQueue]
  private let state: Locked<State>

  private struct State {
    /// The indices of idle queues.
    var idle: [Int]
    /// The work that no queue has begun yet.
    var waiting: FairQueue<Job>
  }

  private enum Admission {
    case start(Int)
    case wait
    case refuse(Job)
  }

  /// Creates `count` queues. At most `waitingLimit` pieces of work wait; more are refused.
  public init(name: String, count: Int = 2, waitingLimit: Int = 16) {
    queues = (0..<count).map { DispatchQueue(label: "\(name).\($0)") }
    state = Locked(State(idle: Array(0..<count), waiting: FairQueue(limit: waitingLimit)))
  }

  public func run<Value: Sendable>(
    _ work: @escaping @Sendable () -> Value, in lane: WorkLane, reply: Reply<Value?>
  ) {
    let job: Job = { isTaken in reply(isTaken ? work() : nil) }
    let way: Admission = state.withLock {
      if let queue = $0.idle.popLast() {
        $0.waiting.pass(lane)
        return .start(queue)
      }
      return switch $0.waiting.add(job, lane) {
      case .waits: .wait
      case .displaces(let other): .refuse(other)
      case .refused: .refuse(job)
      }
    }
    switch way {
    case .start(let number): queues[number].async { self.work(job, on: number) }
    case .wait: break
    case .refuse(let other): other(false)
    }
  }

  /// Runs `first`, and then the waiting work until none is left.
  private func work(_ first: Job, on number: Int) {
    first(true)
    while let next = takeNext(for: number) { next(true) }
  }

  private func takeNext(for number: Int) -> Job? {
    state.withLock {
      if let next = $0.waiting.next() { return next }
      $0.idle.append(number)
      return nil
    }
  }
}
