import JSON
import Rehearsal
import Rooms
import Testing

@testable import Home

/// The month behind the sample household and behind seeded ones.
@Suite("Sample month")
struct SampleMonthTests {
  /// A Saturday, at noon and in the first minute of its day.
  static let ends = [Instant(milliseconds: 1_780_142_400_000), Instant(milliseconds: 1_780_099_200_000 + 60_000)]

  /// Lives a month in a household of so many. Returns the world, and its people.
  static func live(
    _ names: [String] = ["Ana", "Bo", "Cleo", "Dan"], until end: Instant, followsClock: Bool
  ) throws -> (world: World, people: [ID<Person>]) {
    let world = World()
    world.checksStates = false
    world.now = followsClock ? end - .seconds(30 * 86_400) : end
    var people: [ID<Person>] = []
    for name in names { people.append(try world.signUp(name)) }
    _ = try world.call(
      people[0], "households.create",
      ["id": .id(household), "name": "Home", "timeZone": "Europe/Berlin", "currency": "EUR"])
    if people.count > 1 { try world.join(people.dropFirst(), household) }
    var month = SampleMonth(endingAt: end, people: people, followsClock: followsClock)
    while let call = month.next() {
      if followsClock { world.now = max(world.now, call.at) }
      let room: RoomID = call.isOwn ? .person(people[call.by]) : .household(household)
      month.note(try world.call(people[call.by], call.method, in: room, call.parameters))
    }
    world.now = end
    return (world, people)
  }

  static let household = ID<Household>(high: 0xB000, low: 1)

  static func counts(_ world: World, _ person: ID<Person>, until end: Instant) throws -> JSON {
    func day(_ days: Int) -> JSON { .string(String((end + .seconds(days * 86_400)).description.prefix(10))) }
    return try world.call(person, "chores.statistics", in: .household(household), ["from": day(-30), "to": day(1)])
  }

  static func records(_ world: World) -> [ChoreRecord] {
    (world.history[.household(household)] ?? []).filter { $0.kind == ListChoreHistory.history }
      .compactMap { $0.body.flatMap { ChoreRecord(history: $0) } }
  }

  @Test(
    "a month has chores done by all, ratings, a rota with ticks, dinners, drinks and events ahead",
    arguments: ends, [true, false])
  func whole(end: Instant, followsClock: Bool) throws {
    let (world, people) = try Self.live(until: end, followsClock: followsClock)
    let home = try world.home(Self.household)
    let counts = try Self.counts(world, people[0], until: end)
    let done = people.compactMap { counts["people"]?[$0.description]?["done"]?.int }
    #expect(done.count == 4 && done.allSatisfy { $0 > 10 }, "\(done)")
    #expect(counts["tasks"]?.object?.count ?? 0 >= 6)
    let points = people.compactMap { counts["people"]?[$0.description]?["points"]?.int }
    #expect(points.allSatisfy { $0 > 10 }, "\(points)")
    let records = Self.records(world)
    let ticks = (world.history[.household(Self.household)] ?? []).count { $0.kind == ListRota.history }
    #expect(records.count + ticks == done.reduce(0, +) && records.count { !$0.ratings.isEmpty } > 3)
    #expect(Set(records.map { String($0.at.description.prefix(10)) }).count >= 29)
    #expect(!home.rota.tasks.isEmpty && (!followsClock || home.rota.weeks.values.contains { !$0.doneBy.isEmpty }))
    #expect(home.dinner.patterns.count == 4 && home.dinner.days.count >= (followsClock ? 30 : 2))
    #expect(home.drinks.kinds.count == 2 && home.drinks.kinds.values.allSatisfy { $0.counts.count > 1 && $0.stock > 0 })
    #expect(home.drinks.period.value.number == 1)
    #expect(home.events.events.count == 3 && home.specialEvents.special.count == 1)
    #expect(home.chores.occurrences.count == 9)
    let unread = try people.map { try world.me($0).inbox.notifications.values.count { $0.readAt == nil } }
    #expect(unread.allSatisfy { $0 < 20 }, "\(unread)")
  }

  @Test("the counts of a month are the same for the same day, whenever in it and by whichever clock")
  func deterministic() throws {
    var texts: Set<String> = []
    for followsClock in [true, false] {
      let (world, people) = try Self.live(until: Self.ends[0], followsClock: followsClock)
      let records = Self.records(world)
      let done = people.map { person in records.count { $0.by == person } }
      let own = Dictionary(grouping: records.filter { $0.by == people[0] }, by: \.name).mapValues(\.count)
      texts.insert("\(done) \(own.map { "\($0.key) \($0.value)" }.sorted())")
    }
    #expect(texts.count == 1, "\(texts)")
  }

  @Test("a month can be lived alone, and by 32", arguments: [1, 2, 32])
  func sizes(count: Int) throws {
    let names = (1...count).map { "Person\($0)" }
    let (world, people) = try Self.live(names, until: Self.ends[0], followsClock: true)
    #expect(try world.home(Self.household).membership.members.count == count)
    #expect(try Self.counts(world, people[0], until: Self.ends[0])["people"]?.object?.isEmpty == false)
  }
}
