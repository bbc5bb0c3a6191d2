import ArgumentParser
import HearthClient
import JSON
import Rooms

/// Lists all shares of a person.
struct Shares: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Lists your shares and those of others with you: where everybody is, and for how long.",
    discussion: "`hearth watch share/…` shows one of them as a live map.")

  @Option(
    parsing: .unconditional,
    help: "Where you are, in degrees, such as 52.5163,13.3777: for distances, and as the start of directions.")
  var here: Coordinate?

  @Flag(help: "One JSON object a line, for programs.")
  var json = false

  @OptionGroup var server: ServerOptions

  /// How many shares are asked for at once: the server takes 128 subscriptions of a connection.
  private static let askedAtOnce = 60

  func run() async throws {
    guard let token = try server.effectiveToken else { throw notLoggedIn(at: try server.address()) }
    let (connection, greeting) = try await server.connect(token: token)
    let start = ContinuousClock.now
    let rows: [ShareTable.Row]
    do throws(ClientError) {
      rows = try await Self.rows(connection, greeting.me)
      await connection.close()
    } catch {
      await connection.close()
      throw failure(error)
    }
    let table = ShareTable(rows, here: here, time: greeting.now + (.now - start))
    if json {
      for object in table.objects { say(printable(object.text)) }
    } else {
      if rows.isEmpty { server.mentionHiddenShares() }
      say(table.text ?? "Nobody shares a position with you, and you share yours with nobody.")
    }
  }

  private static func rows(_ connection: ServerConnection, _ me: ID<Person>?) async throws(ClientError) -> [ShareTable
    .Row]
  {
    let state = try await connection.call("room.subscribe", room: "me")["state"] ?? [:]
    var rest = (state["shares"]?.object ?? [:]).sorted { $0.key < $1.key }[...]
    var rows: [ShareTable.Row] = []
    while !rest.isEmpty {
      let part = rest.prefix(askedAtOnce)
      rest = rest.dropFirst(part.count)
      let answers = await answers(connection, "room.subscribe", part.map(\.key))
      for (id, entry) in part {
        switch answers[id] {
        case .success(let room): rows.append(ShareTable.Row(id: id, entry: entry, room: room, me: me))
        // A share that has ended meanwhile is no room any more.
        case .failure(.server(let error)) where error.code == 3: continue
        case .failure(let error): throw error
        case nil: continue
        }
      }
      if !rest.isEmpty { _ = await Self.answers(connection, "room.unsubscribe", part.map(\.key)) }
    }
    return rows
  }

  /// Calls a method of all these shares before the first answer comes.
  private static func answers(
    _ connection: ServerConnection, _ method: String, _ shares: [String]
  ) async -> [String: Result<JSON, ClientError>] {
    await withTaskGroup(of: (String, Result<JSON, ClientError>).self) { group in
      for id in shares {
        group.addTask {
          do throws(ClientError) { return (id, .success(try await connection.call(method, room: "share/\(id)"))) } catch
          {
            return (id, .failure(error))
          }
        }
      }
      return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
  }
}
