import Platform
import Rooms

/// A loop of the server on the timeline. Work, deliveries and timers run in batches, as on the real loop.
final class SimulatedLoop: Loop {
  /// `@unchecked`: a simulated world has one thread.
  private final class Mailbox: Poster, @unchecked Sendable {
    /// Weak: answers of the disk after the end of the process are dropped.
    weak var loop: SimulatedLoop?
    init(_ loop: SimulatedLoop) { self.loop = loop }
    func post(_ work: @escaping @Sendable () -> Void) { loop?.enqueue(work) }
  }

  private final class Timer: LoopTimer {
    var event: Timeline.Event?
    var isCancelled = false

    func cancel() {
      isCancelled = true
      event?.cancel()
    }
  }

  unowned let world: World
  private let bornAt: Duration
  private(set) var now: Instant
  private(set) var uptime = Duration.zero
  private(set) lazy var poster: any Poster = Mailbox(self)
  /// The shard on this loop; `nil` after the end of the process.
  var handler: (any LoopHandler)?
  private var works: [() -> Void] = []
  private var isBatchPlanned = false
  private var wantsBatch = false
  private var unflushed: [SimulatedStream] = []
  /// The most bytes of notifications that may wait for one client.
  let noticeLimit: Int
  /// The end of the process's current pause.
  var pausedUntil = Duration.zero

  init(_ world: World, noticeLimit: Int) {
    self.world = world
    self.noticeLimit = noticeLimit
    bornAt = world.timeline.now
    now = world.wallTime
  }

  func schedule(after delay: Duration, _ action: @escaping () -> Void) -> any LoopTimer {
    let timer = Timer()
    let lateness = world.random.time(upTo: .milliseconds(10))
    timer.event = world.timeline.after(delay + lateness) { [weak self] in
      self?.enqueue { if !timer.isCancelled { action() } }
    }
    return timer
  }

  func wantBatchEnd() { wantsBatch = true }

  /// Two works are already more than a batch holds, since worlds are small.
  private(set) var hasBacklog = false

  /// In a third of the worlds the loop is idle, in the others it is busy.
  var load: Double { world.seed % 3 == 0 ? 0 : 1 }

  /// Three streams already count as many, since worlds are small.
  func flushIfMany() { if unflushed.count >= 3 { flush() } }

  func wipeBuffers() {}

  /// Adds `work` to the next batch.
  func enqueue(_ work: @escaping () -> Void) {
    guard handler != nil else { return }
    works.append(work)
    planBatch()
  }

  /// Marks a stream that has output.
  func touch(_ stream: SimulatedStream) {
    unflushed.append(stream)
    planBatch()
  }

  private func planBatch() {
    guard !isBatchPlanned else { return }
    isBatchPlanned = true
    let delay = world.random.time(upTo: .microseconds(60))
    world.timeline.after(max(delay, pausedUntil - world.timeline.now)) { [weak self] in self?.runBatch() }
  }

  private func runBatch() {
    guard let handler else { return }
    isBatchPlanned = false
    wantsBatch = false
    now = world.wallTime
    uptime = world.timeline.now - bornAt
    let batch = works
    works = []
    hasBacklog = batch.count >= 2
    for work in batch {
      work()
      // As the real loop does between two events when much output has collected.
      flushIfMany()
    }
    handler.batchEnded()
    flush()
    if wantsBatch || !works.isEmpty { planBatch() }
  }

  private func flush() {
    let streams = unflushed
    unflushed = []
    for stream in streams { stream.flush() }
  }

  /// Ends the process: no pending work runs any longer.
  func die() {
    handler = nil
    works = []
    unflushed = []
  }
}
