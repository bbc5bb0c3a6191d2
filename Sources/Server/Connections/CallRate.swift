import Platform

/// How quickly a connection calls, against how quickly it may (RELIABILITY E4): so many calls a second, two seconds'
/// worth of them at once. A large message counts for more than one, and so does a large answer.
///
/// A call that comes too early is not refused but read later, so a hasty client loses nothing. This is the
/// generic cell rate algorithm (ITU-T I.371): one time says it all.
struct CallRate {
  /// For so long a connection that has been quiet may save up.
  static let burst = Duration.seconds(2)
  /// Bytes of a message, or of an answer, that count like a call of their own.
  static let bytesPerCall = 4096

  /// When all calls so far would have been made, each at its time.
  @Nanoseconds private var paidUntil = Duration.zero - burst

  /// Counts calls, made in a message of so many bytes.
  mutating func note(calls: Int, bytes: Int = 0, at now: Duration, perSecond: Int) {
    let cost = calls + bytes / Self.bytesPerCall
    paidUntil = max(paidUntil, now - Self.burst) + .nanoseconds(cost * 1_000_000_000 / perSecond)
  }

  /// How long nothing more is to be read; `nil` where it may be now.
  func wait(at now: Duration) -> Duration? { paidUntil > now ? paidUntil - now : nil }
}

extension ConnectionTable {
  /// Counts calls of a connection, and reads on later where there are too many.
  func noteCalls(_ calls: Int, bytes: Int = 0, of session: Session) {
    session.callRate.note(calls: calls, bytes: bytes, at: loop.uptime, perSecond: configuration.callsPerSecond)
    guard !session.isThrottled, let wait = session.callRate.wait(at: loop.uptime) else { return }
    session.isThrottled = true
    shard.counters.throttles += 1
    readOn(session, after: wait)
  }

  /// Counts the bytes of an answer, which may be many times as long as its call; of a guest's on the shard that gives
  /// it, where it pauses the connection like one that is behind.
  func noteAnswer(of bytes: Int, to session: Session) {
    // An exchange stands for a connection that is counted by itself.
    guard bytes >= CallRate.bytesPerCall, !session.isExchange else { return }
    noteCalls(0, bytes: bytes, of: session)
  }

  private func readOn(_ session: Session, after wait: Duration) {
    loop.schedule(after: wait) { [unowned self, weak session] in
      guard let session, session.stream != nil else { return }
      // Calls that were read together with the one too many have been handled, and count too.
      if let wait = session.callRate.wait(at: loop.uptime) { return readOn(session, after: wait) }
      session.isThrottled = false
    }
  }
}
