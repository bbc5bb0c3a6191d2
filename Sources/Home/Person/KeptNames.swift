import JSON
import Rooms

/// The rooms whose inbox names a person whom they do not know any longer, in the person's own room (ACC-9).
///
/// Housemates and contacts learn by themselves that an account is deleted. An inbox names more people than these: one
/// who has left, a receiver of the same share, a contact of last week. Their rooms are told that the name is kept.
/// Hidden: nobody learns whose inbox names them.
struct KeptNames: Subject {
  typealias State = PersonState
  static let messages: [MessageHandler<PersonState>] = [.of(NameKept.self)]

  var keepers = Table<ID<Person>, NameKeeper>()
  private(set) var due = DueTime()

  mutating func parts(_ part: inout some PartVisitor) { part("nameKeepers", &keepers, .hidden) }

  mutating func planAll() { for keeper in keepers.values { due.plan(keeper.until) } }

  fileprivate mutating func add(_ person: ID<Person>, until: Instant) {
    keepers[person] = NameKeeper(until: max(until, keepers[person]?.until ?? until))
    keepers.keep(Limits.keepers) { $0.until }
    due.plan(until)
  }

  static func fallDue(in me: inout PersonState, _ context: Context) {
    for person in me.keptNames.keepers.keys(where: { $0.until <= context.now }) { me.keptNames.keepers[person] = nil }
    me.keptNames.due = DueTime()
    me.keptNames.planAll()
  }
}

/// A person whose inbox names this one.
struct NameKeeper: Record {
  /// The notification is no longer kept from then on.
  var until = Instant()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("until", \.until) }
}

/// The inbox of the sender keeps this person's name, who is neither a housemate nor a contact there.
struct NameKept: Message {
  static let name = "nameKept"
  var until = Instant()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("until", \.until) }

  func apply(to me: inout PersonState, from source: RoomID, in context: Context) {
    guard case .person(let person) = source, until > context.now else { return }
    me.keptNames.add(person, until: until)
  }
}

extension PersonState {
  /// Tells a person whom this one does not know any longer that the inbox names them.
  func noteKeptName(of person: ID<Person>?, in context: Context) {
    guard let person, context.room != .person(person), !memberships.mates.contains(person),
      !contacts.contacts.contains(person), let until = inbox.naming(person)
    else { return }
    context.send(NameKept(until: until), to: .person(person))
  }
}
