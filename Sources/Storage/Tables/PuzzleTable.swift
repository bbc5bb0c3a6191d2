internal import GRDB
internal import Rooms

/// The table `puzzle`: solved puzzles that were used, until nobody accepts them any longer (SEC-10).
enum PuzzleTable {
  /// Notes that a puzzle is used; `false` if it was used before, other than by the same call.
  static func spend(
    _ challenge: [UInt8], by call: [UInt8], until end: Instant, at now: Instant, _ database: Database
  ) throws -> Bool {
    try Query(database, "DELETE FROM puzzle WHERE until < ?").run(.integer(now.milliseconds))
    let earlier = try Query(database, "SELECT call FROM puzzle WHERE challenge = ?").first(.bytes(challenge)) {
      $0.bytes(0)
    }
    if let earlier { return !call.isEmpty && earlier == call }
    try Query(database, "INSERT INTO puzzle (challenge, call, until) VALUES (?, ?, ?)")
      .run(.bytes(challenge), .bytes(call), .integer(end.milliseconds))
    return true
  }
}
