import JSON
import Platform

/// The server's end of a link.
final class SimulatedStream: Stream {
  private let loop: SimulatedLoop
  weak var link: SimulatedLink?
  /// Retains the link while the server's end is open.
  private var keeper: SimulatedLink?
  var handler: (any StreamHandler)?
  private var unsent: [UInt8] = []
  /// The messages in `unsent`, to count notifications, which the client has not requested.
  private var waiting: [(isNotice: Bool, queuedAt: Duration, count: Int)] = []
  private var noticeByteCount = 0
  private(set) var sentByteCount = 0
  private(set) var stalledSince: Duration?
  private var isTouched = false
  private var wasFull = false
  private var isClosing = false
  private var isGivenUpLater = false
  private var isLingering = true
  private var hasEnded = false
  private var unheard: [[UInt8]] = []
  let peer: PeerAddress

  init(_ loop: SimulatedLoop, number: Int) {
    self.loop = loop
    peer = PeerAddress(
      host: "10.0.0.\(number % 200 + 1)", port: UInt16(1024 + number % 60_000), isLoopback: false, isEncrypted: true)
  }

  /// Opens the stream; from now on `handler` receives its events.
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

  /// How long a closing stream waits for a peer that takes nothing; as long as the real one.
  private static let flushLimit = Duration.seconds(30)

  /// Queues a message and checks the bound on memory for a client that does not read (I11).
  ///
  /// A loop adds a notification only while less than its limit waits. Notifications that are added regardless are small
  /// and few.
  private func queue(_ bytes: [UInt8]) {
    let isNotice = Array(bytes.prefix(48)).range(of: Self.noticeStart) != nil
    if isNotice, noticeByteCount > loop.noticeLimit {
      let sizes = waiting.filter(\.isNotice).map(\.count)
      let next = String(decoding: bytes.prefix(80), as: UTF8.self)
      link?.world.violate("I11", "\(sizes) bytes of notifications wait on link \(link?.number ?? 0) before \(next)")
    }
    unsent += bytes
    waiting.append((isNotice, loop.world.timeline.now, bytes.count))
    if isNotice { noticeByteCount += bytes.count }
  }

  private static let noticeStart = Array(#"{"jsonrpc":"2.0","method""#.utf8)

  /// When the server gave the first unsent byte; now, if all are sent.
  var waitingSince: Duration { waiting.first?.queuedAt ?? loop.world.timeline.now }

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

  /// Passes output to the link at the end of a batch, as far as it accepts it.
  func flush() {
    isTouched = false
    guard !hasEnded, let link else { return }
    let taken = link.take(unsent[...], waiting.map { Composed(count: $0.count, at: $0.queuedAt) })
    sentByteCount += taken
    dequeue(taken)
    if unsent.isEmpty { stalledSince = nil } else if taken > 0 || !wasFull { stalledSince = loop.uptime }
    if !unsent.isEmpty { wasFull = true }
    guard isClosing else { return }
    if unsent.isEmpty { return end(.local) }
    guard isLingering else { return abort() }
    guard !isGivenUpLater else { return }
    isGivenUpLater = true
    loop.world.timeline.after(Self.flushLimit) { [weak self] in
      guard let self, !hasEnded else { return }
      loop.enqueue { [self] in abort() }
    }
  }

  /// Reports that the peer has read, so that there is room again.
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

  func close(lingering: Bool) {
    if !lingering { isLingering = false }
    guard !hasEnded else { return }
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

  /// Ends the stream together with its process.
  func die() {
    hasEnded = true
    unsent = []
    unheard = []
    handler = nil
    keeper = nil
  }

  /// Reports that the peer ended the connection.
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
