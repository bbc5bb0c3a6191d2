import JSON
import Rooms

/// A chore that the household has had: it is suggested, and statistics count by it (CHO-3).
struct ChoreName: Record {
  /// The latest spelling.
  var name = ""
  var essential: Essential?
  var count = 0
  var usedAt = Instant()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("name", \.name)
    field("essential", \.essential)
    field("count", \.count)
    field("usedAt", \.usedAt)
  }

  /// The same key for all names of one chore (R-MERGE).
  fileprivate var key: String { essential.map { "essential \($0.rawValue)" } ?? NameKey.of(name) }
}

extension Chores {
  /// The entry of a name, made if there is none: no chore stands in the catalogue twice.
  ///
  /// - Parameter count: 1 if a chore is added; 0 if one is named anew.
  mutating func task(
    named name: String, _ essential: Essential?, adding count: Int, _ fresh: ID<ChoreName>, at now: Instant
  ) -> ID<ChoreName> {
    let wanted = ChoreName(name: name, essential: essential)
    let id = catalogue.first { $0.value.key == wanted.key }?.key ?? fresh
    let before = catalogue[id]?.count ?? 0
    catalogue[id] = ChoreName(name: name, essential: essential, count: before + count, usedAt: now)
    // Names of chores on the list stay; of the others the one that has been unused longest goes.
    while catalogue.count > Limits.choreNames {
      let used = Set(chores.values.map(\.task))
      let oldest = catalogue.filter { !used.contains($0.key) && $0.key != id }
        .min { ($0.value.usedAt, $0.key) < ($1.value.usedAt, $1.key) }
      guard let oldest else { break }
      catalogue[oldest.key] = nil
      tallies[oldest.key] = nil
    }
    return id
  }

  /// The entry of a chore that is named anew: its own, unless the name or the chores beside it belong to another one.
  mutating func rename(
    _ task: ID<ChoreName>, to name: String, _ essential: Essential?, _ fresh: ID<ChoreName>, at now: Instant
  ) -> ID<ChoreName> {
    let wanted = ChoreName(name: name, essential: essential)
    let isTaken = catalogue.contains { $0.key != task && $0.value.key == wanted.key }
    let isShared = chores.values.filter { $0.task == task }.count > 1
    guard !isTaken, !isShared, let entry = catalogue[task] else {
      return self.task(named: name, essential, adding: 0, fresh, at: now)
    }
    catalogue[task] = ChoreName(name: name, essential: essential, count: entry.count, usedAt: now)
    return task
  }
}

/// Takes a name out of the catalogue, such as a misspelt one; its completions are no longer counted (CHO-3).
struct ForgetChoreName: Mutation {
  static let method: StaticString = "chores.forget"
  static let summary: StaticString =
    "Takes a name out of the catalogue, such as a misspelt one; its completions are no longer counted (CHO-3)."
  var task = ID<ChoreName>()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("task", \.task) }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> NoAnswer {
    _ = try home.caller(context)
    guard home.chores.catalogue.contains(task) else { throw .gone("This name") }
    if home.chores.chores.values.contains(where: { $0.task == task }) {
      throw Refusal(.conflict, "inUse", "A chore on the list has this name.")
    }
    guard home.isHost(context.person) || home.chores.tallies[task] == nil else { throw .hostOnly }
    home.chores.catalogue[task] = nil
    home.chores.tallies[task] = nil
    home.forget(task, in: context)
    return NoAnswer()
  }
}
