import JSON
import Rooms
import TestSupport
import Testing

@testable import Home

@Suite("Rewards")
struct RewardTests {
  let house: ChoreWorld
  let iceCream = ID<Reward>(high: 0xE0, low: 1)

  init() throws {
    house = try ChoreWorld("Ana", "Ben", "Cem")
    try house.call(0, "households.update", ["points": true])
  }

  private func add(_ cost: Int, _ name: String = "Ice cream", as id: ID<Reward>, by person: Int = 0) throws {
    try house.call(person, "rewards.add", ["id": .id(id), "name": .string(name), "cost": .number(.init(cost))])
  }

  /// Completes a chore that has these points; returns its occurrence.
  @discardableResult private func earn(_ points: Int, by person: Int) throws -> ID<Occurrence> {
    let id = try house.add(["name": "Dishes", "points": .number(.init(points))], by: person)
    try house.complete(id, by: person)
    return id
  }

  @discardableResult private func redeem(_ person: Int, _ more: [String: JSON] = [:]) throws -> JSON {
    try house.call(person, "rewards.redeem", .object(more.merging(["reward": .id(iceCream)]) { given, _ in given }))
  }

  private func left(_ person: Int) throws -> Int { try house.state.balance(of: house.people[person]).left }
  private func history(_ more: JSON = [:]) throws -> [JSON] {
    try house.call(0, "rewards.history", more)["items"]?.array ?? []
  }

  // MARK: the catalogue

  @Test("STA-6, R-DEL: any resident adds, edits and removes a reward, and brings it back for ten minutes")
  func catalogue() throws {
    try add(50, as: iceCream, by: 1)
    try house.call(2, "rewards.edit", ["id": .id(iceCream), "cost": 60])
    let reward = try #require(try house.state.rewards.rewards[iceCream])
    #expect(reward.name == "Ice cream" && reward.cost == 60 && reward.author == house.people[1])
    #expect(reward.editedBy == house.people[2] && reward.editedAt == house.world.now)
    #expect(house.refused { try add(1, as: iceCream) } == "conflict/exists")
    let before = house.world.patches[house.home]?.count
    try house.call(0, "rewards.edit", ["id": .id(iceCream), "name": "Ice cream"])
    #expect(try house.state.rewards.rewards[iceCream] == reward, "an edit that says the same changes nothing")
    #expect(house.world.patches[house.home]?.count == before.map { $0 + 1 })

    try house.call(0, "rewards.remove", ["id": .id(iceCream)])
    #expect(house.refused { try redeem(1) } == "notFound/gone")
    #expect(house.refused { try house.call(0, "rewards.edit", ["id": .id(iceCream), "cost": 1]) } == "notFound/gone")
    house.world.advance(.seconds(600) - .milliseconds(1))
    let back = ID<Reward>(high: 0xE0, low: 2)
    try house.call(2, "rewards.restore", ["id": .id(iceCream), "newId": .id(back)])
    #expect(try house.state.rewards.rewards[back]?.was == iceCream && house.state.rewards.rewards[back]?.cost == 60)
    #expect(house.refused { try house.call(2, "rewards.restore", ["id": .id(iceCream)]) } == "notFound/gone")
    try house.call(0, "rewards.remove", ["id": .id(back)])
    house.world.advance(.seconds(600))
    #expect(house.refused { try house.call(0, "rewards.restore", ["id": .id(back)]) } == "notFound/gone")
    #expect(try house.state.rewards.removed.isEmpty)
    #expect(house.refused { try add(1, as: back) } == "conflict/exists", "its id is remembered")
  }

  @Test("STA-6: every bad field of a reward is named at once, and a refused call changes nothing")
  func fields() throws {
    let found = refusal { try house.call(0, "rewards.add", ["name": " ", "cost": 0, "price": 1]) }
    #expect(Set(found?.fields.map(\.path) ?? []) == ["name", "cost", "price"])
    #expect(try house.state.rewards.rewards.isEmpty)
  }

  @Test("STA-6, STA-4: where points are off, nothing is added, changed or redeemed")
  func off() throws {
    try add(1, as: iceCream)
    try earn(5, by: 1)
    try house.call(0, "households.update", ["points": false])
    for method in ["rewards.edit", "rewards.remove", "rewards.restore"] {
      #expect(house.refused { try house.call(0, method, ["id": .id(iceCream)]) } == "conflict/pointsOff", "\(method)")
    }
    #expect(house.refused { try add(1, as: ID(high: 0xE0, low: 9)) } == "conflict/pointsOff")
    #expect(house.refused { try redeem(1) } == "conflict/pointsOff")
    // Points come back as they were.
    try house.call(0, "households.update", ["points": true])
    #expect(try redeem(1)["left"] == 4)
  }

