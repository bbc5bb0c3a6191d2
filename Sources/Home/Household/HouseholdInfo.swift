import JSON
import Rooms

/// The facts of a household: its name, zone, currency, host and policies (HH-1).
struct HouseholdInfo: Subject {
  typealias State = HouseholdState
  var facts = Single<HouseholdFacts>()

  mutating func parts(_ part: inout some PartVisitor) { part("household", &facts) }

  /// Whether a policy, or what stands for it while nobody has chosen, lets a member act.
  func allows(
    _ person: ID<Person>, _ policy: KeyPath<Policies, MemberPolicy?>, unlessChosen usual: MemberPolicy
  ) -> Bool {
    facts.value.host == person || (facts.value.policies[keyPath: policy] ?? usual) == .anyMember
  }
}

struct HouseholdFacts: Record {
  var name = ""
  /// An IANA name.
  var timeZone = ""
  /// ISO 4217.
  var currency = ""
  var createdAt = Instant()
  var host = ID<Person>()
  /// Lifetime of a note without a time of its own, in milliseconds.
  var noteLifetime = Int(Limits.defaultNoteLifetime.milliseconds)
  /// The time of day until which members may say whether they eat at home; 17:00 if it is absent (DIN-2).
  var dinnerCutoff: LocalTime?
  var policies = Policies()
  /// `true` if its members may be in no other household (HH-2); absent otherwise.
  var isExclusive: Bool?
  /// `true` if chores have points (STA-4).
  var points: Bool?
  /// `true` if debts are settled by few payments in place of each pair's own (BIL-11).
  var simplify: Bool?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("name", \.name)
    field("timeZone", \.timeZone)
    field("currency", \.currency)
    field("createdAt", \.createdAt)
    field("host", \.host)
    field("noteLifetime", \.noteLifetime)
    field("dinnerCutoff", \.dinnerCutoff)
    field("policies", \.policies)
    field("exclusive", \.isExclusive)
    field("points", \.points)
    field("simplify", \.simplify)
  }
}

/// The rights of members in a household.
struct Policies: Record {
  /// Which members may edit and remove a note.
  var notes = NotePolicy.authorOrHost
  /// Which members may remove another one: any if it is absent (HH-8).
  var removal: MemberPolicy?
  /// Which members may change the household's name, zone, currency and usual lifetime of notes: the host if it is
  /// absent (HH-15).
  var settings: MemberPolicy?
  /// Which members may change the rota: the host if it is absent (HH-15).
  var rota: MemberPolicy?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("notes", \.notes)
    field("removal", \.removal)
    field("settings", \.settings)
    field("rota", \.rota)
  }
}

/// The members who may do something.
enum MemberPolicy: String, Word {
  case anyMember, host
}

enum NotePolicy: String, Word {
  case authorOrHost, any
}
