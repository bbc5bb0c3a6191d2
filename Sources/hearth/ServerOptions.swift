import ArgumentParser
import Crypto
import Foundation
import HearthClient
import Rooms

/// Which server a command talks to, and as whom.
struct ServerOptions: ParsableArguments {
  static let tokenVariable = "HEARTH_TOKEN"

  @Option(help: "Where the server is: ws://host:port/sync.")
  var url = "ws://127.0.0.1:7400/sync"

  @Option(
    help: """
      The token that logging in has answered. Without it the variable HEARTH_TOKEN is used: arguments can be seen by \
      everybody on this machine.
      """)
  var token: String?

  func validate() throws {
    guard Endpoint(url: url) == nil else { return }
    throw ValidationError("'\(url)' is no address of a server: it looks like ws://127.0.0.1:7400/sync.")
  }

  var effectiveToken: String? {
    let token = token ?? ProcessInfo.processInfo.environment[Self.tokenVariable]
    return token == "" ? nil : token
  }

  /// Connects and says hello; where that fails, says why and what to do, and ends the command.
  func connect() async throws -> (client: HearthClient, greeting: Greeting) {
    guard let endpoint = Endpoint(url: url) else { throw ExitCode.validationFailure }
    // Every run is a client of its own: nothing is numbered here, so nothing has to be remembered.
    let id = ID<Client>(bytes: SystemRandom.bytes(16)) ?? ID()
    let client: HearthClient
    do throws(ClientError) {
      client = try await HearthClient.connect(to: endpoint, client: id)
    } catch {
      complain("\(error) Is a server running at \(url)? `hearth serve` starts one, --url names another.")
      throw ExitCode.failure
    }
    do throws(ClientError) {
      return (client, try await client.hello(token: effectiveToken, app: "hearth"))
    } catch {
      await client.close()
      throw failure(error)
    }
  }
}

/// Says why a command failed, field by field where parameters were wrong; the exit code to throw.
func failure(_ error: ClientError) -> ExitCode {
  complain(printable(error.description))
  if case .server(let error) = error {
    for (path, problem) in error.fields.sorted(by: { $0.key < $1.key }) {
      complain("  \(printable(path)): \(printable(problem))")
    }
  }
  return .failure
}
