import ArgumentParser
import Crypto
import Foundation
import HearthClient
import Rooms

/// The server that a command connects to, and the account it uses.
struct ServerOptions: ParsableArguments {
  static let tokenVariable = "HEARTH_TOKEN"

  @Option(
    help: """
      The server's address: ws://host:port/sync, or wss://… over TLS. [default: the server of the last `hearth login`, \
      otherwise \(usualURL)]
      """)
  var url: String?

  private static let usualURL = "ws://127.0.0.1:7400/sync"

  @Option(help: "A PEM file with the authorities to trust over TLS. [default: those of the operating system]")
  var ca: String?

  // Of 64 tokens one begins with a hyphen, as options do.
  @Option(
    parsing: .unconditional,
    help: """
      The token from the answer to logging in. Prefer `hearth login` or the variable HEARTH_TOKEN: everybody on this \
      machine can see arguments.
      """)
  var token: String?

  func validate() throws {
    guard let url, Endpoint(url: url) == nil else { return }
    throw ValidationError("'\(url)' is not a server's address, such as ws://127.0.0.1:7400/sync.")
  }

  /// The log-ins that `hearth login` has kept. A file that cannot be read ends the command.
  func saved() throws -> SavedLogins {
    do throws(SavedLogins.Failure) { return try SavedLogins() } catch {
      complain(error.description)
      throw ExitCode.failure
    }
  }

  /// The address of the server: the option's, the one logged in to last, or the usual one.
  func address() throws -> String { try url ?? saved().latest ?? Self.usualURL }

  /// The token: the option's, the variable's, or the one kept for the server. `nil` if there is none.
  var effectiveToken: String? {
    get throws {
      if let token = token ?? ProcessInfo.processInfo.environment[Self.tokenVariable], !token.isEmpty { return token }
      return try saved().logins[address()]?.token
    }
  }

  /// Connects and says hello; if that fails, prints why and what to do, and ends the command.
  func connect(token: String?) async throws -> (connection: ServerConnection, greeting: Greeting) {
    let url = try address()
    guard let endpoint = Endpoint(url: url) else { throw ExitCode.validationFailure }
    // Every run is a new client without numbered calls, so nothing has to be remembered.
    let connection: ServerConnection
    var options = ServerConnection.Options()
    options.authorities = ca
    do throws(ClientError) {
      connection = try await ServerConnection.connect(to: endpoint, client: .drawn(), options: options)
    } catch {
      throw unreachable(error, at: url)
    }
    do throws(ClientError) {
      return (connection, try await connection.hello(token: token, app: Self.app))
    } catch {
      await connection.close()
      throw failure(error)
    }
  }

  /// Connects a client that reconnects by itself, and keeps its documents in memory only.
  func stayConnected(token: String) async throws -> (client: HearthClient, greeting: Greeting) {
    let url = try address()
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
      throw error.isOfConnecting ? unreachable(error, at: url) : failure(error)
    }
  }

  static let app = "hearth"

  /// Says why shares may be missing, if they may: `me` has none over clear text from another machine.
  func mentionHiddenShares() {
    guard let url = try? address(), let endpoint = Endpoint(url: url), !endpoint.isSecure,
      !["127.0.0.1", "::1", "localhost"].contains(endpoint.host)
    else { return }
    complain("The connection has no TLS: a server tells other machines nothing of shares then.")
  }

  private func unreachable(_ error: ClientError, at url: String) -> ExitCode {
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
    if let wait = error.retryAfter {
      let allowed: Set<Duration.UnitsFormatStyle.Unit> = [.hours, .minutes, .seconds]
      complain("Try again in \(wait.formatted(.units(allowed: allowed, width: .wide))).")
    }
    if error.code == 1, error.reason != "login" { complain("`hearth login` logs in and keeps the token.") }
  }
  return .failure
}
