import Rooms

/// Who may be logged out, and who must be: what is known of sessions besides what the disk says.
struct Logins {
  /// Somebody wants it to end, or wanted it, so that it may have.
  private var unwanted: Set<String> = []
  /// How many calls are under way that end all other sessions of somebody, whichever these are then.
  private var sweeps: [ID<Person>: Int] = [:]
  /// When the server gave away the answer that it has ended.
  private var endedAt: [String: Duration] = [:]
  /// When the server last gave away something to whoever holds it.
  private var toldAt: [String: Duration] = [:]

  mutating func opened(_ session: ID<Session>, of person: ID<Person>, unused: [ID<Session>]) {
    if sweeps[person, default: 0] > 0 { unwanted.insert(session.description) }
    for ended in unused { unwanted.insert(ended.description) }
  }

  mutating func mayEnd(_ sessions: Set<String>) { unwanted.formUnion(sessions) }
  mutating func beginSweep(of person: ID<Person>) { sweeps[person, default: 0] += 1 }
  mutating func endSweep(of person: ID<Person>) { sweeps[person, default: 1] -= 1 }

  func mayHaveEnded(_ session: String) -> Bool { unwanted.contains(session) }

  /// Somebody was told of the end of a session; says when its holder was told more than that (I9).
  mutating func ended(_ session: String, at moment: Duration) -> Duration? {
    let earliest = min(endedAt[session] ?? moment, moment)
    endedAt[session] = earliest
    return toldAt[session].flatMap { $0 > earliest ? $0 : nil }
  }

  /// A session's holder was told something; says whether it had ended before (I9).
  mutating func told(_ session: String, at moment: Duration) -> Bool {
    toldAt[session] = max(toldAt[session] ?? moment, moment)
    return endedAt[session].map { $0 < moment } ?? false
  }
}
