import JSON
import Rooms

extension Rewards {
  static let methods: [Method] = [
    .of(AddReward.self), .of(EditReward.self), .of(RemoveReward.self), .of(RestoreReward.self),
    .of(RedeemReward.self), .of(UndoRedemption.self), .question(ListRedemptions.self),
  ]
}

struct RewardAnswer: Record {
  var id = ID<Reward>()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("id", \.id) }
}

/// Puts a reward and its price in points into the catalogue (STA-6).
struct AddReward: Mutation {
  static let method: StaticString = "rewards.add"
  static let summary: StaticString = "Puts a reward and its price in points into the catalogue (STA-6)."
  var id: ID<Reward>?
  var name = Line()
  var cost = 0

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("name", \.name, Limits.rewardName)
    field("cost", \.cost, Limits.rewardCost)
  }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> RewardAnswer {
    try home.requireRewards(context)
    let id = context.newID(id)
    try home.checkNew(id)
    try home.rewards.checkSpace()
    home.rewards.rewards[id] = Reward(name: name.text, cost: cost, author: context.person, at: context.now)
    return RewardAnswer(id: id)
  }
}

/// Changes a reward; what is left out stays as it is, and what was redeemed keeps its price (STA-6).
struct EditReward: Mutation {
  static let method: StaticString = "rewards.edit"
  static let summary: StaticString =
    "Changes a reward; what is left out stays as it is, and what was redeemed keeps its price (STA-6)."
  var id = ID<Reward>()
  var name: Line?
  var cost: Int?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("name", \.name, Limits.rewardName)
    field("cost", \.cost, Limits.rewardCost)
  }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> NoAnswer {
    try home.requireRewards(context)
    let before = try home.rewards.reward(id)
    var reward = before
    reward.name = name?.text ?? reward.name
    reward.cost = cost ?? reward.cost
    if reward == before { return NoAnswer() }
    reward.editedBy = context.person
    reward.editedAt = context.now
    home.rewards.rewards[id] = reward
    return NoAnswer()
  }
}

/// Takes a reward out of the catalogue; it can be restored for ten minutes (STA-6).
struct RemoveReward: Mutation {
  static let method: StaticString = "rewards.remove"
  static let summary: StaticString =
    "Takes a reward out of the catalogue; it can be restored for ten minutes (STA-6)."
  var id = ID<Reward>()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("id", \.id) }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> NoAnswer {
    try home.requireRewards(context)
    let reward = try home.rewards.reward(id)
    home.rewards.takeOut(id, reward, by: context.person, at: context.now)
    home.forget(id, in: context)
    return NoAnswer()
  }
}

/// Restores a reward that was removed in the last ten minutes, under a new id (STA-6).
struct RestoreReward: Mutation {
  static let method: StaticString = "rewards.restore"
  static let summary: StaticString =
    "Restores a reward that was removed in the last ten minutes, under a new id (STA-6)."
  var id = ID<Reward>()
  /// The new id of the reward.
  var newID: ID<Reward>?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("newId", \.newID)
  }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> RewardAnswer {
    try home.requireRewards(context)
    let newID = context.newID(newID)
    try home.checkNew(newID)
    try home.rewards.restore(id, as: newID, at: context.now)
    return RewardAnswer(id: newID)
  }
}

/// The redemption, and the points that are left.
struct RedemptionAnswer: Record {
  var id = ID<Redemption>()
  var left = 0

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("left", \.left)
  }
}

