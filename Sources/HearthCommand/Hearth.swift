import ArgumentParser

struct Hearth: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hearth", abstract: "The real-time server of a shared home.", version: version,
    subcommands: [
      Serve.self, SignUp.self, Login.self, WhoAmI.self, Logout.self, Watch.self, Shares.self, Walk.self, Stats.self,
      LedgerCommand.self, ImportCommand.self,
      Call.self, Seed.self, EchoCommand.self, Verify.self, Recover.self, Admin.self,
    ])

  /// The newest version in CHANGELOG.md.
  static let version = "0.1.0"
}

/// Runs the command that the arguments of this process name.
package func runHearth() async { await Hearth.main() }
