import Foundation
import TestSupport
import Testing

/// The real program in a process of its own, to be killed.
final class ServerProcess: Sendable {
  private let process: ChildProcess
  let port: UInt16

  /// Where SwiftPM puts the program: beside the tests.
  static let program: URL = {
    let tests = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    let beside = tests.appending(path: "hearth")
    return FileManager.default.isExecutableFile(atPath: beside.path)
      ? beside : Bundle.main.bundleURL.appending(path: "hearth")
  }()

  /// Starts it and waits until it listens. `through` is a program that runs it, with that one's arguments.
  static func start(
    data: URL, port: UInt16 = 0, arguments: [String] = [], through: [String] = []
  ) async throws -> ServerProcess {
    try await withCheckedThrowingContinuation { continuation in
      ChildProcess.aside {
        continuation.resume(with: Result { try ServerProcess(data, port, arguments, through) })
      }
    }
  }

  private init(_ data: URL, _ wanted: UInt16, _ arguments: [String], _ through: [String]) throws {
    let command = [Self.program.path, "serve", "--data", data.path, "--port", "\(wanted)"]
    process = try ChildProcess(through + command + arguments)
    var line = ""
    while !line.contains("/sync") {
      let data = process.output.availableData
      guard !data.isEmpty else { throw Unexpected("the server ended before it listened") }
      line += String(decoding: data, as: UTF8.self)
    }
    let text = try #require(line.firstMatch(of: /:(\d+)\/sync/))
    port = try #require(UInt16(text.1))
  }

  /// Memory that it has at the moment.
  func residentBytes() throws -> Int {
    let text = try String(contentsOfFile: "/proc/\(process.id)/statm", encoding: .utf8)
    return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4096
  }

  /// How many descriptors it may have, and could ask for.
  func descriptorLimits() throws -> [Int] {
    let text = try String(contentsOfFile: "/proc/\(process.id)/limits", encoding: .utf8)
    let line = text.split(separator: "\n").first { $0.hasPrefix("Max open files") }
    return line?.split(separator: " ").compactMap { Int($0) } ?? []
  }

  /// What it prints from now on cannot be written.
  func closeOutput() throws { try process.output.close() }

  func interrupt() { process.send(SIGINT) }

  /// Returns when it has printed `text`, or ended.
  func untilPrinted(_ text: String) async {
    var printed = ""
    while !printed.contains(text) {
      let more = await process.nextOutput()
      if more.isEmpty { return }
      printed += more
    }
  }

  /// Stops it in order.
  func stop() async {
    process.send(SIGINT)
    await process.wait()
  }

  func hangUp() { process.send(SIGHUP) }

  /// Ends it at once.
  func kill() async {
    process.send(SIGKILL)
    await process.wait()
  }

  /// Waits until it has ended by itself; -1 if a signal did it.
  var exitStatus: Int32 {
    get async { if case .exited(let status) = await process.wait() { status } else { -1 } }
  }

  /// Waits until it has ended by itself, and says whether a kill did it.
  var wasKilled: Bool { get async { await process.wait() == .killed(SIGKILL) } }
}
