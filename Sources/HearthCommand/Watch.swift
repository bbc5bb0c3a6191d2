import ArgumentParser
import Foundation
import Glibc
import HearthClient
import Rooms
import Transport

/// Prints rooms and their changes.
struct Watch: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Prints rooms of a running server, and every change as it happens.",
    discussion: """
      In a terminal it shows the rooms as they are now: what is in them, what changed last, who is online, and how old \
      all that is; in colours, unless NO_COLOR is set. A share is a map, north up: the sharer, the way there, and with \
      --here the direction and distance from you. If its output is no terminal, or TERM is dumb, it prints a text for \
      each change instead.

      Reconnects if the connection is lost, and shows what it missed. Ends with Ctrl-C, when no room is left to \
      watch, or (with exit code 1) when the server refuses to reconnect.
      """)

  @Argument(help: "Rooms: me, household/…, household/…/mine or share/….")
  var rooms: [String]

  @Flag(help: "One JSON object per line, for programs: of type state, patch, live, tick or closed.")
  var json = false

  @Option(
    parsing: .unconditional,
    help: "Where you are, in degrees: distances and directions to shared positions start there, as 52.5163,13.3777.")
  var here: Coordinate?

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
    let mode = WatchMode.chosen(
      json: json, isTerminal: isatty(STDOUT_FILENO) == 1, environment: ProcessInfo.processInfo.environment)
    let printer = Printer(client, mode, rooms, at: try server.address(), greeting, here)
    let ups = Task { await Self.tell(events, printer) }
    let drawing = Task { await printer.drawEachSecond() }
    let isShown = await withTaskGroup(of: Bool.self) { group in
      for (room, events) in streams { group.addTask { await Self.show(events, of: room, printer) } }
      return await group.reduce(true) { $0 && $1 }
    }
    await client.close()
    let end = await ups.value
    drawing.cancel()
    await printer.finish()
    if let end { throw failure(end) }
    if !isShown { throw ExitCode.failure }
  }

  /// Prints the events of a room; `false` if there was nothing to print.
  private static func show(_ events: AsyncStream<RoomEvent>, of room: String, _ printer: Printer) async -> Bool {
    var isShown = false
    for await event in events {
      if !isShown, case .closed(let reason) = event {
        if reason != "sessionEnded" { await printer.note("\(room): there is no such room here (\(reason)).") }
        return false
      }
      await printer.print(event, of: room)
      isShown = true
    }
    return true
  }

  /// Shows the connection's state; returns why it does not come back.
  private static func tell(_ events: AsyncStream<ClientEvent>, _ printer: Printer) async -> ClientError? {
    for await event in events {
      switch event {
      case .connected: await printer.connected()
      case .disconnected(let error, let delay): await printer.disconnected(error, delay)
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

/// Shows the events of all rooms, one after another.
private actor Printer {
  private let client: HearthClient
  private let mode: WatchMode
  private var report: WatchReport
  private var screen: WatchScreen
  private var isDrawing = false
  /// Texts that stay to be read when the screen is gone.
  private var notes: [String] = []

  init(
    _ client: HearthClient, _ mode: WatchMode, _ rooms: [String], at url: String, _ greeting: Greeting,
    _ here: Coordinate?
  ) {
    self.client = client
    self.mode = mode
    report = WatchReport(me: greeting.me, now: greeting.now)
    screen = WatchScreen(rooms, at: url, me: greeting.me, here: here, server: greeting.now, now: MachineClock.now)
  }

  func print(_ event: RoomEvent, of room: String) async {
    if mode == .json { return say(printable(event.line(of: room))) }
    let snapshot = await client.document(of: room)?.confirmed
    if mode == .lines {
      if let text = report.text(of: event, in: room, snapshot) { say(printable(text)) }
      return
    }
    screen.take(event, of: room, snapshot, now: MachineClock.now)
    draw()
  }

  func connected() {
    guard case .screen = mode else { return complain("Reconnected.") }
    screen.connection = .connected
    draw()
  }

  func disconnected(_ error: ClientError, _ delay: Duration) {
    guard case .screen = mode else { return complain(printable("\(error) \(nextTry(in: delay))")) }
    screen.connection = .lost(why: "\(error)", retryAt: MachineClock.now + delay)
    draw()
  }

  /// Says something that is no event of a room.
  func note(_ text: String) {
    guard case .screen = mode else { return complain(printable(text)) }
    notes.append(text)
  }

  /// Keeps ages up to date, and follows the size of the window.
  func drawEachSecond() async {
    guard case .screen = mode else { return }
    while (try? await Task.sleep(for: .seconds(1))) != nil { draw() }
  }

  private func draw() {
    guard case .screen(let isColoured) = mode else { return }
    let size = TerminalSize.now
    let lines = screen.lines(now: MachineClock.now, columns: size.columns, rows: size.rows, isColoured: isColoured)
    // The other screen of the terminal, without a cursor. Each line erases what was behind it.
    let start = isDrawing ? "" : "\u{1B}[?1049h\u{1B}[?25l"
    isDrawing = true
    put("\(start)\u{1B}[H\(lines.joined(separator: "\u{1B}[K\r\n"))\u{1B}[K\u{1B}[J")
  }

  /// Gives the terminal back as it was.
  func finish() {
    if isDrawing { put("\u{1B}[?25h\u{1B}[?1049l") }
    isDrawing = false
    for text in notes { complain(printable(text)) }
  }
}
