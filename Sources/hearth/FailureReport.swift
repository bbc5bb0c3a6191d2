import Platform

/// While nothing can be accepted it is tried ten times a second, and said once in ten seconds.
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
