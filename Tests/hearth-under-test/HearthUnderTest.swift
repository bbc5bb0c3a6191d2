import ArgumentParser
import HearthCommand

/// `hearth serve` with a crash point: tests start it where a server must die at an exact step.
@main
struct HearthUnderTest: AsyncParsableCommand {
  @Option(help: "A step and the number of a commit, such as afterCommit:3.")
  var crashAt: CrashPoint

  /// Settings of `hearth serve`.
  @Argument(parsing: .allUnrecognized)
  var arguments: [String] = []

  func run() async throws { try await runServer(arguments) { [crashAt] in CrashingStore($0, at: crashAt) } }
}
