import ArgumentParser
import Crypto
import Foundation
import HearthClient
import Rooms

/// The server that a command connects to, and the account it uses.
struct ServerOptions: ParsableArguments {
  static let tokenVariable = "HEARTH_TOKEN"

  @Option(help: "The server's address: ws://host:port/sync, or wss://… over TLS.")
  var url = "ws://127.0.0.1:7400/sync"

  @Option(help: "A PEM file with the authorities to trust over TLS. [default: those of the operating system]")
  var ca: String?

  @Option(
    help: """
      The token from the answer to logging in. Prefer the variable HEARTH_TOKEN: everybody on this machine can see \
      arguments.
      """)
  var token: String?

  func validate() throws {
    guard Endpoint(url: url) == nil else { return }
    throw ValidationError("'\(url)' is not a server's address, such as ws://127.0.0.1:7400/sync.")
  }

  var effectiveToken: String? {
    let token = token ?? ProcessInfo.processInfo.environment[Self.tokenVariable]
    return token == "" ? nil : token
  }

  /// Connects and says hello; if that fails, prints why and what to do, and ends the command.
  func connect() async throws -> (connection: ServerConnection, greeting: Greeting) {
    guard let endpoint = Endpoint(url: url) else { throw ExitCode.validationFailure }
    // Every run is a new client without numbered calls, so nothing has to be remembered.
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

  /// Connects a client that reconnects by itself, and keeps its documents in memory only.
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

/// Prints why a command failed, field by field if parameters were wrong; returns the exit code to throw.
func failure(_ error: ClientError) -> ExitCode {
  complain(printable(error.description))
  if case .server(let error) = error {
    for (path, problem) in error.fields.sorted(by: { $0.key < $1.key }) {
      complain("  \(printable(path)): \(printable(problem))")
    }
  }
  return .failure
}
