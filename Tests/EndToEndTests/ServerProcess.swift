import Foundation
import Testing

/// The real program in a process of its own, to be killed.
final class ServerProcess {
  let process = Process()
  let port: UInt16

  /// Where SwiftPM puts the program: beside the tests.
  static let program: URL = {
    let tests = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    let beside = tests.appending(path: "hearth")
    return FileManager.default.isExecutableFile(atPath: beside.path)
      ? beside : Bundle.main.bundleURL.appending(path: "hearth")
  }()

  init(data: URL, arguments: [String] = []) throws {
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

  func kill() {
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  func stop() {
    process.interrupt()
    process.waitUntilExit()
  }

  /// Waits until it has ended by itself, and says whether a kill did it.
  var wasKilled: Bool {
    process.waitUntilExit()
    return process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGKILL
  }
}
