import JSON
import Rooms

extension Chat {
  static let methods: [Method] = [
    .of(SendChat.self), .of(RemoveChat.self), .of(ReactToChat.self), .question(ListChat.self),
  ]
}

struct ChatAnswer: Record {
  var id = ID<ChatMessage>()
  var n = 0

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("n", \.n)
  }
}

/// Sends a message to the household's chat (NTE-6).
struct SendChat: Mutation {
  static let method: StaticString = "chat.send"
  static let summary: StaticString = "Sends a message to the household's chat (NTE-6)."
  var id: ID<ChatMessage>?
  var text = Prose()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("text", \.text, Limits.chatText)
  }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> ChatAnswer {
    _ = try home.caller(context)
    let id = context.newID(id)
    try home.checkNew(id)
    let message = ChatMessage(text: text.text, author: context.person, at: context.recordedAt)
    if let (id, old) = home.chat.add(message, id) {
      home.forget(id, at: context.now)
      let record = OldMessage(id: id, message: old)
      context.record(ListChat.history, id: ListChat.record(old.n), record)
      let kept = Limits.chatHistory - Limits.chat
      if old.n > kept { context.erase(ListChat.history, id: ListChat.record(old.n - kept)) }
    }
    let n = home.chat.count.value.chat
    for person in home.membership.members.keys {
      let grew = ChatGrew(household: context.household, n: n, isOwn: person == context.person ? true : nil)
      context.send(grew, to: .person(person))
    }
    return ChatAnswer(id: id, n: n)
  }
}

/// Removes one of the newest messages of the chat; its author and the host may (NTE-6, HH-15).
struct RemoveChat: Mutation {
  static let method: StaticString = "chat.remove"
  static let summary: StaticString =
    "Removes one of the newest messages of the chat; its author and the host may (NTE-6, HH-15)."
  var id = ID<ChatMessage>()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("id", \.id) }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> NoAnswer {
    try home.require(authorOrHost: try home.chat.message(id).author, context)
    home.chat.chat[id] = nil
    home.forget(id, in: context)
    return NoAnswer()
  }
}

/// Adds an emoji to one of the newest messages of the chat, or takes it back (NTE-6).
struct ReactToChat: Mutation {
  static let method: StaticString = "chat.react"
  static let summary: StaticString =
    "Adds an emoji to one of the newest messages of the chat, or takes it back (NTE-6)."
  var id = ID<ChatMessage>()
  var emoji = Emoji()
  var isOn = true

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("emoji", \.emoji)
    field("on", \.isOn)
  }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> NoAnswer {
    var message = try home.chat.message(id)
    try message.reactions.set(emoji, isOn, by: context.person)
    home.chat.chat[id] = message
    return NoAnswer()
  }
}

/// Lists the messages that are older than those in the state, newest first (NTE-6).
struct ListChat: HistoryPage {
  typealias State = HouseholdState
  typealias Item = OldMessage
  static let method: StaticString = "chat.list"
  static let summary: StaticString =
    "Lists the messages that are older than those in the state, newest first (NTE-6)."
  static let history = "chat"
  var before: HistoryCursor?
  var limit: Int?

  /// Pages are cut by the time and then the id of a record, so its id is the number of the message.
  static func record(_ n: Int) -> [UInt8] { ID<ChatMessage>(low: UInt64(n)).bytes }
}
