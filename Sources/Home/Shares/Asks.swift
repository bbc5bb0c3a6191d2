import JSON
import Rooms

/// Requests for a position: those that a person has got, and those that they have sent (LOC-30).
///
/// None is ever accepted by itself: the asked person starts a share, or does not.
struct Asks: Subject {
  typealias State = PersonState
  static let methods: [Method] = [.of(AskForShare.self), .of(DeclineAsk.self)]
  static let messages: [MessageHandler<PersonState>] = [.of(ShareAsked.self)]

  /// By the person who asks, and by the person who is asked.
  var asks = Table<ID<Person>, ReceivedAsk>()
  var asked = Table<ID<Person>, SentAsk>()
  private(set) var due = DueTime()

  mutating func parts(_ part: inout some PartVisitor) {
    part("asks", &asks)
    part("asked", &asked)
  }

  mutating func planAll() {
    for ask in asks.values { due.plan(ask.until) }
    for ask in asked.values { due.plan(ask.until) }
  }

  mutating func add(_ ask: ReceivedAsk, by person: ID<Person>) {
    asks[person] = ask
    asks.keep(Limits.asks) { $0.at }
    due.plan(ask.until)
  }

  mutating func add(_ ask: SentAsk, to person: ID<Person>) {
    asked[person] = ask
    due.plan(ask.until)
  }

  /// The asked person shares their position.
  mutating func noteShared(by person: ID<Person>, at now: Instant) {
    guard var ask = asked[person], ask.sharedAt == nil else { return }
    ask.sharedAt = now
    ask.until = min(ask.until, max(ask.at + Limits.askPause, now))
    asked[person] = ask
    due.plan(ask.until)
  }

  static func fallDue(in me: inout PersonState, _ context: Context) {
    for person in me.asks.asks.keys(where: { $0.until <= context.now }) {
      me.closeAsk(of: person, at: context.now)
    }
    me.asks.asked.removeAll { $1.until <= context.now }
    me.asks.due = DueTime()
    me.asks.planAll()
  }
}

/// A request for the person's position.
struct ReceivedAsk: Record {
  var name = ""
  var at = Instant()
  /// When it expires.
  var until = Instant()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("name", \.name)
    field("at", \.at)
    field("until", \.until)
  }
}

/// A request that the person has sent.
struct SentAsk: Record {
  var at = Instant()
  /// When it expires.
  var until = Instant()
  /// When the other person began to share their position. Until another request may be sent, the row stays.
  var sharedAt: Instant?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("at", \.at)
    field("until", \.until)
    field("sharedAt", \.sharedAt)
  }
}

/// Asks a housemate or contact to share their position; they start a share, or do not (LOC-30).
struct AskForShare: Mutation {
  static let method: StaticString = "shares.ask"
  static let summary: StaticString =
    "Asks a housemate or contact to share their position; they start a share, or do not (LOC-30)."
  static let needsEncryption = true
  var person = ID<Person>()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("person", \.person) }

  func apply(to me: inout PersonState, in context: Context) throws(Refusal) -> NoAnswer {
    if person == context.person { throw Refusal(.conflict, "yourself", "Nobody asks themselves.") }
    // The answer is the same for an unknown person and for a stranger.
    guard me.memberships.mates.contains(person) || me.contacts.contacts.contains(person) else {
      throw Refusal(.notFound, "person", "This person is in none of your households, and no contact.")
    }
    try me.requireUnblocked(person)
    if let last = me.asks.asked[person]?.at, context.now - last < Limits.askPause {
      throw .asked("You have just asked this person.", last + Limits.askPause - context.now)
    }
    let until = context.now + Limits.askAge
    me.asks.add(SentAsk(at: context.now, until: until), to: person)
    let name = me.identity.profile.value.name
    context.send(ShareAsked(askerName: name, at: context.now, until: until), to: .person(person))
    return NoAnswer()
  }
}

/// Puts another person's request for the caller's position aside; they are not told (LOC-30).
struct DeclineAsk: Mutation {
  static let method: StaticString = "shares.declineAsk"
  static let summary: StaticString =
    "Puts another person's request for the caller's position aside; they are not told (LOC-30)."
  static let needsEncryption = true
  var person = ID<Person>()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("person", \.person) }

  func apply(to me: inout PersonState, in context: Context) throws(Refusal) -> NoAnswer {
    guard me.asks.asks.contains(person) else {
      throw Refusal(.notFound, "ask", "This person does not ask for your position, or no longer.")
    }
    me.closeAsk(of: person, at: context.now)
    return NoAnswer()
  }
}

/// Another person asks for the position; the message comes from their own room.
struct ShareAsked: Message {
  static let name = "shareAsked"
  var askerName = ""
  var at = Instant()
  var until = Instant()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("name", \.askerName)
    field("at", \.at)
    field("until", \.until)
  }

  func apply(to me: inout PersonState, from source: RoomID, in context: Context) {
    guard case .person(let person) = source, until > context.now, !me.contacts.blocked.contains(person),
      me.memberships.mates.contains(person) || me.contacts.contacts.contains(person)
    else { return }
    me.closeAsk(of: person, at: context.now)
    me.asks.add(ReceivedAsk(name: askerName, at: at, until: until), by: person)
    me.notify(
      Notification(
        kind: .ask, ref: person.cast(), actor: person, actorName: askerName, at: context.now, until: until),
      from: source, in: context)
  }
}

extension Refusal {
  /// People would be asked again too soon. It is not temporary: no client asks again by itself.
  static func asked(_ text: String, _ wait: Duration) -> Refusal {
    var refusal = Refusal(.rateLimited, "asked", text)
    refusal.retryAfter = wait
    return refusal
  }
}

extension PersonState {
  /// Removes a person's request for the position, and marks its notification as read.
  mutating func closeAsk(of person: ID<Person>, at now: Instant) {
    guard asks.asks.contains(person) else { return }
    asks.asks[person] = nil
    inbox.resolve(.ask, ref: person.cast(), at: now)
  }
}
