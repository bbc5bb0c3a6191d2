import TestSupport
import Testing

@testable import Transport

@Suite("Timer queue")
struct TimerQueueTests {
  @Test("due timers fire in order of deadline, then of creation")
  func order() {
    let queue = TimerQueue()
    var fired: [String] = []
    for (name, deadline) in [("c", 30), ("a", 10), ("b", 10), ("later", 31)] as [(String, Int64)] {
      _ = queue.add(deadline: deadline) { fired.append(name) }
    }
    queue.fire(at: 9)
    #expect(fired == [])
    queue.fire(at: 30)
    #expect(fired == ["a", "b", "c"])
    #expect(queue.nextDeadline == 31)
  }

  @Test("an action may cancel a timer that is due with it, and timers that it adds wait for the next call")
  func actions() {
    let queue = TimerQueue()
    var fired: [String] = []
    var second: TimerQueue.Timer?
    _ = queue.add(deadline: 1) {
      fired.append("first")
      second?.cancel()
      _ = queue.add(deadline: 0) { fired.append("added") }
    }
    second = queue.add(deadline: 1) { fired.append("second") }
    queue.fire(at: 1)
    #expect(fired == ["first"])
    queue.fire(at: 1)
    #expect(fired == ["first", "added"])
    #expect(queue.count == 0)
  }

  @Test("cancelling a timer releases its action at once, and cancelling it again does nothing")
  func cancelling() {
    final class Token {}
    let queue = TimerQueue()
    var token: Token? = Token()
    weak let held = token
    let timer = queue.add(deadline: 1) { [token] in _ = token }
    token = nil
    #expect(held != nil)
    timer.cancel()
    timer.cancel()
    #expect(held == nil)
    #expect(queue.nextDeadline == nil)
  }

  @Test("a queue equals a sorted list under random additions and cancellations", arguments: 0..<50)
  func random(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let queue = TimerQueue()
    var model: [(deadline: Int64, number: Int, timer: TimerQueue.Timer)] = []
    var fired: [Int] = []
    var now: Int64 = 0
    for number in 0..<400 {
      switch Int.random(in: 0..<10, using: &generator) {
      case 0..<6:
        let deadline = now + Int64.random(in: -5...50, using: &generator)
        model.append((deadline, number, queue.add(deadline: deadline) { fired.append(number) }))
      case 6..<9:
        guard let index = model.indices.randomElement(using: &generator) else { break }
        model.remove(at: index).timer.cancel()
      default:
        now += Int64.random(in: 0...20, using: &generator)
        let due = model.filter { $0.deadline <= now }.sorted { ($0.deadline, $0.number) < ($1.deadline, $1.number) }
        model.removeAll { $0.deadline <= now }
        fired = []
        queue.fire(at: now)
        #expect(fired == due.map(\.number))
      }
      #expect(queue.count == model.count)
      #expect(queue.nextDeadline == model.map(\.deadline).min())
    }
  }
}
