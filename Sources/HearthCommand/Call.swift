import ArgumentParser
import Foundation
import HearthClient
import JSON

/// Calls one method of a server.
struct Call: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Calls a method of a running server and prints the result.",
    discussion: """
      hearth call auth.logIn -                                    reads {"email": …, "password": …} from standard input
      hearth call notes.add '{"text": "Milk is out"}' --room household/…

      A change survives broken connections and restarts of the server: the command sends it again until it is \
      answered, and it takes effect once.
      """)

  @Argument(help: "The method, such as notes.add.")
  var method: String

  @Argument(help: "The parameters, a JSON object; - reads them from standard input.")
  var parameters = "{}"

  @Option(help: "The room to call: me, household/…, household/…/mine or share/….")
  var room: String?

  @OptionGroup var server: ServerOptions

  /// Time after which the command gives up waiting for an answer.
  private static let patience = Duration.seconds(60)
  /// Longest delay that the command accepts if the server asks it to retry.
  private static let longestDelay = Duration.seconds(10)

  func run() async throws {
    let parameters = try readParameters()
    // A caller that numbers its calls repeats them itself; the server refuses a wrong room.
    let isPlain =
      parameters["seq"] == nil && parameters["answered"] == nil && parameters["room"].map { $0.string != nil } ?? true
    if let token = try server.effectiveToken, isChange, isPlain {
      try await change(parameters, token: token)
    } else {
      try await ask(parameters)
    }
  }

  /// Every method that is not one of these changes a room, once per number (protocol.md, Calls that change something).
  private var isChange: Bool {
    !(method.hasPrefix("auth.") || method.hasPrefix("room.") || method.hasSuffix(".list") || method == "hello"
      || method == "positions.report")
  }

  /// Whether repeating the call is harmless.
  private var isQuestion: Bool { method.hasSuffix(".list") || method == "hello" }

  private func ask(_ parameters: JSON) async throws {
    var backoff = Backoff()
    while true {
      // A dead token must not keep anybody from logging in.
      let token = ["auth.logIn", "auth.signUp"].contains(method) ? nil : try server.effectiveToken
      let (connection, _) = try await server.connect(token: token)
      do throws(ClientError) {
        let result = try await connection.callSolving(method, parameters, room: room)
        await connection.close()
        return say(printable(result.indented))
      } catch {
        await connection.close()
        guard isQuestion, error.isOfConnection, backoff.failures < 3 else { throw failure(error) }
        let delay = backoff.next(unit: Double.random(in: 0..<1))
        complain(printable("\(error) \(nextTry(in: delay))"))
        try await Task.sleep(for: delay)
      }
    }
  }

  /// - Parameter isSolved: Whether the parameters hold the solution of a puzzle that the server has asked for.
  private func change(_ parameters: JSON, token: String, isSolved: Bool = false) async throws {
    let (client, _) = try await server.stayConnected(token: token)
    let events = client.events()
    // The parameters may name the room, too.
    var members = parameters.object ?? [:]
    let named = members.removeValue(forKey: "room")?.string
    var solved: JSON?
    do throws(ClientError) {
      let change = try await client.change(method, .object(members), room: room ?? named)
      let result = await Self.outcome(of: change, client, events)
      if !isSolved, case .failure(.server(let error)) = result {
        solved = await error.solvePuzzle().map { parameters.adding(puzzle: $0) }
      }
      if solved == nil { say(printable(try result.get().indented)) }
    } catch {
      await client.close()
      throw failure(error)
    }
    if let solved { try await change(solved, token: token, isSolved: true) }
  }

  /// Waits for the answer, or the reason to stop waiting; closes the client.
  private static func outcome(
    of change: Change, _ client: HearthClient, _ events: AsyncStream<ClientEvent>
  ) async -> Result<JSON, ClientError> {
    await withTaskGroup(of: Result<JSON, ClientError>?.self) { group in
      group.addTask {
        do throws(ClientError) { return .success(try await change.answer) } catch { return .failure(error) }
      }
      group.addTask { await tell(events).map { .failure($0) } }
      group.addTask {
        guard (try? await Task.sleep(for: patience)) != nil else { return nil }
        complain("No answer within \(patience.components.seconds) s.")
        return .failure(.silent)
      }
      var result: Result<JSON, ClientError>?
      while result == nil, let next = await group.next() { result = next }
      group.cancelAll()
      await client.close()
      return result ?? .failure(.closed)
    }
  }

  /// Prints what the command waits for; returns why waiting is useless.
  private static func tell(_ events: AsyncStream<ClientEvent>) async -> ClientError? {
    for await event in events {
      switch event {
      case .connected: complain("Reconnected.")
      case .disconnected(let error, let delay): complain(printable("\(error) \(nextTry(in: delay))"))
      case .delayed(_, let error, let delay):
        if delay > longestDelay { return .server(error) }
        complain(printable("\(error.message) \(nextTry(in: delay))"))
      case .stopped(let error, _): return error
      case .answered, .refused, .storageFailed: break
      }
    }
    return nil
  }

  private func readParameters() throws -> JSON {
    let text = parameters == "-" ? Array(FileHandle.standardInput.readDataToEndOfFile()) : Array(parameters.utf8)
    let value: JSON
    do throws(JSONError) { value = try JSON.parse(text) } catch {
      throw ValidationError("The parameters are not JSON: \(error).")
    }
    guard value.object != nil else { throw ValidationError("The parameters must be a JSON object.") }
    return value
  }
}

extension ClientError {
  /// Whether the connection has ended, not the call.
  fileprivate var isOfConnection: Bool {
    switch self {
    case .leaving, .silent, .lost: true
    case .closedByServer(let code, _): code.map { !(4100...4199).contains($0) } ?? true
    default: false
    }
  }
}
