package import JSON
package import Rooms

/// A month that people have lived in a household, as the calls by which they tell of it.
///
/// The calls are the same for the same end, people and manner. The caller makes them one after another, and hands each
/// answer back: later calls name what earlier ones have made. Days are those of UTC, and hours such that it is the same
/// day in Europe.
package struct SampleMonth {
  package struct Call {
    /// When it is made, if the clock follows.
    package let at: Instant
    /// The index of the person who calls.
    package let by: Int
    package let method: String
    package let parameters: JSON
    /// Whether it is for the person's own room, not for the household.
    package let isOwn: Bool
  }

  /// An id that an earlier call has made and a later one names.
  private enum Reference {
    /// The open occurrence of a chore.
    case chore(String)
    /// A chore that was done, by the number of its completion.
    case completion(Int)
    /// A task of the rota, and its week, counted from the first one.
    case rota(task: Int, week: Int)
  }

  private struct Step {
    var at: Instant
    var by: Int
    var method: String
    var parameters: [String: JSON]
    var reference: Reference?
  }

  /// A chore that comes again, or is there again at once.
  private struct Habit {
    var name: String
    var essential: String
    /// Days from one time to the next; 0 for one without dates.
    var days: Int
    var strategy: String
    var points: Int
    var hour: Int
  }

  private static let habits = [
    Habit(name: "Dishes", essential: "dishes", days: 1, strategy: "roundRobin", points: 2, hour: 18),
    Habit(name: "Trash", essential: "trash", days: 4, strategy: "roundRobin", points: 1, hour: 7),
    Habit(name: "Bathroom", essential: "bathroom", days: 7, strategy: "leastCompleted", points: 5, hour: 10),
    Habit(name: "Vacuum", essential: "vacuum", days: 5, strategy: "random", points: 3, hour: 11),
    Habit(name: "Plants", essential: "plants", days: 3, strategy: "fixed", points: 1, hour: 8),
    Habit(name: "Dishwasher", essential: "dishwasher", days: 0, strategy: "open", points: 1, hour: 20),
  ]

  /// The days before the last one: completions can be dated back so far.
  private static let days = 29

  private let now: Instant
  private let people: [ID<Person>]
  private let followsClock: Bool
  private var steps: ArraySlice<Step> = []

  private var open: [String: JSON] = [:]
  private var completions: [JSON] = []
  private var tasks: [JSON] = []
  private var firstWeek: Instant?
  /// The step that was handed out last.
  private var latest: Step?

  /// - Parameters:
  ///   - now: The end of the month.
  ///   - people: The members; the first one is the host.
  ///   - followsClock: Whether each call is made at its own time. If not, all are made at the end: completions are
  ///     dated back, and there are no dinners and no ticks of the rota before this week.
  package init(endingAt now: Instant, people: [ID<Person>], followsClock: Bool) {
    self.now = now
    self.people = people
    self.followsClock = followsClock
    let begin = at(-Self.days, hour: 0)
    add(begin, 0, "households.update", ["points": true])
    addChores(begin)
    addRota(begin)
    addDinners(begin)
    addDrinks()
    addEvents()
    for person in people.indices { add(at(-1, hour: 12), person, "inbox.read", ["all": true]) }
    // Calls of one time stay in their order.
    let order = steps.indices.sorted { (steps[$0].at, $0) < (steps[$1].at, $1) }
    steps = order.map { steps[$0] }.filter { $0.at <= now }[...]
  }

  /// The next call; `nil` after the last one.
  package mutating func next() -> Call? {
    while let step = steps.popFirst() {
      guard let parameters = parameters(of: step) else { continue }
      latest = step
      return Call(
        at: step.at, by: step.by, method: step.method, parameters: .object(parameters),
        isOwn: step.method == "inbox.read")
    }
    return nil
  }

  /// Takes the answer to the latest call.
  package mutating func note(_ answer: JSON?) {
    guard let latest, let answer else { return }
    switch (latest.method, latest.reference) {
    case ("chores.add", _): open[latest.parameters["chore"]?["name"]?.string ?? ""] = answer["occurrence"]
    case ("chores.complete", .chore(let name)): open[name] = answer["next"]
    case ("rota.set", _):
      tasks = answer["tasks"]?.array ?? []
      firstWeek = answer["fromWeek"]?.string.flatMap { Instant("\($0)T00:00:00Z") }
    default: break
    }
  }

  /// The parameters of a step, with what it refers to; `nil` if there is no such thing.
  private mutating func parameters(of step: Step) -> [String: JSON]? {
    var parameters = step.parameters
    switch step.reference {
    case .chore(let name):
      guard let occurrence = open[name] else { return nil }
      parameters["id"] = occurrence
      completions.append(occurrence)
    case .completion(let number):
      guard completions.indices.contains(number) else { return nil }
      parameters["id"] = completions[number]
    case .rota(let task, let week):
      guard tasks.indices.contains(task), let firstWeek else { return nil }
      parameters["task"] = tasks[task]
      parameters["week"] = .string(Self.day(of: firstWeek + .seconds(week * 7 * 86_400)))
    case nil: break
    }
    return parameters
  }

  // MARK: times

  private static func day(of instant: Instant) -> String { String(instant.description.prefix(10)) }

  private func date(_ days: Int) -> String { Self.day(of: now + .seconds(days * 86_400)) }
  private func day(_ days: Int) -> JSON { .string(date(days)) }

  /// An hour of a day, counted from the last one.
  private func at(_ days: Int, hour: Int) -> Instant {
    Instant(milliseconds: now.milliseconds / 86_400_000 * 86_400_000) + .seconds(days * 86_400 + hour * 3600)
  }

  private mutating func add(
    _ at: Instant, _ person: Int, _ method: String, _ parameters: [String: JSON], _ reference: Reference? = nil
  ) {
    steps.append(
      Step(at: at, by: person % people.count, method: method, parameters: parameters, reference: reference))
  }

  private func person(_ index: Int) -> JSON { .string(people[index % people.count].description) }

  // MARK: chores

  private mutating func addChores(_ begin: Instant) {
    for habit in Self.habits {
      var chore: [String: JSON] = [
        "name": .string(habit.name), "essential": .string(habit.essential), "strategy": .string(habit.strategy),
        "points": .number(JSON.Number(habit.points)),
      ]
      if habit.strategy == "fixed" { chore["people"] = [person(1)] }
      if habit.days > 0 {
        chore["date"] = day(-Self.days)
        chore["repeat"] = ["every": .number(JSON.Number(habit.days)), "unit": "days", "basis": "completion"]
      } else {
        chore["standing"] = true
      }
      add(begin, 0, "chores.add", ["chore": .object(chore)])
    }
    let others: [[String: JSON]] = [
      ["name": "Call the landlord about the boiler", "date": day(-1), "people": [person(0)], "urgent": true],
      ["name": "Take the ladder back", "date": day(2), "people": [person(1)]],
      [
        "name": "Oven", "date": day(6), "repeat": ["every": 1, "unit": "months"], "strategy": "roundRobin",
        "note": "The cleaner is under the sink.",
      ],
    ]
    for (index, chore) in others.enumerated() {
      add(at(-4, hour: 9), index, "chores.add", ["chore": .object(chore)])
    }
    addCompletions()
  }

  /// Everybody does their turn; now and then another one does it, or it comes a day late.
  private mutating func addCompletions() {
    var done: [(at: Instant, habit: Int, number: Int)] = []
    for (index, habit) in Self.habits.enumerated() {
      var (day, number) = (-Self.days, 0)
      while day <= 0 {
        let isLate = habit.days > 1 && number % 4 == 3
        let time = at(day + (isLate ? 1 : 0), hour: habit.hour)
        if time <= now { done.append((time, index, number)) }
        day += (isLate ? 1 : 0) + (habit.days > 0 ? habit.days : 2 + number % 2)
        number += 1
      }
    }
    done.sort { ($0.at, $0.habit) < ($1.at, $1.habit) }
    for (count, (time, index, number)) in done.enumerated() {
      let habit = Self.habits[index]
      let doer = habit.strategy == "fixed" ? 1 + (number % 6 == 5 ? 1 : 0) : index + number + (number % 7 == 6 ? 1 : 0)
      var parameters: [String: JSON] = followsClock ? [:] : ["doneAt": .string(time.description)]
      if number % 5 == 2 { parameters["minutes"] = .number(JSON.Number(5 * (1 + habit.points))) }
      add(time, doer, "chores.complete", parameters, .chore(habit.name))
      // Another member rates the completions of the last days.
      guard people.count > 1, count % 2 == 0, time > at(-6, hour: 0) else { continue }
      let stars = JSON.number(JSON.Number(3 + count / 2 % 3))
      add(time + .seconds(2 * 3600), doer + 1, "chores.rate", ["stars": stars], .completion(count))
    }
  }

  private mutating func addRota(_ begin: Instant) {
    let names = ["Kitchen", "Stairs", "Bins outside"]
    add(begin, 0, "rota.set", ["tasks": .array(names.map { ["name": .string($0)] })])
    // 1970 began on a Thursday.
    let first = followsClock ? begin : now
    let monday = first - .milliseconds((first.milliseconds + 3 * 86_400_000) % (7 * 86_400_000))
    var week = 0
    while monday + .seconds(week * 7 * 86_400) <= now {
      for task in names.indices {
        let time = monday + .seconds((week * 7 + 2 * task + 1) * 86_400 + 17 * 3600)
        add(max(time, begin), task + week, "rota.tick", ["done": true], .rota(task: task, week: week))
      }
      week += 1
    }
  }

  // MARK: dinner and drinks

  private mutating func addDinners(_ begin: Instant) {
    let weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday"]
    for person in people.indices {
      let days = weekdays.enumerated().filter { ($0.offset + person) % 4 != 3 }.map { ($0.element, JSON.string("in")) }
      add(begin, person, "dinner.pattern", ["days": .object(Dictionary(uniqueKeysWithValues: days))])
    }
    for day in -Self.days...0 where followsClock {
      add(at(day, hour: 12), day + Self.days, "dinner.set", ["eats": "in", "cook": true])
      if day % 5 == 0 { add(at(day, hour: 13), day + Self.days + 1, "dinner.set", ["guests": 1]) }
      if day % 4 == 0 { add(at(day, hour: 13), day + Self.days + 2, "dinner.set", ["eats": "out"]) }
    }
    let morning = at(0, hour: 0)
    add(morning, 1, "dinner.set", ["date": day(1), "eats": "in", "cook": true])
    add(morning, 2, "dinner.set", ["date": day(1), "eats": "out"])
    add(morning, 0, "dinner.set", ["date": day(2), "guests": 2])
  }

  private mutating func addDrinks() {
    for (day, buyer) in [(-28, 0), (-12, 1)] {
      add(at(day, hour: 16), buyer, "drinks.buy", ["kind": "Beer", "n": 24, "cost": 1899])
      add(at(day, hour: 16), buyer + 1, "drinks.buy", ["kind": "Club-Mate", "n": 12, "cost": 1140])
    }
    for day in -27...0 where day % 2 == 0 {
      let bottles: JSON = day % 4 == 0 ? 1 : 2
      add(at(day, hour: 20), day / 2 + 28, "drinks.add", ["kind": "Beer", "n": bottles])
      if day % 4 == 0 { add(at(day, hour: 15), day / 4 + 29, "drinks.add", ["kind": "Club-Mate", "n": 1]) }
    }
    add(at(-3, hour: 9), 2, "drinks.correct", ["kind": "Club-Mate", "to": 15])
  }

  // MARK: events

  private mutating func addEvents() {
    let start = at(-2, hour: 10)
    add(
      start, 0, "events.add",
      ["title": "Film night", "start": .string("\(date(3))T19:30"), "end": .string("\(date(3))T22:00")])
    add(start, 1, "events.add", ["title": "Parents visit", "start": day(9), "end": day(11)])
    add(
      start, 2, "events.add",
      [
        "title": "Choir", "start": .string("\(date(1))T18:00"), "who": [person(2)],
        "repeats": ["every": 1, "unit": "weeks"],
      ])
    let minutes = people.map { ($0.description, JSON.number(JSON.Number(120))) }
    add(
      start, 0, "specialEvents.create",
      [
        "title": "Cellar clearing", "description": "Whatever has no name on it goes.",
        "minutes": .object(Dictionary(uniqueKeysWithValues: minutes)),
        "window": ["from": .string(at(7, hour: 8).description), "to": .string(at(14, hour: 20).description)],
        "hours": ["from": "10:00", "to": "20:00"],
      ])
  }
}
