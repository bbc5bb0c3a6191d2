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
    guard let email = email ?? ask("E-mail address: "), !email.isEmpty,
      let password = askSecretly("Password of \(printable(email)): ")
    else { throw ValidationError("An e-mail address and a password are needed to log in.") }
    var parameters: [String: JSON] = ["email": .string(email), "password": .string(password)]
    let before = try server.saved().logins[try server.address()]
    if let before, before.email == email { parameters["deviceToken"] = .string(before.deviceToken) }
    _ = try await server.enter(by: "auth.logIn", parameters, as: email)
  }
}

/// Makes an account, and keeps its token, so that other commands need none.
struct SignUp: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "signup", abstract: "Makes an account on a server, and logs in to it.",
    discussion: """
      Asks for a password of 8 characters or more. Without a terminal, reads it as the first line of standard input. \
      The token is kept as by `hearth login`.
      """)

  @Argument(help: "Your e-mail address.")
  var email: String

  @Option(help: "Your name, as others see it.")
  var name: String

  @OptionGroup var server: ServerOptions

  func run() async throws {
    guard let password = askSecretly("New password of \(printable(email)): ") else {
      throw ValidationError("A password is needed to sign up.")
    }
    let parameters: [String: JSON] = ["email": .string(email), "password": .string(password), "name": .string(name)]
    let account = try await server.enter(by: "auth.signUp", parameters, as: email)["account"]
    guard let address = account?["pending"]?.string else { return }
    say(printable("A code is on its way to \(address). Prove with it that the address is yours:"))
    say("  hearth call auth.verify '{\"code\": \"…\"}'")
  }
}

extension ServerOptions {
  /// Signs up or logs in, and keeps the token. Returns the person's own room.
  fileprivate func enter(by method: String, _ parameters: [String: JSON], as email: String) async throws -> JSON {
    let url = try address()
    var saved = try saved()
    let before = saved.logins[url]
    let (connection, _) = try await connect(token: nil)
    let login: SavedLogins.Login
    let me: JSON
    do throws(ClientError) {
      let device = JSON.string(String("hearth on \(ProcessInfo.processInfo.hostName)".prefix(64)))
      let answer = try await connection.callSolving(method, .object(parameters.merging(["device": device]) { $1 }))
      let token = answer["token"]?.string ?? ""
      _ = try await connection.hello(token: token, app: Self.app)
      me = try await connection.call("room.subscribe", ["room": "me"])["state"] ?? [:]
      await connection.close()
      login = SavedLogins.Login(
        token: token, email: email, name: me["profile"]?["name"]?.string ?? "",
        deviceToken: answer["deviceToken"]?.string ?? "")
    } catch {
      await connection.close()
      throw failure(error)
    }
    do throws(SavedLogins.Failure) { try saved.keep(login, at: url) } catch {
      complain(error.description)
      await end(login.token)
      throw ExitCode.failure
    }
    say(printable("You are logged in to \(url) as \(login.name) <\(email)>."))
    // The token that was kept before is of no use to anybody now.
    if let before { await end(before.token) }
    return me
  }
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
