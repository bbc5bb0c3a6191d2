import HearthClient
import JSON
import Rooms

/// Describes events of rooms in words.
struct WatchReport {
  private let me: ID<Person>?
  /// The server's clock, as of the newest event. Ages are computed by it, not by this machine's clock.
  private var now: Instant

  init(me: ID<Person>?, now: Instant) {
    self.me = me
    self.now = now
  }

  /// The text for an event; `nil` if there is nothing to print. `snapshot` is the room after the event.
  mutating func text(of event: RoomEvent, in room: String, _ snapshot: RoomSnapshot?) -> String? {
    switch event {
    case .state(let whole, let reason):
      let parts = [whole.state, whole.live.without("position", "link", "trail")].flatMap(\.outline)
      let lines = parts.map { "  \($0)" } + position(whole.live)
      let isFirst = reason == "new" || reason == "kept"
      return head(room, "version \(whole.version)\(isFirst ? "" : ", full state (\(reason))")", lines)
    case .patch(let change):
      hear(change.at)
      let who = change.by.map { ", by \(name(of: $0, snapshot))" } ?? ""
      let lines = change.patch.changes.map { "  \($0)" }
      return head(
        room, "version \(change.version)\(who)", lines.isEmpty ? ["  no visible change"] : lines, at: change.at)
    case .live(let at, let patch):
      hear(at)
      let lines = patch.without("position", "link", "trail").changes.map { "  \($0)" }
      let isOfPosition = patch["position"] != nil || patch["link"] != nil
      // A trail is for maps and programs.
      if lines.isEmpty, !isOfPosition, patch["trail"] != nil { return nil }
      return head(room, "now", lines + (isOfPosition ? position(snapshot?.live ?? [:]) : []), at: at)
    case .tick(let at, _, let times):
      hear(at)
      guard times != nil, let live = snapshot?.live, live["position"] != nil else { return nil }
      return head(room, "unchanged", position(live, times), at: at)
    case .pending: return nil
    case .closed(let reason): return head(room, "closed: \(reason)", [])
    }
  }

  private mutating func hear(_ instant: Instant?) { now = max(now, instant ?? now) }

  private func head(_ room: String, _ what: String, _ lines: [String], at: Instant? = nil) -> String {
    ([[at?.description, room, what].compactMap(\.self).joined(separator: "  ")] + lines).joined(separator: "\n")
  }

  private func name(of person: ID<Person>, _ snapshot: RoomSnapshot?) -> String {
    if person == me { return "you" }
    return snapshot?.state["members"]?[person.description]?["name"]?.string ?? person.description
  }

  /// A position, its age, and how long the phone has been silent.
  private func position(_ live: JSON, _ times: LiveTimes? = nil) -> [String] {
    guard let position = live["position"], let lat = position["lat"], let lon = position["lon"] else { return [] }
    var line = "  position \(lat.text), \(lon.text)"
    if let accuracy = position["accuracy"] { line += " ±\(accuracy.text) m" }
    if let at = times?.at ?? instant(position["at"]) {
      let age = age(of: at)
      line += ", \(age) s old\(age > 180 ? " (lost)" : age > 60 ? " (stale)" : "")"
    }
    if let link = times?.link ?? instant(live["link"]?["at"]) { line += ", phone last seen \(age(of: link)) s ago" }
    if position["suspect"]?.bool == true { line += ", suspect" }
    return [line]
  }

  private func instant(_ value: JSON?) -> Instant? { value?.string.flatMap { Instant($0) } }

  private func age(of instant: Instant) -> Int64 { max(0, (now - instant).milliseconds / 1000) }
}

/// One line of JSON for programs.
extension RoomEvent {
  func line(of room: String) -> String {
    let writer = Writer()
    writer.openObject()
    switch self {
    case .state(let whole, let reason):
      begin("state", room, writer)
      writer.key("reason")
      writer.string(reason)
      writer.key("epoch")
      writer.string(whole.epoch)
      write("version", whole.version, writer)
      writer.key("state")
      whole.state.write(to: writer)
      writer.key("live")
      whole.live.write(to: writer)
    case .patch(let change):
      begin("patch", room, writer)
      write("from", change.from, writer)
      write("version", change.version, writer)
      write("at", change.at?.description, writer)
      write("by", change.by?.description, writer)
      writer.key("patch")
      change.patch.write(to: writer)
    case .live(let at, let patch):
      begin("live", room, writer)
      write("at", at?.description, writer)
      writer.key("patch")
      patch.write(to: writer)
    case .tick(let at, let version, let times):
      begin("tick", room, writer)
      write("at", at.description, writer)
      write("version", version, writer)
      if let times {
        writer.key("live")
        writer.openObject()
        write("at", times.at?.description, writer)
        write("link", times.link?.description, writer)
        writer.closeObject()
      }
    case .pending(let count):
      begin("pending", room, writer)
      write("count", Int64(count), writer)
    case .closed(let reason):
      begin("closed", room, writer)
      write("reason", reason, writer)
    }
    writer.closeObject()
    return String(decoding: writer.bytes(), as: UTF8.self)
  }

  private func begin(_ type: StaticString, _ room: String, _ writer: Writer) {
    writer.key("type")
    writer.string(type)
    write("room", room, writer)
  }

  private func write(_ key: StaticString, _ value: String?, _ writer: Writer) {
    guard let value else { return }
    writer.key(key)
    writer.string(value)
  }

  private func write(_ key: StaticString, _ value: Int64, _ writer: Writer) {
    writer.key(key)
    writer.int(Int(value))
  }
}
