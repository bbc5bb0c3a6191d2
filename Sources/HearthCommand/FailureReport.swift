import Platform

/// Limits the report of a repeating failure to once in ten seconds; `accept` is retried ten times a second.
final class FailureReport: Sendable {
  private static let pause = Duration.seconds(10)
  private let last = Locked(ContinuousClock.Instant?.none)

  func isDue(at now: ContinuousClock.Instant = .now) -> Bool {
    last.withLock { last in
      if let last, now - last < Self.pause { return false }
      last = now
      return true
    }
  }
}
