import ArgumentParser
import Foundation
import HearthClient
import JSON
import Rooms

/// Shows how often each member has done each chore.
struct Stats: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows who has done which chores, as a bar graph.",
    discussion: """
      Your own bar is the first. If its output is no terminal, or TERM is dumb, it prints a table instead.

      hearth stats --from 2026-11-01 --to 2026-11-30
      """)

  @Argument(help: "The household: household/…. [default: the only one that you are in]")
  var room: String?

  @Option(help: "The first day, such as 2026-11-01. [default: 29 days before the last one]")
  var from: String?

  @Option(help: "The last day. [default: today]")
  var to: String?

  @Flag(help: "Points in place of completions.")
  var points = false

  @Flag(help: "One JSON object a line, for programs.")
  var json = false

  @OptionGroup var server: ServerOptions

  func validate() throws {
    for (name, day) in [("--from", from), ("--to", to)] {
      guard let day, CalendarDay(day) == nil else { continue }
      throw ValidationError("\(name) must be a day such as 2026-11-01, not '\(day)'.")
    }
  }

  func run() async throws {
    guard let token = try server.effectiveToken else { throw notLoggedIn(at: try server.address()) }
    let (connection, greeting) = try await server.connect(token: token)
    var answer: (chart: ChoreChart, days: ClosedRange<CalendarDay>)?
    do throws(ClientError) {
      if let room = try await OwnHousehold.name(room, connection) { answer = try await ask(connection, room, greeting) }
      await connection.close()
    } catch {
      await connection.close()
      throw failure(error)
    }
    guard let (chart, days) = answer else { throw ExitCode.failure }
    if json {
      for object in chart.objects { say(printable(object.text)) }
      return
    }
    let mode = WatchMode.chosen(
      json: false, isTerminal: isatty(STDOUT_FILENO) == 1, environment: ProcessInfo.processInfo.environment)
    guard case .screen = mode else { return say(chart.table) }
    say("\(points ? "Points of chores" : "Chores") from \(days.lowerBound.text) to \(days.upperBound.text)\n")
    say(chart.graph(columns: TerminalSize.now.columns))
  }

  private func ask(
    _ connection: ServerConnection, _ room: String, _ greeting: Greeting
  ) async throws(ClientError) -> (ChoreChart, ClosedRange<CalendarDay>) {
    let state = try await connection.call("room.subscribe", room: room)["state"] ?? [:]
    let zone = state["household"]?["timeZone"]?.string ?? "UTC"
    let last = to.flatMap { CalendarDay($0) } ?? CalendarDay(at: greeting.now, in: zone)
    let first = from.flatMap { CalendarDay($0) } ?? last.adding(-29)
    let parameters: JSON = ["from": .string(first.text), "to": .string(last.adding(1).text)]
    let counts = try await connection.call("chores.statistics", parameters, room: room)
    let chart = ChoreChart(counts, household: state, me: greeting.me, countsPoints: points)
    return (chart, min(first, last)...last)
  }
}
