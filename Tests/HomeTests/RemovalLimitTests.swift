import JSON
import Rooms
import TestSupport
import Testing

@testable import Home

/// R-DEL: a person removes at most 2,000 things a day in a household.
@Suite("Removals of a day")
struct RemovalLimitTests {
  let id = ID<Household>(high: 0xB000, low: 1)
  let world = World()
  private var home: RoomID { .household(id) }

  // MARK: the window

  @Test("R-DEL: at most 2,000 in any 24 hours, and the wait that is told is the true one", arguments: 1...8)
  func window(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var recent = RecentRemovals()
    var now = World.start
    var taken: [Instant] = []
    let pauses: [Int64] = [0, 0, 0, 1, 1000, 60_000, 1_800_000, 3_600_000, 5 * 3_600_000, 24 * 3_600_000]
    for _ in 0..<400 {
      now = now + .milliseconds(pauses.randomElement(using: &random) ?? 0)
      // One call may remove many things: all of them or none.
      let count = Int.random(in: 1...300, using: &random)
      let after = Self.adding(count, to: recent, at: now)
      guard let wait = after.wait(at: now) else {
        recent = after
        taken += Array(repeating: now, count: count)
        continue
      }
      #expect(wait > .zero && wait <= .seconds(25 * 3600))
      let early = now + wait - .milliseconds(1)
      #expect(Self.adding(count, to: recent, at: early).wait(at: early) != nil, "not before")
      #expect(Self.adding(count, to: recent, at: now + wait).wait(at: now + wait) == nil, "then")
    }
    #expect(taken.count > Limits.removalsPerDay, "the window has moved on")
    var first = 0
    for last in taken.indices {
      while taken[last] - taken[first] >= .seconds(24 * 3600) { first += 1 }
      #expect(last - first < Limits.removalsPerDay)
    }
    #expect(recent.hours.count <= 25 && recent.hours.count == recent.counts.count)
  }

  private static func adding(_ count: Int, to recent: RecentRemovals, at now: Instant) -> RecentRemovals {
    var after = recent
    after.add(count, at: now)
    return after
  }

  @Test("R-DEL: a clock that was ahead and is set back blocks nobody")
  func clockSetBack() {
    let ahead = World.start + .seconds(365 * 24 * 3600)
    let recent = Self.adding(Limits.removalsPerDay, to: RecentRemovals(), at: ahead)
    #expect(Self.adding(1, to: recent, at: ahead).wait(at: ahead) != nil)
    #expect(Self.adding(1, to: recent, at: World.start).wait(at: World.start) == nil)
  }

  // MARK: households

  /// Has a person removed nearly as much as they may, a moment ago.
  private func exhaust(_ person: ID<Person>, but left: Int = 0, in room: RoomID) throws {
    let recent = Self.adding(Limits.removalsPerDay - left, to: RecentRemovals(), at: world.now)
    let turn = Turn(now: world.now)
    if let household = world.rooms[room] as? TypedRoom<HouseholdState> {
      try household.performLive(turn) { state, _ in state.ids.removals[person] = recent }
    } else if let corner = world.rooms[room] as? TypedRoom<CornerState> {
      try corner.performLive(turn) { state, _ in state.ids.removals[person] = recent }
    }
    world.sealAll()
  }

  private func note(_ person: ID<Person>) throws -> JSON {
    try #require(try world.call(person, "notes.add", in: home, ["text": "x"])["id"])
  }

  @Test("R-DEL: one who has removed too much waits as long as they are told, while others remove and they add")
  func others() throws {
    let people = try world.household(of: "Ana", "Ben")
    try exhaust(people[0], but: 2, in: home)
    for _ in 0..<2 { try world.call(people[0], "notes.remove", in: home, ["id": note(people[0])]) }
    let kept = try note(people[0])
    let version = world.rooms[home]?.version
    let refused = try #require(refusal { try world.call(people[0], "notes.remove", in: home, ["id": kept]) })
    #expect(refused.code == .rateLimited && refused.reason == "removals" && refused.isTemporary)
    #expect(world.rooms[home]?.version == version, "a refusal changes nothing")
    #expect(try world.home().board.notes.count == 1)
    #expect(throws: Never.self) { try world.call(people[1], "notes.remove", in: home, ["id": note(people[1])]) }
    let wait = try #require(refused.retryAfter)
    world.advance(wait - .milliseconds(1))
    #expect(reason { try world.call(people[0], "notes.remove", in: home, ["id": kept]) } == "rateLimited/removals")
    world.advance(.milliseconds(1))
    #expect(throws: Never.self) { try world.call(people[0], "notes.remove", in: home, ["id": kept]) }
    #expect(try world.isRestorable(home))
    world.advance(.seconds(32 * 24 * 3600))
    #expect(try world.home().ids.removals.isEmpty, "nothing of it is kept for good")
  }

