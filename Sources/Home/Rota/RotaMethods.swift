import JSON
import Rooms

extension Rota {
  static let methods: [Method] = [
    .of(SetRota.self), .of(TickRota.self), .of(ClaimRota.self), .of(ReleaseRota.self), .question(ShowRota.self),
    .question(ListRota.self),
  ]
}

/// A task as `rota.set` names it: one that is there already by its id.
struct RotaTaskEntry: Record {
  var id: ID<RotaTask>?
  var name = Line()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("name", \.name, Limits.rotaTaskName)
  }
}

struct RotaAnswer: Record {
  /// The version, and the Monday from which it counts.
  var id = ID<RotaVersion>()
  var fromWeek = LocalDay()
  var tasks: [ID<RotaTask>] = []

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("fromWeek", \.fromWeek)
    field("tasks", \.tasks)
  }
}

/// Sets the rota's tasks, residents and restart from next Monday on; what is left out stays as it is (ROT-5).
struct SetRota: Mutation {
  static let method: StaticString = "rota.set"
  static let summary: StaticString =
    "Sets the rota's tasks, residents and restart from next Monday on; what is left out stays as it is (ROT-5)."
  var tasks: [RotaTaskEntry]?
  /// In the order in which the tasks move on; for the first rota, all who are no guests.
  var residents: [ID<Person>]?
  var restart: RotaRestart?
  var startWeek: LocalDay?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("tasks", \.tasks, 0...Limits.rotaTasks)
    field("residents", \.residents, 0...Limits.members)
    field("restart", \.restart)
    field("startWeek", \.startWeek)
  }

  func check(_ problems: Problems, in home: inout HouseholdState, _ context: Context) {
    let ids = (tasks ?? []).map(\.id)
    for (index, id) in ids.enumerated() where id != nil && ids[..<index].contains(id) {
      problems.note("tasks.\(index).id", "stands in the list already")
    }
    let people = residents ?? []
    for (index, person) in people.enumerated() {
      if people[..<index].contains(person) { problems.note("residents.\(index)", "stands in the list already") }
      if !home.isResident(person) { problems.note("residents.\(index)", "must be a member who is no guest") }
    }
    if let startWeek {
      startWeek.checkMonday(problems, "startWeek")
      let restart = restart ?? home.rota.newest?.version.restart ?? .year
      if restart != .never { problems.note("startWeek", "needs the restart never") }
    }
  }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> RotaAnswer {
    let member = try home.caller(context)
    guard home.info.allows(context.person, \.rota, unlessChosen: .host) else { throw .hostOnly }
    let isFirst = home.rota.newest == nil
    let everybody = home.membership.members.filter { $0.value.guestOf == nil }
      .sorted { ($0.value.joinedAt, $0.key) < ($1.value.joinedAt, $1.key) }.map(\.key)
    let isRenamed = tasks?.contains { task in task.id.map { home.rota.tasks[$0]?.name } != task.name.text } == true
    let ids = try tasks.map { tasks throws(Refusal) in try home.name(tasks, in: context) }
    let (version, isChanged) = home.changeRota(by: context.person, in: context) { version in
      version.tasks = ids ?? version.tasks
      version.residents = residents ?? (isFirst ? everybody : version.residents)
      version.restart = restart ?? version.restart
      if version.restart == .year { version.startWeek = nil }
      version.startWeek = startWeek ?? version.startWeek
    }
    if isChanged || isRenamed {
      home.happened(.rotaChanged, by: context.person, ref: version.cast(), in: context)
      home.resolve(version.cast(), in: context)
      home.notifyOthers(than: context.person, .rota, ref: version.cast(), named: member.name, in: context)
    }
    let set = home.rota.versions[version] ?? RotaVersion()
    return RotaAnswer(id: version, fromWeek: set.fromWeek, tasks: set.tasks)
  }
}

/// Marks a task of this week or the last one as done, or as not done after all (ROT-6).
struct TickRota: Mutation {
  static let method: StaticString = "rota.tick"
  static let summary: StaticString =
    "Marks a task of this week or the last one as done, or as not done after all (ROT-6)."
  var task = ID<RotaTask>()
  var week = LocalDay()
  var isDone = true
  /// The member who has done it, if that is another one than the caller.
  var person: ID<Person>?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("task", \.task)
    field("week", \.week)
    field("done", \.isDone)
    field("person", \.person)
  }

  func check(_ problems: Problems, in home: inout HouseholdState, _ context: Context) {
    let current = home.week(at: context.now)
    week.checkMonday(problems, "week", from: current.adding(-7), to: current)
    if !isDone, person != nil { problems.note("person", "is for what is done") }
  }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> NoAnswer {
    _ = try home.caller(context)
    let turn = try home.rotaTurn(of: task, in: week)
    let record = ID<RotaDone>.derived("rota", task.bytes + Array(week.text.utf8)).bytes
    guard isDone else {
      if turn.doneBy == nil { return NoAnswer() }
      home.uncountTurn(turn, in: week, at: context.now)
      home.rota.weeks[week.text]?.doneBy[task] = nil
      home.rota.weeks[week.text]?.doneAt[task] = nil
      context.erase(ListRota.history, id: record)
      return NoAnswer()
    }
    let doer = person ?? context.person
    if !home.membership.members.contains(doer) { throw .gone("This member") }
    if let by = turn.doneBy {
      if by == doer { return NoAnswer() }
      throw .alreadyDone(by: by, at: turn.doneAt)
    }
    home.mark(week) { marks in
      marks.doneBy[task] = doer
      marks.doneAt[task] = context.now
    }
    home.countTurn(turn, by: doer, in: week, context)
    let done = RotaDone(task: task, name: turn.name, week: week, by: doer, at: context.now)
    context.record(ListRota.history, id: record, about: [doer], done)
    home.happened(.rotaDone, by: doer, ref: task.cast(), named: turn.name, in: context)
    home.pruneRota(in: context)
    return NoAnswer()
  }
}