  @Test("STA-6, HH-12: a guest changes no reward, and redeems what their points are worth")
  func guests() throws {
    try add(10, as: iceCream)
    try house.call(0, "members.away", ["from": "2026-02-02", "to": "2026-02-10"])
    let guest = try house.world.signUp("Gil")
    let sent: JSON = ["household": .id(ID<Household>(high: 0xB000, low: 1)), "email": "gil@example.org", "guest": true]
    let invitation = try #require(try house.world.call(house.people[0], "invitations.send", sent)["id"])
    try house.world.call(guest, "invitations.accept", ["id": invitation])
    for (method, more) in [
      ("rewards.add", ["name": "Cake", "cost": 1] as JSON), ("rewards.edit", ["id": .id(iceCream), "cost": 1]),
      ("rewards.remove", ["id": .id(iceCream)]), ("rewards.restore", ["id": .id(iceCream)]),
    ] {
      #expect(reason { try house.world.call(guest, method, in: house.home, more) } == "forbidden/guest", "\(method)")
    }
    let id = try house.add(["name": "Dishes", "points": 15])
    try house.world.call(guest, "chores.complete", in: house.home, ["id": .id(id)])
    let answer = try house.world.call(guest, "rewards.redeem", in: house.home, ["reward": .id(iceCream)])
    #expect(answer["left"] == 5)
  }

  // MARK: points

  @Test("STA-6: a member spends points, never more than they have; the others are told, and the history lists it")
  func redeeming() throws {
    try add(50, as: iceCream)
    try earn(80, by: 1)
    #expect(try house.state.rewards.points[house.people[1]] == PointBalance(earned: 80, spent: 0))
    let id = ID<Redemption>(high: 0xED, low: 1)
    #expect(try redeem(1, ["id": .id(id), "cost": 50])["left"] == 30)
    #expect(house.refused { try redeem(1, ["id": .id(id)]) } == "conflict/exists")
    let poor = refusal { try redeem(1) }
    #expect(poor?.reason == "tooFewPoints" && poor?.code == .conflict)
    #expect(house.refused { try redeem(0) } == "conflict/tooFewPoints")
    #expect(try house.state.rewards.points[house.people[1]] == PointBalance(earned: 80, spent: 50))
    let entry: JSON = [
      "reward": .id(iceCream), "name": "Ice cream", "points": -50, "by": house.person(1), "at": .at(house.world.now),
    ]
    #expect(try history() == [entry] && history(["person": house.person(1)]) == [entry])
    #expect(try history(["person": house.person(0)]).isEmpty)
    let event = try #require(try house.state.feed.activity.values.max { $0.n < $1.n })
    #expect(event.kind == .rewardRedeemed && event.actor == house.people[1] && event.name == "Ice cream")
    for (person, isTold) in [(0, true), (1, false), (2, true)] {
      #expect(try house.unread(person).contains(.rewardRedeemed) == isTold)
    }
    // All of it, to the point.
    try earn(20, by: 1)
    #expect(try redeem(1)["left"] == 0)
  }

  @Test("STA-6: a queued call does not spend more than its caller saw, and an edit leaves what was redeemed")
  func price() throws {
    try add(50, as: iceCream)
    try earn(200, by: 1)
    try redeem(1)
    try house.call(0, "rewards.edit", ["id": .id(iceCream), "cost": 90, "name": "Sundae"])
    #expect(house.refused { try redeem(1, ["cost": 50]) } == "conflict/costChanged")
    #expect(try left(1) == 150 && redeem(1, ["cost": 90])["left"] == 60)
    let entries = try history()
    #expect(entries.compactMap { $0["points"]?.int }.sorted() == [-90, -50])
    #expect(Set(entries.compactMap { $0["name"]?.string }) == ["Ice cream", "Sundae"])
  }

  @Test("STA-6, R-DEL: a redemption is undone within ten minutes, by its member or the host")
  func undo() throws {
    try add(50, as: iceCream)
    try earn(100, by: 1)
    let id = try #require(try redeem(1)["id"])
    #expect(house.refused { try house.call(2, "rewards.undo", ["id": id]) } == "forbidden/forbidden")
    house.world.advance(.seconds(600) - .milliseconds(1))
    try house.call(1, "rewards.undo", ["id": id])
    #expect(try left(1) == 100 && history().isEmpty && !house.unread(0).contains(.rewardRedeemed))
    #expect(house.refused { try house.call(1, "rewards.undo", ["id": id]) } == "notFound/gone")
    #expect(house.refused { try redeem(1, ["id": id]) } == "conflict/exists", "its id is remembered")
    let next = try #require(try redeem(1)["id"])
    try house.call(0, "rewards.undo", ["id": next])
    let last = try #require(try redeem(1)["id"])
    house.world.advance(.seconds(600))
    #expect(house.refused { try house.call(1, "rewards.undo", ["id": last]) } == "notFound/gone")
    #expect(try house.state.rewards.redemptions.isEmpty && left(1) == 50)
    #expect(try house.world.isRestorable(house.home))
  }

