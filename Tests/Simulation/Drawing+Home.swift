import JSON
import Rooms

extension Operations {
  /// The method that makes what a call is about, if the household has nothing of the kind: most phones show no button
  /// then.
  static func maker(before method: String, in state: JSON?) -> String? {
    func isEmpty(_ table: String) -> Bool { state?[table]?.object?.isEmpty ?? true }
    switch method {
    case "chores.edit", "chores.remove", "chores.complete", "chores.skip", "chores.move", "chores.claim",
      "chores.release", "chores.undo", "chores.rate", "chores.approve", "chores.remind":
      return isEmpty("chores") ? "chores.add" : nil
    case "rewards.edit", "rewards.remove", "rewards.redeem": return isEmpty("rewards") ? "rewards.add" : nil
    case "rota.tick", "rota.claim": return isEmpty("rotaTasks") ? "rota.set" : nil
    case "events.edit", "events.remove": return isEmpty("events") ? "events.add" : nil
    case "specialEvents.busy", "specialEvents.slots", "specialEvents.confirm", "specialEvents.cancel":
      return isEmpty("specialEvents") ? "specialEvents.create" : nil
    case "drinks.undo", "drinks.removeKind", "drinks.closePeriod": return isEmpty("drinks") ? "drinks.add" : nil
    default: return moneyMaker(before: method, in: state)
    }
  }
}

/// Values for the methods about chores, rota, events, dinner and drinks, which chance alone would hardly ever hit.
extension Drawing {
  // MARK: documents

  private func table(_ name: String) -> [String: JSON] { state[name]?.object ?? [:] }

  /// The keys of rows of a table of the document.
  private func keys(_ name: String, where isWanted: (JSON) -> Bool = { _ in true }) -> [String] {
    table(name).filter { isWanted($0.value) }.keys.sorted()
  }

  private var me: String { client.person.id.description }
  func member() -> String { world.random.pick(keys("members")) ?? me }

  /// The ids that people's calls of some methods named which took effect.
  private func named(by methods: [String], of people: [SimulatedPerson]) -> [String] {
    people.flatMap { person in methods.flatMap { person.named[$0] ?? [] } }
  }

  // MARK: days

  /// A day, counted from today.
  func day(_ days: Int) -> String { String((world.wallTime + .seconds(86_400 * days)).description.prefix(10)) }

  /// The Monday of a week, counted from this one.
  func monday(_ weeks: Int) -> String {
    let (day, week): (Int64, Int64) = (86_400_000, 7 * 86_400_000)
    // The first day of 1970 was a Thursday.
    let sinceMonday = (world.wallTime.milliseconds + 3 * day) % week
    let monday = world.wallTime + .milliseconds(Int64(weeks) * week - sinceMonday)
    return String(monday.description.prefix(10))
  }

  func eventTime() -> String {
    day(world.random.number(0...20)) + (world.random.chance(50) ? "" : "T1\(world.random.number(0...9)):30")
  }

  // MARK: ids

  /// An id that the methods take; `nil` for all others.
  func homeID(named name: String) -> String? {
    if let id = moneyID(named: name) { return id }
    switch (method, name) {
    case ("rota.set", "tasks"), ("rota.set", "id"):
      return world.random.chance(50) ? world.random.pick(keys("rotaTasks")) ?? world.random.id() : world.random.id()
    case ("rota.set", "residents"), ("events.add", "who"), ("events.edit", "who"), ("chores.add", "people"),
      ("chores.edit", "people"):
      return member()
    case (_, "payer"): return member()
    case ("chores.claim", "from"): return member()
    case (_, "task"): return world.random.pick(keys(method.hasPrefix("rota.") ? "rotaTasks" : "choreCatalogue"))
    case ("rewards.redeem", "reward"): return world.random.pick(keys("rewards"))
    case ("chores.add", "occurrence"), ("specialEvents.confirm", "event"): return world.random.id()
    case ("chores.remove", "occurrence"): return world.random.pick(keys("occurrences"))
    case (_, "id"): return knownID()
    default: return nil
    }
  }

