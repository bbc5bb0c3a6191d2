import Foundation
import JSON
import TestSupport
import Testing

/// README.md is correct: its commands run against the real program with its sample data.
@Suite("README.md")
struct ReadmeTests {
  static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  static let text = (try? String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)) ?? ""

  /// The fenced code blocks of one language.
  static func blocks(_ language: String) -> [String] {
    text.components(separatedBy: "\n```\(language)\n").dropFirst().map {
      $0.components(separatedBy: "\n```").first ?? ""
    }
  }

  static var commands: [String] { blocks("sh").flatMap { $0.components(separatedBy: "\n") } }

  @Test("every command in README.md is tested")
  func known() throws {
    let ci = try String(contentsOf: Self.root.appending(path: ".ci/run"), encoding: .utf8)
    for command in Self.commands where !command.hasPrefix("hearth ") {
      #expect(ci.contains(command), "\(command) is not run by .ci/run")
    }
    #expect(Self.commands.count { $0.hasPrefix("hearth ") } == 4)
  }

  @Test("the sample, the commands and the Python client in README.md work as described")
  func tryIt() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "hearth-readme-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let server = try Running("\(ServerProcess.program.path) serve --sample --port 0 --data \(folder.path)")
    let introduction = try await server.output(until: "finds everything as it was")
    let port = try #require(introduction.firstMatch(of: #/:(\d+)\/sync/#)).output.1
    let room = try #require(introduction.firstMatch(of: #/household/[0-9a-f-]{36}/#)).output
    let share = try #require(introduction.firstMatch(of: #/share/[0-9a-f-]{36}/#)).output
    let token = try #require(introduction.firstMatch(of: #/HEARTH_TOKEN=(\S+)/#)).output.1

    let environment = ["HEARTH_TOKEN": String(token)]
    let url = "ws://127.0.0.1:\(port)/sync"
    func program(_ command: String) throws -> Running {
      let line = command.replacingOccurrences(of: "ROOM", with: room)
        .replacingOccurrences(of: "hearth ", with: "\(ServerProcess.program.path) ")
      return try Running("\(line) \(command.contains("serve") ? "" : "--url \(url)")", environment)
    }

    let watchers = try Self.commands.filter { $0.hasPrefix("hearth watch") }.map(program)
    for watcher in watchers { _ = try await watcher.output(until: "plumber") }
    let walker = try program("hearth watch \(share)")
    _ = try await walker.output(until: "52.5")
    let call = try program(try #require(Self.commands.first { $0.hasPrefix("hearth call") }))
    _ = try await call.output(until: "version")
    for watcher in watchers { _ = try await watcher.output(until: "Milk is out") }
    let help = try program(try #require(Self.commands.first { $0.hasPrefix("hearth serve") }))
    _ = try await help.output(until: "--data")

    let script = folder.appending(path: "hello.py")
    let python = try #require(Self.blocks("python").first).replacingOccurrences(of: "7400", with: String(port))
    try python.write(to: script, atomically: true, encoding: .utf8)
    let interpreter = ProcessInfo.processInfo.environment["HEARTH_PYTHON"] ?? "python3"
    let stranger = try Running("\(interpreter) \(script.path) \(room)", environment)
    _ = try await stranger.output(until: "room.patch")
    for watcher in watchers { _ = try await watcher.output(until: "Hello from Python") }
  }
}

/// A shell command that runs during the test.
final class Running {
  private let process: ChildProcess
  private var text = ""

  init(_ command: String, _ environment: [String: String] = [:]) throws {
    process = try ChildProcess(["/bin/sh", "-c", "exec \(command)"], environment: environment, errors: .output)
  }

  /// Reads until `wanted` has been printed, and returns all output.
  func output(until wanted: String) async throws -> String {
    while !text.contains(wanted) {
      let piece = await process.nextOutput()
      guard !piece.isEmpty else { throw Unexpected("\(wanted) was not printed, but:\n\(text)") }
      text += piece
    }
    return text
  }
}
