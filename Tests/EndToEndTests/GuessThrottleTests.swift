import Testing

@testable import Server

/// ACC-3: failures slow the next try, per account and per address; never a lasting lock-out.
@Suite("Slowing down whoever guesses passwords")
struct GuessThrottleTests {
  let throttle = GuessThrottle()

  private func fail(_ count: Int, account: String = "ana", address: String = "10.0.0.1", at now: Duration) {
    for _ in 0..<count { throttle.noteFailure(subject: account, address: address, at: now) }
  }

  @Test("four failures cost nothing, the fifth a second, each further one twice as much, at most a quarter of an hour")
  func doubling() {
    fail(4, at: .zero)
    #expect(throttle.wait(subject: "ana", address: "elsewhere", at: .zero) == nil)
    for (count, seconds) in [(5, 1), (6, 2), (7, 4), (8, 8), (9, 16), (14, 512), (15, 900), (16, 900), (40, 900)] {
      let throttle = GuessThrottle()
      for _ in 0..<count { throttle.noteFailure(subject: "ana", address: "10.0.0.1", at: .seconds(60)) }
      #expect(throttle.wait(subject: "ana", address: "elsewhere", at: .seconds(60)) == .seconds(seconds), "\(count)")
      let later = Duration.seconds(60 + seconds)
      #expect(throttle.wait(subject: "ana", address: "elsewhere", at: later - .milliseconds(1)) == .milliseconds(1))
      #expect(throttle.wait(subject: "ana", address: "elsewhere", at: later) == nil, "nobody is locked out for good")
    }
  }

  @Test("an address, which many people may share, has fifty")
  func address() {
    for index in 0..<49 { fail(1, account: "account \(index)", at: .zero) }
    #expect(throttle.wait(subject: "bo", address: "10.0.0.1", at: .zero) == nil)
    fail(1, account: "one more", at: .zero)
    #expect(throttle.wait(subject: "bo", address: "10.0.0.1", at: .zero) == .seconds(1))
    #expect(throttle.wait(subject: "bo", address: "10.0.0.2", at: .zero) == nil)
  }

  @Test("a success ends it for the account, an hour of peace for all")
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
