import JSON
import Rooms

/// A person who sees the position (LOC-21).
struct Receiver: Record {
  var name = ""
  var state = ReceiverState.invited
  var invitedAt = Instant()
  var seenAt: Instant?
  /// When they denied the sharer's request to stop; absent once another one is made.
  var deniedAt: Instant?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("name", \.name)
    field("state", \.state)
    field("invitedAt", \.invitedAt)
    field("seenAt", \.seenAt)
    field("deniedAt", \.deniedAt)
  }
}

enum ReceiverState: String, Word {
  case invited
  /// The receiver has looked at the share.
  case seen
}

/// A person who was a receiver and no longer sees the position (LOC-21).
struct FormerReceiver: Record {
  var name = ""
  var state = FormerReceiverState.left
  var at = Instant()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("name", \.name)
    field("state", \.state)
    field("at", \.at)
  }
}

enum FormerReceiverState: String, Word {
  /// The receiver did not want to see it any longer (LOC-9).
  case left
  /// The receiver has confirmed that the sharer stops, or their silence has (LOC-11, LOC-12).
  case confirmed
}

extension ShareState {
  /// Takes a receiver out: they see nothing from now on. Without any the share is over (LOC-9).
  ///
  /// - Parameters:
  ///   - reason: Told to the receiver; `nil` if they have deleted their account.
  ///   - state: Listed with their name for the sharer to see, if they wanted it themselves.
  ///   - end: The reason of the end where nobody else receives the share.
  mutating func remove(
    _ person: ID<Person>, told reason: ShareEndReason?, as state: FormerReceiverState? = nil,
    orEnd end: ShareEndReason, in context: Context
  ) {
    guard case .share(let id) = context.room, let receiver = receivers[person] else { return }
    if let state { formerReceivers[person] = FormerReceiver(name: receiver.name, state: state, at: context.now) }
    receivers[person] = nil
    context.expel(person, reason: reason == nil ? HomeRooms.endOfAccount : "ended")
    if let reason {
      context.send(ShareEnded(share: id, reason: reason, isListed: state == nil ? nil : true), to: .person(person))
    }
    if receivers.isEmpty { return self.end(end, in: context) }
    // The others can still accept.
    if pickup.value.by == person { releasePickup(isNamed: reason != nil, in: context) }
  }

  /// The row of the calling receiver.
  func receiver(_ context: Context) throws(Refusal) -> Receiver {
    guard let receiver = receivers[context.person] else {
      throw Refusal(.forbidden, "forbidden", "Only a receiver may do this.")
    }
    guard isRunning(at: context.now) else { throw .gone("This share") }
    return receiver
  }

  /// Refuses all callers but the sharer, and a share that is over.
  func requireSharer(_ context: Context) throws(Refusal) {
    guard share.value.sharer == context.person else { throw .onlySharer }
    guard isRunning(at: context.now) else { throw .gone("This share") }
  }
}

extension Refusal {
  static var onlySharer: Refusal { Refusal(.forbidden, "forbidden", "Only the sharer may do this.") }
}

/// A receiver no longer gets a share: this message comes from the sharer or the receiver, who has blocked the other.
struct ReceiverBlocked: Message {
  static let name = "receiverBlocked"
  var person = ID<Person>()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("person", \.person) }

  func apply(to state: inout ShareState, from source: RoomID, in context: Context) {
    guard case .person(let blocker) = source, blocker == person || blocker == state.share.value.sharer,
      state.share.value.endedAt == nil
    else { return }
    state.remove(person, told: .blocked, orEnd: .blocked, in: context)
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
    guard try state.receiver(context).state == .invited else { return NoAnswer() }
    state.receivers[context.person]?.state = .seen
    state.receivers[context.person]?.seenAt = context.now
    return NoAnswer()
  }
}

/// Takes the calling receiver out of a share; the last one ends it (LOC-9, LOC-10).
struct LeaveShare: Mutation {
  static let method: StaticString = "shares.leave"
  static let summary: StaticString =
    "Takes the calling receiver out of a share; the last one ends it (LOC-9, LOC-10)."

  static func fields(_ field: inout some FieldVisitor<Self>) {}

  func apply(to state: inout ShareState, in context: Context) throws(Refusal) -> NoAnswer {
    let receiver = try state.receiver(context)
    state.remove(context.person, told: .left, as: .left, orEnd: .noReceivers, in: context)
    if state.share.value.endedAt == nil {
      state.tell(.receiverLeft, by: context.person, receiver.name, to: [state.share.value.sharer], in: context)
    }
    return NoAnswer()
  }
}
