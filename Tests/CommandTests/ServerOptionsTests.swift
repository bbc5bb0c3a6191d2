import Testing

@testable import HearthCommand

@Suite("Options for a server")
struct ServerOptionsTests {
  @Test("ACC-4: a token that begins with a hyphen is a token")
  func hyphen() throws {
    #expect(try ServerOptions.parse(["--token", "-Zm9v", "--ca", "a.pem"]).token == "-Zm9v")
  }
}
