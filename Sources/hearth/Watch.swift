import ArgumentParser
import HearthClient
import Rooms
import Transport

/// Shows rooms as they change.
struct Watch: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows rooms of a running server, and every change as it happens.",
    discussion: "Ends with Ctrl-C, when nothing is left to watch, or (with exit code 1) when the connection is lost.")

  @Argument(help: "Rooms: me, household/…, household/…/mine or share/….")
  var rooms: [String]

  @Flag(help: "One JSON object per line, for programs: of type state, patch, live, tick or closed.")
  var json = false

  @OptionGroup var server: ServerOptions

  func validate() throws {
    guard Set(rooms).count == rooms.count else { throw ValidationError("A room is named twice.") }
    guard server.effectiveToken == nil else { return }
    throw ValidationError(
      "Watching needs a token: `hearth call auth.logIn -` answers one, for --token or \(ServerOptions.tokenVariable).")
  }

  func run() async throws {
    let (client, greeting) = try await server.connect()
    let signals = try ProcessSignals([.interrupt, .terminate], poster: SpotPoster()) { _ in
      Task { await client.close() }
    }
    defer { signals.cancel() }

    var streams: [(room: String, events: AsyncStream<RoomEvent>)] = []
    do throws(ClientError) {
      for room in rooms { streams.append((room, try await client.subscribe(room))) }
    } catch {
      await client.close()
      throw failure(error)
    }
    let printer = Printer(client, greeting: greeting, json: json)
    await withTaskGroup { group in
      for (room, events) in streams {
        group.addTask { for await event in events { await printer.print(event, of: room) } }
      }
    }
    await client.close()
    let end = await client.ended()
    if end != .closed { throw failure(end) }
  }
}

/// Prints the events of all rooms, one after the other.
private actor Printer {
  private let client: HearthClient
  private let isForPrograms: Bool
  private var report: WatchReport

  init(_ client: HearthClient, greeting: Greeting, json: Bool) {
    self.client = client
    isForPrograms = json
    report = WatchReport(me: greeting.me, now: greeting.now)
  }

  func print(_ event: RoomEvent, of room: String) async {
    if isForPrograms { return say(printable(event.line(of: room))) }
    let snapshot = await client.state(of: room)
    if let text = report.text(of: event, in: room, snapshot) { say(printable(text)) }
  }
}
