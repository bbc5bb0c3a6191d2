import ArgumentParser
import Foundation
import HearthClient
import JSON

/// Logs in and keeps the token, so that other commands need none.
struct Login: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Logs in to a server, and keeps the token for other commands.",
    discussion: """
      Asks for the password. Without a terminal, reads it as the first line of standard input. The token is kept in \
      ~/.config/hearth/logins.json, which only you can read.
      """)

  @Argument(help: "The e-mail address of the account; asked for if missing.")
  var email: String?

  @OptionGroup var server: ServerOptions

  func run() async throws {
    let url = try server.address()
    var saved = try server.saved()
    guard let email = email ?? ask("E-mail address: "), !email.isEmpty,
      let password = askSecretly("Password of \(printable(email)): ")
    else { throw ValidationError("An e-mail address and a password are needed to log in.") }
    let before = saved.logins[url]
    var parameters: [String: JSON] = [
      "email": .string(email), "password": .string(password), "device": .string(Self.device),
    ]
    if let before, before.email == email { parameters["deviceToken"] = .string(before.deviceToken) }
    let login = try await logIn(.object(parameters), as: email)
    do throws(SavedLogins.Failure) { try saved.keep(login, at: url) } catch {
      complain(error.description)
      await server.end(login.token)
      throw ExitCode.failure
    }
    say(printable("You are logged in to \(url) as \(login.name) <\(email)>."))
    // The token that was kept before is of no use to anybody now.
    if let before { await server.end(before.token) }
  }

  private func logIn(_ parameters: JSON, as email: String) async throws -> SavedLogins.Login {
    let (connection, _) = try await server.connect(token: nil)
    do throws(ClientError) {
      let answer = try await connection.callSolving("auth.logIn", parameters)
      let token = answer["token"]?.string ?? ""
      _ = try await connection.hello(token: token, app: ServerOptions.app)
      let me = try await connection.call("room.subscribe", ["room": "me"])
      await connection.close()
      return SavedLogins.Login(
        token: token, email: email, name: me["state"]?["profile"]?["name"]?.string ?? "",
        deviceToken: answer["deviceToken"]?.string ?? "")
    } catch {
      await connection.close()
      throw failure(error)
    }
  }

  private static var device: String { String("hearth on \(ProcessInfo.processInfo.hostName)".prefix(64)) }
}

/// Shows who the commands of this user are.
struct WhoAmI: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "whoami", abstract: "Shows who you are logged in as, and your households.")

  @Flag(help: "One JSON object, for programs.")
  var json = false

  @OptionGroup var server: ServerOptions

  func run() async throws {
    let url = try server.address()
    let login = try server.saved().logins[url]
    guard let token = try server.effectiveToken else { throw notLoggedIn(at: url) }
    let (connection, greeting) = try await server.connect(token: token)
    do throws(ClientError) {
      let me = try await connection.call("room.subscribe", ["room": "me"])
      await connection.close()
      let state = me["state"] ?? [:]
      let name = state["profile"]?["name"]?.string ?? ""
      let email = login.flatMap { $0.token == token ? $0.email : nil }
      let households = (state["households"]?.object ?? [:]).sorted { $0.key < $1.key }
      if json {
        var members: [String: JSON] = [
          "url": .string(url), "name": .string(name), "me": .string(greeting.me.map { "\($0)" } ?? ""),
          "households": state["households"] ?? [:],
        ]
        if let email { members["email"] = .string(email) }
        return say(printable(JSON.object(members).text))
      }
      say(printable("\(name)\(email.map { " <\($0)>" } ?? "") at \(url)"))
      if households.isEmpty { say("You are in no household yet.") }
      for (id, household) in households {
        say(printable("household/\(id)  \(household["name"]?.string ?? "") (\(household["role"]?.string ?? ""))"))
      }
    } catch {
      await connection.close()
      throw failure(error)
    }
  }
}

/// Ends a kept log-in.
struct Logout: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Logs out: the server ends the session, and the kept token is erased.")

  @OptionGroup var server: ServerOptions

  func run() async throws {
    let url = try server.address()
    var saved = try server.saved()
    guard let login = saved.logins[url] else { throw notLoggedIn(at: url) }
    let isEnded = await server.end(login.token)
    do throws(SavedLogins.Failure) { try saved.forget(url) } catch {
      complain(error.description)
      throw ExitCode.failure
    }
    say(printable("You are logged out of \(url)."))
    if !isEnded {
      complain("The server could not be told: the session ends by itself, or from the list of devices of your account.")
    }
  }
}

/// Says that a command needs a log-in; returns the exit code to throw.
func notLoggedIn(at url: String) -> ValidationError {
  ValidationError("You are not logged in to \(url): `hearth login` does that, or give a token in HEARTH_TOKEN.")
}

extension ServerOptions {
  /// Ends the session of a token; `false` if the server cannot be told.
  @discardableResult
  func end(_ token: String) async -> Bool {
    guard let (connection, _) = try? await connect(token: nil) else { return false }
    do throws(ClientError) {
      _ = try await connection.hello(token: token, app: Self.app)
      _ = try await connection.call("auth.logOut")
    } catch {
      await connection.close()
      // A token that is dead already is no longer a session.
      if case .server(let error) = error { return error.code == 1 }
      return false
    }
    await connection.close()
    return true
  }
}
