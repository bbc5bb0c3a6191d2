/// A call's session and id: where its answer goes.
struct Caller {
  let session: Session
  /// The request's id as it was written; `nil` for a notification, which gets no answer.
  let id: RequestID?
  /// The batch that the request came in.
  let batch: CallBatch?
  var counter: CallCounter?
}

/// A JSON-RPC batch in progress: its answers leave together, behind the last one.
final class CallBatch {
  private var remaining: Int
  /// The shard of the calls that have begun and are not answered, and how many they are.
  private var running: (shard: Int, count: Int) = (0, 0)
  /// Called once all that has begun is answered.
  private var paused: (() -> Void)?
  private var answers: [[UInt8]] = []
  private var isSecret = false
  private let finish: (_ answers: [[UInt8]], _ isSecret: Bool) -> Void

  init(count: Int, finish: @escaping (_ answers: [[UInt8]], _ isSecret: Bool) -> Void) {
    remaining = count
    self.finish = finish
  }

  /// Begins a call on a shard. Calls of a batch run in order: if others run on another shard, it answers `false`, and
  /// calls `resume` once they are done.
  func begin(on shard: Int, orElse resume: @escaping () -> Void) -> Bool {
    guard running.count == 0 || running.shard == shard else {
      paused = resume
      return false
    }
    running = (shard, running.count + 1)
    return true
  }

  /// Begins a call that is answered at once.
  func begin() { running.count += 1 }

  /// Takes the answer of one call, empty for a notification.
  func add(_ answer: [UInt8], isSecret: Bool = false) {
    if !answer.isEmpty { answers.append(answer) }
    self.isSecret = self.isSecret || isSecret
    remaining -= 1
    running.count -= 1
    if remaining == 0 { finish(answers, self.isSecret) }
    if running.count == 0, let resume = paused {
      paused = nil
      resume()
    }
  }
}
