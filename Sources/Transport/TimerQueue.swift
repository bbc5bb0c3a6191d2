internal import Platform

/// A queue of timers, ordered by deadline and then by creation. It is a binary heap in which each timer knows its
/// place, so that cancelling a timer costs as little as adding one. It has no clock: times are the loop's, in
/// nanoseconds.
final class TimerQueue {
  private var heap: [Timer] = []
  private var made: UInt64 = 0

  var count: Int { heap.count }
  var nextDeadline: Int64? { heap.first?.deadline }

  func add(deadline: Int64, _ action: @escaping () -> Void) -> Timer {
    made += 1
    let timer = Timer(deadline: deadline, number: made, queue: self, action: action)
    timer.place = heap.count
    heap.append(timer)
    rise(from: timer.place)
    return timer
  }

  /// Fires the timers that are due at `now`, in order. A timer that an action adds waits for the next call, even if it
  /// is due already.
  func fire(at now: Int64) {
    guard let first = heap.first, first.deadline <= now else { return }
    var due: [Timer] = []
    while let timer = heap.first, timer.deadline <= now {
      remove(timer)
      due.append(timer)
    }
    // A timer that an earlier one cancels has no action any longer.
    for timer in due { timer.takeAction()?() }
  }

  func removeAll() {
    for timer in exchange(&heap, with: []) {
      timer.place = -1
      _ = timer.takeAction()
    }
  }

  fileprivate func remove(_ timer: Timer) {
    let place = timer.place
    guard heap.indices.contains(place), heap[place] === timer else { return }
    timer.place = -1
    let last = heap.removeLast()
    guard last !== timer else { return }
    put(last, at: place)
    rise(from: place)
    sink(from: last.place)
  }

  private func put(_ timer: Timer, at place: Int) {
    heap[place] = timer
    timer.place = place
  }

  private func rise(from start: Int) {
    var place = start
    let timer = heap[start]
    while place > 0 {
      let parent = (place - 1) / 2
      guard timer.isBefore(heap[parent]) else { break }
      put(heap[parent], at: place)
      place = parent
    }
    put(timer, at: place)
  }

  private func sink(from start: Int) {
    var place = start
    let timer = heap[start]
    while true {
      var child = 2 * place + 1
      guard child < heap.count else { break }
      if child + 1 < heap.count, heap[child + 1].isBefore(heap[child]) { child += 1 }
      guard heap[child].isBefore(timer) else { break }
      put(heap[child], at: place)
      place = child
    }
    put(timer, at: place)
  }

  final class Timer: LoopTimer {
    let deadline: Int64
    fileprivate let number: UInt64
    fileprivate var place = -1
    /// The queue, held while the timer waits. The two release each other when the timer fires or is cancelled.
    private var queue: TimerQueue?
    private var action: (() -> Void)?

    fileprivate init(deadline: Int64, number: UInt64, queue: TimerQueue, action: @escaping () -> Void) {
      self.deadline = deadline
      self.number = number
      self.queue = queue
      self.action = action
    }

    func cancel() {
      queue?.remove(self)
      _ = takeAction()
    }

    fileprivate func takeAction() -> (() -> Void)? {
      queue = nil
      return exchange(&action, with: nil)
    }

    fileprivate func isBefore(_ other: Timer) -> Bool {
      deadline != other.deadline ? deadline < other.deadline : number < other.number
    }
  }
}
