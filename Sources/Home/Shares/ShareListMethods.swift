import JSON
import Rooms

extension ShareList {
  static let methods: [Method] = [
    .of(StartShare.self), .of(TakeOverShares.self), .of(EndShare.self),
  ]
}

struct ShareAnswer: Record {
  var id = ID<Share>()
  var alreadyInside: Bool?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("alreadyInside", \.alreadyInside)
  }
}

/// Shares one's position with housemates and contacts, for a time or until a place (LOC-1, LOC-2).
struct StartShare: Mutation {
  static let method: StaticString = "shares.start"
  static let summary: StaticString =
    "Shares one's position with housemates and contacts, for a time or until a place (LOC-1, LOC-2)."
  static let isAnsweredLater = true
  static let needsEncryption = true
  var id: ID<Share>?
  var receivers: [ID<Person>] = []
  /// The end; with a place, the end at the latest.
  var until: Instant?
  var place: Destination?
  /// The sharer needs a ride (LOC-3).
  var ride: Bool?
  /// The sharer's position, for the answer to say whether it is the destination already. It is not kept.
  var position: StartPosition?
  var note: Prose?
  /// How the sharer may stop, and what a receiver's silence means then (LOC-12).
  var stop: StopRule?
  var silence: Silence?
  /// Shows the receivers the way of the last minutes (LOC-24).
  var trail: Bool?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("receivers", \.receivers, Limits.receivers)
    field("until", \.until)
    field("place", \.place)
    field("ride", \.ride)
    field("position", \.position)
    field("note", \.note, Limits.shareNote)
    field("stop", \.stop)
    field("silence", \.silence)
    field("trail", \.trail)
  }

  static func read(_ view: View?, _ problems: Problems) -> Self? {
    let before = problems.count
    let share = readFields(view, problems)
    if let view, view.kind == .object, view[key: "place"]?.isNull ?? true {
      if view[key: "until"]?.isNull ?? true { problems.note("until", "missing, and there is no place") }
      if view[key: "position"]?.isNull == false { problems.note("position", "is for a share until a place") }
    }
    if share?.stop == .notify, share?.silence != nil {
      problems.note("silence", "is for a share that stops by consent")
    }
    return problems.count == before ? share : nil
  }

  func check(_ problems: Problems, in me: inout PersonState, _ context: Context) {
    let allowed = Limits.shareDuration(untilPlace: place != nil)
    if let until, !allowed.contains(until - context.now) {
      problems.note("until", "must be 15 minutes to \(allowed.upperBound.components.seconds / 3600) hours from now")
    }
    if Set(receivers).count < receivers.count { problems.note("receivers", "names somebody twice") }
  }

  func apply(to me: inout PersonState, in context: Context) throws(Refusal) -> ShareAnswer {
    let until = until ?? context.now + Limits.shareDuration(untilPlace: place != nil).upperBound
    var names: SmallMap<ID<Person>, String> = [:]
    for person in receivers {
      // The answer is the same for an unknown person and for a stranger (LOC-23).
      guard let name = me.memberships.mates[person]?.name ?? me.contacts.contacts[person]?.name else {
        throw Refusal(.notFound, "person", "Not everybody named is in one of your households, or a contact.")
      }
      try me.requireUnblocked(person)
      names[person] = name
    }
    let id = context.newID(id)
    let isOnItsWay = me.pending.calls.values.contains { $0.share == id }
    if me.names(id.cast()) || isOnItsWay { throw .exists }
    let own = me.shares.entries.values.count { $0.role == .sharer } + me.pending.calls.values.count { $0.share != nil }
    if own >= Limits.ownShares {
      throw .full("shares", "Nobody shares a position more than \(Limits.ownShares) times at once.")
    }
    let call = me.wait(share: id, in: context)
    let place = place.map {
      Destination(
        lat: Geography.rounded($0.lat), lon: Geography.rounded($0.lon), r: $0.r ?? Limits.defaultPlaceRadius,
        label: $0.label)
    }
    let isInside = place.flatMap { place in position.flatMap { $0.isInside(place) } }
    context.send(
      ShareStarted(
        call: call, sharerName: me.identity.profile.value.name, until: until, place: place, ride: ride,
        isInside: isInside, note: note?.text, stop: stop == .notify ? .notify : nil,
        silence: silence == .confirms ? .confirms : nil, trail: trail == true ? true : nil, receivers: names),
      to: .share(id))
    return ShareAnswer(id: id)
  }
}
