import JSON
import Rooms
import Testing

@testable import Home

/// A household in which chores are done, in Berlin on Monday, 2 February 2026, at 03:40.
struct ChoreWorld {
  let world = World()
  let home = RoomID.household(ID(high: 0xB000, low: 1))
  let people: [ID<Person>]

  init(_ names: String...) throws { try self.init(names: names) }

  init(names: [String]) throws {
    var people: [ID<Person>] = []
    for name in names { people.append(try world.signUp(name)) }
    self.people = people
    try world.call(
      people[0], "households.create",
      ["id": .id(ID<Household>(high: 0xB000, low: 1)), "name": "Home", "timeZone": "Europe/Berlin", "currency": "EUR"])
    for person in people.dropFirst() {
      world.advance(.seconds(1))
      try world.join([person], ID(high: 0xB000, low: 1))
    }
  }

  var state: HouseholdState { get throws { try world.home() } }

  @discardableResult
  func call(_ person: Int, _ method: String, _ parameters: JSON) throws -> JSON {
    try world.call(people[person], method, in: home, parameters)
  }

  /// Adds a chore; returns the id of its occurrence.
  @discardableResult
  func add(_ chore: JSON, by person: Int = 0) throws -> ID<Occurrence> {
    let answer = try call(person, "chores.add", ["chore": chore])
    return try #require(answer["occurrence"]?.string.flatMap { ID($0) })
  }

  /// Completes an occurrence; returns the next one.
  @discardableResult
  func complete(_ id: ID<Occurrence>, by person: Int, _ more: [String: JSON] = [:]) throws -> ID<Occurrence>? {
    try call(person, "chores.complete", .object(more.merging(["id": .id(id)]) { $1 }))["next"]?.string.flatMap {
      ID($0)
    }
  }

  func occurrence(_ id: ID<Occurrence>) throws -> Occurrence { try #require(try state.chores.occurrences[id]) }

  func chore(of id: ID<Occurrence>) throws -> (id: ID<Chore>, chore: Chore) {
    let chore = try occurrence(id).chore
    return (chore, try #require(try state.chores.chores[chore]))
  }

  /// The members who are to do an occurrence, by their numbers.
  func turn(_ id: ID<Occurrence>?) throws -> [Int] {
    try occurrence(try #require(id)).people.map { person in people.firstIndex(of: person) ?? -1 }
  }

  /// The records of the history, oldest first.
  var records: [ChoreRecord] {
    (world.history[home] ?? []).filter { $0.kind == "chore" }.sorted { $0.at < $1.at }
      .compactMap { $0.body.flatMap { ChoreRecord(history: $0) } }
  }

  /// The unread notifications of a member, by kind.
  func unread(_ person: Int) throws -> [NotificationKind] {
    try world.me(people[person]).inbox.notifications.values.filter { $0.readAt == nil }
      .sorted { ($0.at, $0.kind.rawValue) < ($1.at, $1.kind.rawValue) }.map(\.kind)
      .filter { $0 != .joined && $0 != .host }
  }

  func refused(_ body: () throws -> some Any) -> String? { reason(body) }

  /// Moves the clock to a local time in Berlin.
  func go(to day: String, _ time: String = "12:00", in zone: String = "Europe/Berlin") throws {
    let instant = ZoneTime(zone).instant(try #require(LocalDay(day)), minute: LocalTime(text: time).minute)
    world.advance(instant - world.now)
  }

  func person(_ index: Int) -> JSON { .id(people[index]) }
  var everyone: JSON { .array(people.map { .id($0) }) }
}

/// An instant by a local clock.
func local(_ day: String, _ time: String, in zone: String = "Europe/Berlin") throws -> Instant {
  ZoneTime(zone).instant(try #require(LocalDay(day)), minute: LocalTime(text: time).minute)
}
