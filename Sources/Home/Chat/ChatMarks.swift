import JSON
import Rooms

/// How far a person has read the chats of their households (NTE-6), in their own room: all their devices see it.
struct ChatMarks: Subject {
  typealias State = PersonState
  static let methods: [Method] = [.of(ReadChat.self)]
  static let messages: [MessageHandler<PersonState>] = [.of(ChatGrew.self)]

  var chats = Table<ID<Household>, ChatMark>()

  mutating func parts(_ part: inout some PartVisitor) { part("chats", &chats) }
}

/// The newest message of a household's chat, and the newest that the person has read, by their numbers.
struct ChatMark: Record {
  var n = 0
  var read = 0

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("n", \.n)
    field("read", \.read)
  }
}

/// A household's chat has another message; it comes from the household.
struct ChatGrew: Message {
  static let name = "chatGrew"
  var household = ID<Household>()
  var n = 0
  /// The person wrote it, and has seen all before it.
  var isOwn: Bool?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("household", \.household)
    field("n", \.n)
    field("own", \.isOwn)
  }

  func apply(to me: inout PersonState, from source: RoomID, in context: Context) {
    guard me.memberships.households.contains(household) else { return }
    // A newcomer has nothing to catch up with.
    var mark = me.chats.chats[household] ?? ChatMark(read: n - 1)
    mark.n = max(mark.n, n)
    if isOwn == true { mark.read = max(mark.read, n) }
    me.chats.chats[household] = mark
  }
}

/// Marks the chat of a household as read, up to a message or the newest (NTE-6).
struct ReadChat: Mutation {
  static let method: StaticString = "chat.read"
  static let summary: StaticString = "Marks the chat of a household as read, up to a message or the newest (NTE-6)."
  var household = ID<Household>()
  var n: Int?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("household", \.household)
    field("n", \.n, 0...Int(Int32.max))
  }

  func apply(to me: inout PersonState, in context: Context) throws(Refusal) -> NoAnswer {
    guard me.memberships.households.contains(household) else { throw .notInRoom }
    guard let mark = me.chats.chats[household] else { return NoAnswer() }
    let read = min(n ?? mark.n, mark.n)
    if read > mark.read { me.chats.chats[household]?.read = read }
    return NoAnswer()
  }
}
