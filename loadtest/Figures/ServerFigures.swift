import Foundation

/// The kernel's figures of the server's process.
struct ServerFigures {
  /// Nanoseconds of CPU time in user and kernel mode over all threads, to 10 ms.
  var userTime: Int64 = 0
  var systemTime: Int64 = 0
  /// Resident bytes.
  var memory: Int64 = 0
  /// The start by `System.nanosecondsSinceBoot`, at most 10 ms too early.
  var startedAt: Int64 = 0

  var processorTime: Int64 { userTime + systemTime }

  /// The figures of a process that has not started.
  init() {}

  /// `nil` if there is no such process, or no `/proc`.
  init?(of process: Int32) {
    guard let stat = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
      let statm = try? String(contentsOfFile: "/proc/\(process)/statm", encoding: .utf8),
      // The name, in parentheses, may contain anything.
      let fields = stat.split(separator: ")").last?.split(separator: " "), fields.count > 19,
      let user = Int64(fields[11]), let system = Int64(fields[12]),
      let start = Int64(fields[19]),
      let pages = statm.split(separator: " ").dropFirst().first.flatMap({ Int64($0) })
    else { return nil }
    userTime = user * (1_000_000_000 / System.ticksPerSecond)
    systemTime = system * (1_000_000_000 / System.ticksPerSecond)
    memory = pages * System.pageSize
    startedAt = start * (1_000_000_000 / System.ticksPerSecond)
  }
}

extension ServerFigures {
  /// The peak of resident bytes since `forgetPeak`; `nil` if unknown.
  static func peakMemory(of process: Int32) -> Int64? {
    guard let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8),
      let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") }),
      let kilobytes = line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap({ Int64($0) })
    else { return nil }
    return kilobytes * 1024
  }

  /// The number of open descriptors; `nil` if unknown.
  static func descriptorCount(of process: Int32) -> Int? {
    try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd").count
  }

  /// Resets the peak (proc(5), `clear_refs`).
  static func forgetPeak(of process: Int32) {
    guard let file = FileHandle(forWritingAtPath: "/proc/\(process)/clear_refs") else { return }
    try? file.write(contentsOf: Data("5".utf8))
    try? file.close()
  }
}

/// Resources used between two points in time, by the server and by this generator.
struct Usage {
  private(set) var startedAt = System.nanoseconds
  private let own = System.ownProcessorTime
  private let server: ServerFigures?
  private let process: Int32?

  init(of process: Int32?) {
    self.process = process
    server = process.flatMap { ServerFigures(of: $0) }
  }

  struct Sum {
    var duration: Int64
    /// Shares of one CPU.
    var ownShare: Double
    var server: (user: Int64, system: Int64, memory: Int64)?

    /// Whether the generator was busy all the time, and so measured itself.
    var isGeneratorBusy: Bool { ownShare > 0.95 }
    var serverTime: Int64? { server.map { $0.user + $0.system } }
    var serverShare: Double? { serverTime.map { Double($0) / Double(max(1, duration)) } }
  }

  /// From the start until now.
  var sum: Sum { sum(of: process, since: server) }

  /// From the start until now, if `successor` has replaced the server; all of its use counts.
  func sum(of successor: Int32?) -> Sum { sum(of: successor, since: ServerFigures()) }

  private func sum(of process: Int32?, since server: ServerFigures?) -> Sum {
    let duration = System.nanoseconds - startedAt
    let ownShare = Double(System.ownProcessorTime - own) / Double(max(1, duration))
    var sum = Sum(duration: duration, ownShare: ownShare)
    if let server, let now = process.flatMap({ ServerFigures(of: $0) }) {
      sum.server = (now.userTime - server.userTime, now.systemTime - server.systemTime, now.memory)
    }
    return sum
  }
}