  /// The id of a thing that a call is about, most often of one for which it can succeed.
  private func knownID() -> String? {
    if world.random.chance(8) { return nil }
    switch method {
    case "chores.edit", "chores.remove": return world.random.pick(keys("chores"))
    case "chores.restore": return world.random.pick(named(by: ["chores.remove"], of: [client.person]))
    case "chores.complete", "chores.skip", "chores.move": return world.random.pick(keys("occurrences"))
    case "chores.claim":
      return world.random.pick(keys("occurrences") { $0["people"]?.array?.contains(.string(me)) != true })
    case "chores.remind":
      return world.random.pick(keys("occurrences") { $0["people"]?.array?.contains { $0 != .string(me) } ?? false })
    case "chores.release":
      return world.random.pick(keys("occurrences") { $0["people"]?.array?.contains(.string(me)) == true })
    case "chores.approve":
      return world.random.pick(keys("occurrences") { $0["completion"]?["by"].map { $0 != .string(me) } ?? false })
    case "chores.undo": return named(by: ["chores.complete", "chores.skip"], of: [client.person]).last
    case "chores.rate":
      let others = world.people.filter { $0 !== client.person }
      return world.random.pick(named(by: ["chores.complete"], of: others))
    case "events.edit", "events.remove": return world.random.pick(keys("events"))
    case "rewards.edit", "rewards.remove": return world.random.pick(keys("rewards"))
    case "rewards.restore": return world.random.pick(named(by: ["rewards.remove"], of: [client.person]))
    case "rewards.undo": return world.random.pick(keys("redemptions") { $0["by"] == .string(me) })
    case "notes.restore": return world.random.pick(named(by: ["notes.remove"], of: [client.person]))
    case "events.restore": return world.random.pick(named(by: ["events.remove"], of: [client.person]))
    case "specialEvents.busy", "specialEvents.slots", "specialEvents.confirm", "specialEvents.cancel":
      return world.random.pick(keys("specialEvents"))
    case "drinks.undo": return world.random.pick(keys("drinkEntries") { $0["by"] == .string(me) })
    case "inbox.thank":
      return world.random.pick(keys("inbox") { $0["kind"] == "choreDone" || $0["kind"] == "shopped" })
    case "inbox.snooze": return world.random.pick(keys("inbox") { $0["kind"] == "choreDue" })
    default: return nil
    }
  }

  // MARK: calls