  @Test("R-DEL: whatever a person removes or takes back counts, and what is left out goes on")
  func everyKind() throws {
    let people = try world.household(of: "Ana", "Ben")
    let ana = people[0]
    try world.call(ana, "households.update", in: home, ["points": true])
    func made(_ method: String, _ parameters: JSON, _ name: String = "id") throws -> JSON {
      try #require(try world.call(ana, method, in: home, parameters)[name])
    }
    world.confirmation = .pin
    let rent: JSON = [
      "title": "Rent", "amount": 900, "first": "2026-03-01", "repeat": ["every": 1, "unit": "months"],
    ]
    let owed: JSON = ["to": .id(people[1]), "amount": 1, "overpay": true]
    let wanted: JSON = ["title": "Cinema", "amount": 1, "from": [.id(people[1])]]
    let chore: JSON = ["chore": ["name": "Bath", "date": "2026-02-03", "repeat": ["every": 1, "unit": "days"]]]
    let removals: [(method: String, parameters: JSON)] = [
      ("notes.remove", ["id": try note(ana)]),
      ("chat.remove", ["id": try made("chat.send", ["text": "x"])]),
      ("groceries.remove", ["id": try made("groceries.add", ["name": "Milk"])]),
      ("chores.remove", ["id": try made("chores.add", chore)]),
      ("events.remove", ["id": try made("events.add", ["title": "Party", "start": "2026-02-05"])]),
      ("joinCodes.revoke", ["id": try made("joinCodes.create", [:])]),
      ("drinks.undo", ["id": try made("drinks.add", ["kind": "Beer", "n": 1])]),
      ("rewards.remove", ["id": try made("rewards.add", ["name": "Cake", "cost": 1])]),
      ("lists.remove", ["id": try made("lists.create", ["name": "Market"])]),
      ("bills.remove", ["id": try made("bills.add", ["bill": ["title": "Tea", "amount": 900]])]),
      ("payments.cancel", ["id": try made("payments.propose", owed)]),
      ("recurringBills.cancel", ["id": try made("recurringBills.add", ["bill": rent])]),
      ("requests.cancel", ["id": try made("requests.create", wanted)]),
    ]
    let done = try made("chores.add", ["chore": ["name": "Trash"]], "occurrence")
    try world.call(ana, "chores.complete", in: home, ["id": done])
    let next = try world.call(ana, "chores.add", in: home, chore)
    let once: JSON = ["id": next["id"] ?? .null, "occurrence": next["occurrence"] ?? .null]
    let calls = removals + [("chores.undo", ["id": done]), ("chores.remove", once)]
    try exhaust(ana, in: home)
    for (method, parameters) in calls {
      #expect(reason { try world.call(ana, method, in: home, parameters) } == "rateLimited/removals", "\(method)")
    }
    // A thing that ends is not removed: another chore is done, a payment counts, and a note expires.
    let paid: JSON = ["from": .id(people[1]), "amount": 1, "overpay": true]
    try world.call(ana, "payments.record", in: home, paid)
    try world.call(ana, "chores.complete", in: home, ["id": next["occurrence"] ?? .null])
    try world.call(ana, "notes.add", in: home, ["text": "x", "lifetime": 60_000])
    world.advance(.seconds(61))
    #expect(try world.home().board.notes.count == 1)
    world.advance(.seconds(25 * 3600))
    for (method, parameters) in removals where method != "drinks.undo" {
      #expect(throws: Never.self, "\(method)") { try world.call(ana, method, in: home, parameters) }
    }
  }

  @Test("R-DEL: a call that removes several things is taken whole or not at all")
  func several() throws {
    let ana = try world.household(of: "Ana")[0]
    let line = ID<Grocery>(high: 0x6, low: 1)
    for number in UInt64(1)...3 {
      let source: JSON = ["id": .id(ID<Grocery>(high: 0x6, low: number)), "name": "Milk"]
      try world.call(ana, "groceries.add", in: home, source)
    }
    let all: JSON = [
      "id": .id(line), "sources": .array((1...3).map { .id(ID<Grocery>(high: 0x6, low: UInt64($0))) }),
    ]
    try exhaust(ana, but: 2, in: home)
    #expect(reason { try world.call(ana, "groceries.remove", in: home, all) } == "rateLimited/removals")
    #expect(try world.home().list.groceries[line]?.sources.count == 3)
    try exhaust(ana, but: 3, in: home)
    try world.call(ana, "groceries.remove", in: home, all)
    #expect(try world.home().list.groceries.isEmpty)
  }

  @Test("R-DEL, HH-8, HH-9: it keeps nobody from removing a member, leaving, or dismissing the household")
  func leaving() throws {
    let people = try world.household(of: "Ana", "Ben", "Cem")
    for person in people {
      try world.call(person, "joinCodes.create", in: home)
      try world.call(person, "drinks.add", in: home, ["kind": "Beer", "n": 1])
      try exhaust(person, in: home)
    }
    try world.call(people[0], "members.remove", in: home, ["person": .id(people[1])])
    try world.call(people[2], "members.leave", in: home)
    // Things that went with them are nobody's removal, and what Ana has removed still counts.
    #expect(reason { try world.call(people[0], "notes.remove", in: home, ["id": note(people[0])]) } != nil)
    world.confirmation = .pin
    try world.call(people[0], "households.dismiss", in: home)
    #expect(try world.home().dismissal.isDismissed)
  }

  @Test("R-DEL: leaving and coming back does not begin a new day")
  func comingBack() throws {
    let people = try world.household(of: "Ana", "Ben")
    try exhaust(people[1], in: home)
    try world.call(people[1], "members.leave", in: home)
    try world.join([people[1]], id)
    let added = try note(people[1])
    #expect(reason { try world.call(people[1], "notes.remove", in: home, ["id": added]) } == "rateLimited/removals")
  }

  @Test("R-DEL: a member's own list has the same limit, counted by itself")
  func corner() throws {
    let ana = try world.household(of: "Ana")[0]
    let mine = RoomID.corner(id, ana)
    let item = try #require(try world.call(ana, "groceries.add", in: mine, ["name": "Tea"])["id"])
    try exhaust(ana, in: mine)
    #expect(reason { try world.call(ana, "groceries.remove", in: mine, ["id": item]) } == "rateLimited/removals")
    #expect(throws: Never.self) { try world.call(ana, "notes.remove", in: home, ["id": note(ana)]) }
    world.advance(.seconds(25 * 3600))
    try world.call(ana, "groceries.remove", in: mine, ["id": item])
    #expect(try world.corner(id, ana).list.groceries.isEmpty)
  }
}
