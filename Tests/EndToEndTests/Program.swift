import Foundation
import TestSupport

/// A process of the program, with its errors separate from its output.
final class Program {
  struct Outcome {
    var status: Int32
    var output: String
    var errors: String
  }

  private let process: ChildProcess
  private let folder = FileManager.default.temporaryDirectory.appending(path: "hearth-program-\(UUID())")
  /// The content of standard error so far.
  var errors: String {
    get throws { try String(contentsOf: folder.appending(path: "errors"), encoding: .utf8) }
  }
  private var rest = ""

  /// `through` is a program that runs it, with that program's own arguments.
  /// `settings` is the folder of the user's settings; one of its own by default.
  init(
    _ arguments: [String], input: String = "", token: String? = nil, settings: URL? = nil, through: [String] = []
  ) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = folder.appending(path: "input")
    try Data(input.utf8).write(to: file)
    process = try ChildProcess(
      through + [ServerProcess.program.path] + arguments,
      environment: ["HEARTH_TOKEN": token ?? "", "XDG_CONFIG_HOME": (settings ?? folder).path], input: file,
      errors: .file(folder.appending(path: "errors")))
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// Runs the program to its end.
  static func run(
    _ arguments: [String], input: String = "", token: String? = nil, settings: URL? = nil
  ) async throws -> Outcome {
    let program = try Program(arguments, input: input, token: token, settings: settings)
    while try await program.line({ _ in false }) != nil {}
    let status = await program.wait()
    return Outcome(status: status, output: program.skipped, errors: try program.errors)
  }

  /// The lines that `line` has skipped.
  private var skipped = ""

  /// The next line of output for which `matches` holds; `nil` at the end of the output.
  func line(_ matches: (String) -> Bool) async throws -> String? {
    while true {
      while let end = rest.firstIndex(of: "\n") {
        let line = String(rest[..<end])
        rest = String(rest[rest.index(after: end)...])
        if matches(line) { return line }
        skipped += line + "\n"
      }
      let piece = await process.nextOutput()
      if piece.isEmpty { return nil }
      rest += piece
    }
  }

  func interrupt() { process.send(SIGINT) }

  /// Waits for the end and returns the exit status; -1 after a signal.
  func wait() async -> Int32 {
    if case .exited(let status) = await process.wait() { status } else { -1 }
  }
}
