import ArgumentParser
import JSON
import Rooms

/// Administration of a running server by its owner (OPS-4).
struct Admin: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows and changes what a running server holds, as its owner.",
    discussion: """
      Speaks to the server over DATA/admin.sock, which only the user who runs the server, and root, can open. Prints \
      tables for people, and with --json one object a line for programs.
      """,
    subcommands: [
      Accounts.self, Sessions.self, LoadedRooms.self, ResetCode.self, Revoke.self, Drain.self, Statistics.self,
    ])

  /// The server, and the form of the output.
  struct Options: ParsableArguments {
    @Option(help: "The data folder of the server.")
    var data = "data"

    @Flag(help: "One JSON object a line, for programs.")
    var json = false

    /// Calls a method; if that fails, prints why and what to do, and ends the command.
    func call(_ method: String, _ parameters: [String: JSON] = [:]) throws -> JSON {
      do throws(AdminSocket.Failure) {
        return try AdminSocket(folder: data).call(method, parameters)
      } catch {
        complain(printable(error.description))
        throw ExitCode.failure
      }
    }

    /// All entries of a list that comes in pages.
    func pages(_ method: String, _ list: String, _ parameters: [String: JSON] = [:]) throws -> [JSON] {
      var parameters = parameters
      var entries: [JSON] = []
      while true {
        let page = try call(method, parameters)
        entries += page[list]?.array ?? []
        guard let next = page["next"] else { return entries }
        parameters["after"] = next
      }
    }

    /// Prints each entry on its own line for programs, or the table for people.
    func show(_ entries: [JSON], _ none: String, as table: () -> TextTable) {
      if json {
        for entry in entries { say(printable(entry.text)) }
        return
      }
      say(entries.isEmpty ? none : table().text)
    }
  }

  struct Accounts: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Lists all accounts, or one.")

    @Argument(help: "The e-mail address of an account, or the id of its person.")
    var account: String?

    @OptionGroup var options: Options

    func run() throws {
      let entries = try options.pages("admin.accounts", "accounts", account.map { named($0) } ?? [:])
      options.show(entries, "There is no account yet.") {
        var table = TextTable(["E-MAIL", "PERSON", "SESSIONS", "CREATED (UTC)", "LAST USED (UTC)"], numbers: [2])
        for entry in entries {
          table.add(
            address(of: entry), entry["person"].shown, entry["sessions"].shown, entry["createdAt"].time,
            entry["lastUsedAt"].time)
        }
        return table
      }
    }

    private func address(of entry: JSON) -> String {
      if let pending = entry["pending"]?.string, entry["email"] == nil { return "\(pending) (not proved)" }
      return entry["email"].shown
    }
  }

  struct Sessions: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Lists the devices on which a person is logged in.")

    @Argument(help: "The e-mail address of an account, or the id of its person.")
    var account: String

    @OptionGroup var options: Options

    func run() throws {
      let entries = try options.call("admin.sessions", named(account))["sessions"]?.array ?? []
      options.show(entries, "\(account) is logged in nowhere.") {
        var table = TextTable(
          ["DEVICE", "SESSION", "CONNECTIONS", "CREATED (UTC)", "LAST USED (UTC)"], numbers: [2])
        for entry in entries {
          table.add(
            entry["device"].shown, entry["session"].shown, entry["connections"].shown, entry["createdAt"].time,
            entry["lastUsedAt"].time)
        }
        return table
      }
    }
  }

  struct LoadedRooms: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "rooms", abstract: "Lists the rooms that are in memory.")

    @OptionGroup var options: Options

    func run() throws {
      let entries = try options.pages("admin.rooms", "rooms")
      options.show(entries, "No room is in memory.") {
        var table = TextTable(["ROOM", "KIND", "VERSION", "BYTES", "WATCHERS"], numbers: [2, 3, 4])
        for entry in entries {
          table.add(
            entry["room"].shown, entry["kind"].shown, entry["version"].shown, entry["bytes"].shown,
            entry["subscribers"].shown)
        }
        return table
      }
    }
  }

  struct ResetCode: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "reset-code", abstract: "Makes a code with which a person replaces a forgotten password.",
      discussion: """
        Give it to nobody but the owner of the account. It works once, for 30 minutes, with the account's address; a \
        newer code ends it. Choosing another password logs the account out everywhere else.
        """)

    @Argument(help: "The e-mail address of an account, or the id of its person.")
    var account: String

    @OptionGroup var options: Options

    func run() throws {
      let answer = try options.call("admin.resetCode", named(account))
      if options.json { return say(answer.text) }
      say("\(answer["code"].shown) for \(answer["email"].shown), until \(answer["until"].time) UTC.")
    }
  }

  struct Revoke: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Logs a person out everywhere, or on one device.",
      discussion: "Tokens are dead at once, and connections are told and closed.")

    @Argument(help: "The e-mail address of an account, or the id of its person: ends all its sessions.")
    var account: String?

    @Option(help: "The id of one session, as `hearth admin sessions` shows it.")
    var session: String?

    @OptionGroup var options: Options

    func validate() throws {
      guard (account == nil) != (session == nil) else {
        throw ValidationError("Name an account, or a session with --session.")
      }
    }

    func run() throws {
      let answer = try options.call(
        "admin.revoke", session.map { ["session": .string($0)] } ?? named(account ?? ""))
      if options.json { return say(answer.text) }
      let count = answer["ended"]?.int ?? 0
      say(count == 1 ? "1 session has ended." : "\(count) sessions have ended.")
    }
  }

  struct Drain: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Stops the server in order.",
      discussion: """
        As SIGTERM does: nothing is accepted any longer, accepted changes reach the disk, and each client is told when \
        to reconnect. This takes five seconds at most.
        """)

    @OptionGroup var options: Options

    func run() throws {
      let answer = try options.call("admin.drain")
      say(options.json ? answer.text : "The server is stopping.")
    }
  }

  struct Statistics: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "stats", abstract: "Shows how much the server holds, and how long it has run.")

    @OptionGroup var options: Options

    func run() throws {
      let answer = try options.call("admin.stats")
      say(options.json ? answer.text : AdminStatistics.text(of: answer))
    }
  }
}

