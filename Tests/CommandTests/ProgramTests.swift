import Foundation
import JSON
import Testing

@Suite("The program", .serialized, .timeLimit(.minutes(2)))
struct ProgramTests {
  @Test("watch shows a change that call makes, and ends when the server does")
  func watchAndCall() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "hearth-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let server = try Program(["serve", "--data", folder.path, "--port", "0"])
    defer { server.stop() }
    let listening = try #require(try server.line { $0.contains("/sync") })
    let url = try #require(listening.firstMatch(of: /ws:\/\/\S+\/sync/)).0

    let account = Program.run(
      ["call", "auth.signUp", "-", "--url", "\(url)"],
      input: #"{"email":"ana@x.example","password":"correct horse battery","name":"Ana"}"#)
    #expect(account.status == 0, "\(account)")
    let token = try #require(try JSON.parse(account.output)["token"]?.string)
    func call(_ arguments: String...) -> Program.Outcome {
      Program.run(["call", "--url", "\(url)"] + arguments, token: token)
    }
    let made = call("households.create", #"{"name":"Ours","timeZone":"Europe/Amsterdam","currency":"EUR"}"#)
    let household = "household/\(try #require(try JSON.parse(made.output)["household"]?.string, "\(made)"))"

    let people = try Program(["watch", household, "--url", "\(url)"], token: token)
    let programs = try Program(["watch", "--json", "me", household, "--url", "\(url)"], token: token)
    #expect(try people.line { $0.hasPrefix(household) } == "\(household)  version 1")
    let states = try (0..<2).map { _ in try JSON.parse(try #require(try programs.line { _ in true })) }
    #expect(Set(states.map { $0["type"] }) == ["state"])

    #expect(call("notes.add", #"{"text":"Milk is out"}"#, "--room", household).status == 0)
    let head = try #require(try people.line { $0.contains(household) })
    #expect(head.hasSuffix("\(household)  version 2, by you"))
    #expect(try people.line { $0.contains("text") }?.hasSuffix(#".text = "Milk is out""#) == true)
    let patch = try JSON.parse(try #require(try programs.line { $0.contains("\"patch\"") }))
    #expect(patch["room"]?.string == household)
    #expect(patch["patch"]?["notes"]?.object?.values.first?["text"] == "Milk is out")

    let wrong = call("notes.add", #"{"text":1,"place":{"x":1},"y":2}"#, "--room", household)
    #expect(wrong.status == 1)
    #expect(wrong.output.isEmpty)
    #expect(wrong.errors.contains("\n  y: unknown field\n"), "\(wrong)")

    people.interrupt()
    #expect(people.wait() == 0, "Ctrl-C is an ordinary end")
    server.interrupt()
    #expect(server.wait() == 0)
    #expect(programs.wait() == 1, "a lost connection is not")
  }

  @Test(
    "usage errors exit with 64 before anything is sent",
    arguments: [
      ["call"], ["call", "a", "[1]"], ["call", "a", "{"], ["call", "a", "--url", "wss://h/sync"], ["watch"],
      ["watch", "me"], ["watch", "me", "me", "--token", "t"], ["watch", "me", "--token", ""],
    ])
  func usage(arguments: [String]) {
    let outcome = Program.run(arguments)
    #expect(outcome.status == 64, "\(outcome)")
    #expect(outcome.output.isEmpty)
  }

  @Test("where nobody listens, one sentence says so and what to do")
  func unreachable() {
    let outcome = Program.run(["call", "a", "--url", "ws://127.0.0.1:1/sync"])
    #expect(outcome.status == 1)
    #expect(
      outcome.errors == """
        No connection could be made (connect: Connection refused). Is a server running at ws://127.0.0.1:1/sync? \
        `hearth serve` starts one, --url names another.\n
        """)
  }
}

/// The program in a process of its own.
final class Program {
  struct Outcome {
    var status: Int32
    var output: String
    var errors: String
  }

  /// Where SwiftPM puts it: beside the tests.
  private static let file: URL = {
    let beside = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "hearth")
    return FileManager.default.isExecutableFile(atPath: beside.path)
      ? beside : Bundle.main.bundleURL.appending(path: "hearth")
  }()

  private let process = Process()
  private let output = Pipe()
  private let errors = Pipe()
  private var rest = ""

  init(_ arguments: [String], input: String = "", token: String? = nil) throws {
    let pipe = Pipe()
    process.executableURL = Self.file
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(["HEARTH_TOKEN": token ?? ""]) { $1 }
    process.standardInput = pipe
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    pipe.fileHandleForWriting.write(Data(input.utf8))
    try pipe.fileHandleForWriting.close()
  }

  deinit { stop() }

  /// Runs it to its end.
  static func run(_ arguments: [String], input: String = "", token: String? = nil) -> Outcome {
    guard let program = try? Program(arguments, input: input, token: token) else {
      return Outcome(status: -1, output: "", errors: "it could not be started")
    }
    let output = program.output.fileHandleForReading.readDataToEndOfFile()
    let errors = program.errors.fileHandleForReading.readDataToEndOfFile()
    return Outcome(
      status: program.wait(), output: String(decoding: output, as: UTF8.self),
      errors: String(decoding: errors, as: UTF8.self))
  }

  /// The next line of its output for which `matches` holds; `nil` at the end of the output.
  func line(_ matches: (String) -> Bool) throws -> String? {
    while true {
      while let end = rest.firstIndex(of: "\n") {
        let line = String(rest[..<end])
        rest = String(rest[rest.index(after: end)...])
        if matches(line) { return line }
      }
      let data = output.fileHandleForReading.availableData
      if data.isEmpty { return nil }
      rest += String(decoding: data, as: UTF8.self)
    }
  }

  func interrupt() { process.interrupt() }

  func wait() -> Int32 {
    process.waitUntilExit()
    return process.terminationStatus
  }

  func stop() {
    if process.isRunning { process.terminate() }
    process.waitUntilExit()
  }
}
