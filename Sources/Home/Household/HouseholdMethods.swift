import JSON
import Rooms

extension HouseholdInfo {
  static let methods: [Method] = [.of(UpdateHousehold.self)]
}

/// Changes what a household is called, where it is and who may do what; what is left out stays as it is (HH-18).
struct UpdateHousehold: Mutation {
  static let method: StaticString = "households.update"
  static let summary: StaticString =
    "Changes what a household is called, where it is and who may do what; what is left out stays as it is (HH-18)."
  var name: Line?
  var timeZone: TimeZoneName?
  var currency: CurrencyCode?
  var noteLifetime: Int?
  var dinnerCutoff: LocalTime?
  var policies: PolicyChanges?
  var isExclusive: Bool?
  /// Whether chores have points (STA-4).
  var points: Bool?
  /// Whether debts are settled by few payments (BIL-11).
  var simplify: Bool?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("name", \.name, Limits.name)
    field("timeZone", \.timeZone)
    field("currency", \.currency)
    field("noteLifetime", \.noteLifetime, Limits.noteLifetimeMilliseconds)
    field("dinnerCutoff", \.dinnerCutoff)
    field("policies", \.policies)
    field("exclusive", \.isExclusive)
    field("points", \.points)
    field("simplify", \.simplify)
  }

  func check(_ problems: Problems, in home: inout HouseholdState, _ context: Context) {
    if let dinnerCutoff, dinnerCutoff.minute < Limits.dinnerDayStart {
      problems.note("dinnerCutoff", "must be 04:00, when the day of a dinner begins, or later")
    }
  }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> NoAnswer {
    _ = try home.caller(context)
    let isForHosts = policies != nil || isExclusive != nil
    guard home.isHost(context.person) || !isForHosts,
      home.info.allows(context.person, \.settings, unlessChosen: .host)
    else { throw .hostOnly }
    let before = home.info.facts.value
    var facts = before
    facts.name = name?.text ?? facts.name
    facts.timeZone = timeZone?.text ?? facts.timeZone
    facts.currency = currency?.text ?? facts.currency
    facts.noteLifetime = noteLifetime ?? facts.noteLifetime
    facts.dinnerCutoff = dinnerCutoff ?? facts.dinnerCutoff
    policies?.apply(to: &facts.policies)
    if let isExclusive { facts.isExclusive = isExclusive ? true : nil }
    if let points { facts.points = points ? true : nil }
    if let simplify { facts.simplify = simplify ? true : nil }
    if facts == before { return NoAnswer() }
    home.info.facts.value = facts
    if facts.timeZone != before.timeZone { home.followClocks(in: context) }
    if facts.simplify != before.simplify {
      for currency in home.ledger.balances.keys {
        home.ledger.advise(currency, isWanted: facts.simplify == true)
      }
      home.debtsChanged(in: context)
    }
    home.happened(.changed, by: context.person, in: context)
    if facts.name != before.name || facts.isExclusive != before.isExclusive {
      let message = HouseholdChanged(
        household: context.household, name: facts.name, isExclusive: facts.isExclusive)
      for person in home.membership.members.keys { context.send(message, to: .person(person)) }
    }
    return NoAnswer()
  }
}

/// Changes of policies: one that is left out stays as it is.
struct PolicyChanges: Record {
  var notes: NotePolicy?
  var removal: MemberPolicy?
  var settings: MemberPolicy?
  var rota: MemberPolicy?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("notes", \.notes)
    field("removal", \.removal)
    field("settings", \.settings)
    field("rota", \.rota)
  }

  fileprivate func apply(to policies: inout Policies) {
    policies.notes = notes ?? policies.notes
    policies.removal = removal ?? policies.removal
    policies.settings = settings ?? policies.settings
    policies.rota = rota ?? policies.rota
  }
}
