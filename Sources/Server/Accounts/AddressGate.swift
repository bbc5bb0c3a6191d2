import HTTP
import Rooms

/// Limits the connections of one address whose persons are unknown (SEC-12): per minute, and at a time. Addresses of
/// one IPv6 network of 64 bits count as one, since its owner has all of them.
///
/// Lives on the first shard, whose loop accepts connections.
final class AddressGate {
  struct Limits: Sendable {
    /// Connections that one address may make in a minute.
    var perMinute: Int
    /// Connections of one address that have not said hello with a token.
    var strangers: Int
    /// The same, of all addresses together.
    var allStrangers: Int
  }

  enum Verdict: Equatable {
    case admitted
    /// `isNews` where the address was admitted until now.
    case refused(isNews: Bool)
  }

  private struct Visits {
    /// The connections that may still be made, in parts: one for each millisecond of a minute, refilled all the time.
    var allowance: Int
    var countedAt: Duration
    var strangers = 0
    var isRefused = false
  }

  /// Milliseconds.
  private static let minute = 60_000

  private let limits: Limits
  private var visits: [String: Visits] = [:]
  private var strangers = 0

  init(_ limits: Limits) { self.limits = limits }

  /// Whether a connection from an address may be taken.
  func admit(_ host: String, at now: Duration) -> Verdict {
    let key = Self.network(of: host)
    var visit = visits[key] ?? Visits(allowance: limits.perMinute * Self.minute, countedAt: now)
    let waited = min(Int((now - visit.countedAt).milliseconds), Self.minute)
    visit.allowance = min(limits.perMinute * Self.minute, visit.allowance + waited * limits.perMinute)
    visit.countedAt = now
    let isCrowded = visit.strangers >= limits.strangers || strangers >= limits.allStrangers
    let isAdmitted = visit.allowance >= Self.minute && !isCrowded
    let isNews = !isAdmitted && !visit.isRefused
    visit.isRefused = !isAdmitted
    if isAdmitted { visit.allowance -= Self.minute }
    visits[key] = visit
    return isAdmitted ? .admitted : .refused(isNews: isNews)
  }

  /// An admitted connection is open. It may arrive later than others that were admitted after it.
  func arrived(_ host: String, at now: Duration) {
    strangers += 1
    let visit = Visits(allowance: limits.perMinute * Self.minute, countedAt: now)
    visits[Self.network(of: host), default: visit].strangers += 1
  }

  /// The person of a connection is known, or it is closed.
  func settled(_ host: String) {
    strangers -= 1
    visits[Self.network(of: host)]?.strangers -= 1
  }

  /// Forgets addresses that have come to rest.
  func forget(at now: Duration) {
    visits = visits.filter { $0.value.strangers > 0 || now - $0.value.countedAt < .seconds(60) }
  }

  /// The address itself, or the first 64 bits of an IPv6 one.
  static func network(of host: String) -> String { IPAddress(host)?.network ?? host }
}
