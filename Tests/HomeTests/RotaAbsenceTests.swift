import JSON
import Rooms
import Testing

@testable import Home

/// Members who come, leave or are away while the rota runs.
@Suite("Rota and absences")
struct RotaAbsenceTests {
  let base = RotaTests()
  var world: World { base.world }

  func doers(_ week: String, _ people: [ID<Person>]) throws -> [String] { try base.doers(week, people) }

  func away(_ person: ID<Person>, _ from: String, _ to: String, _ more: [String: JSON] = [:]) throws {
    let days: [String: JSON] = ["from": .string(from), "to": .string(to)]
    try base.call(person, "members.away", .object(days.merging(more) { $1 }))
  }

  func claim(_ person: ID<Person>, _ task: Int, _ week: String? = nil) throws {
    try base.call(person, "rota.claim", base.mark(task, week ?? base.monday))
  }

  // MARK: coming and leaving

  @Test("S2.1, ROT-5: a newcomer is in the rota from next Monday if everybody else is; guests never are")
  func joining() throws {
    let people = try world.household(of: "Ana", "Ben")
    try base.rota(of: people)
    let cem = try world.signUp("Cem")
    try world.join([cem], base.id)
    let all = people + [cem]
    #expect(try doers(base.monday, all) == ["1", "–", "0"] && doers(base.next, all) == ["0", "1", "2"])
    #expect(try world.home().rota.newest?.version.by == cem)
    // The household has chosen: from now on it goes on choosing.
    try base.call(people[0], "rota.set", ["residents": [.id(people[0]), .id(cem)]])
    let dan = try world.signUp("Dan")
    try world.join([dan], base.id)
    #expect(try world.home().rota.newest?.version.residents == [people[0], cem])
    try base.call(people[0], "rota.set", ["residents": .array((all + [dan]).map { .id($0) })])
    try away(people[0], base.monday, "2026-02-20")
    let gil = try world.signUp("Gil")
    let invitation: JSON = ["household": .id(base.id), "email": "gil@example.org", "guest": true]
    let guest = try world.call(people[0], "invitations.send", invitation)
    try world.call(gil, "invitations.accept", ["id": guest["id"] ?? .null])
    #expect(try world.home().rota.newest?.version.residents == all + [dan])
    #expect(refusal { try base.call(people[0], "rota.set", ["residents": [.id(gil)]]) }?.fields.count == 1)
  }

  @Test("S2.1, HH-10, ROT-5: a leaver's task this week is open to claim, and from Monday on the others share all")
  func leaving() throws {
    let people = try world.household(of: "Ana", "Ben", "Cem")
    try base.rota(of: people)
    try base.call(people[2], "members.leave")
    #expect(try doers(base.monday, people) == ["1", "open", "0"] && doers(base.next, people) == ["0", "1", "–"])
    #expect(try world.home().rota.version(in: base.day(base.monday))?.residents.count == 3)
    try claim(people[0], 1)
    #expect(try doers(base.monday, people) == ["1", "0", "0"])
    // The one who has claimed leaves, too; the first comes back in the same week and has their turn again.
    try base.call(people[0], "members.leave")
    #expect(try doers(base.monday, people) == ["1", "open", "open"] && doers(base.next, people) == ["1", "–", "–"])
    try world.join([people[2]], base.id)
    #expect(try doers(base.monday, people) == ["1", "2", "open"] && doers(base.next, people) == ["1", "2", "–"])
  }

  @Test("ROT-5, ACC-9: an account that is deleted leaves the rota, and with the last resident nobody has a turn")
  func deleted() throws {
    let people = try world.household(of: "Ana", "Ben")
    try base.call(people[0], "rota.set", ["tasks": base.entries(1), "residents": [.id(people[1])]])
    try base.call(people[1], "rota.tick", base.mark(0, base.monday, ["done": true]))
    try world.delete(people[1])
    let version = try #require(try world.home().rota.newest?.version)
    #expect(version.residents.isEmpty && version.by == people[1])
    #expect(try doers(base.monday, people) == ["open"] && doers(base.next, people) == ["–"])
    #expect(try world.home().turn(of: base.tasks[0], in: base.day(base.monday))?.doneBy == people[1])
  }

  // MARK: away

  @Test("S2.1, HH-12: an absentee's turn is their stand-in's if they are away on its Sunday, else open")
  func absence() throws {
    let people = try world.household(of: "Ana", "Ben", "Cem")
    try base.rota(of: people)
    // Ben has the kitchen this week and the bathroom next week.
    try away(people[1], "2026-02-02", "2026-02-07")
    #expect(try doers(base.monday, people) == ["1", "2", "0"], "back before the turn is due")
    try away(people[1], "2026-02-08", "2026-02-14")
    #expect(try doers(base.monday, people) == ["open", "2", "0"] && doers(base.next, people) == ["0", "1", "2"])
    try away(people[1], "2026-02-08", "2026-02-15", ["delegate": .id(people[2])])
    #expect(try doers(base.monday, people) == ["2", "2", "0"] && doers(base.next, people) == ["0", "2", "2"])
    // A stand-in who is away themselves is none.
    try away(people[2], "2026-02-15", "2026-02-16")
    #expect(try doers(base.monday, people) == ["2", "2", "0"] && doers(base.next, people) == ["0", "open", "open"])
    try base.call(people[1], "members.back")
    #expect(try doers(base.monday, people) == ["1", "2", "0"] && doers(base.next, people) == ["0", "1", "open"])
  }