/// The parameters that name an account by what a person has typed.
private func named(_ account: String) -> [String: JSON] {
  [ID<Person>(account) == nil ? "email" : "person": .string(account)]
}

/// The numbers of `hearth admin stats`, for people.
enum AdminStatistics {
  static func text(of answer: JSON) -> String {
    func number(_ key: String) -> Int { answer[key]?.int ?? 0 }
    var table = TextTable(["RUNNING FOR", duration(number("uptimeSeconds"))])
    table.add("Event loops", "\(number("loops"))")
    table.add(
      "Connections",
      "\(number("members")) of members, \(number("strangers")) of strangers, \(number("http")) by HTTP; "
        + "\(number("connections")) since the start")
    table.add("Calls", "\(number("calls")) since the start, \(number("refusedCalls")) of them refused")
    table.add("Commits", "\(number("commits")) since the start, and \(number("failedCommits")) that failed")
    table.add("Rooms", "\(number("storedRooms")), \(number("loadedRooms")) of them in memory")
    table.add("Subscriptions", "\(number("subscriptions"))")
    table.add("Accounts", "\(number("accounts")) with \(number("sessions")) sessions")
    table.add("On disk", size(number("storedBytes")))
    if answer["memoryBytes"] != nil { table.add("In memory", size(number("memoryBytes"))) }
    return table.text
  }

  /// Seconds as days, hours and minutes.
  static func duration(_ seconds: Int) -> String {
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60)
    if days > 0 { return "\(days) d \(hours) h" }
    if hours > 0 { return "\(hours) h \(minutes) min" }
    return minutes > 0 ? "\(minutes) min \(seconds % 60) s" : "\(seconds) s"
  }

  /// Bytes with one decimal of the largest unit that fits.
  static func size(_ bytes: Int) -> String {
    let units = ["KB", "MB", "GB", "TB"]
    guard bytes >= 1000 else { return "\(bytes) B" }
    var tenths = bytes / 100
    var unit = 0
    while tenths >= 10_000, unit < units.count - 1 {
      tenths /= 1000
      unit += 1
    }
    return "\(tenths / 10).\(tenths % 10) \(units[unit])"
  }
}

extension JSON? {
  /// A value in a table: texts without quotes, and a dash for nothing.
  fileprivate var shown: String { self.map { $0.string ?? $0.text } ?? "–" }

  /// A time up to the minute.
  fileprivate var time: String {
    guard let text = self?.string, text.count >= 16 else { return "–" }
    return String(text.prefix(16)).replacing("T", with: " ")
  }
}
