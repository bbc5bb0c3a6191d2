import ArgumentParser
import Foundation
import JSON

/// The figures of a run, as a table for people and as JSON for comparisons.
struct Report {
  private let scenario: String
  private var rows: [(name: String, value: String)] = []
  private var table: [[String]] = []
  private var figures: [(key: String, value: Double)] = []
  private var remarks: [String] = []
  /// The promises that were not kept.
  private var broken: [String] = []

  init(_ scenario: String) { self.scenario = scenario }

  /// - Parameter key: the name in JSON, with its unit at the end.
  mutating func add(_ name: String, _ key: String, _ value: Double, digits: Int = 0, _ unit: String = "") {
    rows.append((name, Self.text(value, digits: digits) + (unit.isEmpty ? "" : " " + unit)))
    figures.append((key, value))
  }

  /// Adds several figures in one line.
  mutating func add(_ name: String, line: String, _ all: [(key: String, value: Double)]) {
    rows.append((name, line))
    figures += all
  }

  mutating func add(_ name: String, _ key: String, latency: Histogram) {
    let shares = [("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p99.9", 0.999)]
    let milliseconds =
      shares.map { ($0.0, Double(latency.percentile($0.1)) / 1e6) }
      + [("max", Double(latency.largest) / 1e6)]
    rows.append(
      (name, milliseconds.map { "\($0.0) \(Self.text($0.1, digits: 2))" }.joined(separator: "  ") + "  ms"))
    for (share, value) in milliseconds {
      figures.append(("\(key)_\(share.replacing(".", with: ""))_ms", value))
    }
  }

  /// Adds distributions as a table of seconds, below the other rows.
  mutating func add(table heading: String, _ all: [(name: String, key: String, times: Histogram)]) {
    let shares = [("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p99.9", 0.999)]
    table.append([heading] + shares.map(\.0) + ["max", "count"])
    for (name, key, times) in all {
      let values = shares.map { Double(times.percentile($0.1)) / 1e9 } + [Double(times.largest) / 1e9]
      table.append([name] + values.map { Self.text($0, digits: 3) } + [Self.text(Double(times.count))])
      for (share, value) in zip(shares.map(\.0) + ["max"], values) {
        figures.append(("\(key)_\(share.replacing(".", with: ""))_s", value))
      }
      figures.append(("\(key)_count", Double(times.count)))
    }
  }

  /// Adds CPU time and memory of both sides; `changes` divides the server's time.
  mutating func add(_ usage: Usage.Sum, per things: [(name: String, key: String, count: Int)]) {
    if let server = usage.server, let share = usage.serverShare, let time = usage.serverTime {
      add("server, processor", "serverCPU_percent", 100 * share, digits: 1, "%")
      add("  of it in the system", "serverSystem_percent", 100 * Double(server.system) / Double(max(1, time)), "%")
      for thing in things where thing.count > 0 {
        add("  per \(thing.name)", "\(thing.key)_us", Double(time) / 1000 / Double(thing.count), digits: 2, "µs")
      }
      add("server, resident memory", "serverMemory_MB", Double(server.memory) / 1e6, digits: 1, "MB")
    } else {
      remark("Without --pid nothing is known of the server's processor time and memory.")
    }
    add("generator, processor", "generatorCPU_percent", 100 * usage.ownShare, digits: 1, "%")
    if usage.isGeneratorBusy {
      remark("The generator was busy all the time: it is the bottleneck, and latencies contain its own queue.")
    }
  }

  /// Fails the run unless `holds`.
  mutating func require(_ holds: Bool, _ text: String) { if !holds { broken.append(text) } }

  mutating func remark(_ text: String) { remarks.append(text) }

  mutating func add(losses: [String: Int]) {
    for (reason, count) in losses.sorted(by: { $0.key < $1.key }) {
      remark("\(count) connections were lost: \(reason).")
    }
  }

  /// Prints the table, and writes the JSON if a path is given. Throws if a promise was not kept.
  func publish(_ target: TargetOptions) throws {
    let width = rows.map(\.name.count).max() ?? 0
    say("")
    for row in rows { say(row.name.padding(toLength: width + 2, withPad: " ", startingAt: 0) + row.value) }
    for line in Self.aligned(table) { say(line) }
    let commit = target.commit.map { ", commit \($0)" } ?? ""
    say("on \(Self.machine)\(commit)")
    for remark in remarks { say("! \(remark)") }
    for text in broken { say("BROKEN: \(text)") }
    if let path = target.json { try write(to: path, target) }
    if !broken.isEmpty { throw ExitCode.failure }
  }

  /// The lines of a table: names to the left, numbers to the right.
  private static func aligned(_ table: [[String]]) -> [String] {
    let widths = (table.first ?? []).indices.map { column in table.map { $0[column].count }.max() ?? 0 }
    return table.map { row in
      zip(row, widths).enumerated().map { column, cell in
        let space = String(repeating: " ", count: cell.1 - cell.0.count)
        return column == 0 ? cell.0 + space : space + cell.0
      }.joined(separator: "  ")
    }
  }

  private func write(to path: String, _ target: TargetOptions) throws {
    let numbers = figures.compactMap { figure in JSON.Number(figure.value).map { (figure.key, JSON.number($0)) } }
    let document: JSON = [
      "scenario": .string(scenario), "at": .string(Date().formatted(.iso8601)),
      "arguments": .array(CommandLine.arguments.dropFirst().map { .string($0) }),
      "machine": .string(Self.machine), "commit": target.commit.map { .string($0) } ?? .null,
      "remarks": .array(remarks.map { .string($0) }), "broken": .array(broken.map { .string($0) }),
      "figures": .object(Dictionary(numbers, uniquingKeysWith: { $1 })),
    ]
    do {
      try Data(document.bytes + [UInt8(ascii: "\n")]).write(to: URL(filePath: path))
    } catch {
      throw ValidationError("\(path) cannot be written.")
    }
  }

  private static var machine: String {
    let model = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8))?
      .split(separator: "\n").first { $0.hasPrefix("model name") }?.split(separator: ":").last
    return "\(ProcessInfo.processInfo.processorCount) × \(model?.trimmingCharacters(in: .whitespaces) ?? "unknown")"
  }

  /// Formats a number with separated thousands.
  static func text(_ value: Double, digits: Int = 0) -> String {
    value.formatted(
      .number.precision(.fractionLength(digits)).grouping(.automatic).locale(Locale(identifier: "en_US_POSIX")))
  }
}

/// Prints the progress of a run every second.
struct ProgressLine {
  private let name: String
  private let startedAt = System.nanoseconds
  private var last: Int64
  private var now: Int64

  init(_ name: String = "") {
    self.name = name.isEmpty ? "" : name + " "
    last = startedAt
    now = startedAt
  }

  /// The seconds since the last line, if another one is due.
  mutating func due(at now: Int64) -> Double? {
    guard now - last >= 1_000_000_000 else { return nil }
    defer { last = now }
    self.now = now
    return Double(now - last) / 1e9
  }

  func say(_ text: String) { loadtest.say("\(name)\((now - startedAt) / 1_000_000_000) s: \(text)") }
}
