import Foundation
import JSON
import TestSupport
import Testing

/// Runs what README.md and docs/operating.md tell a reader to type, against the real program.
@Suite("Commands in the documents")
struct ReadmeTests {
  static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// The fenced blocks of one language in a document.
  static func blocks(_ language: String, of path: String) throws -> [String] {
    try String(contentsOf: root.appending(path: path), encoding: .utf8).components(separatedBy: "\n```\(language)\n")
      .dropFirst().map { $0.components(separatedBy: "\n```").first ?? "" }
  }

  static func commands(of path: String) throws -> [String] {
    try blocks("sh", of: path).flatMap { $0.components(separatedBy: "\n") }
  }

  /// A command with the program in place of its name, and other words replaced.
  static func line(_ command: String, _ replacements: KeyValuePairs<String, String> = [:]) -> String {
    replacements.reduce(command) { $0.replacing($1.key, with: $1.value) }
      .replacing("hearth ", with: "\(ServerProcess.program.path) ")
  }

  @Test(
    "every command in the documents is run by CI or by this suite",
    arguments: ["README.md", "docs/operating.md", ".github/CONTRIBUTING.md"])
  func known(path: String) throws {
    let ci = try String(contentsOf: Self.root.appending(path: ".ci/run"), encoding: .utf8)
    let commands = try Self.commands(of: path)
    #expect(!commands.isEmpty)
    for command in commands where !command.contains("hearth ") && !command.hasPrefix("curl ") {
      #expect(ci.contains(command), "\(command) is not run by .ci/run")
    }
  }

  @Test("the sample, the commands and the Python client of README.md do what the page says")
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
    func program(_ command: String) throws -> Running {
      try Running("\(Self.line(command, ["ROOM": String(room)])) --url ws://127.0.0.1:\(port)/sync", environment)
    }

    let commands = try Self.commands(of: "README.md").filter { $0.hasPrefix("hearth ") && $0.contains("ROOM") }
    #expect(commands.count == 3)
    let watchers = try commands.filter { $0.hasPrefix("hearth watch") }.map(program)
    for watcher in watchers { _ = try await watcher.output(until: "plumber") }
    let walker = try program("hearth watch \(share)")
    _ = try await walker.output(until: "52.5")
    let call = try program(try #require(commands.first { $0.hasPrefix("hearth call") }))
    _ = try await call.output(until: "version")
    for watcher in watchers { _ = try await watcher.output(until: "Milk is out") }

    let script = folder.appending(path: "hello.py")
    let python = try #require(try Self.blocks("python", of: "README.md").first).replacing("7400", with: port)
    try python.write(to: script, atomically: true, encoding: .utf8)
    let interpreter = ProcessInfo.processInfo.environment["HEARTH_PYTHON"] ?? "python3"
    let stranger = try Running("\(interpreter) \(script.path) \(room)", environment)
    _ = try await stranger.output(until: "room.patch")
    for watcher in watchers { _ = try await watcher.output(until: "Hello from Python") }
  }

