import Platform
import Rooms

/// A loop of the server that lives on the timeline: works, deliveries and timers run in batches, as on the real one.
final class SimulatedLoop: Loop {
  /// `@unchecked`: a simulated world has one thread.
  private final class Mailbox: Poster, @unchecked Sendable {
    /// What the disk answers after the process is gone is for nobody.
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

  private unowned let world: World
  private let bornAt: Duration
  private(set) var now: Instant
  private(set) var uptime = Duration.zero
  private(set) lazy var poster: any Poster = Mailbox(self)
  /// Whoever lives here; `nil` once the process is gone.
  var handler: (any LoopHandler)?
  private var works: [() -> Void] = []
  private var isBatchPlanned = false
  private var wantsBatch = false
  private var unflushed: [SimulatedStream] = []
  /// Bytes of notices that may wait for one client.
  let noticeLimit: Int
  /// The process is paused until then.
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

  /// A world is small, so two works at once are more than a batch holds.
  private(set) var hasBacklog = false

  /// In some worlds nobody is ever busy, in others everybody.
  var load: Double { world.seed % 3 == 0 ? 0 : 1 }

  /// A world is small, so three streams are many.
  func flushIfMany() { if unflushed.count >= 3 { flush() } }

  /// Has `work` done in the next batch.
  func enqueue(_ work: @escaping () -> Void) {
    guard handler != nil else { return }
    works.append(work)
    planBatch()
  }

  /// Something was given to `stream` to send.
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
      // As the real one does where much has come together.
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

  /// The process is gone: nothing of it happens any more.
  func die() {
    handler = nil
    works = []
    unflushed = []
  }
}