/// Takes on a task of this week whose resident is away or has left; the first one has it (ROT-5, HH-12).
struct ClaimRota: Mutation {
  static let method: StaticString = "rota.claim"
  static let summary: StaticString =
    "Takes on a task of this week whose resident is away or has left; the first one has it (ROT-5, HH-12)."
  var task = ID<RotaTask>()
  var week = LocalDay()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("task", \.task)
    field("week", \.week)
  }

  func check(_ problems: Problems, in home: inout HouseholdState, _ context: Context) {
    let current = home.week(at: context.now)
    week.checkMonday(problems, "week", from: current, to: current)
  }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> NoAnswer {
    _ = try home.caller(context)
    let turn = try home.rotaTurn(of: task, in: week)
    if let by = home.rota.week(week).claims[task] {
      if by == context.person { return NoAnswer() }
      throw Refusal(.conflict, "alreadyClaimed", "Somebody has taken this task on already.").naming(by)
    }
    if let by = turn.doneBy { throw .alreadyDone(by: by, at: turn.doneAt) }
    guard turn.isOpen == true else {
      throw Refusal(.conflict, "notOpen", "Somebody has the turn of this task, or nobody has it this week.")
    }
    home.mark(week) { $0.claims[task] = context.person }
    home.pruneRota(in: context)
    return NoAnswer()
  }
}

/// Gives back a task that the caller has claimed: it is open again (ROT-5).
struct ReleaseRota: Mutation {
  static let method: StaticString = "rota.release"
  static let summary: StaticString = "Gives back a task that the caller has claimed: it is open again (ROT-5)."
  var task = ID<RotaTask>()
  var week = LocalDay()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("task", \.task)
    field("week", \.week)
  }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> NoAnswer {
    _ = try home.caller(context)
    if home.rota.week(week).claims[task] == context.person { home.rota.weeks[week.text]?.claims[task] = nil }
    return NoAnswer()
  }
}

extension HouseholdState {
  /// Names the tasks of a list; one that is not there yet is made. Returns their ids.
  fileprivate mutating func name(_ tasks: [RotaTaskEntry], in context: Context) throws(Refusal) -> [ID<RotaTask>] {
    var ids: [ID<RotaTask>] = []
    for task in tasks {
      let id = context.newID(task.id)
      if !rota.tasks.contains(id) { try checkNew(id) }
      let named = RotaTask(name: task.name.text)
      if rota.tasks[id] != named { rota.tasks[id] = named }
      ids.append(id)
    }
    return ids
  }

  fileprivate func rotaTurn(of task: ID<RotaTask>, in week: LocalDay) throws(Refusal) -> RotaTurn {
    guard let turn = turn(of: task, in: week) else { throw .gone("This task") }
    return turn
  }

  /// Changes the marks of a week.
  fileprivate mutating func mark(_ week: LocalDay, _ change: (inout RotaWeek) -> Void) {
    var marks = rota.week(week)
    change(&marks)
    rota.weeks[week.text] = marks
  }
}

extension LocalDay {
  /// Notes a day that is no Monday, or not within bounds. A day that was not read is reported already.
  fileprivate func checkMonday(
    _ problems: Problems, _ field: String, from first: LocalDay? = nil, to last: LocalDay? = nil
  ) {
    if self == LocalDay() { return }
    if self != monday { return problems.note(field, "must be a Monday") }
    guard let first, let last, !(first...last).contains(self) else { return }
    problems.note(field, first == last ? "must be this week" : "must be this week or the last one")
  }
}

extension Refusal {
  fileprivate static func alreadyDone(by person: ID<Person>, at instant: Instant?) -> Refusal {
    var refusal = Refusal(.conflict, "alreadyDone", "This task is done already.").naming(person)
    refusal.details["at"] = instant.map { .string($0.description) }
    return refusal
  }

  /// The refusal, with the person who was first.
  fileprivate func naming(_ person: ID<Person>) -> Refusal {
    var refusal = self
    refusal.details["by"] = .string(person.description)
    return refusal
  }
}
