import Crypto
import Home
import JSON
import Rooms

/// The verdict on the solution of a puzzle (SEC-10).
enum PuzzleVerdict: Equatable {
  /// The bytes of the challenge, and the end of the puzzle's life.
  case solved(challenge: [UInt8], until: Instant)
  case missing, wrong, expired, used

  /// Judges a solution as ALTCHA's widget sends it, apart from whether it was used before.
  init(of solution: String?, key: [UInt8], at now: Instant, life: Duration) {
    guard let solution else {
      self = .missing
      return
    }
    guard let found = PuzzleSolution(payload: solution)?.verify(key: key),
      let end = Instant(seconds: found.expires)
    else {
      self = .wrong
      return
    }
    // A clock that is set back makes no puzzle last longer.
    self = now < end && end <= now + life ? .solved(challenge: found.challenge, until: end) : .expired
  }

  var explanation: String {
    switch self {
    case .solved: "it is right"
    case .missing: "the call has none"
    case .wrong: "the call has a wrong one"
    case .expired: "the call has one that is too old"
    case .used: "the call has one that was used before"
    }
  }
}

extension PuzzleSolution {
  /// Reads Base64 of a JSON object, with whatever other members the client adds; `nil` for any other text.
  init?(payload: String) {
    guard Limits.puzzle.contains(payload.utf8.count), let bytes = Base64.standard.decode(payload),
      let members = try? JSON.parse(bytes, depthLimit: 4, nodeLimit: 64),
      members["algorithm"]?.string == Puzzle.algorithm, let salt = members["salt"]?.string,
      let number = members["number"]?.int, let challenge = members["challenge"]?.string,
      let signature = members["signature"]?.string
    else { return nil }
    self.init(salt: salt, number: number, challenge: challenge, signature: signature)
  }
}

extension Instant {
  /// `nil` if there is no such instant.
  fileprivate init?(seconds: Int64) {
    let (milliseconds, overflows) = seconds.multipliedReportingOverflow(by: 1000)
    if overflows { return nil }
    self.init(milliseconds: milliseconds)
  }
}
