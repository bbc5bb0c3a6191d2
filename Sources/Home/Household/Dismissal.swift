import Crypto
import JSON
public import Rooms

/// Reasons that everybody in a room is told when it closes.
enum ClosingReason {
  static let removed = "removed"
  static let dismissed = "dismissed"
  static let stayOver = "stayOver"
}

/// The dismissal of a household (HH-11): for seven days its host can bring it back, then the store shreds it.
///
/// Meanwhile it keeps its members and everything else, and admits nobody.
struct Dismissal: Subject {
  typealias State = HouseholdState
  var facts = Single<DismissalFacts>()
  var exports = Table<ID<Person>, ExportLink>()
  private(set) var due = DueTime()

  mutating func parts(_ part: inout some PartVisitor) {
    part("dismissal", &facts, .hidden)
    part("exports", &exports, .hidden)
  }

  mutating func planAll() { due.plan(facts.value.until) }

  var isDismissed: Bool { facts.value.until != nil }

  mutating func begin(by host: ID<Person>, at now: Instant) {
    facts.value = DismissalFacts(by: host, until: now + Limits.dismissalAge)
    planAll()
  }

  mutating func end() {
    facts.value = DismissalFacts()
    due = DueTime()
  }

  /// The host who may bring the household back now.
  func restorer(at now: Instant) -> ID<Person>? {
    guard let until = facts.value.until, until > now else { return nil }
    return facts.value.by
  }

  static func fallDue(in home: inout HouseholdState, _ context: Context) {
    guard let until = home.dismissal.facts.value.until, until <= context.now else { return }
    home.shred(in: context)
  }
}

/// The member who has dismissed a household, and how long they can bring it back; both absent while it is open.
struct DismissalFacts: Record {
  var by: ID<Person>?
  var until: Instant?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("by", \.by)
    field("until", \.until)
  }
}

/// The link by which a person gets what a dismissed household held for them: SHA-256 of its secret, hexadecimal.
struct ExportLink: Record {
  var hash = ""

  static func fields(_ field: inout some FieldVisitor<Self>) { field("hash", \.hash) }
}

extension HomeRooms {
  /// The path, before the secret, of the links in notifications that a household was dismissed.
  public static let exportPath = "/export/"

  /// The history that a member gets besides the state: the name of each list, and its kind of history.
  public static let exportedHistory = [
    (name: "ledger", kind: ListLedger.history), (name: "bills", kind: ListBills.history),
    (name: "payments", kind: ListPayments.history), (name: "purchases", kind: ListPurchases.history),
  ]

  /// The content of a dismissed household for the person to whom a secret's SHA-256 belongs; `nil` if it leads nowhere.
  public static func export(secretHash: [UInt8], of household: Room, at now: Instant) -> [UInt8]? {
    guard let room = household as? TypedRoom<HouseholdState>, case .household(let id) = room.id, !room.isEnded,
      let until = room.state.dismissal.facts.value.until, until > now
    else { return nil }
    let hash = Hex.encode(secretHash)
    guard let person = room.state.dismissal.exports.first(where: { $0.value.hash == hash })?.key else { return nil }
    let writer = Writer(capacity: 4096)
    writer.openObject()
    writer.key("household")
    id.write(to: writer)
    writer.key("person")
    person.write(to: writer)
    writer.key("until")
    until.write(to: writer)
    writer.key("state")
    room.writeState(to: writer)
    writer.closeObject()
    return writer.bytes()
  }
}
