import JSON
import Rooms

/// The sharer's wish to stop, which each receiver confirms or denies (LOC-11). Empty while none is made.
struct StopRequest: Record {
  var askedAt: Instant?
  /// The time for an answer; after it, silence counts as the share says.
  var until: Instant?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("askedAt", \.askedAt)
    field("until", \.until)
  }
}

/// The way in which the sharer may stop; chosen at the start, for all to see (LOC-12).
enum StopRule: String, Word {
  /// Each receiver has to confirm.
  case consent
  /// The share ends at once, and the receivers are notified.
  case notify
}

/// The meaning of a receiver's silence when the sharer wishes to stop; chosen at the start (LOC-12).
enum Silence: String, Word {
  /// They go on receiving.
  case keeps
  /// They have confirmed.
  case confirms
}

extension ShareState {
  /// Drops the request when its time is over; receivers who have not answered may have confirmed by that (LOC-12).
  mutating func closeStopRequest(in context: Context) {
    stopRequest.value = StopRequest()
    for person in receivers.keys(where: { $0.deniedAt == nil }) where share.value.silence == .confirms {
      confirmStop(person, in: context)
    }
    clearDenials()
  }

  /// Takes a receiver out who agrees to the end, as the sharer is told. Without any left, the share is stopped.
  fileprivate mutating func confirmStop(_ person: ID<Person>, in context: Context) {
    let name = receivers[person]?.name ?? ""
    remove(person, told: .stopped, as: .confirmed, orEnd: .stopped, in: context)
    if share.value.endedAt == nil { tell(.stopConfirmed, by: person, name, to: [share.value.sharer], in: context) }
  }

  /// Forgets the answers to a request that is over.
  mutating func clearDenials() {
    for person in receivers.keys(where: { $0.deniedAt != nil }) { receivers[person]?.deniedAt = nil }
  }
}

/// Asks the receivers to let the sharer stop; each of them confirms or denies for themselves (LOC-11).
struct StopShare: Mutation {
  static let method: StaticString = "shares.stop"
  static let summary: StaticString =
    "Asks the receivers to let the sharer stop; each of them confirms or denies for themselves (LOC-11)."

  static func fields(_ field: inout some FieldVisitor<Self>) {}

  func apply(to state: inout ShareState, in context: Context) throws(Refusal) -> NoAnswer {
    try state.requireSharer(context)
    if state.share.value.stop == .notify {
      state.end(.stopped, in: context)
      return NoAnswer()
    }
    if let asked = state.stopRequest.value.askedAt, context.now - asked < Limits.stopPause {
      throw .asked("You have just asked: give the receivers time to answer.", asked + Limits.stopPause - context.now)
    }
    state.clearDenials()
    let until = context.now + Limits.stopAge
    state.stopRequest.value = StopRequest(askedAt: context.now, until: until)
    state.tell(
      .stopAsked, by: context.person, state.share.value.name, to: state.receivers.keys, until: until, in: context)
    return NoAnswer()
  }
}

/// Answers the sharer's wish to stop, for the caller only: a receiver who confirms is out (LOC-11).
struct AnswerStop: Mutation {
  static let method: StaticString = "shares.answerStop"
  static let summary: StaticString =
    "Answers the sharer's wish to stop, for the caller only: a receiver who confirms is out (LOC-11)."
  var confirm = false

  static func fields(_ field: inout some FieldVisitor<Self>) { field("confirm", \.confirm) }

  func apply(to state: inout ShareState, in context: Context) throws(Refusal) -> NoAnswer {
    let receiver = try state.receiver(context)
    guard let until = state.stopRequest.value.until, until > context.now else {
      throw Refusal(.conflict, "notAsked", "The sharer has not asked to stop, or the time for an answer is over.")
    }
    if confirm {
      state.confirmStop(context.person, in: context)
    } else if receiver.deniedAt == nil {
      state.receivers[context.person]?.deniedAt = context.now
      state.tell(.stopDenied, by: context.person, receiver.name, to: [state.share.value.sharer], in: context)
    }
    return NoAnswer()
  }
}

/// Ends a share of the caller's whose phone is lost, from another device, after a confirmation (LOC-11).
///
/// It runs in the caller's own room, which knows the reporting device.
struct EndShare: Mutation {
  static let method: StaticString = "shares.end"
  static let summary: StaticString =
    "Ends a share of the caller's whose phone is lost, from another device, after a confirmation (LOC-11)."
  static let hasNeeds = true
  static let needsEncryption = true
  var share = ID<Share>()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("share", \.share) }

  func needs(for caller: ID<Person>) -> [Need] { [.confirmation] }

  func apply(to me: inout PersonState, in context: Context) throws(Refusal) -> NoAnswer {
    try context.requireConfirmation(by: .pin, .password)
    guard me.shares.entries[share]?.role == .sharer else {
      throw Refusal(.notFound, "share", "You have no running share of this id.")
    }
    if let session = context.session, me.shares.reporter.value.session == session {
      throw Refusal(
        .conflict, "sameDevice", "This device reports your position: ask the receivers to stop with shares.stop.")
    }
    context.send(PhoneLost(), to: .share(share))
    return NoAnswer()
  }
}

/// The sharer's phone is lost; the message comes from the sharer's own room.
struct PhoneLost: Message {
  static let name = "phoneLost"

  static func fields(_ field: inout some FieldVisitor<Self>) {}

  func apply(to state: inout ShareState, from source: RoomID, in context: Context) {
    guard source == .person(state.share.value.sharer), state.share.value.endedAt == nil else { return }
    state.end(.phoneLost, in: context)
  }
}
