import Dispatch
import Glibc
import Platform
import Testing

@testable import Transport

/// A poster that runs work at once, on the thread that posts.
private final class Immediate: Poster {
  func post(_ work: @escaping @Sendable () -> Void) { work() }
}

@Suite("Worker queues")
struct WorkerQueuesTests {
  @Test("worker queues run one piece of work each, keep a few waiting, and refuse the rest at once")
  func bounds() async {
    let workers = WorkerQueues(name: "test", count: 2, waitingLimit: 3)
    let gate = DispatchSemaphore(value: 0)
    let (begun, answers) = (Log<Int>(), Log<Int?>())
    for number in 0..<8 {
      workers.run(
        {
          begun.add(number)
          gate.wait()
          return number
        }, reply: Reply(on: Immediate()) { answers.add($0) })
    }
    await begun.until(count: 2)
    #expect(answers.elements == [nil, nil, nil])
    #expect(Set(begun.elements) == [0, 1])
    for _ in 0..<5 { gate.signal() }
    await answers.until(count: 8)
    #expect(Set(answers.elements.compactMap(\.self)) == Set(0..<5))
    #expect(begun.elements.suffix(3).sorted() == [2, 3, 4])
  }

  @Test("idle queues take new work")
  func again() async {
    let workers = WorkerQueues(name: "test", count: 1, waitingLimit: 1)
    for round in 0..<50 {
      let answers = Log<Int?>()
      workers.run({ round }, reply: Reply(on: Immediate()) { answers.add($0) })
      await answers.until(count: 1)
      #expect(answers.elements == [round])
    }
  }
}

extension Sockets {
  @Suite("Signals")
  struct ProcessSignalsTests {
    @Test("signals are posted instead of ending the process", arguments: ProcessSignals.Signal.allCases)
    func told(signal: ProcessSignals.Signal) async throws {
      let log = Log<ProcessSignals.Signal>()
      let signals = try ProcessSignals([signal], poster: Immediate()) { log.add($0) }
      for count in 1...3 {
        kill(getpid(), signal.number)
        await log.until(count: count)
        #expect(log.elements == Array(repeating: signal, count: count))
      }
      signals.cancel()
      Glibc.signal(signal.number, SIG_DFL)
    }
  }
}
