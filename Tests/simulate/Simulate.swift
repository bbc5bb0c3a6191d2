import ArgumentParser
import Foundation
import Glibc
import JSON
import Simulation

/// Lives through worlds, one for each seed, and says which of them went wrong, and how.
@main
struct Simulate: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Runs the whole server on a simulated clock, network and disk.",
    discussion: "Each seed is another world; a seed is the same world again.")

  @Option(help: "Which worlds: one seed, or A..B.")
  var seeds = "1..100"

  @Option(help: "How many at a time.")
  var jobs = 1

  @Option(help: "Begin no more worlds after so many seconds.")
  var seconds: Double?

  @Flag(help: "Of every twentieth world, run it twice: it must be the same one.")
  var twice = false

  @Flag(help: "Say how often each method had an effect, and each fault came: one that hardly did is an error.")
  var coverage = false

  @Flag(help: "Run each world twice, with people elsewhere: whoever is not told where must hear the same.")
  var hidden = false

  @Flag(help: "Stop at the first world that goes wrong.")
  var untilFound = false

  @Flag(help: "Say all that people say and hear, and when.")
  var verbose = false

  func run() throws {
    // Swift hashes with other numbers in each process, unless it is told not to; then sets have another order.
    if ProcessInfo.processInfo.environment["SWIFT_DETERMINISTIC_HASHING"] == nil {
      setenv("SWIFT_DETERMINISTIC_HASHING", "1", 1)
      execv("/proc/self/exe", CommandLine.unsafeArgv)
      throw ValidationError("This program cannot be started again.")
    }
    guard let description = Visit.describe() else { throw ValidationError("The server describes nothing.") }
    let range = try range()
    let begin = ContinuousClock.now
    let reports = Reports()
    let jobs = UInt64(max(1, jobs))
    DispatchQueue.concurrentPerform(iterations: Int(jobs)) { index in
      let operations = Operations(description: description)
      for seed in range.lazy where seed % jobs == index {
        if untilFound, !reports.violations.isEmpty { break }
        if let seconds, ContinuousClock.now - begin > .seconds(seconds) { break }
        reports.add(live(seed, operations))
        if twice, seed % 20 == 0 { compare(seed, description, reports) }
      }
      reports.add(operations)
    }
    let time = Double((ContinuousClock.now - begin) / .milliseconds(1)) / 1000
    reports.tell(seconds: time, coverage: coverage)
    if !reports.violations.isEmpty || coverage && !reports.isComplete { throw ExitCode.failure }
  }

  private func range() throws -> ClosedRange<UInt64> {
    let ends = seeds.split(separator: ".", omittingEmptySubsequences: true).compactMap { UInt64($0) }
    guard let first = ends.first, let last = ends.last, ends.count <= 2, first <= last else {
      throw ValidationError("Seeds are a number, or A..B.")
    }
    return first...last
  }

  private func live(_ seed: UInt64, _ operations: Operations) -> Report {
    if hidden { return liveTwice(seed, operations) }
    let world = World(seed: seed, operations: operations)
    if verbose { world.teller = { print($0) } }
    let violation = world.run()
    say(violation, of: seed)
    return Report(
      seed: seed, violation: violation, events: world.eventCount, entries: world.entryCount, faults: world.faults,
      told: world.positionCount)
  }

  private func liveTwice(_ seed: UInt64, _ operations: Operations) -> Report {
    let result = Noninterference.check(seed: seed, operations: operations)
    say(result.violation, of: seed)
    return Report(
      seed: seed, violation: result.violation, events: 0, entries: 0, faults: [:], compared: result.compared,
      told: result.told)
  }

  /// At once, whatever becomes of the other worlds.
  private func say(_ violation: String?, of seed: UInt64) {
    if let violation { FileHandle.standardError.write(Data("seed \(seed): \(violation)\n".utf8)) }
  }

  private func compare(_ seed: UInt64, _ description: JSON, _ reports: Reports) {
    let hashes = (0..<2).map { _ in
      let world = World(seed: seed, operations: Operations(description: description))
      _ = world.run()
      return world.trace
    }
    guard hashes[0] != hashes[1] else { return }
    print("seed \(seed): B2: it is another world the second time")
    reports.add(Report(seed: seed, violation: "B2", events: 0, entries: 0, faults: [:]))
  }
}

struct Report {
  var seed: UInt64
  var violation: String?
  var events: Int
  var entries: Int
  var faults: [Fault: Int]
  /// Texts that were compared between two worlds.
  var compared = 0
  /// Those that differed as they may, or positions of others that somebody heard.
  var told = 0
}

/// What all worlds together came to.
final class Reports: @unchecked Sendable {  // Every use holds the lock.
  private let lock = NSLock()
  private var count = 0
  private var last: UInt64 = 0
  private var wrong: [UInt64] = []
  var violations: [UInt64] { lock.withLock { wrong } }
  private var events = 0
  private var entries = 0
  private var compared = 0
  private var told = 0
  private var faults: [Fault: Int] = [:]
  private var successes: [String: Int] = [:]
  private var refusals: [String: Int] = [:]
  private var reasons: [String: [String: Int]] = [:]

  func add(_ report: Report) {
    lock.withLock {
      count += 1
      last = max(last, report.seed)
      if report.violation != nil { wrong.append(report.seed) }
      events += report.events
      entries += report.entries
      compared += report.compared
      told += report.told
      // In how many worlds it happened.
      for fault in report.faults.keys { faults[fault, default: 0] += 1 }
    }
  }

  func add(_ operations: Operations) {
    lock.withLock {
      for name in operations.names { successes[name, default: 0] += operations.successes[name] ?? 0 }
      for name in operations.names { refusals[name, default: 0] += operations.refusals[name] ?? 0 }
      for (name, list) in operations.reasons { reasons[name, default: [:]].merge(list) { $0 + $1 } }
    }
  }

  /// Every method has had an effect, and every fault came in one world of a hundred or more (B5): what is called in
  /// vain, or never happens, shows nothing. Somebody was told of a position.
  var isComplete: Bool {
    told > 0 && successes.values.allSatisfy { $0 > 0 } && Fault.allCases.allSatisfy { 100 * (faults[$0] ?? 0) >= count }
  }

  func tell(seconds: Double, coverage: Bool) {
    if coverage {
      for (name, number) in successes.sorted(by: { $0.key < $1.key }) {
        print("method \(name): \(number) had an effect, \(refusals[name] ?? 0) were refused")
        for (reason, count) in (reasons[name] ?? [:]).sorted(by: { $0.value > $1.value }).prefix(3) {
          print("  \(count) times: \(reason)")
        }
      }
      for fault in Fault.allCases { print("fault \(fault.rawValue): in \(faults[fault] ?? 0) worlds") }
    }
    if compared > 0 { print("\(compared) texts were compared.") }
    print("\(told) times somebody was told of a position who may know it.")
    let speed = Double(count) / max(seconds, 0.001)
    print(
      "\(count) worlds up to \(last), \(violations.count) went wrong; \(events) events, \(entries) entries of logs;",
      "\(String(format: "%.1f", speed)) worlds a second.")
  }
}
