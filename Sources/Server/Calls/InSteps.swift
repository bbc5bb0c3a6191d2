import JSON
import Rooms

/// The end of a call that takes several steps.
enum Outcome {
  case answered((Writer) -> Void)
  case refused(Refusal)
  /// Another path has answered the call, or will.
  case settled
}

extension Shard {
  /// Carries out a call that takes several steps. The session's later messages wait until the last step calls
  /// `finish`, which every path does once.
  func inSteps(_ caller: Caller, _ steps: (_ finish: @escaping (Outcome) -> Void) -> Void) {
    let session = caller.session
    session.hold()
    var isFinished = false
    steps { [unowned self] outcome in
      assert(!isFinished, "finished twice")
      isFinished = true
      switch outcome {
      case .answered(let write): answer(caller, write)
      case .refused(let refusal): refuse(caller, refusal)
      case .settled: break
      }
      session.release()
    }
  }
}
