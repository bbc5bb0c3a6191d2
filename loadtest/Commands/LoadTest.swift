import ArgumentParser
import Foundation

@main
struct LoadTest: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "loadtest",
    abstract: "Puts a Hearth server or a bare relay under load.",
    discussion: "`hearth seed` writes the file of people. loadtest/README.md explains the figures.",
    subcommands: [
      HouseholdCommand.self, IdleCommand.self, ReceiversCommand.self, ReconnectCommand.self, ColdCommand.self,
      SlowCommand.self, AbuseCommand.self, RelayCommand.self,
    ])
}

/// The server to test, and the CPU for this process.
struct TargetOptions: ParsableArguments {
  @Option(help: "The server's IPv4 address.")
  var host = "127.0.0.1"

  @Option(help: "The server's port.")
  var port: UInt16 = 7400

  @Option(help: "The process id of the server, whose CPU time and memory are measured.")
  var pid: Int32?

  @Option(help: "The processor of this process: not the server's.")
  var cpu: UInt32?

  @Flag(help: "Offers permessage-deflate.")
  var deflate = false

  @Flag(help: "Speaks TLS. Certificates are not checked unless --authority is given.")
  var tls = false

  @Option(help: "A file of certificates to trust (PEM); the server's must name its address.")
  var authority: String?

  @Option(help: "The measured commit, for the report.")
  var commit: String?

  @Option(help: "A file for the figures as JSON.")
  var json: String?
}

/// The file of people and tokens.
struct SampleOptions: ParsableArguments {
  @Option(help: "The file of people that `hearth seed` has written.")
  var people: String
}

/// The pause before memory is measured.
struct CalmOptions: ParsableArguments {
  @Option(help: "Seconds to wait before memory is measured, so that the server can return freed memory.")
  var calm = 4.0

  func validate() throws {
    guard calm >= 0 else { throw ValidationError("--calm must not be below 0.") }
  }

  func keep(_ generator: Generator) {
    let end = System.nanoseconds + Int64(calm * 1e9)
    generator.run { generator.now >= end }
  }
}

/// A server that another program, such as run.sh, restarts after it is killed.
struct RestartOptions: ParsableArguments {
  @Option(help: "A file with the process id of the server, read again after a restart.")
  var pidFile: String?

  /// The current server process according to the file, if any.
  var pid: Int32? {
    guard let pidFile, let text = try? String(contentsOfFile: pidFile, encoding: .utf8) else { return nil }
    return Int32(text.trimmingCharacters(in: .whitespacesAndNewlines))
  }
}

/// Prints a line at once, even if standard output is a pipe.
func say(_ text: String) { FileHandle.standardOutput.write(Data("\(text)\n".utf8)) }
