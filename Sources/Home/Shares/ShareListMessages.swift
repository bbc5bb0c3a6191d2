import JSON
import Rooms

extension ShareList {
  static let messages: [MessageHandler<PersonState>] = [
    .of(ShareBegan.self), .of(ShareRefused.self), .of(ShareOffered.self), .of(ShareExtended.self),
    .of(PickupChanged.self), .of(ShareArrived.self), .of(ShareEnded.self),
  ]
}

/// The person's own share is running.
struct ShareBegan: Message {
  static let name = "shareBegan"
  var call = CallReference()
  var share = ID<Share>()
  var entry = ShareEntry()
  var isInside: Bool?
  /// The people who receive it: their requests for the position are met.
  var receivers: [ID<Person>]?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("call", \.call)
    field("share", \.share)
    field("entry", \.entry)
    field("mayBeInside", \.isInside)
    field("receivers", \.receivers)
  }

  func apply(to me: inout PersonState, from source: RoomID, in context: Context) {
    me.shares.entries[share] = entry
    for person in receivers ?? [] { me.closeAsk(of: person, at: context.now) }
    me.answer(call, ShareAnswer(id: share, alreadyInside: isInside == true ? true : nil), in: context)
  }
}

/// The id of the person's new share was already taken.
struct ShareRefused: Message {
  static let name = "shareRefused"
  var call = CallReference()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("call", \.call) }

  func apply(to me: inout PersonState, from source: RoomID, in context: Context) {
    me.refuse(call, .exists, in: context)
  }
}

/// A sharer shares their position with the person (LOC-4).
struct ShareOffered: Message {
  static let name = "shareOffered"
  var share = ID<Share>()
  var entry = ShareEntry()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("share", \.share)
    field("entry", \.entry)
  }

  func apply(to me: inout PersonState, from source: RoomID, in context: Context) {
    if me.contacts.blocked.contains(entry.sharer), case .person(let person) = context.room {
      return context.send(ReceiverBlocked(person: person), to: source)
    }
    me.shares.receive(entry, share)
    me.asks.noteShared(by: entry.sharer, at: context.now)
    me.notify(
      Notification(
        kind: .share, room: source.name, ref: share.cast(), actor: entry.sharer, actorName: entry.name,
        at: context.now, until: entry.place == nil ? entry.until : nil, place: entry.place, pickup: entry.pickup),
      from: source, in: context)
  }
}

/// A share has a later end.
struct ShareExtended: Message {
  static let name = "shareExtended"
  var share = ID<Share>()
  var until = Instant()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("share", \.share)
    field("until", \.until)
  }

  func apply(to me: inout PersonState, from source: RoomID, in context: Context) {
    me.shares.entries[share]?.until = until
  }
}

/// The pick-up of a share is another one (LOC-14).
struct PickupChanged: Message {
  static let name = "pickupChanged"
  var share = ID<Share>()
  var pickup = Pickup()
  /// The person who has changed it.
  var actor = ID<Person>()
  var actorName: String?
  /// The person is notified of it.
  var isTold: Bool?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("share", \.share)
    field("pickup", \.pickup)
    field("actor", \.actor)
    field("actorName", \.actorName)
    field("told", \.isTold)
  }

  func apply(to me: inout PersonState, from source: RoomID, in context: Context) {
    guard var entry = me.shares.entries[share] else { return }
    (entry.pickup, entry.driver) = (pickup.state, pickup.by)
    (entry.driverName, entry.arriveBy) = (pickup.byName, pickup.arriveBy)
    me.shares.entries[share] = entry
    guard isTold == true else { return }
    me.notify(
      Notification(
        kind: .pickup, room: source.name, ref: share.cast(), actor: actor, actorName: actorName, at: context.now,
        pickup: pickup.state ?? PickupState.none, arriveBy: pickup.arriveBy), from: source, in: context)
  }
}

/// The sharer is at their place, and the share goes on for a little: a driver had accepted to come (LOC-17).
struct ShareArrived: Message {
  static let name = "shareArrived"
  var share = ID<Share>()
  var until = Instant()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("share", \.share)
    field("until", \.until)
  }

  func apply(to me: inout PersonState, from source: RoomID, in context: Context) {
    guard let entry = me.shares.entries[share] else { return }
    me.shares.entries[share]?.closePickup()
    me.shares.entries[share]?.state = .arrived
    me.shares.entries[share]?.until = until
    me.notify(
      Notification(
        kind: .arrived, room: source.name, ref: share.cast(), actor: entry.sharer, actorName: entry.name,
        at: context.now, until: until, place: entry.place), from: source, in: context)
  }
}

/// A share is over.
struct ShareEnded: Message {
  static let name = "shareEnded"
  var share = ID<Share>()
  var reason = ShareEndReason.timeUp
  /// If the sharer has not arrived: when their phone last knew its position, and its battery then.
  var fixedAt: Instant?
  var battery: Int?
  /// The share goes on, and names the person as a former receiver.
  var isListed: Bool?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("share", \.share)
    field("reason", \.reason)
    field("listed", \.isListed)
    field("fixedAt", \.fixedAt)
    field("battery", \.battery)
  }

  func apply(to me: inout PersonState, from source: RoomID, in context: Context) {
    guard let entry = me.shares.entries[share] else { return }
    me.shares.entries[share] = nil
    me.forget(share, at: context.now)
    if isListed == true { me.shares.remember(share, at: context.now) }
    if !me.shares.hasOwn { me.shares.reporter.value = Reporter() }
    // They have left it themselves.
    if reason == .left { return }
    me.notify(
      Notification(
        kind: kind(entry), ref: share.cast(), actor: entry.sharer, actorName: reason == .deleted ? nil : entry.name,
        at: context.now, fixedAt: fixedAt, battery: battery, place: entry.place, reason: reason), from: source,
      in: context)
    if reason == .deleted { me.forgetName(of: entry.sharer) }
  }

  /// The kind for the end: an arrival that was notified before counts as a plain end.
  private func kind(_ entry: ShareEntry) -> NotificationKind {
    switch reason {
    case .timeUp, .neverLeft, .deleted, .noReceivers, .blocked, .stopped, .phoneLost, .left: .ended
    case .arrived: entry.state == .arrived ? .ended : .arrived
    case .notArrived: .urgent
    }
  }
}
