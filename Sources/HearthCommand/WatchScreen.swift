import HearthClient
import JSON
import Rooms

/// The screen of `hearth watch`: the rooms as they are, their last change, the people online. It is drawn again with
/// each event and each second.
struct WatchScreen {
  /// The state of the connection.
  enum Connection: Equatable {
    case connected
    /// The client tries again at this time, by this machine's clock.
    case lost(why: String, retryAt: Instant)
  }

  private struct Shown {
    var snapshot: RoomSnapshot
    var change: Change?
    /// The time of the newest event, by this machine's clock.
    var heardAt: Instant
    var position: LiveTimes?
    var closed: String?
  }

  private struct Change {
    var by: ID<Person>?
    var at: Instant
    /// The sections that it has touched.
    var sections: [String]
  }

  private let url: String
  private let me: ID<Person>?
  private let names: [String]
  /// Where the person is who watches.
  private let here: Coordinate?
  private var rooms: [String: Shown] = [:]
  var connection = Connection.connected
  /// How far the server's clock is ahead of this machine's. Times in rooms are the server's.
  private var ahead: Duration

  /// - Parameters:
  ///   - rooms: the names of the rooms, in the order in which they are shown.
  ///   - here: where the person is who watches.
  ///   - server: the server's time at the time `now` of this machine.
  init(
    _ rooms: [String], at url: String, me: ID<Person>?, here: Coordinate? = nil, server: Instant, now: Instant
  ) {
    names = rooms
    self.here = here
    self.url = url
    self.me = me
    ahead = server - now
  }

  /// Takes an event. `snapshot` is the room after it, `now` the time by this machine's clock.
  mutating func take(_ event: RoomEvent, of room: String, _ snapshot: RoomSnapshot?, now: Instant) {
    var shown = rooms[room] ?? Shown(snapshot: RoomSnapshot(epoch: "", version: 0, state: [:]), heardAt: now)
    if let snapshot { shown.snapshot = snapshot }
    shown.heardAt = now
    switch event {
    case .state(let whole, _):
      if snapshot == nil { shown.snapshot = whole }
      shown.position = nil
      shown.closed = nil
    case .patch(let patch):
      hear(patch.at, now)
      let sections = (patch.patch.object ?? [:]).keys.sorted()
      shown.change = Change(by: patch.by, at: patch.at ?? now + ahead, sections: sections)
    case .live(let at, _):
      hear(at, now)
      shown.position = nil
    case .tick(let at, _, let times):
      hear(at, now)
      shown.position = times
    case .pending: return
    case .closed(let reason): shown.closed = reason
    }
    rooms[room] = shown
  }

  private mutating func hear(_ instant: Instant?, _ now: Instant) { if let instant { ahead = instant - now } }

  // MARK: lines

  /// The lines of the screen, none of them wider than `columns`, and at most `rows`.
  func lines(now: Instant, columns: Int, rows: Int, isColoured: Bool) -> [String] {
    var all = [line(of: connection, now)]
    let shownNames = names.filter { rooms[$0] != nil }
    for (index, name) in shownNames.enumerated() {
      guard let shown = rooms[name] else { continue }
      all.append(ScreenLine("", .plain))
      // Of what is left, each room may take the same part.
      let part = (rows - all.count) / (shownNames.count - index)
      all += lines(of: name, shown, now, columns: columns, rows: part)
    }
    if all.count > rows, rows > 0 {
      let hidden = all.count - rows + 1
      all.removeLast(hidden)
      all.append(ScreenLine("… \(hidden) more lines: make the window higher", .faint))
    }
    return all.map { $0.drawn(columns: columns, isColoured: isColoured) }
  }

  private func line(of connection: Connection, _ now: Instant) -> ScreenLine {
    switch connection {
    case .connected: return ScreenLine("Connected to \(url)", .good)
    case .lost(let why, let retryAt):
      let seconds = max(0, (retryAt - now).milliseconds / 1000)
      return ScreenLine("Not connected: \(why) Trying again in \(seconds) s. What follows may be old.", .bad)
    }
  }

