import ArgumentParser
import Foundation
import Glibc
import JSON
import Simulation

/// Runs a simulated world for each seed, and reports the violations.
@main
struct Simulate: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Runs the whole server on a simulated clock, network and disk.",
    discussion: "Each seed is a different world. The same seed gives the same world again.")

  @Option(help: "The worlds to run: one seed, or A..B.")
  var seeds = "1..100"

  @Option(help: "The number of worlds to run at the same time.")
  var jobs = 1

  @Option(help: "Start no more worlds after this many seconds.")
  var seconds: Double?

  @Option(help: "Draw calls of these subjects only, such as bills,payments.")
  var subjects = ""

  @Flag(help: "Run every twentieth world twice and check that both runs are the same.")
  var twice = false

  @Flag(help: "Report how often each method took effect and each fault occurred; fail if one hardly did.")
  var coverage = false

  @Flag(help: "Run each world twice with different secrets; clients that may not see them must receive the same.")
  var hidden = false

  @Flag(help: "Stop after the first violation.")
  var untilFound = false

  @Flag(help: "Print every message with its time.")
  var verbose = false

  func run() throws {
    // Swift seeds its hashing per process, which changes the order of sets, so restart with fixed hashing.
    if ProcessInfo.processInfo.environment["SWIFT_DETERMINISTIC_HASHING"] == nil {
      setenv("SWIFT_DETERMINISTIC_HASHING", "1", 1)
      execv("/proc/self/exe", CommandLine.unsafeArgv)
      throw ValidationError("The program could not restart itself.")
    }
    guard let description = Visit.describe() else { throw ValidationError("The server did not describe its methods.") }
    let range = try range()
    let begin = ContinuousClock.now
    let reports = Reports()
    let jobs = UInt64(max(1, jobs))
    let drawn = Set(subjects.split(separator: ",").map(String.init))
    let known = Set(Operations(description: description).names.map { String($0.prefix { $0 != "." }) })
    if let unknown = drawn.subtracting(known).sorted().first {
      throw ValidationError("No method is of the subject '\(unknown)'.")
    }
    DispatchQueue.concurrentPerform(iterations: Int(jobs)) { index in
      let operations = Operations(description: description, subjects: drawn)
      for seed in range.lazy where seed % jobs == index {
        if untilFound, !reports.violations.isEmpty { break }
        if let seconds, ContinuousClock.now - begin > .seconds(seconds) { break }
        reports.add(live(seed, operations))
        if twice, seed % 20 == 0 { compare(seed, description, drawn, reports) }
      }
      reports.add(operations)
    }
    let time = Double((ContinuousClock.now - begin) / .milliseconds(1)) / 1000
    reports.tell(seconds: time, coverage: coverage)
    let isProof = reports.hidSomething && (!coverage || reports.isComplete)
    if !reports.violations.isEmpty || !isProof { throw ExitCode.failure }
  }

  private func range() throws -> ClosedRange<UInt64> {
    let ends = seeds.split(separator: ".", omittingEmptySubsequences: true).compactMap { UInt64($0) }
    guard let first = ends.first, let last = ends.last, ends.count <= 2, first <= last else {
      throw ValidationError("Seeds must be a number or A..B.")
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
      told: result.told, trails: result.trails, hiddenItems: result.hiddenItems)
  }

  /// Prints a violation at once, before the other worlds have ended.
  private func say(_ violation: String?, of seed: UInt64) {
    if let violation { FileHandle.standardError.write(Data("seed \(seed): \(violation)\n".utf8)) }
  }

  private func compare(_ seed: UInt64, _ description: JSON, _ subjects: Set<String>, _ reports: Reports) {
    let hashes = (0..<2).map { _ in
      let world = World(seed: seed, operations: Operations(description: description, subjects: subjects))
      _ = world.run()
      return world.trace
    }
    guard hashes[0] != hashes[1] else { return }
    print("seed \(seed): B2: the second run differs from the first")
    reports.add(Report(seed: seed, violation: "B2", events: 0, entries: 0, faults: [:]))
  }
}

struct Report {
  var seed: UInt64
  var violation: String?
  var events: Int
  var entries: Int
  var faults: [Fault: Int]
  /// Messages that were compared between two worlds.
  var compared = 0
  /// Messages that differed legitimately, or positions of other people that a phone received.
  var told = 0
  /// Messages with a trail that differed legitimately.
  var trails = 0
  /// Messages with hidden items that differed legitimately.
  var hiddenItems = 0
}

/// The totals over all worlds.
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
  private var trails = 0
  private var hiddenItems = 0
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
      trails += report.trails
      hiddenItems += report.hiddenItems
      // Counts worlds, not occurrences.
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

  /// Whether every method took effect, every fault occurred in at least one of a hundred worlds (B5), and a position
  /// was received: calls that never take effect and faults that never occur prove nothing.
  var isComplete: Bool {
    told > 0 && successes.values.allSatisfy { $0 > 0 } && Fault.allCases.allSatisfy { 100 * (faults[$0] ?? 0) >= count }
  }

  /// Whether some of so many pairs of worlds had a trail and an item to hide.
  var hidSomething: Bool { compared == 0 || count < 40 || trails > 0 && hiddenItems > 0 }

  func tell(seconds: Double, coverage: Bool) {
    if coverage {
      for (name, number) in successes.sorted(by: { $0.key < $1.key }) {
        print("method \(name): \(number) took effect, \(refusals[name] ?? 0) were refused")
        for (reason, count) in (reasons[name] ?? [:]).sorted(by: { $0.value > $1.value }).prefix(3) {
          print("  \(count) times: \(reason)")
        }
      }
      for fault in Fault.allCases { print("fault \(fault.rawValue): in \(faults[fault] ?? 0) worlds") }
    }
    if compared > 0 {
      print(
        "\(compared) texts were compared; \(trails) of those that may differ tell a trail, \(hiddenItems) hidden items."
      )
    }
    print("\(told) times a phone received a position that it may see.")
    let speed = Double(count) / max(seconds, 0.001)
    print(
      "\(count) worlds up to \(last), \(violations.count) with violations; \(events) events, \(entries) log entries;",
      "\(String(format: "%.1f", speed)) worlds per second.")
  }
}
