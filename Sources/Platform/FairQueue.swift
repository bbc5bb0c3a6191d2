/// Whose slow work it is: work waits behind other work of its owner, and takes turns with that of others.
public struct WorkLane: Sendable, Hashable {
  /// For work that comes from outside, the network address of its client (SEC-12).
  public var owner: String
  /// Goes before all work that is not urgent.
  public var isUrgent: Bool

  public init(owner: String = "", isUrgent: Bool = true) {
    self.owner = owner
    self.isUrgent = isUrgent
  }
}

/// A bounded queue whose places are shared fairly among owners.
///
/// Owners take turns, whatever number of items each has. An owner may have the whole queue while nobody else wants a
/// place; whoever wants one then takes it from the owner with the most.
public struct FairQueue<Item: Sendable>: Sendable {
  /// What becomes of an item.
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

  /// Whose turn it is, among those that are as urgent.
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
  private var urgent = Turns()
  private var others = Turns()

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
        if left.lane.isUrgent != right.lane.isUrgent { return left.lane.isUrgent }
        return left.round < right.round
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
    lane.isUrgent ? urgent.next(for: lane.owner) : others.next(for: lane.owner)
  }

  private mutating func begin(_ round: Int, _ lane: WorkLane) {
    if lane.isUrgent { urgent.begin(round) } else { others.begin(round) }
  }

  /// The place that a newcomer may take: the newest of the owner with the most, among those that are less urgent, or
  /// else as urgent and of somebody who has at least two more.
  private func displaced(by lane: WorkLane) -> Int? {
    if lane.isUrgent, let index = newestOfMost(isUrgent: false)?.index { return index }
    guard let most = newestOfMost(isUrgent: lane.isUrgent) else { return nil }
    let own = places.count { $0.lane == lane }
    return most.count > own + 1 ? most.index : nil
  }

  private func newestOfMost(isUrgent: Bool) -> (index: Int, count: Int)? {
    var counts: [String: Int] = [:]
    for place in places where place.lane.isUrgent == isUrgent { counts[place.lane.owner, default: 0] += 1 }
    guard let most = counts.values.max(),
      let index = places.lastIndex(where: { $0.lane.isUrgent == isUrgent && counts[$0.lane.owner] == most })
    else { return nil }
    return (index, most)
  }
}
