import JSON
import Rooms

/// The chat of a household (NTE-6): the newest messages in the state, older ones in the history.
///
/// A message goes to the history when it leaves the state, so that reactions and removals concern the state only.
struct Chat: Subject {
  typealias State = HouseholdState
  static let history = [HistoryKind(ListChat.history, of: OldMessage.self, lifetime: nil)]

  var chat = Table<ID<ChatMessage>, ChatMessage>()
  var count = Single<ChatCount>()

  mutating func parts(_ part: inout some PartVisitor) {
    part("chat", &chat)
    part("chatCount", &count, .hidden)
  }

  func message(_ id: ID<ChatMessage>) throws(Refusal) -> ChatMessage {
    guard let message = chat[id] else {
      throw Refusal(.notFound, "gone", "This message was removed, or is older than the newest \(Limits.chat).")
    }
    return message
  }

  /// Adds a message under the next number. Returns the oldest one if it leaves the state for the history.
  mutating func add(_ message: ChatMessage, _ id: ID<ChatMessage>) -> (id: ID<ChatMessage>, message: ChatMessage)? {
    count.value.chat += 1
    var message = message
    message.n = count.value.chat
    chat[id] = message
    guard chat.count > Limits.chat, let oldest = chat.min(by: { $0.value.n < $1.value.n }) else { return nil }
    chat[oldest.key] = nil
    return (oldest.key, oldest.value)
  }
}

/// A message of the chat.
struct ChatMessage: Record {
  var text = ""
  var author = ID<Person>()
  var at = Instant()
  /// Grows by one with each message: the order in which clients show them.
  var n = 0
  var reactions: Reactions = [:]

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("text", \.text)
    field("author", \.author)
    field("at", \.at)
    field("n", \.n)
    field("reactions", \.reactions)
  }
}

/// A message that has left the state.
struct OldMessage: Record {
  var id = ID<ChatMessage>()
  var message = ChatMessage()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("message", \.message)
  }
}

/// The number of messages so far: the `n` of the newest.
struct ChatCount: Record {
  var chat = 0

  static func fields(_ field: inout some FieldVisitor<Self>) { field("chat", \.chat) }
}
