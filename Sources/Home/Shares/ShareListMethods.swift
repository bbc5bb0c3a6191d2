import JSON
import Rooms

/// A share that a person takes part in, as his own room lists it (LOC-22).
struct ShareEntry: Record {
  var role = ShareRole.receiver
  var sharer = ID<Person>()
  /// The sharer's name.
  var name = ""
  var until = Instant()
  /// What the sharer calls the place that ends the share.
  var place: String?
  /// Whether he needs a ride.
  var pickup: PickupState?
  var state = ShareStatus.active

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("role", \.role)
    field("sharer", \.sharer)
    field("name", \.name)
    field("until", \.until)
    field("place", \.place)
    field("pickup", \.pickup)
    field("state", \.state)
  }
}

enum ShareRole: String, Word {
  case sharer, receiver
}

enum ShareStatus: String, Word {
  case active, arrived
}

struct ShareAnswer: Record {
  var id = ID<Share>()
  var alreadyInside: Bool?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("alreadyInside", \.alreadyInside)
  }
}

/// Shares one's position with people of one's households, for a time or until a place (LOC-1, LOC-2).
struct StartShare: Mutation {
  static let method: StaticString = "shares.start"
  static let summary: StaticString =
    "Shares one's position with people of one's households, for a time or until a place (LOC-1, LOC-2)."
  static let isAnsweredLater = true
  static let needsEncryption = true
  var id: ID<Share>?
  var receivers: [ID<Person>] = []
  /// The end; with a place, the end at the latest.
  var until: Instant?
  var place: Destination?
  /// The sharer needs a ride (LOC-3).
  var ride: Bool?
  /// Where the sharer is, for the answer to say whether that is the place already. It is not kept.
  var position: StartPosition?
  var note: Prose?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("receivers", \.receivers, Limits.receivers)
    field("until", \.until)
    field("place", \.place)
    field("ride", \.ride)
    field("position", \.position)
    field("note", \.note, Limits.shareNote)
  }

  static func read(_ view: View?, _ problems: Problems) -> Self? {
    let before = problems.count
    let share = readFields(view, problems)
    if let view, view.kind == .object, view[key: "until"]?.isNull ?? true, view[key: "place"]?.isNull ?? true {
      problems.note("until", "missing, and there is no place")
    }
    return problems.count == before ? share : nil
  }

  func apply(to me: inout PersonState, in context: Context) throws(Refusal) -> ShareAnswer {
    let problems = Problems()
    let allowed = Limits.shareDuration(untilPlace: place != nil)
    let until = until ?? context.now + allowed.upperBound
    if !allowed.contains(until - context.now) {
      problems.note("until", "must be 15 minutes to \(allowed.upperBound.components.seconds / 3600) hours from now")
    }
    if position != nil, place == nil { problems.note("position", "is for a share until a place") }
    if Set(receivers).count < receivers.count { problems.note("receivers", "names somebody twice") }
    if !problems.isEmpty { throw .invalid(problems.list) }
    var names: SmallMap<ID<Person>, String> = [:]
    for person in receivers {
      // The same answer for somebody unknown and for a stranger (LOC-23).
      guard let mate = me.mates[person] else {
        throw Refusal(.notFound, "person", "Not everybody named is in one of your households.")
      }
      names[person] = mate.name
    }
    let id = context.newID(id)
    let isOnItsWay = me.pending.values.contains { $0.share == id }
    if me.shares.contains(id) || me.removed.contains(id) || isOnItsWay { throw .exists }
    let own = me.shares.values.count { $0.role == .sharer } + me.pending.values.count { $0.share != nil }
    if own >= Limits.ownShares {
      throw .full("shares", "Nobody shares a position more than \(Limits.ownShares) times at once.")
    }
    let call = me.wait(share: id, in: context)
    let place = place.map {
      Destination(
        lat: Geography.rounded($0.lat), lon: Geography.rounded($0.lon), r: $0.r ?? Limits.defaultPlaceRadius,
        label: $0.label)
    }
    let mayBeInside = place.flatMap { place in position.flatMap { $0.mayBeInside(place) } }
    context.send(
      ShareStarted(
        call: call, sharerName: me.profile.value.name, until: until, place: place, ride: ride,
        mayBeInside: mayBeInside, note: note?.text, receivers: names),
      to: .share(id))
    return ShareAnswer(id: id)
  }
}

/// The person's own share is running.
struct ShareBegan: Message {
  static let name = "shareBegan"
  var call = CallReference()
  var share = ID<Share>()
  var entry = ShareEntry()
  var mayBeInside: Bool?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("call", \.call)
    field("share", \.share)
    field("entry", \.entry)
    field("mayBeInside", \.mayBeInside)
  }

  func apply(to me: inout PersonState, from source: RoomID, in context: Context) {
    me.shares[share] = entry
    me.answer(call, ShareAnswer(id: share, alreadyInside: mayBeInside == true ? true : nil), in: context)
  }
}

/// The id of the share that the person wanted to start was taken.
struct ShareRefused: Message {
  static let name = "shareRefused"
  var call = CallReference()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("call", \.call) }

  func apply(to me: inout PersonState, from source: RoomID, in context: Context) {
    me.refuse(call, .exists, in: context)
  }
}

/// Somebody shares his position with the person (LOC-4).
struct ShareOffered: Message {
  static let name = "shareOffered"
  var share = ID<Share>()
  var entry = ShareEntry()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("share", \.share)
    field("entry", \.entry)
  }

  func apply(to me: inout PersonState, from source: RoomID, in context: Context) {
    me.shares[share] = entry
    me.notify(
      Notification(
        kind: .share, room: source.name, ref: share.cast(), actor: entry.sharer, actorName: entry.name,
        at: context.now, until: entry.place == nil ? entry.until : nil, place: entry.place, pickup: entry.pickup),
      from: source)
  }
}

/// A share goes on for longer.
struct ShareExtended: Message {
  static let name = "shareExtended"
  var share = ID<Share>()
  var until = Instant()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("share", \.share)
    field("until", \.until)
  }

  func apply(to me: inout PersonState, from source: RoomID, in context: Context) {
    me.shares[share]?.until = until
  }
}
