import ArgumentParser
import Crypto
import Foundation
import HearthClient
import Rooms

/// Which server a command talks to, and as whom.
struct ServerOptions: ParsableArguments {
  static let tokenVariable = "HEARTH_TOKEN"

  @Option(help: "Where the server is: ws://host:port/sync, or wss://… over TLS.")
  var url = "ws://127.0.0.1:7400/sync"

  @Option(help: "A PEM file with the authorities to believe over TLS. [default: those that the system knows]")
  var ca: String?

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
  func connect() async throws -> (connection: ServerConnection, greeting: Greeting) {
    guard let endpoint = Endpoint(url: url) else { throw ExitCode.validationFailure }
    // Every run is a client of its own: nothing is numbered here, so nothing has to be remembered.
    let connection: ServerConnection
    var options = ServerConnection.Options()
    options.authorities = ca
    do throws(ClientError) {
      connection = try await ServerConnection.connect(to: endpoint, client: .drawn(), options: options)
    } catch {
      throw unreachable(error)
    }
    do throws(ClientError) {
      return (connection, try await connection.hello(token: effectiveToken, app: Self.app))
    } catch {
      await connection.close()
      throw failure(error)
    }
  }

  /// The same with a client that comes back by itself once it has been connected. What it knows is gone with it.
  func stayConnected(token: String) async throws -> (client: HearthClient, greeting: Greeting) {
    guard let endpoint = Endpoint(url: url) else { throw ExitCode.validationFailure }
    var options = HearthClient.Options()
    options.app = Self.app
    options.connection.authorities = ca
    do throws(ClientError) {
      let client = try HearthClient(endpoint, token: token, files: MemoryFiles(), options: options)
      do throws(ClientError) { return (client, try await client.connect()) } catch {
        await client.close()
        throw error
      }
    } catch {
      throw error.isOfConnecting ? unreachable(error) : failure(error)
    }
  }

  private static let app = "hearth"

  private func unreachable(_ error: ClientError) -> ExitCode {
    complain("\(error) Is a server running at \(url)? `hearth serve` starts one, --url names another.")
    return .failure
  }
}

extension ClientError {
  fileprivate var isOfConnecting: Bool {
    switch self {
    case .unreachable, .refused: true
    default: false
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
