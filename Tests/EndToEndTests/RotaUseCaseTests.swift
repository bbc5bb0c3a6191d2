import JSON
import Rooms
import Testing

@testable import HearthCommand
@testable import Home

/// The rota from beginning to end, as two people who live together meet it.
@Suite("Use cases of the rota")
struct RotaUseCaseTests {
  /// A client's plan, from the household's state alone: the index of the task of each resident in a week, as
  /// protocol.md says; `nil` is a free week.
  private static func tasks(in week: LocalDay, by state: JSON) -> [Int?] {
    let versions = (state["rota"]?.object?.values).map(Array.init) ?? []
    let begun = versions.filter { ($0["fromWeek"]?.string ?? "") <= week.text }
    guard let version = begun.max(by: { ($0["fromWeek"]?.string ?? "") < ($1["fromWeek"]?.string ?? "") }) else {
      return []
    }
    let (tasks, residents) = (version["tasks"]?.array?.count ?? 0, version["residents"]?.array?.count ?? 0)
    let number = week.isoWeek.week - 1
    return (0..<residents).map { resident in
      let task = (resident + number) % max(tasks, residents)
      return task < tasks ? task : nil
    }
  }

  /// The same from the server's table.
  private static func tasks(in week: JSON, of residents: [Member]) -> [Int?] {
    let turns = week["turns"]?.array ?? []
    return residents.map { member in turns.firstIndex { $0["resident"]?.string == member.id } }
  }

  private static func day(_ value: JSON?) throws -> LocalDay { try #require(value?.string.flatMap { LocalDay($0) }) }

  @Test("S2.1: tasks and residents in, the schedule of all weeks out, with free weeks or tasks left out, over New Year")
  func schedule() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo", "Cy")
    let phone = try await members[1].watch(room)
    let names: [JSON] = ["Kitchen", "Bathroom", "Hall", "Bins"]
    for count in 2...4 {
      let set = try await members[0].call(
        "rota.set", in: room, ["tasks": .array(names.prefix(count).map { ["name": $0] })])
      try await phone.follow { state in state["rota"]?.object?.values.contains { $0["tasks"] == set["tasks"] } == true }
      // From three weeks before the year ends on; the version may begin later only if New Year is near.
      let first = try Self.day(set["fromWeek"])
      let newYear = LocalDay(year: first.isoWeek.year + 1, month: 1, day: 4).monday
      let from = max(first, newYear.adding(-21))
      let table = try await members[2].call("rota.weeks", in: room, ["from": .string(from.text), "count": 8])
      let weeks = try #require(table["items"]?.array)
      #expect(weeks.count == 8)
      for week in weeks {
        let computed = Self.tasks(in: try Self.day(week["week"]), by: phone.state)
        #expect(Self.tasks(in: week, of: members) == computed, "\(count) tasks: \(week.text)")
        // Fewer tasks than residents leave somebody free, more leave one undone.
        #expect(computed.count { $0 == nil } == max(0, 3 - count))
        #expect(week["turns"]?.array?.count { $0["resident"] == nil } == max(0, count - 3))
      }
    }
  }

  @Test("S2.1: my task this week and its tick; a newcomer, an absence and a leaver in the middle of a cycle")
  func year() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo", "Cy")
    let (ana, bo, cy) = (members[0], members[1], members[2])
    let screen = try await bo.watch(room)
    let names: [JSON] = ["Kitchen", "Bathroom", "Hall"]
    let set = try await ana.call("rota.set", in: room, ["tasks": .array(names.map { ["name": $0] })])
    let week = try #require(set["fromWeek"])
    func turns() async throws -> [JSON] {
      let table = try await ana.call("rota.weeks", in: room, ["from": week, "count": 1])
      return try #require(table["items"]?[0]?["turns"]?.array)
    }
    // Bo's task this week, from the state that his phone has anyway.
    try await screen.follow { $0["rota"]?.object?.isEmpty == false }
    let mine = try #require(Self.tasks(in: try Self.day(week), by: screen.state)[1])
    let task = try #require(set["tasks"]?[mine])
    #expect(try await turns()[mine]["person"]?.string == bo.id)
    try await bo.call("rota.tick", in: room, ["task": task, "week": week, "done": true])
    #expect(try await turns()[mine]["doneBy"]?.string == bo.id)
    #expect(try await cy.call("rota.list", in: room)["items"]?[0]?["by"]?.string == bo.id)
    // Dee moves in: this week stays, next week has four residents.
    let before = try await turns()
    let dee = try await server.member("Dee")
    try await ana.letIn([dee], to: room)
    try await screen.follow { $0["rota"]?.object?.count == 2 }
    #expect(try await turns() == before)
    #expect(screen["rota"].values.contains { $0["residents"]?.array?.count == 4 })
    // Cy is away: the task is open, Bo takes it on, and keeps it when Cy is back.
    let his = try #require(before.firstIndex { $0["person"]?.string == cy.id })
    let today = String(Instant.now.description.prefix(10))
    let later = String((Instant.now + .seconds(8 * 86_400)).description.prefix(10))
    try await cy.call("members.away", in: room, ["from": .string(today), "to": .string(later)])
    #expect(try await turns()[his]["open"] == true)
    let claim: [String: JSON] = ["task": try #require(set["tasks"]?[his]), "week": week]
    try await bo.call("rota.claim", in: room, claim)
    #expect(try await ana.refusal("rota.claim", in: room, claim).reason == "alreadyClaimed")
    try await cy.call("members.back", in: room)
    #expect(try await turns()[his]["person"]?.string == bo.id)
    // Dee leaves again, before her first week.
    try await dee.call("members.leave", in: room)
    try await screen.follow { !($0["rota"]?.object?.values.contains { $0["residents"]?.array?.count == 4 } ?? true) }
    #expect(try await turns().map { $0["resident"] } == before.map { $0["resident"] })
  }
}