  @Test("HH-12: a guest takes the turns of their host, and gives back with their stay what they have claimed")
  func guest() throws {
    let people = try world.household(of: "Ana", "Ben", "Cem")
    try base.rota(of: people)
    try away(people[1], "2026-02-02", "2026-02-08")
    let gil = try world.signUp("Gil")
    let invitation: JSON = ["household": .id(base.id), "email": "gil@example.org", "guest": true]
    let guest = try world.call(people[1], "invitations.send", invitation)
    try world.call(gil, "invitations.accept", ["id": guest["id"] ?? .null])
    let all = people + [gil]
    #expect(try doers(base.monday, all) == ["3", "2", "0"])
    try away(people[2], "2026-02-02", "2026-02-09")
    try claim(gil, 1)
    try base.call(gil, "rota.tick", base.mark(0, base.monday, ["done": true]))
    #expect(try doers(base.monday, all) == ["3", "3", "0"])
    try base.call(people[1], "members.back")
    #expect(try doers(base.monday, all) == ["1", "open", "0"])
    #expect(try world.home().turn(of: base.tasks[0], in: base.day(base.monday))?.doneBy == gil)
  }

  // MARK: claims

  @Test("ROT-5: of two who claim a task the first has it, also when its owner is back, until they give it back")
  func claims() throws {
    let people = try world.household(of: "Ana", "Ben", "Cem")
    try base.rota(of: people)
    #expect(reason { try claim(people[2], 0) } == "conflict/notOpen")
    try away(people[1], "2026-02-02", "2026-02-10")
    for _ in 1...2 { try claim(people[2], 0) }
    let late = refusal { try claim(people[0], 0) }
    #expect(late?.reason == "alreadyClaimed" && late?.details["by"] == .id(people[2]))
    // Only one's own claim is given back.
    try base.call(people[0], "rota.release", base.mark(0, base.monday))
    #expect(try doers(base.monday, people)[0] == "2")
    for _ in 1...2 { try base.call(people[2], "rota.release", base.mark(0, base.monday)) }
    #expect(try doers(base.monday, people)[0] == "open")
    try claim(people[0], 0)
    try base.call(people[1], "members.back")
    #expect(try doers(base.monday, people)[0] == "0")
    try base.call(people[0], "rota.release", base.mark(0, base.monday))
    #expect(try doers(base.monday, people)[0] == "1")
  }

  @Test("ROT-5: a claim is of this week, and of what is not done yet")
  func badClaims() throws {
    let people = try world.household(of: "Ana", "Ben", "Cem")
    try base.rota(2, of: people)
    try away(people[1], "2026-02-02", "2026-02-28")
    for week in ["2026-01-26", base.next] {
      let found = refusal { try claim(people[0], 0, week) }
      #expect(found?.fields.map { "\($0.path) \($0.text)" } == ["week must be this week"])
    }
    #expect(reason { try claim(people[0], 2) } == "notFound/gone")
    try base.call(people[2], "rota.tick", base.mark(0, base.monday, ["done": true]))
    #expect(reason { try claim(people[0], 0) } == "conflict/alreadyDone")
    // A task that is left out this week, because there are more tasks than residents, is nobody's.
    try base.call(people[0], "rota.set", ["tasks": base.entries(3), "residents": [.id(people[0]), .id(people[2])]])
    world.advance(.seconds(7 * 86_400))
    #expect(try doers(base.next, people) == ["0", "2", "–"])
    #expect(reason { try claim(people[0], 2, base.next) } == "conflict/notOpen")
  }

  @Test("ROT-6, SYN-3: a tick or a claim that was made offline and comes in another week is refused, not moved to it")
  func late() throws {
    let people = try world.household(of: "Ana", "Ben", "Cem")
    try base.rota(of: people)
    try away(people[1], "2026-02-02", "2026-02-28")
    world.advance(.seconds(14 * 86_400))
    let mark = base.mark(0, base.monday, ["done": true])
    #expect(refusal { try base.call(people[0], "rota.tick", mark) }?.fields.map(\.path) == ["week"])
    #expect(refusal { try claim(people[0], 0) }?.fields.map(\.path) == ["week"])
    #expect(try world.home().rota.weeks.isEmpty)
  }

  @Test("HH-18, HH-11: the rota outlives a dismissal, and is read back from its log as it was")
  func restored() throws {
    let people = try world.household(of: "Ana", "Ben")
    try base.rota(of: people)
    try base.call(people[1], "rota.tick", base.mark(0, base.monday, ["done": true]))
    let before = try base.call(people[0], "rota.weeks")
    world.confirmation = .pin
    try base.call(people[0], "households.dismiss")
    try world.call(people[0], "households.restore", ["household": .id(base.id)])
    #expect(try base.call(people[0], "rota.weeks") == before)
    #expect(try world.isRestorable(base.room))
    world.cut(base.room)
    #expect(try world.isRestorable(base.room))
  }
}
