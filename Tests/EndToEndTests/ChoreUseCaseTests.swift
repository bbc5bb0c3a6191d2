import Foundation
import JSON
import Rooms
import Testing

@testable import HearthCommand

@Suite("Use cases: chores")
struct ChoreUseCaseTests {
  /// A day from today on, in Berlin at noon of UTC.
  private func day(_ number: Int) -> JSON {
    .string(String((Instant.now + .seconds(86_400 * number)).description.prefix(10)))
  }

  private func inbox(_ member: Member, has kind: String, about ref: JSON?) async throws {
    let me = try await member.watch("me")
    try await me.follow { me in
      me["inbox"].values.contains { $0["kind"]?.string == kind && $0["ref"] == ref && $0["readAt"] == nil }
    }
  }

  @Test("S0.6 to S0.9: a chore is added, deleted and done; everybody sees it, and the statistics say who did what")
  func chores() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo")
    let (ana, bo) = (members[0], members[1])
    let phone = try await bo.watch(room)
    // S0.7: a predefined chore, and one of their own, which the catalogue has next time.
    let dishes = try await ana.call("chores.add", in: room, ["chore": ["name": "Dishes", "essential": "dishes"]])
    let oven = try await ana.call("chores.add", in: room, ["chore": ["name": "Clean the oven", "date": day(2)]])
    try await phone.follow { $0["occurrences"].values.count == 2 }
    #expect(
      Set(phone.state["choreCatalogue"].values.compactMap { $0["name"]?.string }) == ["Dishes", "Clean the oven"])
    try await inbox(bo, has: "choreAdded", about: oven["id"])
    // S0.8: deleted, and brought back.
    let chore = try #require(oven["id"])
    try await ana.call("chores.remove", in: room, ["id": chore])
    try await phone.follow { $0["occurrences"].values.count == 1 }
    try await inbox(bo, has: "choreRemoved", about: chore)
    try await ana.call("chores.restore", in: room, ["id": chore])
    try await phone.follow { $0["occurrences"].values.count == 2 }
    // S0.9: done with a note; out of the list, in the history, in the statistics.
    let id = try #require(dishes["occurrence"])
    try await bo.call("chores.complete", in: room, ["id": id, "note": "All of them"])
    try await phone.follow { $0["occurrences"]?[id.string ?? ""] == nil }
    try await inbox(ana, has: "choreDone", about: id)
    let history = try await ana.call("chores.history", in: room)
    #expect(history["items"]?.array?.first?["note"] == "All of them")
    // S0.6: mine, and a bar for each.
    for _ in 0..<2 {
      let again = try await bo.call("chores.add", in: room, ["chore": ["name": "Dishes", "essential": "dishes"]])
      try await bo.call("chores.complete", in: room, ["id": try #require(again["occurrence"])])
    }
    let counts = try await bo.call("chores.statistics", in: room, ["from": day(-7), "to": day(2)])
    let mine = try #require(counts["people"]?[bo.id])
    let task = try #require(mine["tasks"]?.object?.first)
    #expect(mine["done"] == 3 && task.value == 3 && counts["tasks"]?[task.key]?["essential"] == "dishes")
    #expect(counts["people"]?[ana.id] == nil)
  }

  @Test("S1.7, S1.9: a chore with date, lot and repetition is on the assignee's list; done, it is rated by others")
  func turns() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo", "Cy")
    let ana = members[0]
    let chore: JSON = [
      "name": "Bath", "date": day(1), "repeat": ["every": 2, "unit": "weeks"], "strategy": "random", "urgent": true,
    ]
    let added = try await ana.call("chores.add", in: room, ["chore": chore])
    let id = try #require(added["occurrence"])
    let assigned = try #require(added["people"]?.array?.first?.string)
    let doer = try #require(members.first { $0.id == assigned })
    #expect(try await doer.watch(room).state["occurrences"]?[id.string ?? ""]?["people"] == [.string(assigned)])
    // Both complete it at once: one of them is told who was first.
    let other = try #require(members.first { $0.id != assigned })
    doer.post("chores.complete", in: room, ["id": id], id: 900)
    other.post("chores.complete", in: room, ["id": id], id: 901)
    let answers = [
      try await doer.client.next { $0["id"] == 900 }, try await other.client.next { $0["id"] == 901 },
    ]
    let refused = answers.compactMap { $0["error"]?["data"] }
    #expect(refused.count == 1 && refused.first?["reason"] == "alreadyDone" && refused.first?["by"] != nil)
    let record = try #require(try await ana.call("chores.history", in: room)["items"]?.array?.first)
    #expect(try await ana.call("chores.history", in: room)["items"]?.array?.count == 1)
    let rater = try #require(members.first { $0.id != record["by"]?.string })
    try await rater.call("chores.rate", in: room, ["id": id, "stars": 4])
    let rated = try await ana.call("chores.history", in: room)["items"]?.array?.first
    #expect(rated?["ratings"] == [rater.id: 4])
    // In two weeks again, also after a restart.
    try await server.restart()
    let home = try await ana.again(on: server).watch(room)
    #expect(home.state["occurrences"].values.first?["date"] == day(15))
  }

  @Test("S1.8: on its day the reminder is there; later it comes back; completed on it, the chore is done everywhere")
  func reminder() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo")
    let (ana, bo) = (members[0], members[1])
    // The hour of today has passed: the reminder comes at once.
    try await bo.call("settings.edit", ["hour": "00:00", "timeZone": "Europe/Berlin"])
    let berlin = try #require(TimeZone(identifier: "Europe/Berlin"))
    let today = JSON.string(Date.now.formatted(Date.ISO8601FormatStyle(timeZone: berlin).year().month().day()))
    let time = JSON.string("23:59")
    let added = try await ana.call(
      "chores.add", in: room, ["chore": ["name": "Bins", "date": today, "time": time, "people": [.string(bo.id)]]])
    let id = try #require(added["occurrence"])
    try await inbox(bo, has: "choreDue", about: id)
    let due = try #require(
      try await bo.watch("me").state["inbox"]?.object?.first { $0.value["kind"] == "choreDue" && $0.value["ref"] == id }
    )
    try await bo.call("inbox.snooze", ["id": .string(due.key), "minutes": 15])
    try await bo.watch("me").follow { $0["inbox"]?[due.key]?["readAt"] != nil }
    try await bo.call("chores.complete", in: room, ["id": id])
    try await ana.watch(room).follow { $0["occurrences"].values.isEmpty }
  }

  @Test("S1.14: points are counted where the household wants them, by month and year")
  func points() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo")
    try await members[0].call("households.update", in: room, ["points": true])
    let added = try await members[0].call("chores.add", in: room, ["chore": ["name": "Bath", "points": 5]])
    try await members[1].call("chores.complete", in: room, ["id": try #require(added["occurrence"])])
    let date = try #require(try await members[0].call("dinner.counts", in: room)["date"]?.string)
    // At night the dinner's day is the day before, which may be another month's.
    let year = try #require(Int(date.prefix(4)))
    var months: [JSON] = []
    for year in [year, year + 1] {
      let score = try await members[0].call("chores.score", in: room, ["year": .number(.init(year))])
      months += score["months"].values
    }
    #expect(months.compactMap { $0["people"]?[members[1].id]?["points"] } == [5])
  }
}

extension JSON? {
  /// The rows of a table; none if it is absent.
  fileprivate var values: [JSON] { Array((self?.object ?? [:]).values) }
}
