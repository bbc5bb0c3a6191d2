import Rooms

/// Sessions that may have ended, and the times of their last messages: knowledge beyond the disk's content.
struct Logins {
  /// Sessions that a call may have ended, or has.
  private var unwanted: Set<String> = []
  /// The number of calls in flight that end all other sessions of a person, including sessions opened meanwhile.
  private var sweeps: [ID<Person>: Int] = [:]
  /// When the server sent the answer that the session has ended.
  private var endedAt: [String: Duration] = [:]
  /// When the kernel last took anything for the session's client.
  private var toldAt: [String: Duration] = [:]

  mutating func opened(_ session: ID<Session>, of person: ID<Person>, unused: [ID<Session>]) {
    if sweeps[person, default: 0] > 0 { unwanted.insert(session.description) }
    for ended in unused { unwanted.insert(ended.description) }
  }

  mutating func mayEnd(_ sessions: Set<String>) { unwanted.formUnion(sessions) }
  mutating func beginSweep(of person: ID<Person>) { sweeps[person, default: 0] += 1 }
  mutating func endSweep(of person: ID<Person>) { sweeps[person, default: 1] -= 1 }

  func mayHaveEnded(_ session: String) -> Bool { unwanted.contains(session) }

  /// Records the end of a session. Returns the time of a later message to its client, which violates I9.
  mutating func ended(_ session: String, at moment: Duration) -> Duration? {
    let earliest = min(endedAt[session] ?? moment, moment)
    endedAt[session] = earliest
    return toldAt[session].flatMap { $0 > earliest ? $0 : nil }
  }

  /// Records a message to a session's client. Returns whether the session had ended before, which violates I9.
  mutating func told(_ session: String, at moment: Duration) -> Bool {
    toldAt[session] = max(toldAt[session] ?? moment, moment)
    return endedAt[session].map { $0 < moment } ?? false
  }
}