  @Test("by the commands of README.md two people sign up on two devices, and share a household")
  func twoDevices() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "hearth-two-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let server = try await ServerProcess.start(data: folder.appending(path: "data"))
    let password = folder.appending(path: "password")
    try "correct horse battery\n".write(to: password, atomically: true, encoding: .utf8)
    var known: [(String, String)] = []
    func run(_ command: String, on device: String, until wanted: String) async throws -> String {
      let line = known.reduce(Self.line(command)) { $0.replacing($1.0, with: $1.1) }
      let program = try Running(
        "\(line) --url ws://127.0.0.1:\(server.port)/sync <\(password.path)",
        ["XDG_CONFIG_HOME": folder.appending(path: device).path])
      return try await program.output(until: wanted)
    }
    let blocks = try Self.blocks("sh", of: "README.md").map { $0.components(separatedBy: "\n") }
    let first = try #require(blocks.first { $0[0].contains("--name Ana") })
    let second = try #require(blocks.first { $0[0].contains("--name Bo") })
    #expect(first.count == 3 && second.count == 3)
    _ = try await run(first[0], on: "one", until: "You are logged in")
    let made = try await run(first[1], on: "one", until: "}")
    known.append(("ID", String(try #require(made.firstMatch(of: #/"household":\s*"([0-9a-f-]{36})"/#)).output.1)))
    let code = try await run(first[2], on: "one", until: "}")
    known.append(("CODE", String(try #require(code.firstMatch(of: #/"code":\s*"([^"]+)"/#)).output.1)))
    _ = try await run(second[0], on: "two", until: "You are logged in")
    _ = try await run(second[1], on: "two", until: "household")
    let seen = try await run(second[2], on: "two", until: "Elm Street")
    #expect(seen.contains("Ana") && seen.contains("Bo"))
    await server.stop()
  }

  /// The output of each command of docs/operating.md.
  static let printed = [
    "hearth --version": "0.",
    "hearth serve --help": "--data",
    "hearth serve --address 0.0.0.0 --certificate chain.pem --key key.pem": "Hearth listens on wss://0.0.0.0:",
    "hearth serve --print-config": "port = 7400  (default)",
    "HEARTH_PORT=7500 hearth serve --print-config --loops 2": "port = 7500  (HEARTH_PORT)\n",
    "hearth verify --data data": "is undamaged",
    "hearth recover --data data --to saved": "Saved ",
  ]

  @Test("the commands and the settings in docs/operating.md do what the page says")
  func operating() async throws {
    let page = "docs/operating.md"
    let folder = FileManager.default.temporaryDirectory.appending(path: "hearth-operating-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let certificate = try await Certificate(in: folder)
    let server = try await ServerProcess.start(data: folder.appending(path: "data"))
    let commands = try Self.commands(of: page)
    let requests = commands.compactMap { $0.firstMatch(of: #/^curl .*:7400(\/\S+)$/#)?.output.1 }
    #expect(requests == ["/healthz", "/readyz", "/metrics"])
    for path in requests {
      let answer = try await HTTPCaller(port: server.port).send("", method: "GET", path: String(path))
      #expect(answer.status == 200, "\(path): \(answer.body)")
    }
    await server.stop()

    let programs = commands.filter { $0.contains("hearth ") }
    #expect(Set(programs) == Set(Self.printed.keys))
    for command in programs {
      var line = Self.line(
        command,
        [
          "chain.pem": certificate.file.path, "key.pem": certificate.key.path,
          "--data data": "--data \(folder.path)/data", "saved": "\(folder.path)/saved",
        ])
      if command.contains("--address") { line += " --port 0 --data \(folder.path)/other" }
      let program = try Running("env \(line)")
      _ = try await program.output(until: try #require(Self.printed[command]))
    }

    let settings = folder.appending(path: "hearth.json")
    try #require(try Self.blocks("json", of: page).first).write(to: settings, atomically: true, encoding: .utf8)
    let unit = try #require(try Self.blocks("ini", of: page).first)
    let start = try #require(unit.firstMatch(of: #/ExecStart=\S+ (.+)/#)).output.1
    let arguments = start.replacing("/etc/hearth/hearth.json", with: settings.path)
    let shown = try Running("\(ServerProcess.program.path) \(arguments) --print-config")
    _ = try await shown.output(until: "data = /var/lib/hearth  (\(settings.path): data)")
  }
}

/// A shell command that runs beside the test.
final class Running {
  private let process: ChildProcess
  private var text = ""

  init(_ command: String, _ environment: [String: String] = [:]) throws {
    process = try ChildProcess(["/bin/sh", "-c", "exec \(command)"], environment: environment, errors: .output)
  }

  /// Reads on until `wanted` is printed; returns the whole output so far.
  func output(until wanted: String) async throws -> String {
    while !text.contains(wanted) {
      let piece = await process.nextOutput()
      guard !piece.isEmpty else { throw Unexpected("\(wanted) was not printed, but:\n\(text)") }
      text += piece
    }
    return text
  }
}
