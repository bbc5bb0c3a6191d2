import Foundation
import JSON
import Rooms
import TestSupport
import Testing

@testable import Home

/// People who do anything at any time, while the mail between rooms takes its time.
///
/// A seed is the same run again where `SWIFT_DETERMINISTIC_HASHING=1` is set. `HEARTH_SEEDS` says how many to try.
///
/// After each change the world compares the state with what the patches add up to; here the rest is held: a refusal
/// changes nothing, every room is read back from its log, patches compose, and once the mail has arrived everybody's
/// copies agree with the truth.
@Suite("Random worlds")
struct RandomWorldTests {
  static let seeds = 1...(ProcessInfo.processInfo.environment["HEARTH_SEEDS"].flatMap(UInt64.init) ?? 8)

  @Test("rooms agree with each other and can be restored after random calls", arguments: seeds)
  func random(seed: UInt64) throws {
    var run = Run(seed: seed)
    try run.prepare()
    for step in 0..<500 {
      try run.step()
      if step % 50 == 49 { try run.checkRestoring() }
    }
    try run.meet()
    try run.checkShares()
    try run.settle()
    try run.checkAgreement()
    try run.checkRestoring()
    try run.vanish()
    run.checkComposition()
    #expect(run.done > 50, "seed \(seed): too few calls got through to mean anything")
  }
}

private struct Run {
  let seed: UInt64
  var random: SeededGenerator
  let world = World()
  var people: [ID<Person>] = []
  var calls: [(key: CallKey, at: Instant)] = []
  var codes: [JSON] = []
  var done = 0
  var logins: UInt64 = 0
  /// Every person who was ever blocked, and by whom.
  var blocks: Set<[ID<Person>]> = []
  let names = ["Ana", "Ben", "Cem", "Dan", "Eva"]
  /// The first names of `people`.
  lazy var signedUp = names
  /// The clients by which each person reports; every client is a log-in of its own.
  let devices = [ID<Client>(high: 7, low: 7), ID(high: 7, low: 8)]

  init(seed: UInt64) {
    self.seed = seed
    random = SeededGenerator(seed: seed)
    world.deliversAtOnce = false
  }

  mutating func prepare() throws {
    world.deliversAtOnce = true
    for name in names { people.append(try world.signUp(name, birthday: "1990-05-31")) }
    _ = try world.household(of: "Ana", "Ben", "Cem", "Dan")
    try world.call(people[0], "households.update", in: .household(ID(high: 0xB000, low: 1)), ["points": true])
    world.deliversAtOnce = false
  }

  // MARK: drawing

  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
  mutating func chance(_ percent: Int) -> Bool { number(1...100) <= percent }
  mutating func pick<T>(_ list: some Collection<T>) -> T? { list.randomElement(using: &random) }

  /// One of a few ids, so that some are met again. After 25 days they are others: ids are remembered for 30.
  mutating func id<Of>(_ space: UInt64, _ known: some Collection<ID<Of>>) -> JSON {
    if chance(70), let known = known.sorted().randomElement(using: &random) { return .id(known) }
    let period = UInt64((world.now - World.start).milliseconds / (25 * 86_400_000))
    return .id(ID<Of>(high: space, low: period << 8 | UInt64(number(1...12))))
  }

  mutating func step() throws {
    if chance(40), !world.mail.isEmpty {
      world.deliver(number(0...world.mail.count - 1))
    } else if chance(5) {
      try comeAndGo()
    } else if chance(12) {
      let unit = pick([1, 1000, 60_000, 3_600_000, 86_400_000]) ?? 1
      world.advance(.milliseconds(unit * number(1...10)))
    } else {
      try act()
    }
  }

  /// Shares end long before a run does: some begin now, so that there are copies to compare.
  mutating func meet() throws {
    world.deliverAll()
    for person in people { startShare(person, try world.me(person)) }
    for _ in 0..<100 {
      guard let person = pick(people) else { return }
      if chance(60), !world.mail.isEmpty {
        world.deliver(number(0...world.mail.count - 1))
      } else if chance(20) {
        world.advance(.seconds(number(1...30)))
      } else if chance(85) {
        try actInShare(person, world.me(person))
      } else {
        try ask(person, world.me(person))
      }
    }
  }

