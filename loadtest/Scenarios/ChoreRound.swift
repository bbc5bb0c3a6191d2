import JSON

/// The calls of one caller in the mix `chores`: mostly chores, beside dinner, drinks and statistics.
///
/// It has a chore without dates, which is there again as soon as it is done, and adds errands that are done once.
struct ChoreRound {
  enum Step {
    case complete, claim, release, skip, addErrand, completeErrand, dinner, drink, statistics

    /// A question has no effect, so it has no number.
    var isQuestion: Bool { self == .statistics }
    var isCompletion: Bool { self == .complete || self == .completeErrand }
  }

  private static let steps: [Step] = [
    .claim, .complete, .complete, .addErrand, .completeErrand, .dinner, .complete, .claim, .release, .complete, .drink,
    .complete, .skip, .complete, .statistics, .complete,
  ]

  /// The caller's chore, which is another one in each run.
  let chore = randomUUID()
  /// Its open occurrence, and that of the latest errand.
  private(set) var occurrence = randomUUID()
  private var errand = ""
  private var count = 0
  private(set) var step = Step.complete

  /// Turns to the next step.
  mutating func goOn() {
    step = Self.steps[count % Self.steps.count]
    count += 1
    if step == .addErrand { errand = randomUUID() }
  }

  /// Takes the answer to the step: the next occurrence comes with the end of one.
  mutating func answered(_ result: View?) {
    guard step == .complete || step == .skip, let next = result?[key: "next"]?.string else { return }
    occurrence = next
  }

  var method: StaticString {
    switch step {
    case .complete, .completeErrand: "chores.complete"
    case .claim: "chores.claim"
    case .release: "chores.release"
    case .skip: "chores.skip"
    case .addErrand: "chores.add"
    case .dinner: "dinner.set"
    case .drink: "drinks.add"
    case .statistics: "chores.statistics"
    }
  }

  /// Writes the parameters of the step, except the room and the number.
  func write(to writer: Writer) {
    switch step {
    case .complete, .claim, .release, .skip:
      writer.key("id")
      writer.string(occurrence)
    case .completeErrand:
      writer.key("id")
      writer.string(errand)
    case .addErrand: Self.writeChore("Errand", isStanding: false, occurrence: errand, to: writer)
    case .dinner:
      writer.key("eats")
      writer.string(count % 32 < 16 ? "in" : "out")
    case .drink:
      writer.key("kind")
      writer.string("Beer")
      writer.key("n")
      // Counts stay within their limits, however long a run is.
      writer.int(count % 32 < 16 ? 1 : -1)
    case .statistics: Self.writeDays(to: writer)
    }
  }

  /// Writes the parameters that make the caller's chore.
  func writeChore(to writer: Writer) {
    writer.key("id")
    writer.string(chore)
    Self.writeChore("Load", isStanding: true, occurrence: occurrence, to: writer)
  }

  private static func writeChore(_ name: String, isStanding: Bool, occurrence: String, to writer: Writer) {
    writer.key("occurrence")
    writer.string(occurrence)
    writer.key("chore")
    writer.openObject()
    writer.key("name")
    writer.string(name)
    writer.key("strategy")
    writer.string("open")
    if isStanding {
      writer.key("standing")
      writer.bool(true)
    }
    writer.closeObject()
  }

  /// Writes days of which today is one in every zone.
  static func writeDays(to writer: Writer) {
    let day: Int64 = 86_400_000
    writer.key("from")
    writer.string(String(timestamp(System.wallMilliseconds - day).prefix(10)))
    writer.key("to")
    writer.string(String(timestamp(System.wallMilliseconds + 2 * day).prefix(10)))
  }

  /// How many completions an answer to `chores.statistics` counts.
  static func sum(of result: View?) -> Int {
    var sum = 0
    result?[key: "people"]?.forEachMember { _, person in sum += person[key: "done"]?.int ?? 0 }
    return sum
  }
}
