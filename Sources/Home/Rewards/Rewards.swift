import JSON
import Rooms

/// The rewards of a household, and the points that its members have earned and spent (STA-6).
struct Rewards: Subject {
  typealias State = HouseholdState
  static let history = [HistoryKind(ListRedemptions.history, of: Redemption.self, lifetime: nil)]

  var rewards = Table<ID<Reward>, Reward>()
  var removed = Table<ID<Reward>, RemovedReward>()
  /// The redemptions that can still be undone. The history has all.
  var redemptions = Table<ID<Redemption>, Redemption>()
  /// Former members are among them, so that nobody has again what they have spent by leaving and coming back.
  var points = Table<ID<Person>, PointBalance>()
  private(set) var due = DueTime()

  mutating func parts(_ part: inout some PartVisitor) {
    part("rewards", &rewards)
    part("removedRewards", &removed, .hidden)
    part("redemptions", &redemptions)
    part("points", &points)
  }

  mutating func planAll() {
    for removed in removed.values { due.plan(removed.end) }
    for redemption in redemptions.values { due.plan(redemption.end) }
  }

  // MARK: the catalogue

  func reward(_ id: ID<Reward>) throws(Refusal) -> Reward {
    guard let reward = rewards[id] else { throw .gone("This reward") }
    return reward
  }

  func checkSpace() throws(Refusal) {
    if rewards.count >= Limits.rewards { throw .full("rewards", "At most \(Limits.rewards) rewards can be had.") }
  }

  /// Takes a reward out of the catalogue, and keeps it as long as it can be restored.
  mutating func takeOut(_ id: ID<Reward>, _ reward: Reward, by person: ID<Person>, at now: Instant) {
    let row = RemovedReward(reward: reward, removedAt: now, removedBy: person)
    rewards[id] = nil
    removed[id] = row
    due.plan(row.end)
    removed.keep(Limits.rewards) { $0.removedAt }
  }

  /// Puts a removed reward back under another id.
  mutating func restore(_ id: ID<Reward>, as newID: ID<Reward>, at now: Instant) throws(Refusal) {
    guard let row = removed[id], row.end > now else { throw .gone("This reward") }
    var reward = row.reward
    reward.was = id
    try checkSpace()
    rewards[newID] = reward
    removed[id] = nil
  }

  // MARK: points

  /// Counts points that a member has earned, or that are taken back with a completion.
  ///
  /// - Parameter ever: All points of their completions, this change included: what a balance begins with.
  mutating func earn(_ change: Int, of person: ID<Person>, ever: Int) {
    var balance = points[person] ?? PointBalance(earned: ever - change)
    balance.earned += change
    put(balance, of: person)
  }

  private mutating func put(_ balance: PointBalance, of person: ID<Person>) {
    points[person] = balance
    // A balance of which nothing is spent follows from the completions.
    points.keep(Limits.pointBalances) { $0.spent }
  }

  /// Spends points of a balance. Returns the redemptions that can no longer be undone, because there are too many.
  mutating func redeem(
    _ redemption: Redemption, as id: ID<Redemption>, from balance: PointBalance
  ) -> [ID<Redemption>] {
    var balance = balance
    balance.spent -= redemption.points
    put(balance, of: redemption.by)
    let before = Set(redemptions.keys)
    redemptions[id] = redemption
    redemptions.keep(Limits.redemptions) { $0.at }
    due.plan(redemption.end)
    return before.filter { !redemptions.contains($0) }
  }

  /// A redemption that can still be undone.
  func undoable(_ id: ID<Redemption>, at now: Instant) throws(Refusal) -> Redemption {
    guard let redemption = redemptions[id], redemption.end > now else { throw .gone("This redemption") }
    return redemption
  }

  /// Gives the points of a redemption back.
  mutating func undo(_ id: ID<Redemption>, _ redemption: Redemption) {
    redemptions[id] = nil
    points[redemption.by]?.spent += redemption.points
  }

  /// Forgets what can no longer be undone. Returns the ids of the redemptions among it.
  fileprivate mutating func sweep(at now: Instant) -> [ID<Redemption>] {
    due = DueTime()
    for id in removed.keys(where: { $0.end <= now }) { removed[id] = nil }
    let over = redemptions.keys { $0.end <= now }
    for id in over { redemptions[id] = nil }
    planAll()
    return over
  }

  static func fallDue(in home: inout HouseholdState, _ context: Context) {
    for id in home.rewards.sweep(at: context.now) { home.forget(id, at: context.now) }
  }
}

/// A thing that members get for points.
struct Reward: Record {
  var name = ""
  /// The price in points.
  var cost = 0
  var author = ID<Person>()
  var at = Instant()
  @Packed var editedBy: ID<Person>? = nil
  @Packed var editedAt: Instant? = nil
  /// The id of the reward before it was removed and restored.
  @Packed var was: ID<Reward>? = nil

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("name", \.name)
    field("cost", \.cost)
    field("author", \.author)
    field("at", \.at)
    field("editedBy", \._editedBy)
    field("editedAt", \._editedAt)
    field("was", \._was)
  }
}

/// A reward that can be restored for ten minutes (R-DEL).
struct RemovedReward: Record {
  var reward = Reward()
  var removedAt = Instant()
  var removedBy = ID<Person>()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("reward", \.reward)
    field("removedAt", \.removedAt)
    field("removedBy", \.removedBy)
  }

  var end: Instant { removedAt + Limits.undo }
}

/// Points that a member has spent on a reward.
struct Redemption: Record {
  var reward = ID<Reward>()
  /// The reward's name then.
  var name = ""
  /// Below 0: what it changes in the balance.
  var points = 0
  var by = ID<Person>()
  var at = Instant()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("reward", \.reward)
    field("name", \.name)
    field("points", \.points)
    field("by", \.by)
    field("at", \.at)
  }

  var end: Instant { at + Limits.undo }
}

/// The points of all of a person's completions, and those that they have spent.
struct PointBalance: Record {
  var earned = 0
  var spent = 0

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("earned", \.earned)
    field("spent", \.spent)
  }

  /// The points to spend: none while more is spent than earned, as after a completion was undone.
  var left: Int { max(earned - spent, 0) }
}
