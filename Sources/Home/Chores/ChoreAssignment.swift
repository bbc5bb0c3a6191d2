import Rooms

/// Whose turn a chore is (R-ASSIGN): a rule on members, which knows neither clocks nor the household.
struct ChoreAssignment {
  var chore: Chore
  /// The day on which it is due.
  var day: LocalDay
  /// All members who stay, for a chore that names nobody.
  var residents: [ID<Person>]
  /// The member who takes a member's turn on that day: they themselves, their stand-in, or nobody.
  var present: (ID<Person>) -> ID<Person>?
  /// How much a member has done: in the last time, and ever.
  var done: (ID<Person>) -> (lately: Int, ever: Int)
  /// An unpredictable number below another one.
  var draw: (Int) -> Int

  /// A turn: the members who are to do it, and the one whose turn it is by the order.
  struct Turn: Equatable {
    var people: [ID<Person>] = []
    var turn: ID<Person>?
    /// The exchange that this turn settles: the member who would have had it.
    var settled: ID<Person>?
  }

  var order: [ID<Person>] { chore.people.isEmpty ? residents : chore.people }

  /// The next turn.
  ///
  /// - Parameters:
  ///   - last: The member whose turn the last occurrence was, and its day.
  ///   - isPassedOn: That turn is given up, so that it does not last for the rotation's time.
  func next(after last: ID<Person>?, on lastDay: LocalDay? = nil, isPassedOn: Bool = false) -> Turn {
    switch chore.strategy {
    case .open: return Turn()
    case .fixed:
      let people = chore.people.compactMap(present)
      return Turn(people: people.enumerated().filter { !people[..<$0.offset].contains($0.element) }.map(\.element))
    case .byWeekday: return turn(of: chore.weekdays[day.weekday])
    case .random:
      let candidates = order.filter { present($0) != nil }
      return candidates.isEmpty ? Turn() : turn(of: candidates[draw(candidates.count)])
    case .leastCompleted, .leastPoints:
      let candidates = order.filter { present($0) != nil }
      let counts = candidates.map(done)
      return turn(
        of: candidates.indices.min {
          (counts[$0].lately, counts[$0].ever, $0) < (counts[$1].lately, counts[$1].ever, $1)
        }
        .map { candidates[$0] })
    case .roundRobin:
      var start = last.flatMap { order.firstIndex(of: $0) }.map { $0 + 1 } ?? 0
      if !isPassedOn, start > 0, let rotation = chore.rotation, let lastDay, rotation.isSame(lastDay, day) {
        start -= 1
      }
      for offset in order.indices {
        let member = order[(start + offset) % order.count]
        let exchanged = chore.swaps[member]
        if let person = present(exchanged ?? member) {
          return Turn(people: [person], turn: member, settled: exchanged == nil ? nil : member)
        }
      }
      return Turn(turn: last)
    }
  }

  private func turn(of member: ID<Person>?) -> Turn {
    guard let member, let person = present(member) else { return Turn() }
    return Turn(people: [person], turn: member)
  }
}
