/// At most a few sign-ups an hour from one address (ACC-1), also those that find the email address taken.
final class SignUpThrottle {
  private static let hour = Duration.seconds(3600)

  private let perHour: Int

  /// When the sign-ups of each network were, within the hour, oldest first.
  private var networks = RecentTable<[Duration]>(capacity: GuessThrottle.capacity)

  init(perHour: Int) { self.perHour = perHour }

  /// How long a sign-up has to wait; `nil` if it may be done now. Then it counts.
  func begin(from network: String, at now: Duration) -> Duration? {
    var times = (networks[network] ?? []).filter { now - $0 < Self.hour }
    if times.count >= perHour { return times[times.count - perHour] + Self.hour - now }
    times.append(now)
    networks[network] = times
    return nil
  }

  /// The newest sign-up has not been carried out.
  func withdrawn(from network: String) {
    _ = networks[network]?.popLast()
    if networks[network]?.isEmpty == true { networks[network] = nil }
  }

  func forget(at now: Duration) { networks.keep { $0.contains { now - $0 < Self.hour } } }
}