  @Test("STA-6, CHO-24: undoing a completion is never refused: points that are spent are owed, and none can be spent")
  func debt() throws {
    try add(50, as: iceCream)
    let done = try earn(60, by: 1)
    try redeem(1)
    try house.call(1, "chores.undo", ["id": .id(done)])
    #expect(try house.state.rewards.points[house.people[1]] == PointBalance(earned: 0, spent: 50) && left(1) == 0)
    #expect(house.refused { try redeem(1) } == "conflict/tooFewPoints")
    try earn(70, by: 1)
    #expect(try left(1) == 20, "what was owed is paid first")
  }

  @Test("STA-6, HH-10: one who leaves and comes back has neither more points nor those again that they have spent")
  func comingBack() throws {
    try add(50, as: iceCream)
    try earn(80, by: 1)
    try earn(5, by: 2)
    try redeem(1)
    for person in 1...2 { try house.call(person, "members.leave", [:]) }
    try house.world.join(house.people[1...2], ID(high: 0xB000, low: 1))
    #expect(try left(1) == 30 && left(2) == 5)
    #expect(house.refused { try redeem(1) } == "conflict/tooFewPoints")
  }

  @Test("STA-6, CHO-3: points stay when the name of a chore is forgotten, and go with an undone completion even then")
  func forgotten() throws {
    let done = try earn(30, by: 1)
    let task = try #require(try house.state.chores.catalogue.keys.first)
    try house.call(0, "chores.forget", ["task": .id(task)])
    #expect(try left(1) == 30)
    try earn(5, by: 1)
    #expect(try left(1) == 35)
    try house.call(1, "chores.undo", ["id": .id(done)])
    #expect(try left(1) == 5)
  }

  @Test("STA-6: without a row a balance is what the completions have earned, for spending and for earning")
  func withoutRow() throws {
    try add(50, as: iceCream)
    for person in 1...2 { try earn(60, by: person) }
    let room = try #require(house.world.rooms[house.home] as? TypedRoom<HouseholdState>)
    try room.performLive(Turn(now: house.world.now)) { state, _ in
      for person in house.people { state.rewards.points[person] = nil }
    }
    house.world.sealAll()
    #expect(try redeem(1)["left"] == 10)
    try earn(5, by: 2)
    #expect(try house.state.rewards.points[house.people[2]] == PointBalance(earned: 65, spent: 0))
  }

  @Test("STA-6: a balance is what all completions have earned less what was spent, whatever happens", arguments: 1...4)
  func balance(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    house.world.checksStates = false
    for number in 1...3 { try add(number * 40, as: ID(high: 0xE0, low: UInt64(number))) }
    var done: [ID<Occurrence>] = []
    var redeemed: [JSON] = []
    var expected = [0, 0, 0].map { (earned: $0, spent: $0) }
    var earned: [ID<Occurrence>: (person: Int, points: Int)] = [:]
    var spent: [String: (person: Int, points: Int)] = [:]
    for _ in 0..<80 {
      let person = Int.random(in: 0..<3, using: &random)
      switch Int.random(in: 0..<8, using: &random) {
      case 0...3:
        let points = Int.random(in: 0...60, using: &random)
        let id = try earn(points, by: person)
        done.append(id)
        earned[id] = (person, points)
        expected[person].earned += points
      case 4:
        guard let id = done.popLast(), let was = earned[id] else { continue }
        try house.call(was.person, "chores.undo", ["id": .id(id)])
        expected[was.person].earned -= was.points
      case 5, 6:
        let number = Int.random(in: 1...3, using: &random)
        let answer = refusalOr { try redeem(person, ["reward": .id(ID<Reward>(high: 0xE0, low: UInt64(number)))]) }
        let isRich = max(expected[person].earned - expected[person].spent, 0) >= number * 40
        #expect((answer["id"] != nil) == isRich)
        guard let id = answer["id"] else { continue }
        redeemed.append(id)
        spent[id.text] = (person, number * 40)
        expected[person].spent += number * 40
      default:
        guard let id = redeemed.popLast(), let was = spent[id.text] else { continue }
        try house.call(was.person, "rewards.undo", ["id": id])
        expected[was.person].spent -= was.points
      }
      for (index, wanted) in expected.enumerated() {
        let found = try house.state.balance(of: house.people[index])
        #expect(found.earned == wanted.earned && found.spent == wanted.spent && found.left >= 0)
        #expect(try found.earned == house.state.chores.points(of: house.people[index]))
      }
    }
    let sum = try history(["limit": 100]).reduce(0) { $0 + ($1["points"]?.int ?? 0) }
    #expect(sum == -expected.reduce(0) { $0 + $1.spent })
    house.world.checkState(of: try #require(house.world.rooms[house.home]))
    #expect(try house.world.isRestorable(house.home))
  }

  /// The answer, or nothing if the call was refused.
  private func refusalOr(_ call: () throws -> JSON) -> JSON { (try? call()) ?? [:] }
}
