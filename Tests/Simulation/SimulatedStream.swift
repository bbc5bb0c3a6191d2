import JSON
import Platform

/// The server's end of a link.
final class SimulatedStream: Stream {
  private let loop: SimulatedLoop
  weak var link: SimulatedLink?
  /// Keeps the link for as long as the server holds its end.
  private var keeper: SimulatedLink?
  var handler: (any StreamHandler)?
  private var unsent: [UInt8] = []
  /// What waits in `unsent`, message by message, and how much of it nobody has asked for.
  private var waiting: [(isNotice: Bool, count: Int)] = []
  private var noticeByteCount = 0
  private(set) var sentByteCount = 0
  private(set) var stalledSince: Duration?
  private var isTouched = false
  private var wasFull = false
  private var isClosing = false
  private var hasEnded = false
  private var unheard: [[UInt8]] = []
  let peer: PeerAddress

  init(_ loop: SimulatedLoop, number: Int) {
    self.loop = loop
    peer = PeerAddress(
      host: "10.0.0.\(number % 200 + 1)", port: UInt16(1024 + number % 60_000), isLoopback: false, isEncrypted: true)
  }

  /// The connection is open; `handler` hears of it from now on.
  func open(_ handler: any StreamHandler) {
    self.handler = handler
    keeper = link
  }

  var unsentByteCount: Int { unsent.count }

  var isReadingPaused = false {
    didSet {
      guard oldValue, !isReadingPaused, !unheard.isEmpty else { return }
      loop.enqueue { [self] in hear() }
    }
  }

  func send(_ bytes: Span<UInt8>) {
    guard !hasEnded, !isClosing else { return }
    queue(bytes.copied)
    touch()
  }

  /// Whoever does not read makes the server hold his answers and a bounded rest (I11): a loop adds a notice only where
  /// less of its own than its limit waits, and those that are added whatever waits are small and few.
  private func queue(_ bytes: [UInt8]) {
    let isNotice = Array(bytes.prefix(48)).range(of: Self.noticeStart) != nil
    if isNotice, noticeByteCount > loop.noticeLimit {
      link?.world.violate("I11", "\(noticeByteCount) bytes of notices wait on link \(link?.number ?? 0)")
    }
    unsent += bytes
    waiting.append((isNotice, bytes.count))
    if isNotice { noticeByteCount += bytes.count }
  }

  private static let noticeStart = Array(#"{"jsonrpc":"2.0","method""#.utf8)

  private func dequeue(_ count: Int) {
    unsent.removeFirst(count)
    var left = count
    while left > 0 {
      let taken = min(left, waiting[0].count)
      if waiting[0].isNotice { noticeByteCount -= taken }
      waiting[0].count -= taken
      left -= taken
      if waiting[0].count == 0 { waiting.removeFirst() }
    }
  }

  private func touch() {
    guard !isTouched else { return }
    isTouched = true
    loop.touch(self)
  }

  /// The end of a batch: the system takes what it can.
  func flush() {
    isTouched = false
    guard !hasEnded, let link else { return }
    let taken = link.take(unsent[...])
    sentByteCount += taken
    dequeue(taken)
    if unsent.isEmpty { stalledSince = nil } else if taken > 0 || !wasFull { stalledSince = loop.uptime }
    if !unsent.isEmpty { wasFull = true }
    if isClosing, unsent.isEmpty { end(.local) }
  }

  /// The peer has read.
  func roomCame() {
    guard !hasEnded, !unsent.isEmpty || wasFull else { return }
    loop.enqueue { [self] in
      guard !hasEnded, !unsent.isEmpty || wasFull else { return }
      flush()
      if !hasEnded, unsent.isEmpty, wasFull {
        wasFull = false
        handler?.writable()
      }
    }
  }

  func close() {
    guard !isClosing, !hasEnded else { return }
    isClosing = true
    touch()
  }

  func abort() {
    guard !hasEnded else { return }
    unsent = []
    end(.local)
  }

  private func end(_ reason: StreamEnd) {
    guard !hasEnded else { return }
    hasEnded = true
    if case .local = reason { link?.serverClosed() }
    loop.enqueue { [self] in
      handler?.closed(reason)
      handler = nil
      keeper = nil
    }
  }

  /// The process is gone, and its end with it.
  func die() {
    hasEnded = true
    unsent = []
    unheard = []
    handler = nil
    keeper = nil
  }

  /// The peer has ended the connection.
  func ended(_ reason: StreamEnd) {
    loop.enqueue { [self] in end(reason) }
  }

  func arrived(_ bytes: [UInt8]) {
    guard !hasEnded else { return }
    unheard.append(bytes)
    loop.enqueue { [self] in hear() }
  }

  private func hear() {
    while !isReadingPaused, !hasEnded, !isClosing, !unheard.isEmpty {
      var bytes = unheard.removeFirst()
      var span = bytes.mutableSpan
      handler?.received(&span)
    }
  }
}
