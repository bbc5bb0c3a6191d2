import Testing

@testable import Server

/// ACC-3: failed logins slow down the next attempt, per account and per address, and never lock out permanently.
@Suite("Throttling of password guesses")
struct GuessThrottleTests {
  let throttle = GuessThrottle()

  private func fail(_ count: Int, account: String = "ana", address: String = "10.0.0.1", at now: Duration) {
    for _ in 0..<count { throttle.noteFailure(subject: account, address: address, at: now) }
  }

  @Test(
    "four failures are free, the fifth costs a second, and each further one doubles that up to a quarter of an hour")
  func doubling() {
    fail(4, at: .zero)
    #expect(throttle.wait(subject: "ana", address: "elsewhere", at: .zero) == nil)
    for (count, seconds) in [(5, 1), (6, 2), (7, 4), (8, 8), (9, 16), (14, 512), (15, 900), (16, 900), (40, 900)] {
      let throttle = GuessThrottle()
      for _ in 0..<count { throttle.noteFailure(subject: "ana", address: "10.0.0.1", at: .seconds(60)) }
      #expect(throttle.wait(subject: "ana", address: "elsewhere", at: .seconds(60)) == .seconds(seconds), "\(count)")
      let later = Duration.seconds(60 + seconds)
      #expect(throttle.wait(subject: "ana", address: "elsewhere", at: later - .milliseconds(1)) == .milliseconds(1))
      #expect(throttle.wait(subject: "ana", address: "elsewhere", at: later) == nil, "no account is locked permanently")
    }
  }

  @Test("an address, which people may share, has fifty free failures")
  func address() {
    for index in 0..<49 { fail(1, account: "account \(index)", at: .zero) }
    #expect(throttle.wait(subject: "bo", address: "10.0.0.1", at: .zero) == nil)
    fail(1, account: "one more", at: .zero)
    #expect(throttle.wait(subject: "bo", address: "10.0.0.1", at: .zero) == .seconds(1))
    #expect(throttle.wait(subject: "bo", address: "10.0.0.2", at: .zero) == nil)
  }

  @Test("a success resets the account, and an hour without failures resets everything")
  func forgetting() {
    fail(5, at: .zero)
    throttle.noteSuccess(subject: "ana")
    #expect(throttle.wait(subject: "ana", address: "elsewhere", at: .zero) == nil)
    fail(6, account: "bo", at: .zero)
    throttle.forget(before: .seconds(3599))
    fail(1, account: "bo", at: .seconds(3599))
    #expect(throttle.wait(subject: "bo", address: "elsewhere", at: .seconds(3599)) == .seconds(4))
    throttle.forget(before: .seconds(3599 + 3600))
    fail(1, account: "bo", at: .seconds(7200))
    #expect(throttle.wait(subject: "bo", address: "elsewhere", at: .seconds(7200)) == nil)
  }
}
