import ArgumentParser

@main
struct Hearth: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hearth", abstract: "The real-time server of a shared home.",
    subcommands: [Serve.self, Seed.self, Watch.self, Call.self, EchoCommand.self])
}