  /// Makes most calls such that their parameters fit together; the others stay as chance has drawn them.
  mutating func refine(_ operation: inout Operation) {
    guard world.random.chance(85) else { return }
    switch method {
    case "chores.add": operation.parameters["chore"] = chore(name: marked("Trash"))
    case "chores.edit": operation.parameters["chore"] = choreChange()
    case "chores.complete": refineCompletion(&operation)
    case "chores.remind": operation.parameters["person"] = nil
    case "chores.claim":
      let row = table("occurrences")[operation.parameters["id"]?.string ?? ""]
      operation.parameters["from"] = row?["people"]?.array?.first
    case "chores.remove" where operation.parameters["occurrence"] != nil:
      // An occurrence is removed with the id of its chore.
      let row = table("occurrences")[operation.parameters["occurrence"]?.string ?? ""]
      operation.parameters["id"] = row?["chore"] ?? operation.parameters["id"]
    case "chores.forget":
      let used = Set(table("chores").values.compactMap { $0["task"]?.string })
      let unused = keys("choreCatalogue").filter { !used.contains($0) }
      if let task = world.random.pick(unused) { operation.parameters["task"] = .string(task) }
    case "rota.set":
      operation.parameters["startWeek"] = nil
      let names = ["Kitchen", "Stairs", "Bins"].prefix(world.random.number(1...3))
      let known = keys("rotaTasks")
      operation.parameters["tasks"] = .array(
        names.enumerated().map { index, name in
          let id = known.indices.contains(index) ? known[index] : world.random.id()
          return ["id": .string(id), "name": marked(name)]
        })
      operation.parameters["residents"] = people()
    case "rota.claim":
      operation.parameters["week"] = .string(monday(0))
    case "rota.tick":
      operation.parameters["week"] = .string(monday(0))
      if operation.parameters["done"] != true { operation.parameters["person"] = nil }
    case "events.add", "events.edit": refineEvent(&operation)
    case "chores.rate": operation.parameters["stars"] = operation.parameters["stars"] ?? 4
    case "chores.statistics":
      operation.parameters = ["from": .string(day(-world.random.number(0...300))), "to": .string(day(1))]
    case "events.days": operation.parameters["to"] = .string(day(world.random.number(3...20)))
    case "specialEvents.create":
      operation.parameters["minutes"] = .object(
        Dictionary(uniqueKeysWithValues: (people().array ?? []).compactMap { $0.string }.map { ($0, 30) }))
      operation.parameters["window"] = span(days: world.random.number(1...3))
      if operation.parameters["hours"] != nil { operation.parameters["hours"] = ["from": "08:00", "to": "22:00"] }
    case "specialEvents.busy":
      operation.parameters["intervals"] = .array((0..<world.random.number(0...2)).map { _ in span(days: 1) })
    case "specialEvents.confirm":
      let sinceQuarter = Duration.milliseconds(world.wallTime.milliseconds % 900_000)
      let start = world.wallTime - sinceQuarter + .seconds(900 * world.random.number(5...40))
      operation.parameters["start"] = .string(start.description)
    case "dinner.set" where operation.parameters["eats"] != "in": operation.parameters["guests"] = nil
    case "drinks.add", "drinks.buy", "drinks.correct", "drinks.closePeriod", "drinks.removeKind":
      refineDrinks(&operation)
    default: refineMoney(&operation)
    }
  }

  private func marked(_ word: String) -> JSON {
    .string("\(word) \(world.random.number(1...5)) \(World.marker(of: room) ?? "")")
  }

  /// Some of the members, at least one.
  private func people() -> JSON {
    let some = keys("members").filter { _ in world.random.chance(70) }
    return .array((some.isEmpty ? [me] : some).map { .string($0) })
  }

  private func span(days: Int) -> JSON {
    let from = world.wallTime + .seconds(world.random.number(0...3600))
    return ["from": .string(from.description), "to": .string((from + .seconds(86_400 * days)).description)]
  }

  // MARK: chores

  /// A chore whose fields fit together.
  private func chore(name: JSON) -> JSON {
    var chore: [String: JSON] = ["name": name, "points": .number(JSON.Number(world.random.number(0...20)))]
    let strategy = world.random.pick([
      "fixed", "fixed", "roundRobin", "roundRobin", "random", "leastCompleted", "leastPoints", "byWeekday", "open",
    ])
    chore["strategy"] = .string(strategy ?? "fixed")
    if strategy == "byWeekday" {
      let days = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
      chore["weekdays"] = .object(Dictionary(uniqueKeysWithValues: days.map { ($0, .string(member())) }))
    } else if world.random.chance(60) {
      chore["people"] = people()
    }
    if strategy == "roundRobin", world.random.chance(30) { chore["rotation"] = "weeks" }
    if strategy == "fixed", world.random.chance(30) { chore["all"] = true }
    if strategy == "byWeekday" || world.random.chance(75) {
      // Today's come to the inbox at once; what was due in the last days is overdue.
      chore["date"] = .string(day(world.random.chance(60) ? 0 : world.random.number(-2...3)))
      if world.random.chance(70) { chore["repeat"] = recurrence() }
      if world.random.chance(30) { chore["time"] = .string("\(world.random.number(10...23)):30") }
      if world.random.chance(20) { chore["skipsItself"] = true }
    } else if world.random.chance(50) {
      chore["standing"] = true
    }
    if world.random.chance(40) { chore["needsApproval"] = true }
    if world.random.chance(20) { chore["urgent"] = true }
    return .object(chore)
  }

