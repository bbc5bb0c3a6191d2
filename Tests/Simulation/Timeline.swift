/// All future events, in order of time; events at the same time are in the order in which they were scheduled.
///
/// It is the only clock and the only thread of a simulated world. Time never goes back, and nothing happens between
/// events.
final class Timeline {
  final class Event {
    fileprivate let at: Duration
    fileprivate let order: UInt64
    fileprivate var action: (() -> Void)?

    fileprivate init(_ at: Duration, _ order: UInt64, _ action: @escaping () -> Void) {
      self.at = at
      self.order = order
      self.action = action
    }

    func cancel() { action = nil }

    fileprivate func isBefore(_ other: Event) -> Bool {
      at != other.at ? at < other.at : order < other.order
    }
  }

  private(set) var now = Duration.zero
  /// The number of events so far.
  private(set) var count = 0
  private var planned: UInt64 = 0
  /// A binary heap with the next event first.
  private var heap: [Event] = []

  @discardableResult
  func after(_ delay: Duration, _ action: @escaping () -> Void) -> Event {
    planned += 1
    let event = Event(now + max(.zero, delay), planned, action)
    heap.append(event)
    var index = heap.count - 1
    while index > 0, heap[index].isBefore(heap[(index - 1) / 2]) {
      heap.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
    return event
  }

  /// Runs events up to `end`, while `goOn` returns true.
  func run(until end: Duration, while goOn: () -> Bool = { true }) {
    while let first = heap.first, first.at <= end, goOn() {
      removeFirst()
      guard let action = first.action else { continue }
      now = first.at
      count += 1
      first.action = nil
      action()
    }
    if goOn() { now = max(now, end) }
  }

  /// Discards all future events.
  func clear() { heap = [] }

  private func removeFirst() {
    let last = heap.removeLast()
    guard !heap.isEmpty else { return }
    heap[0] = last
    var index = 0
    while true {
      var least = index
      for child in [2 * index + 1, 2 * index + 2] where child < heap.count {
        if heap[child].isBefore(heap[least]) { least = child }
      }
      if least == index { return }
      heap.swapAt(index, least)
      index = least
    }
  }
}