  private func lines(
    of name: String, _ shown: Shown, _ now: Instant, columns: Int, rows: Int
  ) -> [ScreenLine] {
    let time = now + ahead
    let state = shown.snapshot.state
    let labels = Labels(rooms.mapValues(\.snapshot.state), me: me)
    let share =
      name.hasPrefix("share/")
      ? ShownShare(state: state, live: shown.snapshot.live, times: shown.position, me: me) : nil
    let title =
      share.map { "Position of \($0.sharer)" }
      ?? (state["household"] ?? state["profile"])?["name"]?.string
    var lines = [ScreenLine([title, name].compactMap(\.self).joined(separator: "  "), .title)]
    if let reason = shown.closed { return lines + [ScreenLine("  closed: \(reason)", .bad)] }
    let silence = max(0, (now - shown.heardAt).milliseconds / 1000)
    lines.append(ScreenLine("  version \(shown.snapshot.version), heard of \(silence) s ago", .faint))
    if let change = shown.change {
      let author = change.by.map { " by \(labels.name(of: $0.description))" } ?? ""
      let sections = change.sections.isEmpty ? "" : ": \(change.sections.joined(separator: ", "))"
      lines.append(ScreenLine("  last change\(author), \(Labels.age(of: change.at, at: time))\(sections)", .news))
    }
    lines += presence(shown.snapshot.live["presence"], labels, time)
    if let share {
      let screen = ShareScreen(share: share, here: here, time: time)
      return lines + screen.lines(columns: columns, rows: rows - lines.count)
    }
    for (key, section) in sections(of: state) { lines += Self.lines(of: section, called: key, labels, time) }
    return lines
  }

  private func presence(_ presence: JSON?, _ labels: Labels, _ time: Instant) -> [ScreenLine] {
    let people = (presence?.object ?? [:]).map { (name: labels.name(of: $0.key), value: $0.value) }
      .sorted { $0.name < $1.name }
    let online = people.filter { $0.value["online"]?.bool == true }.map(\.name)
    let others = people.filter { $0.value["online"]?.bool != true }.map { person in
      let seen = person.value["lastSeen"]?.string.flatMap { Instant($0) }
      return person.name + (seen.map { " \(Labels.age(of: $0, at: time))" } ?? "")
    }
    var lines: [ScreenLine] = []
    if !online.isEmpty { lines.append(ScreenLine("  online: \(online.joined(separator: ", "))", .good)) }
    if !others.isEmpty { lines.append(ScreenLine("  last seen: \(others.joined(separator: ", "))", .faint)) }
    return lines
  }

  // MARK: sections

  /// Sections that come before all others.
  private static let first = ["household", "profile", "members", "notes", "groceries", "chat"]
  /// The most entries of a section that are shown.
  static let entryLimit = 8

  private func sections(of state: JSON) -> [(key: String, value: [String: JSON])] {
    let all = (state.object ?? [:]).compactMap { key, value in
      value.object.flatMap { $0.isEmpty ? nil : (key: key, value: $0) }
    }
    func place(_ key: String) -> Int { Self.first.firstIndex(of: key) ?? Self.first.count }
    return all.sorted { (place($0.key), $0.key) < (place($1.key), $1.key) }
  }

  /// A table has an entry a line, the newest first; a single record is one line.
  private static func lines(
    of section: [String: JSON], called key: String, _ labels: Labels, _ time: Instant
  ) -> [ScreenLine] {
    guard section.keys.allSatisfy({ ID<Thing>($0) != nil }), section.values.allSatisfy({ $0.object != nil }) else {
      return [ScreenLine("  \(key)", .section), ScreenLine("    \(labels.fields(of: section, at: time))", .plain)]
    }
    let entries = section.sorted { left, right in
      let (newer, older) = (when(left.value), when(right.value))
      return newer == older ? left.key < right.key : newer > older
    }
    var lines = [ScreenLine("  \(key) (\(entries.count))", .section)]
    for (id, entry) in entries.prefix(entryLimit) {
      lines.append(ScreenLine("    \(labels.line(of: entry, id, at: time))", .plain))
    }
    if entries.count > entryLimit {
      lines.append(ScreenLine("    … and \(entries.count - entryLimit) more", .faint))
    }
    return lines
  }

  /// The text of the time by which entries are ordered; times in UTC are in order as texts.
  private static func when(_ entry: JSON) -> String {
    for key in ["at", "createdAt", "joinedAt", "addedAt"] { if let text = entry[key]?.string { return text } }
    return ""
  }
}
