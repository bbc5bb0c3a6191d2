import Crypto
import Rooms
import Testing

@testable import Server

/// ACC-3: failures slow down further guesses, and nobody can lock the owner of an account out by failing.
@Suite("Throttling of password guesses")
struct GuessThrottleTests {
  let throttle = GuessThrottle()

  private static func stranger(_ account: String = "ana", _ network: String = "10.0.0.1") -> Guess {
    .password(for: account, from: network)
  }

  private static let phone = Guess.password(for: "ana", device: ID(high: 1, low: 1))

  /// Guesses wrongly, as often as there is no wait.
  @discardableResult
  private func fail(_ count: Int = 1, _ guess: Guess = Self.stranger(), at now: Duration) -> Int {
    var taken = 0
    for _ in 0..<count where throttle.begin(guess, at: now) == nil {
      throttle.failed(guess, at: now)
      taken += 1
    }
    return taken
  }

  /// How long a guess has to wait, without making it.
  private func wait(_ guess: Guess = Self.stranger(), at now: Duration) -> Duration? {
    if let wait = throttle.begin(guess, at: now) { return wait }
    throttle.withdrawn(guess)
    return nil
  }

  @Test(
    "ACC-3: after five failures each doubles the wait: up to a minute for an address, a quarter of an hour else")
  func doubling() {
    let code = Guess.joinCode(by: ID(high: 2, low: 2), from: "10.0.0.1")
    for (guess, longest) in [(Self.stranger(), 60), (Self.phone, 900), (code, 900)] {
      var now = Duration.seconds(60)
      #expect(fail(9, guess, at: now) == 5)
      for doublings in 0..<12 {
        let seconds = min(1 << doublings, longest)
        #expect(wait(guess, at: now) == .seconds(seconds), "\(guess) \(doublings)")
        now += .seconds(seconds)
        #expect(wait(guess, at: now - .milliseconds(1)) == .milliseconds(1))
        #expect(fail(2, guess, at: now) == 1)
      }
    }
  }

