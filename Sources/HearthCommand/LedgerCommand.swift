import ArgumentParser
import Foundation
import HearthClient
import JSON
import Rooms

/// Shows what all owe each other, and the account of a month.
struct LedgerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ledger", abstract: "Shows balances and a month's account, or exports the whole ledger.",
    discussion: """
      hearth ledger --month 2026-11
      hearth ledger --csv > ledger.csv     a row for each person of each entry: they add up to their balance
      """)

  @Argument(help: "The household: household/…. [default: the only one that you are in]")
  var room: String?

  @Option(help: "The month, such as 2026-11. [default: this one]")
  var month: String?

  @Flag(help: "All entries as comma-separated values.")
  var csv = false

  @Flag(help: "Balances, entries and bills as JSON, in minor units.")
  var json = false

  @OptionGroup var server: ServerOptions

  func validate() throws {
    if let month, month.utf8.count != 7 || CalendarDay("\(month)-01") == nil {
      throw ValidationError("--month must be a month such as 2026-11, not '\(month)'.")
    }
    if csv, json { throw ValidationError("--csv and --json exclude each other.") }
  }

  func run() async throws {
    guard let token = try server.effectiveToken else { throw notLoggedIn(at: try server.address()) }
    let (connection, greeting) = try await server.connect(token: token)
    var answer: (report: LedgerReport, month: String)?
    do throws(ClientError) {
      if let room = try await OwnHousehold.name(room, connection) {
        answer = try await ask(connection, room, greeting)
      }
      await connection.close()
    } catch {
      await connection.close()
      throw failure(error)
    }
    guard let (report, month) = answer else { throw ExitCode.failure }
    if csv { return print(report.csv, terminator: "") }
    if json { return say(printable(report.json.text)) }
    say(report.balances)
    if !report.debts.isEmpty { say("\n\(report.debts)") }
    say("\n\(report.account(of: month))")
  }

  private func ask(
    _ connection: ServerConnection, _ room: String, _ greeting: Greeting
  ) async throws(ClientError) -> (LedgerReport, String) {
    let state = try await connection.call("room.subscribe", room: room)["state"] ?? [:]
    let entries = try await connection.pages("ledger.list", room: room)
    let bills = try await connection.pages("bills.list", room: room)
    let zone = state["household"]?["timeZone"]?.string ?? "UTC"
    let report = LedgerReport(household: state, entries: entries, bills: bills, me: greeting.me)
    return (report, month ?? String(CalendarDay(at: greeting.now, in: zone).text.prefix(7)))
  }
}

extension ServerConnection {
  /// All items of a list that the server sends in pages.
  func pages(_ method: String, room: String) async throws(ClientError) -> [JSON] {
    var items: [JSON] = []
    var next: JSON?
    repeat {
      var parameters: [String: JSON] = ["limit": 100]
      parameters["before"] = next
      let page = try await call(method, .object(parameters), room: room)
      items += page["items"]?.array ?? []
      next = page["next"]
    } while next != nil
    return items
  }
}
