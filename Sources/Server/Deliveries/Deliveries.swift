import Home
import Platform
import Rooms

/// Delivers what rooms of a shard's partitions have caused outside, at least once: the store has it until it is
/// settled.
final class Deliveries {
  private let link: ShardLink
  private var shard: Shard { link.shard }
  private let loop: any Loop
  private let services: Services

  /// Rows that are being delivered, or whose settlement is not on disk yet.
  private var underway: Set<Int64> = []
  private var isReading = false
  /// Something may have been added while the store was read.
  private var isOutdated = false
  private var timer: (any LoopTimer)?
  private var timerDue: Instant?

  private static let atOnce = 4
  /// Waits after the first failure, and at most; each failure doubles it.
  private static let backoff = Duration.seconds(15)...Duration.seconds(3600)
  /// A store that could not be read or written is tried again after this time.
  private static let retry = Duration.seconds(10)

  init(_ link: ShardLink) {
    self.link = link
    loop = link.loop
    services = link.services
  }

  /// Looks for what is due. Called at the start, and whenever a commit has added something.
  func serve() {
    guard services.mail != nil, !shard.isLeaving else { return }
    guard !isReading else {
      isOutdated = true
      return
    }
    isReading = true
    isOutdated = false
    services.deliveries.deliveries(
      in: shard.shards.partitions(of: shard.index), limit: 2 * Self.atOnce,
      reply: Reply(on: loop.poster) { [unowned self] result in
        isReading = false
        switch result {
        case .success(let page): start(page)
        case .failure: setTimer(loop.now + Self.retry)
        }
        if isOutdated { serve() }
      })
  }

  private func start(_ page: [StoredDelivery]) {
    for stored in page where !underway.contains(stored.row) {
      guard underway.count < Self.atOnce else { return }
      // A clock that was set back puts nothing off for longer than the longest wait.
      let isPutOff = stored.attempts > 0 && stored.due - loop.now <= Self.backoff.upperBound
      guard stored.due <= loop.now || stored.attempts > 0 && !isPutOff else { return setTimer(stored.due) }
      underway.insert(stored.row)
      deliver(stored)
    }
  }

  private func deliver(_ stored: StoredDelivery) {
    let delivery = stored.delivery
    guard delivery.until > loop.now else { return giveUp(stored, "expired") }
    guard let gateway = services.mail, let letter = Letter.read(delivery.body) else {
      return giveUp(stored, "unreadable")
    }
    let mail = LetterText(letter, url: link.configuration.publicURL).mail(to: letter.to, id: stored.delivery.cause)
    gateway.send(
      mail,
      reply: Reply(on: loop.poster) { [unowned self] outcome in
        switch outcome {
        case .sent:
          shard.counters.mails += 1
          settle(stored.row, .done)
        case .refused(let reason): giveUp(stored, reason)
        case .deferred(let reason):
          services.log(.debug, "mail.deferred", ["why": "\(reason)", "attempts": .number(stored.attempts + 1)])
          settle(stored.row, .retry(at: loop.now + Self.wait(after: stored.attempts)))
        }
      })
  }

  static func wait(after attempts: Int) -> Duration {
    min(backoff.upperBound, backoff.lowerBound * (1 << min(attempts, 16)))
  }

  private func giveUp(_ stored: StoredDelivery, _ reason: String) {
    services.log(.warning, "mail.failed", ["why": "\(reason)"])
    shard.counters.failedMails += 1
    settle(stored.row, .done)
  }

  /// Until the settlement is on disk, the row is not read again.
  private func settle(_ row: Int64, _ settlement: Settlement) {
    services.deliveries.settle(
      row, settlement,
      reply: Reply(on: loop.poster) { [unowned self] result in
        guard case .failure = result else {
          underway.remove(row)
          return serve()
        }
        _ = loop.schedule(after: Self.retry) { [weak self] in self?.settle(row, settlement) }
      })
  }

  private func setTimer(_ due: Instant) {
    if let timerDue, timerDue <= due { return }
    timer?.cancel()
    timerDue = due
    // Timers follow the monotonic clock, due times the wall clock, so a distant one is checked in between.
    timer = loop.schedule(after: max(.zero, min(due - loop.now, .seconds(60)))) { [unowned self] in
      timer = nil
      timerDue = nil
      serve()
    }
  }
}
