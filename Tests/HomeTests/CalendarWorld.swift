import Crypto
import JSON
import Rooms
import Testing

@testable import Home

/// A household whose members have links to their calendars, in Berlin on Monday, 2 February 2026, at 03:40.
struct CalendarWorld {
  let chores: ChoreWorld
  var world: World { chores.world }
  var people: [ID<Person>] { chores.people }
  static let id = ID<Household>(high: 0xB000, low: 1)

  init(_ names: String...) throws {
    chores = try ChoreWorld(names: names)
  }

  /// Makes a link to a member's calendar.
  func link(_ person: Int) throws -> String {
    try #require(try chores.call(person, "calendar.link", [:])["path"]?.string)
  }

  /// The calendar behind a path, as the server finds it.
  func calendar(at path: String) throws -> [UInt8]? {
    guard path.hasPrefix(HomeRooms.calendarPath), path.hasSuffix(HomeRooms.calendarEnding) else { return nil }
    let secret = path.dropFirst(HomeRooms.calendarPath.count).dropLast(HomeRooms.calendarEnding.count)
    let hash = SHA256.hash(Array(secret.utf8))
    guard let room = world.secrets[hash].flatMap({ world.rooms[$0] }) else { return nil }
    return HomeRooms.calendar(secretHash: hash, of: room, at: world.now)
  }

  func bytes(of person: Int) throws -> [UInt8] {
    try world.home().calendar(of: people[person], in: Self.id, at: world.now)
  }

  /// The events in the calendar of a member, with one title.
  func events(of person: Int, titled title: String? = nil) throws -> [Properties] {
    let found = Properties.all("VEVENT", in: try bytes(of: person))
    return found.filter { title == nil || $0["SUMMARY"] == title }
  }

  /// The days or times at which single events with a title begin.
  func starts(of person: Int, titled title: String) throws -> [String] {
    try events(of: person, titled: title).compactMap { $0["DTSTART"] }.sorted()
  }
}

/// The properties of a component, unfolded, by their names without parameters.
struct Properties {
  /// The lines as they are, without folds.
  let lines: [String]

  subscript(name: String) -> String? {
    lines.first { $0.hasPrefix(name + ":") || $0.hasPrefix(name + ";") }.flatMap { line in
      line.firstIndex(of: ":").map { String(line[line.index(after: $0)...]) }
    }
  }

  /// The lines of a calendar, unfolded.
  static func lines(of calendar: [UInt8]) -> [String] {
    let text = String(decoding: calendar, as: UTF8.self).replacing("\r\n ", with: "")
    return text.split(separator: "\r\n").map(String.init)
  }

  static func all(_ component: String, in calendar: [UInt8]) -> [Properties] {
    var (found, open): ([Properties], [String]?) = ([], nil)
    for line in lines(of: calendar) {
      if line == "BEGIN:" + component {
        open = []
      } else if line == "END:" + component {
        found.append(Properties(lines: open ?? []))
        open = nil
      } else {
        open?.append(line)
      }
    }
    return found
  }
}
