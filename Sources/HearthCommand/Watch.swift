import ArgumentParser
import Foundation
import HearthClient
import Rooms
import Transport

/// Prints rooms and their changes.
struct Watch: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Prints rooms of a running server, and every change as it happens.",
    discussion: """
      Reconnects if the connection is lost, and prints what it missed. Ends with Ctrl-C, when no room is left to \
      watch, or (with exit code 1) when the server refuses to reconnect.
      """)

  @Argument(help: "Rooms: me, household/…, household/…/mine or share/….")
  var rooms: [String]

  @Flag(help: "One JSON object per line, for programs: of type state, patch, live, tick or closed.")
  var json = false

  @OptionGroup var server: ServerOptions

  func validate() throws {
    guard Set(rooms).count == rooms.count else { throw ValidationError("A room is named twice.") }
    guard try server.effectiveToken == nil else { return }
    throw notLoggedIn(at: try server.address())
  }

  func run() async throws {
    guard let token = try server.effectiveToken else { throw ExitCode.validationFailure }
    let (client, greeting) = try await server.stayConnected(token: token)
    let signals = try ProcessSignals([.interrupt, .terminate], poster: SpotPoster()) { _ in
      Task { await client.close() }
    }
    defer { signals.cancel() }

    let events = client.events()
    var streams: [(room: String, events: AsyncStream<RoomEvent>)] = []
    do throws(ClientError) {
      for room in rooms { streams.append((room, try await client.follow(room))) }
    } catch {
      await client.close()
      throw failure(error)
    }
    let printer = Printer(client, greeting: greeting, json: json)
    let ups = Task { await Self.tell(events) }
    let isShown = await withTaskGroup(of: Bool.self) { group in
      for (room, events) in streams { group.addTask { await Self.show(events, of: room, printer) } }
      return await group.reduce(true) { $0 && $1 }
    }
    await client.close()
    if let end = await ups.value { throw failure(end) }
    if !isShown { throw ExitCode.failure }
  }

  /// Prints the events of a room; `false` if there was nothing to print.
  private static func show(_ events: AsyncStream<RoomEvent>, of room: String, _ printer: Printer) async -> Bool {
    var isShown = false
    for await event in events {
      if !isShown, case .closed(let reason) = event {
        if reason != "sessionEnded" { complain(printable("\(room): there is no such room here (\(reason)).")) }
        return false
      }
      await printer.print(event, of: room)
      isShown = true
    }
    return true
  }

  /// Prints the connection's state; returns why it does not come back.
  private static func tell(_ events: AsyncStream<ClientEvent>) async -> ClientError? {
    for await event in events {
      switch event {
      case .connected: complain("Reconnected.")
      case .disconnected(let error, let delay): complain(printable("\(error) \(nextTry(in: delay))"))
      case .stopped(let error, _): return error
      case .answered, .refused, .delayed, .storageFailed: break
      }
    }
    return nil
  }
}

/// Says when the next attempt is.
func nextTry(in delay: Duration) -> String {
  "Retrying in \(delay.formatted(.units(allowed: [.seconds], fractionalPart: .show(length: 1))))."
}

/// Prints the events of all rooms, one after another.
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
    let snapshot = await client.document(of: room)?.confirmed
    if let text = report.text(of: event, in: room, snapshot) { say(printable(text)) }
  }
}
