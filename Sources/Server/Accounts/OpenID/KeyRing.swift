import Crypto
import Rooms

/// The keys of one provider as they were loaded last, and when to load them again. Times are those of a loop.
struct KeyRing {
  struct Pace: Sendable {
    /// The least time from one attempt to the next, whatever key a token names.
    var retry: Duration
    /// The age at which keys are loaded again.
    var age: Duration
    /// The age up to which keys count while the provider cannot be reached.
    var life: Duration

    static let url = Pace(retry: .seconds(60), age: .seconds(3600), life: .seconds(24 * 3600))
    /// A file is read each time, so a change of it takes effect at once.
    static let file = Pace(retry: .zero, age: .zero, life: .seconds(24 * 3600))
  }

  private let pace: Pace
  private var keys: WebKeys?
  private var loadedAt = Duration.zero
  private var triedAt: Duration?

  init(_ pace: Pace) { self.pace = pace }

  /// Whether keys must be loaded before a token is looked at whose header names a key.
  func mustLoad(for id: String?, _ algorithm: SignatureAlgorithm, at now: Duration) -> Bool {
    if let triedAt, now - triedAt < pace.retry { return false }
    guard let keys = usable(at: now), now - loadedAt < pace.age else { return true }
    return keys.keys(named: id, for: algorithm).isEmpty
  }

  /// The keys that count; `nil` if there are none, or they are too old.
  func usable(at now: Duration) -> WebKeys? { now - loadedAt < pace.life ? keys : nil }

  mutating func began(at now: Duration) { triedAt = now }

  /// The provider's keys are these and no others.
  mutating func loaded(_ keys: WebKeys, at now: Duration) {
    self.keys = keys
    loadedAt = now
  }
}
