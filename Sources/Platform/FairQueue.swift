/// The owner and the urgency of slow work. It waits behind other work of its owner, and alternates with that of others.
public struct WorkLane: Sendable, Hashable {
  /// For work that comes from outside, the network address of its client (SEC-12).
  public var owner: String
  public var urgency: Urgency

  /// The more urgent work goes before all other work.
  public enum Urgency: Int, Sendable, CaseIterable, Comparable {
    case low, usual, high

    public static func < (left: Urgency, right: Urgency) -> Bool { left.rawValue < right.rawValue }
  }

  public init(owner: String = "", urgency: Urgency = .usual) {
    self.owner = owner
    self.urgency = urgency
  }
}

/// A bounded queue whose places are shared fairly among owners.
///
/// Owners take turns, whatever number of items each has. An owner may have the whole queue while nobody else wants a
/// place; whoever wants one then takes it from the owner with the most.
public struct FairQueue<Item: Sendable>: Sendable {
  /// The outcome of adding an item.
  public enum Admission: Sendable {
    case waits
    /// It waits in the place of this other one, which is not carried out.
    case displaces(Item)
    case refused
  }

  private struct Place {
    var item: Item
    var lane: WorkLane
    /// When it is its turn: each owner has one item in each round.
    var round: Int
  }

  /// The turns of the owners at one urgency.
  private struct Turns {
    private var round = 0
    /// The last round of each owner that has had one which is not over.
    private var rounds: [String: Int] = [:]

    mutating func next(for owner: String) -> Int {
      let next = max(round, rounds[owner].map { $0 + 1 } ?? 0)
      rounds[owner] = next
      return next
    }

    mutating func begin(_ next: Int) {
      guard next > round else { return }
      round = next
      rounds = rounds.filter { $0.value >= next }
    }
  }

  private let limit: Int
  /// Oldest first.
  private var places: [Place] = []
  private var turns = [Turns](repeating: Turns(), count: WorkLane.Urgency.allCases.count)

  public init(limit: Int) { self.limit = limit }

  public var count: Int { places.count }

  public mutating func add(_ item: Item, _ lane: WorkLane) -> Admission {
    guard places.count < limit else {
      guard let index = displaced(by: lane) else { return .refused }
      let other = places.remove(at: index)
      append(item, lane)
      return .displaces(other.item)
    }
    append(item, lane)
    return .waits
  }

  /// Takes the item whose turn it is.
  public mutating func next() -> Item? {
    guard
      let index = places.indices.min(by: { left, right in
        let (left, right) = (places[left], places[right])
        let (first, second) = (left.lane.urgency, right.lane.urgency)
        return first == second ? left.round < right.round : first > second
      })
    else { return nil }
    let place = places.remove(at: index)
    begin(place.round, place.lane)
    return place.item
  }

  /// Counts a turn of an owner whose item need not wait.
  public mutating func pass(_ lane: WorkLane) { begin(turn(of: lane), lane) }

  private mutating func append(_ item: Item, _ lane: WorkLane) {
    places.append(Place(item: item, lane: lane, round: turn(of: lane)))
  }

  private mutating func turn(of lane: WorkLane) -> Int {
    turns[lane.urgency.rawValue].next(for: lane.owner)
  }

  private mutating func begin(_ round: Int, _ lane: WorkLane) {
    turns[lane.urgency.rawValue].begin(round)
  }

  /// The place that a newcomer may take: the newest of the owner with the most, among those that are least urgent, or
  /// else as urgent and of an owner that has at least two more.
  private func displaced(by lane: WorkLane) -> Int? {
    guard let least = places.map(\.lane.urgency).min(), least <= lane.urgency else { return nil }
    var counts: [String: Int] = [:]
    for place in places where place.lane.urgency == least { counts[place.lane.owner, default: 0] += 1 }
    let most = counts.values.max() ?? 0
    guard least < lane.urgency || most > counts[lane.owner, default: 0] + 1 else { return nil }
    return places.lastIndex { $0.lane.urgency == least && counts[$0.lane.owner] == most }
  }
}