  /// Two people delete their accounts while everybody goes on: nothing names them once the mail has arrived (ACC-9).
  mutating func vanish() throws {
    world.deliversAtOnce = false
    var gone: [String] = []
    for step in 0..<150 {
      if step % 50 == 40, gone.count < 2, let index = people.indices.randomElement(using: &random) {
        world.confirmation = .pin
        call(people.remove(at: index), "auth.deleteAccount")
        world.confirmation = nil
        gone.append(signedUp.remove(at: index))
      }
      try self.step()
    }
    try settle()
    try checkAgreement()
    try checkRestoring()
    for name in gone { #expect(!world.names(name), "seed \(seed): nothing names \(name)") }
  }

  // MARK: acting

  mutating func act() throws {
    guard let person = pick(people) else { return }
    let me = try world.me(person)
    if chance(60) { return try actAtHome(person, me) }
    if chance(25) { return try actOnContacts(person, me) }
    switch number(0...14) {
    case 14: call(person, "inbox.thank", ["id": id(0x1000, me.inbox.notifications.keys)])
    case 10: call(person, "households.restore", ["household": id(0xB000, me.dismissed.households.keys)])
    case 0:
      call(
        person, "households.create",
        ["id": id(0xB000, me.memberships.households.keys), "name": "Home", "timeZone": "UTC", "currency": "EUR"])
    case 1, 2: call(person, "invitations.accept", ["id": id(0xF000, me.memberships.invitations.keys)])
    case 3: call(person, "invitations.decline", ["id": id(0xF000, me.memberships.invitations.keys)])
    case 4, 5: call(person, "households.join", ["code": pick(codes) ?? "0123456789"])
    case 6: startShare(person, me)
    case 7, 11, 12: try actInShare(person, me)
    case 13: try ask(person, me)
    case 8: call(person, "inbox.read", chance(50) ? ["all": true] : ["ids": [id(0x1000, me.inbox.notifications.keys)]])
    default:
      var parameters: [String: JSON] = ["muted": ["note": .bool(chance(50)), "joined": .bool(chance(50))]]
      if chance(60) { parameters["presence"] = chance(50) ? "hidden" : "shown" }
      call(person, "settings.edit", .object(parameters))
    }
  }

  mutating func actOnContacts(_ person: ID<Person>, _ me: PersonState) throws {
    guard let other = pick(people) else { return }
    let blocked = me.contacts.blocked.keys.sorted()
    switch number(0...11) {
    case 0...3:
      let email = "\((pick(signedUp) ?? "Ana").lowercased())@example.org"
      let chosen: JSON = chance(50) ? id(0x3000 + person.low, [ID<ContactInvitation>]()) : .null
      call(
        person, "contacts.invite",
        chance(50) ? ["email": .string(email), "id": chosen] : ["person": .id(other), "id": chosen])
    case 4: call(person, "contacts.revoke", ["id": id(0x3000, me.contacts.sent.keys)])
    case 5...7: call(person, "contacts.accept", ["id": id(0x3000, me.contacts.invitations.keys)])
    case 8: call(person, "contacts.decline", ["id": id(0x3000, me.contacts.invitations.keys)])
    case 9: call(person, "contacts.remove", ["person": .id(pick(me.contacts.contacts.keys.sorted()) ?? other)])
    case 10:
      blocks.insert([other, person])
      call(person, "contacts.block", ["person": .id(other)])
    default:
      call(person, "contacts.unblock", ["person": .id(pick(blocked) ?? other)])
      if chance(30), let index = people.firstIndex(of: person) {
        call(person, "profile.update", ["name": .string("\(signedUp[index]) \(number(1...3))")])
      }
    }
  }

  /// People come and go, and log in and out: the server tells the rooms.
  mutating func comeAndGo() throws {
    guard let person = pick(people), let me = world.rooms[.person(person)] else { return }
    var devices: [ID<Session>: HomeRooms.ListedDevice] = [:]
    for device in try world.me(person).devices.list.keys.sorted() where chance(70) {
      devices[device] = HomeRooms.ListedDevice(name: "Phone", createdAt: World.start, lastUsedAt: world.now)
    }
    if chance(50) {
      logins += 1
      devices[ID(high: 0x5E00, low: logins)] = HomeRooms.ListedDevice(
        name: "Tablet", createdAt: world.now, lastUsedAt: world.now)
    }
    if HomeRooms.keep(devices: devices, in: me, turn: Turn(now: world.now)) { world.sealAll() }
    #expect(try Set(world.me(person).devices.list.keys) == Set(devices.keys), "seed \(seed): devices")
    guard let household = pick(try world.me(person).memberships.households.keys.sorted()),
      let home = world.rooms[.household(household)]
    else { return }
    let seenAt = chance(10) ? nil : world.now
    HomeRooms.note(person, isOnline: chance(60), seenAt: seenAt, in: home, turn: Turn(now: world.now))
    #expect(!home.hasUnsealedChanges, "seed \(seed): who is there is in no log")
  }

  mutating func startShare(_ person: ID<Person>, _ me: PersonState) {
    let known = Set(me.memberships.mates.keys).union(me.contacts.contacts.keys)
    let receivers = known.sorted().filter { _ in chance(70) }
    var parameters: [String: JSON] = [
      "id": id(0xE000, me.shares.entries.keys), "receivers": .array(receivers.map { .id($0) }),
      "ride": .bool(chance(40)),
    ]
    if chance(50) { parameters["until"] = .at(world.now + .seconds(900 * number(1...8))) }
    if chance(60) { parameters["place"] = ["lat": 52, "lon": 4, "r": 200, "label": "home"] }
    if chance(50) { parameters["trail"] = true }
    if chance(25) {
      parameters["stop"] = "notify"
    } else if chance(50) {
      parameters["silence"] = chance(50) ? "confirms" : "keeps"
    }
    if chance(30) { parameters["position"] = ["lat": chance(50) ? 52 : 53, "lon": 4, "accuracy": 10] }
    call(person, "shares.start", .object(parameters))
  }

  mutating func ask(_ person: ID<Person>, _ me: PersonState) throws {
    guard let other = pick(people) else { return }
    if chance(70) {
      call(person, "shares.ask", ["person": .id(other)])
    } else {
      call(person, "shares.declineAsk", ["person": .id(pick(me.asks.asks.keys.sorted()) ?? other)])
    }
  }

  /// Several in a row, as the people in a share do when they meet.
  mutating func actInShare(_ person: ID<Person>, _ me: PersonState) throws {
    guard let share = pick(me.shares.entries.keys.sorted()) else { return }
    for _ in 0..<number(1...4) { try act(in: share, chance(50) ? person : pick(people) ?? person) }
  }

  mutating func act(in share: ID<Share>, _ person: ID<Person>) throws {
    let minutes: JSON = ["minutes": .number(.init(number(1...15)))]
    let room = RoomID.share(share)
    switch number(0...19) {
    case 0:
      if chance(50) {
        call(person, "shares.takeOver", by: pick(devices))
      } else {
        world.confirmation = chance(80) ? .pin : nil
        call(person, "shares.end", ["share": .id(share)], by: pick(devices))
        world.confirmation = nil
      }
    case 1, 2: call(person, "shares.see", in: room)
    case 3: call(person, "shares.extend", in: room, ["until": .at(world.now + .seconds(900 * number(1...8)))])
    case 4: call(person, "shares.leave", in: room)
    case 5, 6: call(person, "shares.stop", in: room)
    case 7, 8: call(person, "shares.answerStop", in: room, ["confirm": .bool(chance(50))])
    case 9, 10: call(person, "pickup.ready", in: room)
    case 11, 12, 13: call(person, "pickup.accept", in: room, minutes)
    case 14: call(person, "pickup.update", in: room, minutes)
    case 15: call(person, "pickup.release", in: room)
    case 16: call(person, chance(30) ? "pickup.cancel" : "pickup.collected", in: room)
    case 17: goHome(person, in: room)
    default: report(person, to: room)
    }
  }

  /// Arrives where the share has a place and the person is its sharer.
  mutating func goHome(_ person: ID<Person>, in room: RoomID) {
    for lat in [52.01, 52, 52] as [JSON] {
      let fix: JSON = ["lat": lat, "lon": 4, "accuracy": 10, "fixTime": .at(world.now)]
      call(person, "positions.report", in: room, ["sentAt": .at(world.now), "fixes": [fix]])
      world.advance(.seconds(20))
    }
  }

  mutating func report(_ person: ID<Person>, to room: RoomID) {
    let isAtPlace = chance(50)
    let fixes = (0..<number(0...3)).map { _ -> JSON in
      [
        "lat": .number(.init(isAtPlace ? 52 : number(-90...90))),
        "lon": .number(.init(isAtPlace ? 4 : number(-180...180))),
        "accuracy": .number(.init(number(1...(isAtPlace ? 100 : 2000)))),
        "fixTime": .at(world.now - .seconds(number(-100...100))),
      ]
    }
    let report: JSON = ["sentAt": .at(world.now - .seconds(number(-50...50))), "fixes": .array(fixes)]
    let device = pick(devices)
    call(person, "positions.report", report, by: device)
    call(person, "positions.report", in: room, report, by: device)
  }

  mutating func actOnRota(_ person: ID<Person>, _ here: RoomID, _ home: HouseholdState) {
    let week: JSON = .string(home.week(at: world.now).adding(7 * number(-1...0)).text)
    var mark: [String: JSON] = ["task": id(0xD000, home.rota.tasks.keys), "week": week]
    switch number(0...5) {
    case 0:
      let people = home.membership.members.keys.sorted().filter { _ in chance(60) }
      let tasks = (0..<number(0...3)).map { _ in
        JSON.object(["name": "Task", "id": chance(60) ? id(0xD000, home.rota.tasks.keys) : .null])
      }
      var parameters: [String: JSON] = ["restart": chance(50) ? "year" : "never"]
      if chance(60) { parameters["tasks"] = .array(tasks) }
      if chance(60) { parameters["residents"] = .array(people.map { .id($0) }) }
      call(person, "rota.set", in: here, .object(parameters))
    case 1...3:
      mark["done"] = .bool(chance(70))
      call(person, "rota.tick", in: here, .object(mark))
    case 4: call(person, "rota.claim", in: here, .object(mark))
    default: call(person, "rota.release", in: here, .object(mark))
    }
  }

  mutating func actOnEvents(_ person: ID<Person>, _ here: RoomID, _ home: HouseholdState) {
    let day = home.zone.day(at: world.now).adding(number(-3...20))
    let events = home.events.events.keys
    let special = home.specialEvents.special.keys
    switch number(0...9) {
    case 0, 1:
      let who: JSON = chance(50) ? .null : [.id(person)]
      call(
        person, "events.add",
        in: here, ["id": id(0xE7E0, events), "title": "Party", "start": .string(day.text), "who": who])
    case 2, 3:
      var changes: [String: JSON] = ["id": id(0xE7E0, events)]
      if chance(50) { changes["start"] = .string(day.text + "T10:00") }
      if chance(30) { changes["end"] = chance(50) ? .null : .string(day.text + "T11:00") }
      if chance(40) {
        changes["repeats"] = chance(40) ? .null : ["every": .number(.init(number(1...3))), "unit": "weeks"]
      }
      call(person, "events.edit", in: here, .object(changes))
    case 4: call(person, "events.remove", in: here, ["id": id(0xE7E0, events)])
    case 5: call(person, "events.restore", in: here, ["id": id(0xE7E0, home.events.removedEvents.keys)])
    case 6:
      let window: JSON = ["from": .at(world.now), "to": .at(world.now + .seconds(86_400 * number(1...5)))]
      let people = home.membership.members.keys.map { ($0.description, JSON.number(.init(30))) }
      call(
        person, "specialEvents.create",
        in: here,
        [
          "id": id(0x59EC, special), "title": "Cleaning", "window": window,
          "minutes": .object(Dictionary(uniqueKeysWithValues: people)),
        ])
    case 7:
      let times = (0..<number(0...2)).map {
        JSON.object(["from": .at(world.now), "to": .at(world.now + .seconds($0 + 1))])
      }
      call(person, "specialEvents.busy", in: here, ["id": id(0x59EC, special), "intervals": .array(times)])
    case 8:
      let start = Instant(milliseconds: (world.now.milliseconds / 900_000 + Int64(number(1...50))) * 900_000)
      call(person, "specialEvents.confirm", in: here, ["id": id(0x59EC, special), "start": .at(start)])
    default: call(person, "specialEvents.cancel", in: here, ["id": id(0x59EC, special)])
    }
  }

  mutating func actOnChores(_ person: ID<Person>, _ here: RoomID, _ home: HouseholdState) {
    let (chores, open) = (home.chores.chores.keys, home.chores.occurrences.keys)
    switch number(0...19) {
    case 0...3:
      call(
        person, "chores.add", in: here,
        ["id": id(0xC403, [ID<Chore>]()), "chore": .object(chore(home).merging(["name": "Dishes"]) { $1 })])
    case 4, 5:
      var parameters: [String: JSON] = ["id": id(0xC403, chores), "chore": .object(chore(home))]
      if chance(30) { parameters["fromNext"] = true }
      call(person, "chores.edit", in: here, .object(parameters))
    case 6...9:
      var parameters: [String: JSON] = ["id": id(0x0CC0, open)]
      if chance(30) { parameters["doneAt"] = .at(world.now - .seconds(3600 * number(0...800))) }
      if chance(30) { parameters["basis"] = chance(50) ? "due" : "completion" }
      if chance(30) { parameters["swap"] = true }
      call(person, "chores.complete", in: here, .object(parameters))
    case 10: call(person, "chores.approve", in: here, ["id": id(0x0CC0, open), "approved": .bool(chance(60))])
    case 11: call(person, "chores.skip", in: here, ["id": id(0x0CC0, open)])
    case 12:
      let occurrence = pick(open.sorted())
      let holder = occurrence.flatMap { home.chores.occurrences[$0]?.people.first }
      call(
        person, "chores.claim", in: here,
        ["id": occurrence.map { .id($0) } ?? .null, "from": holder.map { .id($0) } ?? .null])
    case 13: call(person, "chores.release", in: here, ["id": id(0x0CC0, open)])
    case 14, 15:
      call(
        person, "chores.undo", in: here,
        ["id": id(0x0CC0, home.chores.closings.keys), "newId": id(0x0CC0, [ID<Occurrence>]())])
    case 16:
      call(
        person, "chores.rate", in: here,
        ["id": id(0x0CC0, home.chores.closings.keys), "stars": .number(.init(number(1...5)))])
    case 17: call(person, "chores.remove", in: here, ["id": id(0xC403, chores)])
    case 18: call(person, "chores.restore", in: here, ["id": id(0xC403, home.chores.removed.keys)])
    default:
      let day = home.zone.day(at: world.now).adding(number(0...5))
      call(person, "chores.move", in: here, ["id": id(0x0CC0, open), "date": .string(day.text)])
    }
  }

  /// Some fields of a chore, which need not fit together.
  mutating func chore(_ home: HouseholdState) -> [String: JSON] {
    let members = home.membership.members.keys.sorted()
    var chore: [String: JSON] = ["points": .number(.init(number(0...10)))]
    if chance(50) { chore["people"] = .array(members.filter { _ in chance(60) }.map { .id($0) }) }
    if chance(60) {
      chore["strategy"] = .string(
        pick(["fixed", "roundRobin", "random", "leastCompleted", "leastPoints", "open"]) ?? "fixed")
    }
    if chance(70) {
      chore["date"] = .string(home.zone.day(at: world.now).adding(number(-2...3)).text)
      if chance(70) {
        chore["repeat"] = [
          "every": .number(.init(number(1...3))), "unit": chance(60) ? "days" : "weeks",
          "basis": chance(50) ? "due" : "completion",
        ]
      }
      if chance(30) { chore["skipsItself"] = true }
      if chance(30) { chore["graceHours"] = .number(.init(number(0...40))) }
    } else if chance(50) {
      chore["standing"] = true
    }
    if chance(20) { chore["all"] = true }
    if chance(20) { chore["needsApproval"] = true }
    return chore
  }

  private mutating func actOnMoney(_ person: ID<Person>, _ here: RoomID, _ home: HouseholdState) {
    guard let other = pick(people) else { return }
    world.confirmation = chance(90) ? .pin : nil
    defer { world.confirmation = nil }
    let (amount, overpay) = (JSON.number(.init(number(1...500))), JSON.bool(chance(20)))
    let payment = id(0xBA, home.payments.payments.keys)
    switch number(0...11) {
    case 0...2:
      let people: JSON = chance(50) ? [.id(other)] : [.id(person), .id(other)]
      let bill: JSON = ["title": "Pizza", "amount": amount, "split": ["kind": "equal", "people": people]]
      call(person, "bills.add", in: here, ["id": id(0xB1, [ID<Bill>]()), "bill": bill])
    case 3: call(person, "bills.edit", in: here, ["id": id(0xB1, home.bills.bills.keys), "bill": ["amount": amount]])
    case 4: call(person, "bills.remove", in: here, ["id": id(0xB1, home.bills.bills.keys)])
    case 5, 6:
      call(
        person, "payments.propose", in: here,
        ["id": id(0xBA, [ID<Payment>]()), "to": .id(other), "amount": amount, "overpay": overpay])
    case 7: call(person, "payments.record", in: here, ["from": .id(other), "amount": amount, "overpay": overpay])
    case 8: call(person, chance(70) ? "payments.confirm" : "payments.reject", in: here, ["id": payment])
    case 9: call(person, "payments.cancel", in: here, ["id": payment])
    case 10:
      let recent = id(0xBA, home.payments.recent.keys)
      call(person, chance(50) ? "payments.restore" : "payments.undo", in: here, ["id": recent])
    default:
      if chance(50) {
        call(person, "money.remindAll", in: here)
      } else {
        call(person, "households.update", in: here, ["simplify": .bool(chance(50))])
      }
    }
  }

  private mutating func actOnRent(_ person: ID<Person>, _ here: RoomID, _ home: HouseholdState) {
    guard let other = pick(people) else { return }
    world.confirmation = chance(90) ? .pin : nil
    defer { world.confirmation = nil }
    let amount = JSON.number(.init(number(1...500)))
    let (recurring, request) = (id(0xB2, home.recurringBills.bills.keys), id(0xB3, home.requests.requests.keys))
    switch number(0...9) {
    case 0, 1:
      let first = home.zone.day(at: world.now).adding(number(0...3)).text
      let bill: JSON = [
        "title": "Rent", "amount": amount, "first": .string(first), "repeat": ["every": 1, "unit": "weeks"],
        "split": ["kind": "equal", "people": [.id(person), .id(other)]],
      ]
      call(person, "recurringBills.add", in: here, ["id": id(0xB2, [ID<RecurringBill>]()), "bill": bill])
    case 2:
      call(person, "recurringBills.edit", in: here, ["id": recurring, "bill": ["amount": amount, "host": .id(other)]])
    case 3: call(person, "recurringBills.cancel", in: here, ["id": recurring])
    case 4: call(person, "recurringBills.restore", in: here, ["id": id(0xB2, home.recurringBills.cancelled.keys)])
    case 5: call(person, "recurringBills.paid", in: here, ["id": recurring])
    case 6:
      let parameters: JSON = [
        "id": id(0xB3, [ID<MoneyRequest>]()), "title": "Cinema", "amount": amount, "from": [.id(other)],
      ]
      call(person, "requests.create", in: here, parameters)
    case 7: call(person, chance(70) ? "requests.accept" : "requests.decline", in: here, ["id": request])
    case 8: call(person, "requests.cancel", in: here, ["id": request])
    default: call(person, "requests.restore", in: here, ["id": id(0xB3, home.requests.cancelled.keys)])
    }
  }

  mutating func actOnDinner(_ person: ID<Person>, _ here: RoomID, _ home: HouseholdState) {
    let words: [JSON] = ["in", "out", "unknown"]
    if chance(25) {
      let days = Weekday.allCases.filter { _ in chance(40) }.map { ($0.rawValue, pick(words) ?? "in") }
      call(person, "dinner.pattern", in: here, ["days": .object(Dictionary(uniqueKeysWithValues: days))])
      return
    }
    var parameters: [String: JSON] = [:]
    if chance(70) { parameters["date"] = .string(home.tonight(at: world.now).adding(number(-1...14)).text) }
    if chance(30) { parameters["person"] = .id(pick(people) ?? person) }
    if chance(80) { parameters["eats"] = chance(15) ? .null : pick(words) ?? "in" }
    if chance(30) { parameters["guests"] = .number(.init(number(0...9))) }
    if chance(40) { parameters["cook"] = .bool(chance(60)) }
    call(person, "dinner.set", in: here, .object(parameters))
  }

  mutating func actOnDrinks(_ person: ID<Person>, _ here: RoomID, _ home: HouseholdState) {
    let entry = id(0xD216, home.drinks.entries.keys)
    let kind: JSON = .string(pick(["Beer", "beer", "Club-Mate"]) ?? "Beer")
    var parameters: [String: JSON] = ["id": id(0xD216, [ID<DrinkEntry>]()), "kind": kind]
    if chance(30) { parameters["person"] = .id(pick(people) ?? person) }
    switch number(0...9) {
    case 0...3:
      parameters["n"] = .number(.init(number(-2...6)))
      call(person, "drinks.add", in: here, .object(parameters))
    case 4, 5:
      parameters["n"] = .number(.init(number(1...24)))
      if chance(50) { parameters["cost"] = .number(.init(number(1...5000))) }
      call(person, "drinks.buy", in: here, .object(parameters))
    case 6:
      call(
        person, "drinks.correct", in: here,
        ["id": id(0xD216, [ID<DrinkEntry>]()), "kind": kind, "to": .number(.init(number(0...20)))])
    case 7: call(person, "drinks.undo", in: here, ["id": entry])
    case 8: call(person, "drinks.removeKind", in: here, ["kind": kind])
    default:
      var parameters: [String: JSON] = [:]
      if chance(50) { parameters["cost"] = .number(.init(number(1...5000))) }
      if chance(40) { parameters["carryOver"] = true }
      call(person, "drinks.closePeriod", in: here, .object(parameters))
    }
  }

  mutating func actOnRewards(_ person: ID<Person>, _ here: RoomID, _ home: HouseholdState) {
    let reward = id(0x4E3A, home.rewards.rewards.keys)
    let cost: JSON = .number(.init(number(1...30)))
    switch number(0...9) {
    case 0:
      let occurrence = id(0x0CC0, [ID<Occurrence>]())
      let chore: JSON = ["name": "Windows", "points": 50]
      call(person, "chores.add", in: here, ["occurrence": occurrence, "chore": chore])
      call(person, "chores.complete", in: here, ["id": occurrence])
    case 1, 2:
      let fresh = id(0x4E3A, [ID<Reward>]())
      call(person, "rewards.add", in: here, ["id": fresh, "name": "Cake", "cost": cost])
    case 3: call(person, "rewards.edit", in: here, ["id": reward, "cost": cost])
    case 4: call(person, "rewards.remove", in: here, ["id": reward])
    case 5: call(person, "rewards.restore", in: here, ["id": id(0x4E3A, home.rewards.removed.keys)])
    case 6: call(person, "rewards.undo", in: here, ["id": id(0x4EDE, home.rewards.redemptions.keys)])
    default: call(person, "rewards.redeem", in: here, ["id": id(0x4EDE, [ID<Redemption>]()), "reward": reward])
    }
  }

  mutating func actAtHome(_ person: ID<Person>, _ me: PersonState) throws {
    guard let household = pick(me.memberships.households.keys.sorted()),
      let room = world.rooms[.household(household)] as? TypedRoom<HouseholdState>
    else { return }
    let home = room.state
    let here = RoomID.household(household)
    switch number(0...33) {
    case 32, 33: actOnRent(person, here, home)
    case 29...31: actOnMoney(person, here, home)
    case 18...21: actOnChores(person, here, home)
    case 22, 23: actOnDinner(person, here, home)
    case 24, 25: actOnDrinks(person, here, home)
    case 26...28: actOnRewards(person, here, home)
    case 15: actOnRota(person, here, home)
    case 16, 17: actOnEvents(person, here, home)
    case 14:
      let (first, length) = (number(0...3), number(0...3))
      let today = ZoneTime(home.info.facts.value.timeZone).day(at: world.now)
      var days: [String: JSON] = [
        "from": .string(today.adding(first).text), "to": .string(today.adding(first + length).text),
      ]
      if chance(50) { days["delegate"] = .id(pick(people) ?? person) }
      if chance(70) {
        call(person, "members.away", in: here, .object(days))
      } else {
        call(person, "members.back", in: here)
      }
    case 0, 1:
      let email = "\((pick(signedUp) ?? "Ana").lowercased())@example.org"
      call(
        person, "invitations.send",
        [
          "household": .id(household), "email": .string(email), "guest": .bool(chance(25)),
          "id": id(0xF000 + household.low, home.membership.invitations.keys),
        ])
    case 2:
      call(person, "invitations.revoke", in: here, ["id": id(0xF000 + household.low, home.membership.invitations.keys)])
    case 3:
      let answer = call(person, "joinCodes.create", in: here, ["uses": .number(.init(number(1...3)))])
      if let code = answer?["code"] { codes.append(code) }
    case 4:
      if chance(30) {
        call(person, chance(70) ? "calendar.link" : "calendar.unlink", in: here)
      } else {
        call(person, "joinCodes.revoke", in: here, ["id": id(0x2000, home.membership.joinCodes.keys)])
      }
    case 5:
      if chance(40) {
        call(person, "members.leave", in: here)
      } else if chance(25) {
        world.confirmation = .pin
        call(person, "households.dismiss", in: here)
        world.confirmation = nil
      }
    case 6, 7:
      let expiresAt = world.now + .seconds(60 * number(1...2000))
      call(
        person, "notes.add", in: here,
        ["id": id(0xC000, [ID<Note>]()), "text": "Milk is out", "expiresAt": .at(expiresAt)])
    case 8:
      call(
        person, "notes.edit", in: here,
        ["id": id(0xC000, home.board.notes.keys), "colour": chance(50) ? "red" : .null, "place": ["x": 0.5, "y": 0.5]])
    case 9: call(person, "notes.remove", in: here, ["id": id(0xC000, home.board.notes.keys)])
    case 10: call(person, "notes.restore", in: here, ["id": id(0xC000, home.board.removedNotes.keys)])
    default: try actOnGroceries(person, chance(70) ? here : .corner(household, person), home)
    }
  }

  mutating func actOnGroceries(_ person: ID<Person>, _ room: RoomID, _ home: HouseholdState) throws {
    let known = Array(home.list.groceries.keys) + Array(home.list.merged.keys)
    switch number(0...12) {
    case 8, 9: try move(person, room, home)
    case 10, 11: call(person, "groceries.restore", in: room, ["id": id(0xD000, home.list.removed.keys)])
    case 12: if case .household = room { actOnLists(person, room, home) }
    case 0...3:
      var parameters: [String: JSON] = [
        "id": id(0xD000, [ID<Grocery>]()), "name": pick(["Milk", "milk", "Eggs"]) ?? "",
      ]
      if chance(60) { parameters["quantity"] = .number(.init(number(1...5))) }
      if chance(50) { parameters["unit"] = .string(pick(["l", "ml", "g", "bottle"]) ?? "") }
      if chance(30) { parameters["category"] = .string(pick(["dairy", "Own", "Other"]) ?? "") }
      if case .household = room {
        if chance(20) { parameters["personal"] = true }
        if chance(40) { parameters["list"] = id(0xD100, home.groceryLists.lists.keys) }
      }
      call(person, "groceries.add", in: room, .object(parameters))
    case 4: call(person, "groceries.check", in: room, ["id": id(0xD000, known), "checked": .bool(chance(60))])
    case 5: call(person, "groceries.edit", in: room, ["id": id(0xD000, known), "quantity": 7])
    case 6: call(person, "groceries.edit", in: room, ["id": id(0xD000, known), "name": "Eggs", "category": "dairy"])
    default:
      var parameters: [String: JSON] = ["id": id(0xD000, known)]
      if chance(60) { parameters["sources"] = [id(0xD000, known), id(0xD000, known)] }
      call(person, "groceries.remove", in: room, .object(parameters))
    }
  }

  mutating func actOnLists(_ person: ID<Person>, _ here: RoomID, _ home: HouseholdState) {
    let lists = home.groceryLists
    switch number(0...5) {
    case 0: call(person, "lists.create", in: here, ["id": id(0xD100, [ID<GroceryList>]()), "name": "Market"])
    case 1: call(person, "lists.remove", in: here, ["id": id(0xD100, lists.lists.keys)])
    case 2: call(person, "lists.restore", in: here, ["id": id(0xD100, lists.removedLists.keys)])
    case 3: call(person, "trips.start", in: here, ["list": chance(50) ? .null : id(0xD100, lists.lists.keys)])
    case 4: call(person, "trips.discard", in: here, ["id": id(0xD200, home.trips.trips.keys)])
    default: call(person, "groceries.forgetCategory", in: here, ["category": "own"])
    }
  }

  /// Shows what is hidden, or hides what is shown, now and then under an id that is taken.
  mutating func move(_ person: ID<Person>, _ room: RoomID, _ home: HouseholdState) throws {
    var parameters: [String: JSON] = [:]
    if chance(40) { parameters["newId"] = id(0xD000, [ID<Grocery>]()) }
    if case .corner(let household, _) = room {
      guard world.rooms[room] != nil else { return }
      parameters["id"] = id(0xD000, try world.corner(household, person).list.groceries.keys)
      call(person, "groceries.show", in: room, .object(parameters))
    } else {
      parameters["id"] = id(0xD000, home.list.groceries.filter { $0.value.owner == person }.map(\.key))
      call(person, "groceries.hide", in: room, .object(parameters))
    }
  }

  /// Calls without delivering mail; a refusal must leave everything that is kept of the room as it was.
  @discardableResult
  mutating func call(
    _ person: ID<Person>, _ name: String, in id: RoomID? = nil, _ parameters: JSON = [:], by client: ID<Client>? = nil
  ) -> JSON? {
    let id = id ?? .person(person)
    // Looking at everything costs more than the call, so it is done at times.
    let before = chance(25) ? world.rooms[id].map(world.snapshot) : nil
    var key = world.nextCall(of: person)
    if let client { key.client = client }
    do {
      let answer = try world.send(key, name, in: id, parameters)
      if answer == nil { calls.append((key, world.now)) }
      done += 1
      return answer
    } catch {
      #expect(error is Refusal, "seed \(seed): \(name): \(error)")
      if let before {
        #expect(world.rooms[id].map(world.snapshot) == before, "seed \(seed): a refused \(name) leaves no trace")
      }
      return nil
    }
  }

  // MARK: checking

  func checkRestoring() throws {
    for id in world.rooms.keys {
      #expect(try world.isRestorable(id), "seed \(seed): \(id.text) is read back as it was")
      // The next time from a snapshot.
      world.cut(id)
    }
  }

  func settle() throws {
    world.deliverAll()
    world.deliversAtOnce = true
    world.advance(Limits.reservation)
    // Nobody waits longer than receipts are kept; mail may take longer here.
    for call in calls where world.now - call.at < Receipts.age && people.contains(call.key.person) {
      #expect(world.answers[call.key] != nil, "seed \(seed): every call is answered")
    }
  }

  func checkAgreement() throws {
    var households: [ID<Person>: Set<ID<Household>>] = [:]
    var mates: [ID<Person>: Set<ID<Person>>] = [:]
    var corners: Set<RoomID> = []
    var shares: [ID<Person>: Set<ID<Share>>] = [:]
    for room in world.rooms.values {
      if let room = room as? TypedRoom<HouseholdState>, case .household(let id) = room.id {
        for person in room.state.membership.members.keys where room.state.dismissal.isDismissed {
          corners.insert(.corner(id, person))
          #expect(try world.me(person).dismissed.households.contains(id), "seed \(seed): members know of a dismissal")
          #expect(try world.corner(id, person).lifetime.isClosed, "seed \(seed): corners close with it")
        }
        for person in room.state.membership.members.keys where !room.state.dismissal.isDismissed {
          households[person, default: []].insert(id)
          mates[person, default: []].formUnion(room.state.membership.members.keys.filter { $0 != person })
          corners.insert(.corner(id, person))
          #expect(try !world.corner(id, person).lifetime.isClosed, "seed \(seed): corners open with it")
          #expect(
            try world.me(person).memberships.households[id]?.role == room.state.membership.members[person]?.role,
            "seed \(seed)")
        }
        try check(room.state, id)
      }
      if let room = room as? TypedRoom<ShareState>, case .share(let id) = room.id {
        for person in room.state.everybody { shares[person, default: []].insert(id) }
        try check(room.state, id)
      }
    }
    for person in people {
      let me = try world.me(person)
      #expect(Set(me.memberships.households.keys) == households[person] ?? [], "seed \(seed): households")
      #expect(Set(me.memberships.mates.keys) == mates[person] ?? [], "seed \(seed): mates")
      #expect(Set(me.shares.entries.keys) == shares[person] ?? [], "seed \(seed): shares")
      #expect(me.pending.calls.isEmpty, "seed \(seed): nothing is pending")
      #expect(me.shares.hasOwn || me.shares.reporter.value == Reporter(), "seed \(seed): nothing reports in vain")
      for id in me.shares.past.keys where world.rooms[.share(id)] != nil {
        #expect(try world.share(id).formerReceivers.contains(person), "seed \(seed): past shares name the person")
      }
      let asks = Array(me.asks.asks.values.map(\.until)) + me.asks.asked.values.map(\.until)
      #expect(asks.allSatisfy { $0 > world.now }, "seed \(seed): requests expire")
      #expect(!me.asks.asks.keys.contains { me.contacts.blocked.contains($0) }, "seed \(seed): the blocked do not ask")
      try checkTold(me)
      try checkContacts(of: person, me)
      for (id, invitation) in me.memberships.invitations {
        #expect(
          try world.home(invitation.household).membership.targets[id]?.person == person, "seed \(seed): invitations")
      }
    }
    let existing = Set(world.rooms.keys.filter { RoomKindName($0) == .corner })
    #expect(existing == corners, "seed \(seed): corners")
  }

  /// Before `settle` lets the time pass in which a share ends whose sharer has arrived.
  func checkShares() throws {
    world.deliverAll()
    for room in world.rooms.values {
      if let room = room as? TypedRoom<ShareState>, case .share(let id) = room.id { try check(room.state, id) }
    }
  }

  func check(_ share: ShareState, _ id: ID<Share>) throws {
    let (facts, pickup) = (share.share.value, share.pickup.value)
    for person in share.everybody {
      let entry = try #require(try world.me(person).shares.entries[id])
      #expect(entry.until == facts.until, "seed \(seed): until")
      #expect((entry.state == .arrived) == share.hasArrived, "seed \(seed): arrived")
      #expect(entry.pickup == pickup.state && entry.driver == pickup.by, "seed \(seed): pick-ups")
      #expect(entry.driverName == pickup.byName && entry.arriveBy == pickup.arriveBy, "seed \(seed): drivers")
    }
    #expect(pickup.by.map(share.receivers.contains) ?? true, "seed \(seed): receivers drive")
    #expect((pickup.by == nil) == (pickup.byName == nil), "seed \(seed): drivers have names")
    #expect(pickup.state != .accepted || pickup.by != nil && pickup.arriveBy != nil, "seed \(seed): a driver comes")
    #expect(pickup.state == .accepted || pickup.arriveBy == nil && pickup.late == nil, "seed \(seed): nobody comes")
    #expect(!share.hasArrived || pickup == Pickup(), "seed \(seed): rides end with the arrival")
    #expect(!share.receivers.isEmpty, "seed \(seed): somebody receives")
    #expect(
      Set(share.formerReceivers.keys).isDisjoint(with: share.everybody), "seed \(seed): nobody is there who has left")
    for person in share.formerReceivers.keys {
      #expect(try world.me(person).shares.past.contains(id), "seed \(seed): people know which shares name them")
    }
    let asked = share.stopRequest.value
    #expect(asked.until.map { $0 > world.now } ?? true, "seed \(seed): requests to stop expire")
    #expect(
      asked.until != nil || share.receivers.values.allSatisfy { $0.deniedAt == nil }, "seed \(seed): denials")
    #expect(share.trail.isEmpty || facts.trail == true, "seed \(seed): trails are switched on")
    #expect(share.trail.count <= Limits.trail, "seed \(seed): trails")
  }

  /// Of each share a person is told once that it has ended, and at most once that somebody has arrived.
  func checkTold(_ me: PersonState) throws {
    let ends = me.inbox.notifications.values.filter { $0.reason != nil }.compactMap(\.ref)
    let arrivals = me.inbox.notifications.values.filter { $0.kind == .arrived }.compactMap(\.ref)
    for told in [ends, arrivals] { #expect(Set(told).count == told.count, "seed \(seed): told once") }
  }

  func checkContacts(of person: ID<Person>, _ me: PersonState) throws {
    #expect(Set(me.contacts.consents.keys) == Set(me.contacts.contacts.keys), "seed \(seed): consents")
    #expect(Set(me.contacts.targets.keys).isSubset(of: me.contacts.sent.keys), "seed \(seed): targets")
    for (other, contact) in me.contacts.contacts {
      let them = try world.me(other)
      let (mine, theirs) = (me.contacts.consents[other], them.contacts.consents[person])
      #expect(mine?.own == theirs?.theirs && mine?.theirs == theirs?.own, "seed \(seed): contacts are mutual")
      #expect(contact.name == them.identity.profile.value.name, "seed \(seed): names of contacts")
      #expect(!me.contacts.blocked.contains(other), "seed \(seed): nobody has blocked a contact")
    }
    for (id, invitation) in me.contacts.invitations {
      let them = try world.me(invitation.from)
      #expect(them.contacts.targets[id]?.person == person, "seed \(seed): what is received was sent")
      #expect(me.contacts.consent(to: invitation.from) == nil, "seed \(seed): nobody awaits what they have")
      #expect(!me.contacts.blocked.contains(invitation.from), "seed \(seed): invitations of the blocked")
    }
    let invited = me.contacts.targets.values.compactMap(\.person)
    #expect(Set(invited).count == invited.count, "seed \(seed): one consent each")
    #expect(!invited.contains { me.contacts.contacts.contains($0) }, "seed \(seed): contacts are not invited")
    for entry in me.shares.entries.values {
      #expect(!me.contacts.blocked.contains(entry.sharer), "seed \(seed): shares of the blocked")
    }
    for share in me.shares.entries.keys(where: { $0.role == .sharer }) {
      let receivers = Set(try world.share(share).receivers.keys)
      #expect(receivers.isDisjoint(with: me.contacts.blocked.keys), "seed \(seed): shares with the blocked")
    }
    #expect(
      me.memberships.invitations.values.allSatisfy { !me.contacts.blocked.contains($0.by) }, "seed \(seed): households")
  }

  func check(_ home: HouseholdState, _ id: ID<Household>) throws {
    let hosts = home.membership.members.filter { $0.value.role == .host }
    let away = home.membership.members.filter { $0.value.away != nil }
    #expect(Set(home.membership.absenceEnds.keys) == Set(away.map(\.key)), "seed \(seed): absences end")
    let guests = home.membership.members.filter { $0.value.role == .guest }
    #expect(
      guests.allSatisfy { guest in away.contains { $0.key == guest.value.guestOf && $0.value.role != .guest } },
      "seed \(seed): guests of those who are away")
    let standIns = away.compactMap { $0.value.away?.delegate }
    #expect(standIns.allSatisfy { home.membership.members.contains($0) }, "seed \(seed): members stand in")
    // Nobody follows a host who deletes their account while the household is dismissed.
    let hasLostHost = home.dismissal.isDismissed && hosts.isEmpty && !people.contains(home.info.facts.value.host)
    let isHosted = hosts.count == 1 && hosts.first?.key == home.info.facts.value.host
    #expect(isHosted || hasLostHost, "seed \(seed): one host")
    #expect(Set(home.membership.targets.keys) == Set(home.membership.invitations.keys), "seed \(seed): targets")
    for (invitation, target) in home.membership.targets {
      guard let person = target.person else { continue }
      let author = home.membership.invitations[invitation]?.by ?? ID()
      let isKnown = try people.contains(person) && world.me(person).memberships.invitations.contains(invitation)
      // One of a person who was blocked then, or since, is not shown.
      let mayBeHidden = blocks.contains([author, person])
      #expect(isKnown || mayBeHidden, "seed \(seed): invitees know")
      #expect(!home.membership.members.contains(person), "seed \(seed): members are not invited")
    }
    #expect(Set(home.membership.codeHashes.keys) == Set(home.membership.joinCodes.keys), "seed \(seed): codes")
    #expect(
      world.secrets.values.count { $0 == .household(id) }
        == home.membership.joinCodes.count + home.dismissal.exports.count + home.calendarLinks.links.count,
      "seed \(seed): secrets")
    #expect(
      home.calendarLinks.links.keys.allSatisfy { home.membership.members.contains($0) }
        && (home.calendarLinks.links.isEmpty || !home.dismissal.isDismissed), "seed \(seed): links to calendars")
    #expect(
      home.dismissal.exports.count == (home.dismissal.isDismissed ? home.membership.members.count : 0),
      "seed \(seed): exports")
    if home.dismissal.isDismissed { return #expect(home.presence.presence.isEmpty, "seed \(seed): nobody is there") }
    #expect(
      home.board.notes.values.allSatisfy { ($0.expiresAt ?? world.now) >= world.now }, "seed \(seed): notes expire")
    #expect(home.feed.activity.count <= Limits.activity, "seed \(seed): activity")
    var hidden: Set<ID<Person>> = []
    for person in home.membership.members.keys {
      let me = try world.me(person)
      let isAmongBlocked = home.membership.members.keys.contains { me.contacts.blocked.contains($0) }
      if me.settings.settings.value.presence == .hidden || isAmongBlocked { hidden.insert(person) }
    }
    #expect(Set(home.presence.hiddenPresence.keys) == hidden, "seed \(seed): who does not want to be seen")
    #expect(
      Set(home.presence.presence.keys).isSubset(of: Set(home.membership.members.keys).subtracting(hidden)),
      "seed \(seed): who is seen")
    var merged: Set<ID<Grocery>> = []
    for (line, grocery) in home.list.groceries {
      var sum = grocery
      #expect(sum.addUp() && sum == grocery, "seed \(seed): sums")
      #expect(!grocery.sources.isEmpty, "seed \(seed): sources")
      merged.formUnion(grocery.sources.keys.filter { $0 != line })
      #expect(grocery.owner.map(home.membership.members.contains) ?? true, "seed \(seed): owners are members")
      #expect(grocery.list.map(home.hasList) ?? true, "seed \(seed): lists are there")
      #expect(grocery.category.map(home.list.isKnown(category:)) ?? true, "seed \(seed): categories are known")
      let isWaited = home.trips.trips.values.contains { $0.state == .open && $0.covers(grocery.list) }
      #expect(grocery.isLate == nil || isWaited, "seed \(seed): late is what somebody is shopping for")
    }
    #expect(Set(home.list.merged.keys) == merged, "seed \(seed): merged")
    #expect(home.list.moving.isEmpty, "seed \(seed): nothing moves")
    #expect(AggregateTests.isAggregated(home), "seed \(seed): the sums are those of the lines")
    checkChores(home, id)
  }

  /// The invariants of chores, rewards and drinks.
  func checkChores(_ home: HouseholdState, _ id: ID<Household>) {
    let open = home.chores.occurrences
    let chores = open.values.map(\.chore)
    #expect(Set(chores).count == chores.count, "seed \(seed): a chore is open once")
    #expect(Set(chores) == Set(home.chores.chores.keys), "seed \(seed): each chore is open")
    let members = Set(home.membership.members.keys)
    for occurrence in open.values {
      #expect(members.isSuperset(of: occurrence.people), "seed \(seed): members do chores")
      let chore = home.chores.chores[occurrence.chore]
      let dueAt = occurrence.date.flatMap { day in chore?.dueAt(day, home.zone) }
      #expect(occurrence.dueAt == dueAt, "seed \(seed): due times follow from the days")
    }
    for chore in home.chores.chores.values {
      let named = chore.people + chore.weekdays.values + chore.swaps.keys + chore.swaps.values
      #expect(members.isSuperset(of: named + (chore.turn.map { [$0] } ?? [])), "seed \(seed): chores name members")
      let isKnown = chore.birthdayOf != nil || home.chores.catalogue.contains(chore.task)
      #expect(isKnown, "seed \(seed): the catalogue has each chore")
    }
    // One completion, one record: the sum of the counts is that of the history (CHO-9, STA-1).
    let records = (world.history[.household(id)] ?? []).filter { $0.kind == ListChoreHistory.history }
      .compactMap { $0.body.flatMap { ChoreRecord(history: $0) } }
    var (done, counted): ([String: Int], [String: Int]) = ([:], [:])
    // An occurrence that several do may be over because the last of them has left: then it has no doer.
    for record in records
    where record.kind == .done && record.birthdayOf == nil && home.chores.tallies.contains(record.task) {
      if let by = record.by { done["\(record.task) \(by)", default: 0] += 1 }
    }
    for (task, tally) in home.chores.tallies {
      for (person, own) in tally.people where own.ever != 0 { counted["\(task) \(person)"] = own.ever }
    }
    // Ticks of the rota count under the same names.
    let ticks = (world.history[.household(id)] ?? []).count { $0.kind == ListRota.history }
    #expect(done.allSatisfy { counted[$0.key] ?? 0 >= $0.value }, "seed \(seed): each completion counts")
    let (sum, all) = (counted.values.reduce(0, +), done.values.reduce(ticks, +))
    #expect(sum == all, "seed \(seed): each completion counts once")
    // A redemption is one record, too (STA-6).
    let redeemed = (world.history[.household(id)] ?? []).filter { $0.kind == ListRedemptions.history }
      .compactMap { $0.body.flatMap { Redemption(history: $0) } }
    var spent: [ID<Person>: Int] = [:]
    for redemption in redeemed { spent[redemption.by, default: 0] -= redemption.points }
    for person in spent.keys { #expect(home.rewards.points.contains(person), "seed \(seed): nobody loses points") }
    for (person, balance) in home.rewards.points {
      #expect(balance.spent == spent[person] ?? 0 && balance.earned == home.chores.points(of: person))
    }
    for drink in home.drinks.kinds.values {
      #expect(!drink.counts.values.contains(DrinkCount()), "seed \(seed): no count is empty")
    }
  }

  /// Patches in a row compose, but where somebody has come back to where they were: that is told as a state.
  func checkComposition() {
    for (room, patches) in world.patches {
      var sum: JSON = [:]
      for patch in patches {
        if let both = MergePatch.compose(sum, patch) {
          sum = both
        } else {
          let paths = crossings(sum, patch, [])
          // Or where an invitation with a forgotten id was in flight for more than 30 days.
          let tables = [
            "members", "former", "households", "invitations", "contacts", "contactInvitations", "blocked",
            "asks", "asked", "dismissed", "dinner", "dinnerPatterns", "categories", "choreStats",
          ]
          let isReturn = paths.allSatisfy {
            $0.count == 2 && tables.contains($0[0]) || ["away", "repeats", "repeat", "completion"].contains($0.last)
              // A new period begins without counts.
              || $0.count == 4 && $0[0] == "drinks" && $0[2] == "counts"
          }
          #expect(isReturn && !paths.isEmpty, "seed \(seed): \(room.text) cannot compose at \(paths)")
          sum = patch
        }
      }
    }
  }

  func crossings(_ first: JSON, _ second: JSON, _ path: [String]) -> [[String]] {
    guard let later = second.object else { return [] }
    guard let earlier = first.object else { return [path] }
    return later.flatMap { key, change in earlier[key].map { crossings($0, change, path + [key]) } ?? [] }
  }
}