  @Test("ACC-3: guesses at the same time count before their answers are known, and those not looked at do not")
  func atTheSameTime() {
    let guess = Self.stranger()
    for _ in 0..<5 { #expect(throttle.begin(guess, at: .zero) == nil) }
    #expect(throttle.begin(guess, at: .zero) == .seconds(1))
    throttle.withdrawn(guess)
    #expect(throttle.begin(guess, at: .zero) == nil)
    for _ in 0..<5 { throttle.withdrawn(guess) }
    for _ in 0..<1000 {
      #expect(throttle.begin(guess, at: .zero) == nil)
      throttle.withdrawn(guess)
    }
  }

  @Test("ACC-3: a success forgets the failures of its guesser, not those of others, and takes no try of the account")
  func success() {
    let (home, elsewhere) = (Self.stranger(), Self.stranger("ana", "10.0.0.2"))
    fail(5, elsewhere, at: .zero)
    #expect(fail(4, home, at: .zero) == 4)
    #expect(throttle.begin(home, at: .zero) == nil)
    throttle.succeeded(home)
    #expect(fail(9, home, at: .zero) == 5)
    #expect(wait(home, at: .zero) == .seconds(1))
    #expect(wait(elsewhere, at: .zero) == .seconds(1))
    for _ in 0..<500 {
      #expect(throttle.begin(Self.stranger("ana", "10.0.0.3"), at: .zero) == nil)
      throttle.succeeded(Self.stranger("ana", "10.0.0.3"))
    }
  }

  @Test("after an hour of peace failures are free again; after a day they are forgotten")
  func forgetting() {
    fail(5, at: .zero)
    throttle.forget(at: .seconds(3599))
    #expect(fail(at: .seconds(3599)) == 1)
    #expect(wait(at: .seconds(3599)) == .seconds(2))
    throttle.forget(at: .seconds(7199))
    #expect(fail(9, at: .seconds(7199)) == 4, "an address that has failed is remembered as one")
    throttle.forget(at: .seconds(7199 + 86_400))
    #expect(fail(9, at: .seconds(7199 + 86_400)) == 5)
  }

  // MARK: nobody is locked out

  @Test("A-lockout: whatever one address does, others wait for nothing, and it makes at most 200 guesses a day")
  func oneAttacker() {
    var guesses = 0
    for second in stride(from: 0, to: 86_400, by: 5) {
      let now = Duration.seconds(second)
      guesses += fail(1, Self.stranger("ana", "203.0.113.1"), at: now)
      guard second % 600 == 0 else { continue }
      throttle.forget(at: now)
      #expect(wait(Self.stranger("ana", "10.0.0.1"), at: now) == nil)
      #expect(wait(Self.phone, at: now) == nil)
      #expect(wait(Self.stranger("bo", "203.0.113.1"), at: now) == nil)
    }
    #expect((50...200).contains(guesses), "\(guesses)")
  }

  @Test("F4: ten thousand addresses guess at most 200 times a day, however often they try; a known device never waits")
  func manyAttackers() {
    let addresses = (0..<10_000).map { Self.stranger("ana", "address \($0)") }
    let triesADay = 50_000
    for day in 0..<2 {
      var guesses = 0
      for number in 0..<triesADay {
        let now = Duration.seconds(day * 86_400) + .milliseconds(number * 86_400_000 / triesADay)
        guesses += fail(1, addresses[number * 7919 % addresses.count], at: now)
        guard number % 1000 == 0 else { continue }
        throttle.forget(at: now)
        #expect(throttle.begin(Self.phone, at: now) == nil)
        throttle.succeeded(Self.phone)
      }
      #expect((90...200).contains(guesses), "\(guesses)")
    }
  }

  @Test("ACC-3: a known device's failures slow down itself, at most by a quarter of an hour, and nobody else")
  func knownDevice() {
    let tablet = Guess.password(for: "ana", device: ID(high: 1, low: 2))
    var guesses = 0
    for second in stride(from: 0, to: 86_400, by: 5) { guesses += fail(1, Self.phone, at: .seconds(second)) }
    #expect((90...200).contains(guesses), "\(guesses)")
    #expect(wait(Self.phone, at: .seconds(86_400)) ?? .zero > .zero)
    #expect(wait(tablet, at: .seconds(86_400)) == nil)
    #expect(wait(Self.stranger(), at: .seconds(86_400)) == nil)
  }

  @Test("R-027: behind one address, one person mistypes without an end; the 149 others log in at once")
  func oneOfMany() {
    for second in 0..<1200 {
      let now = Duration.seconds(second)
      fail(3, Self.stranger("person 0"), at: now)
      guard second % 10 == 0 else { continue }
      let isEachIn = (1..<150).allSatisfy { person in
        let guess = Self.stranger("person \(person)")
        defer { throttle.succeeded(guess) }
        return throttle.begin(guess, at: now) == nil
      }
      #expect(isEachIn)
    }
  }

  @Test("R-027, A-proxy: an ordinary day behind one address: sixty mistype once each, and nobody ever waits")
  func ordinaryDay() {
    for person in 0..<60 {
      let now = Duration.seconds(person * 2400)
      throttle.forget(at: now)
      #expect(fail(1, Self.stranger("person \(person)"), at: now) == 1)
      #expect(wait(Self.stranger("somebody"), at: now) == nil)
    }
  }

  @Test("ACC-3: an address that fails for many accounts is slowed: those that failed by up to a minute, others shortly")
  func spraying() {
    var (guesses, longest) = (0, Duration.zero)
    for tenth in 0..<6000 {
      let now = Duration.milliseconds(tenth * 100)
      let wait = throttle.begin(Self.stranger("account \(tenth)"), at: now)
      longest = max(longest, wait ?? .zero)
      guard wait == nil else { continue }
      throttle.failed(Self.stranger("account \(tenth)"), at: now)
      guesses += 1
      #expect(self.wait(Self.stranger("account \(tenth)"), at: now) ?? .zero <= .seconds(60))
      #expect(self.wait(Self.stranger("account", "10.0.0.2"), at: now) == nil)
    }
    #expect(longest <= GuessThrottle.shortWait)
    #expect((300...400).contains(guesses), "\(guesses)")
    #expect(wait(Self.stranger("account 0"), at: .seconds(600)) ?? .zero > GuessThrottle.shortWait)
    throttle.forget(at: .seconds(2 * 86_400))
    #expect(wait(Self.stranger("account 0"), at: .seconds(2 * 86_400)) == nil)
  }

  @Test("the first failure after which somebody has to wait is told once")
  func news() {
    func failing(_ guess: Guess, at now: Duration) -> Bool {
      throttle.begin(guess, at: now) == nil && throttle.failed(guess, at: now)
    }
    #expect((0..<9).map { _ in failing(Self.stranger(), at: .zero) }.firstIndex(of: true) == 4)
    #expect(!failing(Self.stranger(), at: .seconds(1)))
    let told = (0..<60).filter { failing(Self.stranger("account \($0)"), at: .seconds(1)) }
    #expect(told.count == 1 && told[0] > 40)
  }

  @Test("tables forget what was written longest ago, in time that does not grow with them")
  func recentTable() {
    var table = RecentTable<Int>(capacity: 100)
    for number in 0..<1000 { table["\(number)"] = number }
    #expect((50...100).contains(table.count))
    for number in 950..<1000 { #expect(table["\(number)"] == number) }
    #expect(table["0"] == nil)
    table["999"] = nil
    #expect(table["999"] == nil)
    table.keep { $0 == 998 }
    #expect(table.count == 1)
  }

  // MARK: sign-ups

  @Test("ACC-1: one address makes ten accounts in any hour; the wait for the next is told")
  func signUps() {
    let signUps = SignUpThrottle(perHour: 10)
    for minute in 0..<10 { #expect(signUps.begin(from: "10.0.0.1", at: .seconds(minute * 60)) == nil) }
    #expect(signUps.begin(from: "10.0.0.1", at: .seconds(600)) == .seconds(3000))
    #expect(signUps.begin(from: "10.0.0.2", at: .seconds(600)) == nil)
    signUps.forget(at: .seconds(3599))
    #expect(signUps.begin(from: "10.0.0.1", at: .seconds(3599)) == .seconds(1))
    #expect(signUps.begin(from: "10.0.0.1", at: .seconds(3600)) == nil)
    #expect(signUps.begin(from: "10.0.0.1", at: .seconds(3600)) == .seconds(60))
    signUps.withdrawn(from: "10.0.0.1")
    #expect(signUps.begin(from: "10.0.0.1", at: .seconds(3600)) == nil)
  }

  // MARK: one address

  @Test("R-027: it is told once when twenty different persons in a row come from one address")
  func oneAddress() {
    func person(_ number: Int) -> ID<Person> { ID(high: 1, low: UInt64(number)) }
    let watch = OneAddressWatch()
    for number in 0..<19 { #expect(!watch.note(person(number), from: "a")) }
    for number in 0..<19 { #expect(!watch.note(person(number), from: "a"), "the same persons again") }
    #expect(!watch.note(person(19), from: "b"))
    for number in 0..<19 { #expect(!watch.note(person(number), from: "a")) }
    #expect(watch.note(person(19), from: "a"))
    for number in 0..<99 { #expect(!watch.note(person(number), from: "a"), "told already") }
  }

  // MARK: devices

  @Test("ACC-3: a device token is of one account and one password; no other text is one")
  func deviceTokens() throws {
    let (ana, bo) = (ID<Person>(high: 1, low: 1), ID<Person>(high: 2, low: 2))
    let now = Instant(milliseconds: 1_800_000_000_000)
    let token = DeviceToken(ID(high: 3, low: 4), at: now)
    let text = token.text(of: ana, passwordHash: "hash")
    #expect(DeviceToken(text, of: ana, passwordHash: "hash", at: now) == token)
    #expect(DeviceToken(text, of: ana, passwordHash: "hash", at: now + DeviceToken.life - .milliseconds(1)) == token)
    #expect(DeviceToken(text, of: ana, passwordHash: "hash", at: now + DeviceToken.life) == nil)
    #expect(DeviceToken(text, of: bo, passwordHash: "hash", at: now) == nil)
    #expect(DeviceToken(text, of: ana, passwordHash: "another", at: now) == nil)
    let bytes = try #require(Base64.url.decode(text))
    for index in bytes.indices {
      var changed = bytes
      changed[index] ^= 1
      #expect(DeviceToken(Base64.url.encode(changed), of: ana, passwordHash: "hash", at: now) == nil)
    }
    for other in ["", "x", String(text.dropLast()), text + "A", Base64.url.encode(Array(bytes.dropLast()))] {
      #expect(DeviceToken(other, of: ana, passwordHash: "hash", at: now) == nil)
    }
  }
}
