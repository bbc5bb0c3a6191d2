import Foundation
import TestSupport
import Testing

/// A process of the real server, which tests can kill.
final class ServerProcess: Sendable {
  private let process: ChildProcess
  let port: UInt16

  /// The program that SwiftPM built beside the tests.
  static let program = program(named: "hearth")

  private static func program(named name: String) -> URL {
    let tests = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    let beside = tests.appending(path: name)
    return FileManager.default.isExecutableFile(atPath: beside.path)
      ? beside : Bundle.main.bundleURL.appending(path: name)
  }

  /// Starts the server, without the page, and waits until it listens.
  ///
  /// - Parameters:
  ///   - crashAt: The step at which the server kills itself, such as `afterCommit:3`.
  ///   - through: A program that runs the server, with the arguments of that program.
  ///   - errors: The destination of its standard error.
  /// - Throws: `NotStarted`.
  static func start(
    data: URL, port: UInt16 = 0, arguments: [String] = [], crashAt: String? = nil, through: [String] = [],
    errors: ChildProcess.Errors = .ours
  ) async throws -> ServerProcess {
    try await withCheckedThrowingContinuation { continuation in
      ChildProcess.aside {
        continuation.resume(
          with: Result {
            let command =
              crashAt.map { [program(named: "hearth-under-test").path, "--crash-at", $0] } ?? [program.path, "serve"]
            // On a busy machine, hashing a password may take longer than the usual time until hello.
            let patience = arguments.contains("--hello-timeout") ? [] : ["--hello-timeout", "60s"]
            // To prepare the page would be the most that many a server of a test does.
            let place = ["--data", data.path, "--port", "\(port)", "--no-web"]
            return try ServerProcess(through + command + place + patience + arguments, errors: errors)
          })
      }
    }
  }

  /// The server has ended before it was listening.
  struct NotStarted: Error, CustomStringConvertible {
    /// All that it has printed.
    let output: String
    var description: String { "the server ended before it was listening: \(output)" }
  }

  private init(_ command: [String], errors: ChildProcess.Errors) throws {
    process = try ChildProcess(command, errors: errors)
    var line = ""
    while !line.contains("/sync") {
      let data = process.output.availableData
      guard !data.isEmpty else { throw NotStarted(output: line) }
      line += String(decoding: data, as: UTF8.self)
    }
    let text = try #require(line.firstMatch(of: /:(\d+)\/sync/))
    port = try #require(UInt16(text.1))
  }

  /// The resident memory in bytes.
  func residentBytes() throws -> Int {
    let text = try String(contentsOfFile: "/proc/\(process.id)/statm", encoding: .utf8)
    return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4096
  }

  /// Returns for each pattern which mapping of the process's memory contains it, as a core dump would; `nil` for none.
  func mappings(containing patterns: [Data]) throws -> [Substring?] {
    let memory = try FileHandle(forReadingFrom: URL(filePath: "/proc/\(process.id)/mem"))
    defer { try? memory.close() }
    var found = patterns.map { _ -> Substring? in nil }
    for line in try String(contentsOfFile: "/proc/\(process.id)/maps", encoding: .utf8).split(separator: "\n") {
      let fields = line.split(separator: " ", omittingEmptySubsequences: true)
      let bounds = fields[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
      // What is not written has no secret, and some of the kernel's own pages cannot be read.
      guard fields[1].hasPrefix("rw"), bounds.count == 2,
        !line.hasSuffix("]") || line.hasSuffix("[heap]")
          || line.hasSuffix("[stack]")
      else { continue }
      try memory.seek(toOffset: bounds[0])
      guard let bytes = try? memory.read(upToCount: Int(bounds[1] - bounds[0])) else { continue }
      for (index, pattern) in patterns.enumerated() where found[index] == nil {
        if contains(bytes, pattern) { found[index] = line }
      }
    }
    return found
  }

  /// `Data.range(of:)` looks at each byte in Swift, which for all memory of a server takes many seconds.
  private func contains(_ bytes: Data, _ pattern: Data) -> Bool {
    unsafe bytes.withUnsafeBytes { bytes in
      unsafe pattern.withUnsafeBytes { pattern in
        guard var place = bytes.baseAddress, let wanted = pattern.baseAddress else { return false }
        let end = unsafe place + bytes.count
        while let found = unsafe memchr(place, Int32(pattern[0]), end - place), unsafe found + pattern.count <= end {
          if unsafe memcmp(found, wanted, pattern.count) == 0 { return true }
          unsafe place = UnsafeRawPointer(found) + 1
        }
        return false
      }
    }
  }

  /// The soft and hard limits of descriptors.
  func descriptorLimits() throws -> [Int] {
    let text = try String(contentsOfFile: "/proc/\(process.id)/limits", encoding: .utf8)
    let line = text.split(separator: "\n").first { $0.hasPrefix("Max open files") }
    return line?.split(separator: " ").compactMap { Int($0) } ?? []
  }

  /// Closes the reading end of the server's output.
  func closeOutput() throws { try process.output.close() }

  func interrupt() { process.send(SIGINT) }

  /// Waits until the server has printed `text` or has ended.
  func untilPrinted(_ text: String) async {
    var printed = ""
    while !printed.contains(text) {
      let more = await process.nextOutput()
      if more.isEmpty { return }
      printed += more
    }
  }

  /// Stops the server in order.
  func stop() async {
    process.send(SIGINT)
    await process.wait()
  }

  func hangUp() { process.send(SIGHUP) }

  /// Ends the process at once.
  func kill() async {
    process.send(SIGKILL)
    await process.wait()
  }

  /// Waits for the end of the process; -1 after a signal.
  var exitStatus: Int32 {
    get async { if case .exited(let status) = await process.wait() { status } else { -1 } }
  }

  /// Waits for the end of the process and returns whether it was killed.
  var wasKilled: Bool { get async { await process.wait() == .killed(SIGKILL) } }
}
