import Foundation
import Testing

/// The real program in a process of its own, to be killed.
///
/// Waiting for it blocks a thread, which must be none of the few that run tests: so it is done on a queue.
final class ServerProcess: Sendable {
  let process: Process
  let port: UInt16
  private static let queue = DispatchQueue(label: "test.processes", attributes: .concurrent)

  /// Where SwiftPM puts the program: beside the tests.
  static let program: URL = {
    let tests = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    let beside = tests.appending(path: "hearth")
    return FileManager.default.isExecutableFile(atPath: beside.path)
      ? beside : Bundle.main.bundleURL.appending(path: "hearth")
  }()

  static func start(data: URL, arguments: [String] = []) async throws -> ServerProcess {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { continuation.resume(with: Result { try ServerProcess(data: data, arguments: arguments) }) }
    }
  }

  private init(data: URL, arguments: [String]) throws {
    process = Process()
    let output = Pipe()
    process.executableURL = Self.program
    process.arguments = ["serve", "--data", data.path, "--port", "0"] + arguments
    process.standardOutput = output
    try process.run()
    var line = ""
    while !line.contains("/sync") {
      let data = output.fileHandleForReading.availableData
      guard !data.isEmpty else { throw Unexpected("the server ended before it listened") }
      line += String(decoding: data, as: UTF8.self)
    }
    let text = try #require(line.firstMatch(of: /:(\d+)\/sync/))
    port = try #require(UInt16(text.1))
  }

  // A test that fails leaves nothing running.
  deinit { if process.isRunning { process.interrupt() } }

  /// Stops it in order.
  func stop() async {
    process.interrupt()
    await waitForEnd()
  }

  /// Waits until it has ended by itself, and says whether a kill did it.
  var wasKilled: Bool {
    get async {
      await waitForEnd()
      return process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGKILL
    }
  }

  private func waitForEnd() async {
    await withCheckedContinuation { continuation in
      Self.queue.async { [process] in
        process.waitUntilExit()
        continuation.resume()
      }
    }
  }
}