  private func choreChange() -> JSON {
    switch world.random.number(0...5) {
    case 0: ["name": marked("Trash")]
    case 1: ["note": marked("Note"), "points": 3]
    case 2: ["date": .string(day(world.random.number(0...3)))]
    case 3: ["urgent": .bool(world.random.chance(50)), "graceHours": .number(JSON.Number(world.random.number(0...24)))]
    case 4: ["strategy": "roundRobin", "people": people(), "all": .null, "weekdays": .null]
    default: chore(name: marked("Dishes"))
    }
  }

  private func recurrence() -> JSON {
    var rule: [String: JSON] = [
      "every": .number(JSON.Number(world.random.number(1...3))),
      "unit": .string(world.random.pick(["days", "weeks", "months", "years"]) ?? "days"),
    ]
    if rule["unit"] == "weeks", world.random.chance(40) { rule["weekdays"] = ["tuesday", "friday"] }
    if rule["unit"] == "months", world.random.chance(40) { rule["day"] = 31 }
    if world.random.chance(30) { rule["count"] = .number(JSON.Number(world.random.number(1...4))) }
    if method.hasPrefix("chores."), world.random.chance(50) { rule["basis"] = "completion" }
    return .object(rule)
  }

  private func refineCompletion(_ operation: inout Operation) {
    if operation.parameters["doneAt"] != nil {
      let before = world.wallTime - .seconds(world.random.number(0...300_000))
      operation.parameters["doneAt"] = .string(before.description)
    }
    let occurrence = table("occurrences")[operation.parameters["id"]?.string ?? ""]
    let strategy = table("chores")[occurrence?["chore"]?.string ?? ""]?["strategy"]
    if strategy != "roundRobin" { operation.parameters["swap"] = nil }
  }

  // MARK: events and drinks

  private func refineEvent(_ operation: inout Operation) {
    operation.parameters["end"] = nil
    for name in ["title", "start"] where operation.parameters[name] == .null { operation.parameters[name] = nil }
    if operation.parameters["who"] != nil { operation.parameters["who"] = people() }
    if operation.parameters["repeats"] != nil, operation.parameters["repeats"] != .null {
      operation.parameters["repeats"] = recurrence()
    }
    if operation.method == "events.add", world.random.chance(40) {
      operation.parameters["start"] = .string(day(1))
      operation.parameters["end"] = .string(day(3))
    }
  }

  private func refineDrinks(_ operation: inout Operation) {
    let kinds = table("drinks")
    switch method {
    case "drinks.closePeriod":
      operation.parameters["period"] = state["drinkPeriod"]?["number"]
      if world.random.chance(50) { operation.parameters["payer"] = nil }
      if operation.parameters["payer"] == nil, world.random.chance(50) { operation.parameters["cost"] = nil }
      if operation.parameters["payer"] != nil { operation.parameters["cost"] = 1234 }
      if operation.parameters["cost"] != nil { operation.parameters["carryOver"] = nil }
    case "drinks.removeKind":
      // Nothing is open of a kind without stock and counts.
      let settled = keys("drinks") {
        $0["stock"] == 0 && $0["unaccounted"] == 0 && $0["counts"]?.object?.isEmpty ?? true
      }
      let kind = world.random.pick(settled.isEmpty ? kinds.keys.sorted() : settled)
      operation.parameters["kind"] = kind.flatMap { kinds[$0]?["name"] } ?? operation.parameters["kind"]
    default:
      let names = kinds.values.compactMap { $0["name"]?.string }.sorted()
      if world.random.chance(60), let name = world.random.pick(names) { operation.parameters["kind"] = .string(name) }
      if method == "drinks.correct", world.random.chance(50) { operation.parameters["to"] = 0 }
    }
  }
}
