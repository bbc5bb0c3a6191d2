import JSON
import Rooms

/// A person who sees the position (LOC-21).
struct Receiver: Record {
  var name = ""
  var state = ReceiverState.invited
  var invitedAt = Instant()
  var seenAt: Instant?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("name", \.name)
    field("state", \.state)
    field("invitedAt", \.invitedAt)
    field("seenAt", \.seenAt)
  }
}

enum ReceiverState: String, Word {
  case invited
  /// The receiver has looked at the share.
  case seen
}

/// A receiver no longer gets a share: this message comes from the sharer or the receiver, who has blocked the other.
struct ReceiverBlocked: Message {
  static let name = "receiverBlocked"
  var person = ID<Person>()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("person", \.person) }

  func apply(to state: inout ShareState, from source: RoomID, in context: Context) {
    guard case .person(let blocker) = source, case .share(let id) = context.room,
      blocker == person || blocker == state.share.value.sharer, state.receivers.contains(person),
      state.share.value.endedAt == nil
    else { return }
    if state.receivers.count == 1 { return state.end(.blocked, in: context) }
    state.receivers[person] = nil
    context.expel(person, reason: "ended")
    context.send(ShareEnded(share: id, reason: .blocked), to: .person(person))
  }
}

/// Says that the caller has looked at a share, for the sharer to know who sees them (LOC-21).
///
/// A receiver says so with a call: an app subscribes to all its shares when it starts, and reading changes nothing.
struct SeeShare: Mutation {
  static let method: StaticString = "shares.see"
  static let summary: StaticString =
    "Says that the caller has looked at a share, for the sharer to know who sees them (LOC-21)."

  static func fields(_ field: inout some FieldVisitor<Self>) {}

  func apply(to state: inout ShareState, in context: Context) throws(Refusal) -> NoAnswer {
    guard let receiver = state.receivers[context.person] else {
      throw Refusal(.forbidden, "forbidden", "Only a receiver may do this.")
    }
    guard state.isRunning(at: context.now) else { throw .gone("This share") }
    guard receiver.state == .invited else { return NoAnswer() }
    state.receivers[context.person]?.state = .seen
    state.receivers[context.person]?.seenAt = context.now
    return NoAnswer()
  }
}
