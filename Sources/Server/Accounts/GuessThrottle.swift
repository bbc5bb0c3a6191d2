/// Slows down guessing, per subject (an account whose password is guessed, a person who guesses codes) and per address:
/// each failure beyond a few doubles the wait, which never lasts longer than a quarter of an hour and is forgotten
/// after an hour of peace (ACC-3).
final class GuessThrottle {
  private struct Failures {
    var count = 0
    var last = Duration.zero
  }

  static let freePerSubject = 5
  /// Many people may share an address.
  static let freePerAddress = 50
  static let longestWait = Duration.seconds(15 * 60)
  static let memory = Duration.seconds(3600)
  /// Entries kept, so that an attacker with many names or addresses cannot fill the memory.
  static let capacity = 100_000

  private var subjects: [String: Failures] = [:]
  private var addresses: [String: Failures] = [:]

  /// How long the next attempt has to wait; `nil` if it may be made now.
  func wait(subject: String, address: String, at now: Duration) -> Duration? {
    let waits = [
      Self.wait(subjects[subject], free: Self.freePerSubject, at: now),
      Self.wait(addresses[address], free: Self.freePerAddress, at: now),
    ]
    return waits.compactMap(\.self).max()
  }

  /// Notes a failure; answers whether it is the first after which an attempt has to wait.
  @discardableResult
  func noteFailure(subject: String, address: String, at now: Duration) -> Bool {
    let counts = (Self.note(&subjects, subject, at: now), Self.note(&addresses, address, at: now))
    return counts.0 == Self.freePerSubject || counts.1 == Self.freePerAddress
  }

  func noteSuccess(subject: String) { subjects[subject] = nil }

  /// Forgets failures that are an hour old.
  func forget(before now: Duration) {
    subjects = subjects.filter { now - $0.value.last < Self.memory }
    addresses = addresses.filter { now - $0.value.last < Self.memory }
  }

  private static func note(_ table: inout [String: Failures], _ key: String, at now: Duration) -> Int {
    if table[key] == nil, table.count >= capacity, let oldest = table.min(by: { $0.value.last < $1.value.last }) {
      table[oldest.key] = nil
    }
    table[key, default: Failures()].count += 1
    table[key]?.last = now
    return table[key]?.count ?? 0
  }

  private static func wait(_ failures: Failures?, free: Int, at now: Duration) -> Duration? {
    guard let failures, failures.count >= free else { return nil }
    let doublings = min(failures.count - free, 10)
    let wait = min(.seconds(1 << doublings), longestWait)
    let left = wait - (now - failures.last)
    return left > .zero ? left : nil
  }
}
