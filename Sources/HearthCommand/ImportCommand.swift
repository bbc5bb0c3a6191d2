import ArgumentParser
import Foundation
import HearthClient
import JSON

/// Brings the expenses of a Splitwise group into a household, as bills.
struct ImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Imports a group's expenses from Splitwise as bills.",
    discussion: """
      In Splitwise choose the group, its settings, and "Export as spreadsheet". Then try \
      it without a change: hearth import group.csv --dry-run --person "Ana B.=Ana"

      Carried over: dates, names, costs, currencies, payments, and everybody's balance, exactly. Not carried over: how \
      much each paid if there were several, comments, receipts, repeats, and categories that Hearth does not have. The \
      same file a second time adds nothing.
      """)

  @Argument(help: "The exported file.")
  var file: String

  @Argument(help: "The household: household/…. [default: the only one that you are in]")
  var room: String?

  @Option(name: .customLong("person"), help: "A name of the file and the member that it is: 'Ana B.=Ana'. Repeatable.")
  var persons: [String] = []

  @Flag(help: "Only says what would be imported.")
  var dryRun = false

  @OptionGroup var server: ServerOptions

  func validate() throws {
    for person in persons where !person.contains("=") {
      throw ValidationError("--person must be 'name in the file=member', not '\(person)'.")
    }
  }

  func run() async throws {
    guard let data = FileManager.default.contents(atPath: file), let text = String(validating: data, as: UTF8.self)
    else {
      complain("\(file) cannot be read as a text in UTF-8.")
      throw ExitCode.failure
    }
    let export = SplitwiseFile(text)
    guard export.problems.isEmpty else {
      for problem in export.problems { complain(printable("\(file): \(problem)")) }
      throw ExitCode.failure
    }
    guard let token = try server.effectiveToken else { throw notLoggedIn(at: try server.address()) }
    let (connection, _) = try await server.connect(token: token)
    let isDone: Bool
    do throws(ClientError) {
      isDone = try await carry(export, over: connection)
      await connection.close()
    } catch {
      await connection.close()
      throw failure(error)
    }
    if !isDone { throw ExitCode.failure }
  }

  private func carry(_ export: SplitwiseFile, over connection: ServerConnection) async throws(ClientError) -> Bool {
    guard let room = try await OwnHousehold.name(room, connection) else { return false }
    let state = try await connection.call("room.subscribe", room: room)["state"] ?? [:]
    guard let members = members(of: export, in: state) else { return false }
    var (added, known) = (0, 0)
    for expense in export.expenses where !dryRun {
      do throws(ClientError) {
        _ = try await connection.call("bills.add", expense.bill(members: members), room: room)
        added += 1
      } catch {
        guard case .server(let refusal) = error, refusal.reason == "exists" else { throw error }
        known += 1
      }
    }
    let currencies = Set(export.expenses.map(\.currency)).sorted()
    let count = "\(export.expenses.count) bills in \(currencies.joined(separator: ", "))"
    say(dryRun ? "\(count) would be imported." : "\(added) of \(count) were imported, \(known) were there already.")
    say(printable(balances(of: export)))
    return true
  }

  /// The ids of the people of the file; `nil`, after saying so, if one of them is nobody here.
  private func members(of export: SplitwiseFile, in state: JSON) -> [String: String]? {
    var names: [String: String] = [:]
    for person in persons {
      let parts = person.split(separator: "=", maxSplits: 1).map(String.init)
      names[parts[0]] = parts.count == 2 ? parts[1] : ""
    }
    var found: [String: String] = [:]
    let members = state["members"]?.object ?? [:]
    for person in export.people {
      let wanted = names[person] ?? person
      let ids = members.filter { $0.value["name"]?.string == wanted }.map(\.key)
      if ids.count == 1 {
        found[person] = ids[0]
      } else {
        complain(
          printable(
            ids.isEmpty
              ? "'\(wanted)' is no member: say who it is with --person '\(person)=…'."
              : "Several members are called '\(wanted)'."))
      }
    }
    return found.count == export.people.count && Set(found.values).count == found.count ? found : nil
  }

  private func balances(of export: SplitwiseFile) -> String {
    var sums: [String: [String: Int]] = [:]
    for expense in export.expenses {
      for (person, net) in expense.nets { sums[expense.currency, default: [:]][person, default: 0] += net }
    }
    var table = TextTable(["WHO", "BALANCE", "", "IN THE FILE"], numbers: [1, 3])
    for (currency, people) in sums.sorted(by: { $0.key < $1.key }) {
      for person in export.people {
        table.add(
          person, MoneyText.of(people[person] ?? 0, currency), currency,
          export.totals[currency].map { MoneyText.of($0[person] ?? 0, currency) } ?? "")
      }
    }
    return table.text
  }
}
