import Rooms

/// One try of a secret, as it is counted.
struct Guess: Sendable, Equatable {
  /// The origin and the target of the try. Failures of other guessers do not slow this one down for long.
  var guesser: String
  /// The network that it comes from, if all failures from there count.
  var network: String?
  /// The account that others could lock by failing, if there is one.
  var account: String?

  /// The longest wait for failures of the guesser alone.
  var longestWait: Duration { account == nil ? .seconds(15 * 60) : .seconds(60) }

  /// A password for an account, from a device that is not known to have logged in to it.
  static func password(for email: String, from network: String) -> Guess {
    Guess(guesser: "\(email) \(network)", network: network, account: email)
  }

  /// A password for an account, from a device that has logged in to it before: only its own failures count (ACC-3).
  static func password(for email: String, device: ID<Device>) -> Guess { Guess(guesser: "\(email) \(device)") }

  /// A join code, by a person who is logged in.
  static func joinCode(by person: ID<Person>, from network: String) -> Guess {
    Guess(guesser: "\(person)", network: network)
  }
}

/// Slows down guessing (ACC-3). A guess counts as its guesser's failure from its beginning, so that guesses at the same
/// time count.
///
/// - A guesser, such as one address that tries one account, has a few free failures. Then each doubles the wait.
/// - An address that fails for many accounts has to wait for each further failure. Accounts that have not failed from
///   there wait for a moment only.
/// - An account has a number of tries a day by devices that are not known (RELIABILITY F4): one half for addresses
///   that have failed for it before, so that they cannot use up the half of those that have not.
final class GuessThrottle {
  private struct Failures {
    var count = 0
    var last = Duration.zero
  }

  private struct Network {
    var failures = Allowance()
    var last: Duration
  }

  /// The tries of an account by unknown devices: from networks that have not failed for it, and from others.
  private struct Tries {
    var first = Allowance()
    var further = Allowance()
  }

  static let freeFailures = 5
  /// Failures of one network: many people may share it.
  static let perNetwork = Allowance.Limit(times: 50, refill: .seconds(60))
  /// After a failure in a network that has used up its failures, those who have not failed wait so long.
  static let shortWait = Duration.seconds(2)
  /// Tries of one account, twice: 98 within any 24 hours each, so at most 196 of the 200 of F4.
  static let perAccount = Allowance.Limit(times: 50, refill: .seconds(30 * 60))
  /// Without a failure for so long, a guesser's failures are free again.
  static let peace = Duration.seconds(3600)
  /// After so long a guesser's failures are forgotten.
  static let memory = Duration.seconds(24 * 3600)
  /// Entries kept in each table.
  static let capacity = 100_000

  private var guessers = RecentTable<Failures>(capacity: capacity)
  private var networks = RecentTable<Network>(capacity: capacity)
  private var accounts = RecentTable<Tries>(capacity: capacity)

  /// How long a guess has to wait; `nil` if it may be made now. Then it counts as a failure until its end is known.
  func begin(_ guess: Guess, at now: Duration) -> Duration? {
    let failures = guessers[guess.guesser]
    if let wait = wait(for: guess, failures, at: now) { return wait }
    count(guess, failures, at: now)
    return nil
  }

  /// The guess was wrong. Returns whether it is the first after which a guesser has to wait.
  @discardableResult
  func failed(_ guess: Guess, at now: Duration) -> Bool {
    guessers[guess.guesser]?.last = now
    let isLastFree = guessers[guess.guesser]?.count == Self.freeFailures
    guard let network = guess.network else { return isLastFree }
    var entry = networks[network] ?? Network(last: now)
    let wasFree = entry.failures.wait(Self.perNetwork, at: now) == nil
    entry.failures.take(Self.perNetwork, at: now)
    entry.last = now
    networks[network] = entry
    return isLastFree || wasFree && entry.failures.wait(Self.perNetwork, at: now) != nil
  }

  /// The guess was right: the guesser's failures are forgotten.
  func succeeded(_ guess: Guess) {
    giveBack(guess)
    guessers[guess.guesser] = nil
  }

  /// The guess was not looked at.
  func withdrawn(_ guess: Guess) {
    giveBack(guess)
    guessers[guess.guesser]?.count -= 1
    if guessers[guess.guesser]?.count == 0 { guessers[guess.guesser] = nil }
  }

  /// Forgets what has come to rest.
  func forget(at now: Duration) {
    guessers.keep { now - $0.last < Self.memory }
    networks.keep { $0.failures.fullAt > now }
    accounts.keep { max($0.first.fullAt, $0.further.fullAt) > now }
  }

  // MARK: waits

  private func wait(for guess: Guess, _ failures: Failures?, at now: Duration) -> Duration? {
    var waits = [Self.wait(failures, upTo: guess.longestWait, at: now)]
    if let network = guess.network.flatMap({ networks[$0] }),
      let wait = network.failures.wait(Self.perNetwork, at: now)
    {
      waits.append(failures != nil ? wait : Self.shortWait - (now - network.last))
    }
    if let tries = guess.account.flatMap({ accounts[$0] }) {
      waits.append((failures == nil ? tries.first : tries.further).wait(Self.perAccount, at: now))
    }
    return waits.compactMap(\.self).max().flatMap { $0 > .zero ? $0 : nil }
  }

  private static func wait(_ failures: Failures?, upTo longest: Duration, at now: Duration) -> Duration? {
    guard let failures, failures.count >= freeFailures, now - failures.last < peace else { return nil }
    let doublings = min(failures.count - freeFailures, 10)
    return min(.seconds(1 << doublings), longest) - (now - failures.last)
  }

  private func count(_ guess: Guess, _ failures: Failures?, at now: Duration) {
    var counted = failures ?? Failures()
    if now - counted.last >= Self.peace { counted = Failures(count: min(counted.count, 1)) }
    counted.count += 1
    counted.last = now
    guessers[guess.guesser] = counted
    if let account = guess.account {
      var tries = accounts[account] ?? Tries()
      if failures == nil {
        tries.first.take(Self.perAccount, at: now)
      } else {
        tries.further.take(Self.perAccount, at: now)
      }
      accounts[account] = tries
    }
  }

  private func giveBack(_ guess: Guess) {
    guard let account = guess.account, var tries = accounts[account] else { return }
    if guessers[guess.guesser]?.count == 1 {
      tries.first.giveBack(Self.perAccount)
    } else {
      tries.further.giveBack(Self.perAccount)
    }
    accounts[account] = tries
  }
}