/// Spends the caller's points on a reward; all other members are notified (STA-6).
struct RedeemReward: Mutation {
  static let method: StaticString = "rewards.redeem"
  static let summary: StaticString = "Spends the caller's points on a reward; all other members are notified (STA-6)."
  var id: ID<Redemption>?
  var reward = ID<Reward>()
  /// The price as the caller saw it, so that nobody spends more by a call that was queued.
  var cost: Int?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("reward", \.reward)
    field("cost", \.cost, Limits.rewardCost)
  }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> RedemptionAnswer {
    let member = try home.caller(context)
    try home.requirePoints()
    let id = context.newID(id)
    try home.checkNew(id)
    let chosen = try home.rewards.reward(reward)
    if let cost, cost != chosen.cost {
      var refusal = Refusal(.conflict, "costChanged", "This reward costs \(chosen.cost) points.")
      refusal.details["cost"] = .number(JSON.Number(chosen.cost))
      throw refusal
    }
    let balance = home.balance(of: context.person)
    guard chosen.cost <= balance.left else {
      var refusal = Refusal(.conflict, "tooFewPoints", "It costs \(chosen.cost) points; \(balance.left) are left.")
      refusal.details["left"] = .number(JSON.Number(balance.left))
      throw refusal
    }
    let redemption = Redemption(
      reward: reward, name: chosen.name, points: -chosen.cost, by: context.person, at: context.now)
    for old in home.rewards.redeem(redemption, as: id, from: balance) { home.forget(old, at: context.now) }
    context.record(ListRedemptions.history, id: id.bytes, about: [context.person], redemption)
    home.happened(.rewardRedeemed, by: context.person, ref: id.cast(), named: chosen.name, in: context)
    let notification = Notification(
      kind: .rewardRedeemed, room: context.room.name, ref: id.cast(), actor: context.person, actorName: member.name,
      at: context.now, name: chosen.name)
    for person in home.membership.members.keys where person != context.person {
      home.notify(person, notification, in: context)
    }
    return RedemptionAnswer(id: id, left: home.balance(of: context.person).left)
  }
}

/// Takes back a redemption within ten minutes: the points are there again (STA-6).
struct UndoRedemption: Mutation {
  static let method: StaticString = "rewards.undo"
  static let summary: StaticString =
    "Takes back a redemption within ten minutes: the points are there again (STA-6)."
  var id = ID<Redemption>()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("id", \.id) }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> NoAnswer {
    let redemption = try home.rewards.undoable(id, at: context.now)
    try home.require(authorOrHost: redemption.by, context)
    home.rewards.undo(id, redemption)
    home.forget(id, in: context)
    context.erase(ListRedemptions.history, id: id.bytes)
    home.resolve(id.cast(), in: context)
    return NoAnswer()
  }
}

/// Lists the rewards that members have redeemed, newest first (STA-6).
struct ListRedemptions: HistoryPage {
  typealias State = HouseholdState
  typealias Item = Redemption
  static let method: StaticString = "rewards.history"
  static let summary: StaticString = "Lists the rewards that members have redeemed, newest first (STA-6)."
  static let history = "rewards"
  var before: HistoryCursor?
  var limit: Int?
  /// Only what this person has redeemed.
  var person: ID<Person>?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("before", \.before)
    field("limit", \.limit, PageLimits.items)
    field("person", \.person)
  }

  var query: HistoryQuery {
    HistoryQuery(
      kind: Self.history, about: person.map { [$0] } ?? [], before: before, limit: limit ?? PageLimits.usualItems)
  }
}

extension HouseholdState {
  /// Refuses a caller who is a guest, and everybody where chores have no points.
  fileprivate func requireRewards(_ context: Context) throws(Refusal) {
    _ = try caller(context)
    if !isResident(context.person) { throw .guest }
    try requirePoints()
  }

  fileprivate func requirePoints() throws(Refusal) {
    if info.facts.value.points != true {
      throw Refusal(.conflict, "pointsOff", "Points are off in this household.")
    }
  }

  /// A person's points. Without a redemption they follow from the completions.
  func balance(of person: ID<Person>) -> PointBalance {
    rewards.points[person] ?? PointBalance(earned: chores.points(of: person))
  }

  /// Counts a completion, or with `-1` takes it back; its points are its doer's to spend.
  mutating func count(
    _ task: ID<ChoreName>, by person: ID<Person>, on day: LocalDay, points: Int?, _ sign: Int, in context: Context
  ) {
    let change = chores.count(task, by: person, on: day, points: points, sign, today: zone.day(at: context.now))
    guard change != 0, membership.members.contains(person) || rewards.points.contains(person) else { return }
    rewards.earn(change, of: person, ever: chores.points(of: person))
  }
}
