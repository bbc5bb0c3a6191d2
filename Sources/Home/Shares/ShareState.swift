import JSON
import Rooms

/// A sharer's position, shared with chosen people for a time, or until the sharer is at a place (LOC-1, LOC-2).
///
/// Only the people in this room see the sharer's position, and no other room learns of it (LOC-23).
struct ShareState: RoomState, ForgetsPersons {
  static let kind = RoomKindName.share
  static let needsEncryption = true
  static let methods: [Method] = [
    .of(ExtendShare.self), .of(SeeShare.self), .of(LeaveShare.self), .of(StopShare.self), .of(AnswerStop.self),
    .question(MeasureShare.self), .of(ReadyForPickup.self), .of(CancelPickup.self), .of(AcceptPickup.self),
    .of(UpdatePickup.self), .of(ReleasePickup.self), .of(CollectPickup.self),
  ]
  static let messages: [MessageHandler<ShareState>] = [
    .of(ShareStarted.self), .of(ParticipantDeleted.self), .of(ReceiverBlocked.self), .of(PhoneLost.self),
  ]

  var share = Single<ShareFacts>()
  /// The persons who see the position: only they, and the sharer, are in the room.
  var receivers = Table<ID<Person>, Receiver>()
  var formerReceivers = Table<ID<Person>, FormerReceiver>()
  var stopRequest = Single<StopRequest>()
  var pickup = Single<Pickup>()
  var position = Single<Position>()
  var link = Single<Link>()
  var trail = Table<ID<TrailPoint>, TrailPoint>()
  var warning = Single<EndWarning>()
  var tracking = Single<Tracking>()

  mutating func parts(_ part: inout some PartVisitor) {
    part("share", &share)
    part("receivers", &receivers)
    part("formerReceivers", &formerReceivers)
    part("stopRequest", &stopRequest)
    part("pickup", &pickup)
    part("position", &position, .kept)
    part("link", &link, .kept)
    part("trail", &trail, .live)
    part("warning", &warning, .hidden)
    part("tracking", &tracking, .unseen)
  }

  func admits(_ person: ID<Person>, to room: RoomID) -> Bool {
    share.value.endedAt == nil && (share.value.sharer == person || receivers.contains(person))
  }

  var nextDue: Instant? {
    guard share.value.endedAt == nil else { return nil }
    var next = share.value.until
    // Compared one by one, without an array: every report asks for the next due time.
    if let due = warningDue { next = next.map { min($0, due) } ?? due }
    if let due = lossDue { next = next.map { min($0, due) } ?? due }
    if let due = stopRequest.value.until { next = next.map { min($0, due) } ?? due }
    if let due = lateDue { next = next.map { min($0, due) } ?? due }
    if let due = trailDue { next = next.map { min($0, due) } ?? due }
    return next
  }

  mutating func fallDue(in context: Context) {
    guard share.value.endedAt == nil else { return }
    if let until = share.value.until, until <= context.now { return end(reasonAtEnd, in: context) }
    if let due = warningDue, due <= context.now { warn(in: context) }
    if let due = lossDue, due <= context.now { lose(in: context) }
    if let due = lateDue, due <= context.now { noteLate(in: context) }
    if let due = trailDue, due <= context.now { clearTrail() }
    // Last: it may end the share.
    if let due = stopRequest.value.until, due <= context.now { closeStopRequest(in: context) }
  }

  /// All people in the room: the sharer and the receivers.
  var everybody: [ID<Person>] { [share.value.sharer] + receivers.keys }
}

struct ShareFacts: Record {
  var sharer = ID<Person>()
  var name = ""
  var startedAt = Instant()
  /// The latest end of the share.
  var until: Instant?
  /// The destination, if the sharer has chosen one.
  var place: Destination?
  var arrival: ArrivalState?
  var arrivedAt: Instant?
  var note: String?
  /// How the sharer may stop, and what silence means then; absent for what is usual (LOC-12).
  var stop: StopRule?
  var silence: Silence?
  /// The room shows the way of the last minutes (LOC-24).
  var trail: Bool?
  /// The time of the phone's first report.
  var trackedAt: Instant?
  /// The reason why the position is unknown, and since when; absent while it is known.
  var lost: LossCause?
  var lostAt: Instant?
  var endedAt: Instant?
  var reason: ShareEndReason?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("sharer", \.sharer)
    field("name", \.name)
    field("startedAt", \.startedAt)
    field("until", \.until)
    field("place", \.place)
    field("arrival", \.arrival)
    field("arrivedAt", \.arrivedAt)
    field("note", \.note)
    field("stop", \.stop)
    field("silence", \.silence)
    field("trail", \.trail)
    field("trackedAt", \.trackedAt)
    field("lost", \.lost)
    field("lostAt", \.lostAt)
    field("endedAt", \.endedAt)
    field("reason", \.reason)
  }
}

/// A share starts; the message comes from the sharer's own room.
struct ShareStarted: Message {
  static let name = "shareStarted"
  static let opensRoom = true
  var call = CallReference()
  var sharerName = ""
  var until = Instant()
  var place: Destination?
  var ride: Bool?
  /// Whether the sharer is at the place already; `nil` where that is not known yet.
  var isInside: Bool?
  var note: String?
  var stop: StopRule?
  var silence: Silence?
  var trail: Bool?
  /// The names of the receivers.
  var receivers: SmallMap<ID<Person>, String> = [:]

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("call", \.call)
    field("sharerName", \.sharerName)
    field("until", \.until)
    field("place", \.place)
    field("ride", \.ride)
    field("mayBeInside", \.isInside)
    field("note", \.note)
    field("stop", \.stop)
    field("silence", \.silence)
    field("trail", \.trail)
    field("receivers", \.receivers)
  }

  func apply(to state: inout ShareState, from source: RoomID, in context: Context) {
    guard case .person(let sharer) = source, case .share(let id) = context.room else { return }
    if !state.receivers.isEmpty {
      context.send(ShareRefused(call: call), to: source)
      return
    }
    state.share.value = ShareFacts(
      sharer: sharer, name: sharerName, startedAt: context.now, until: until, place: place,
      arrival: isInside.map { $0 ? .alreadyInside : .underWay }, note: note, stop: stop, silence: silence, trail: trail)
    if ride == true { state.pickup.value.state = .wanted }
    for (person, name) in receivers { state.receivers[person] = Receiver(name: name, invitedAt: context.now) }
    let entry = ShareEntry(
      role: .sharer, sharer: sharer, name: sharerName, until: until, place: place?.label.text,
      pickup: ride == true ? .wanted : nil)
    context.send(
      ShareBegan(call: call, share: id, entry: entry, isInside: isInside, receivers: Array(receivers.keys)), to: source)
    for person in receivers.keys {
      var offered = entry
      offered.role = .receiver
      context.send(ShareOffered(share: id, entry: offered), to: .person(person))
    }
  }
}

/// Lets a share run until a later time; only the sharer may (LOC-2).
///
/// The longest time of a share counts from its start, so that no share runs for ever.
struct ExtendShare: Mutation {
  static let method: StaticString = "shares.extend"
  static let summary: StaticString = "Lets a share run until a later time; only the sharer may (LOC-2)."
  var until = Instant()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("until", \.until) }

  func apply(to state: inout ShareState, in context: Context) throws(Refusal) -> NoAnswer {
    guard state.share.value.sharer == context.person else { throw .onlySharer }
    guard case .share(let id) = context.room, let end = state.share.value.until, state.isRunning(at: context.now)
    else { throw .gone("This share") }
    if state.hasArrived { throw .arrived }
    let longest = Limits.shareDuration(untilPlace: state.share.value.place != nil).upperBound
    let latest = state.share.value.startedAt + longest
    guard until > end, until <= latest else {
      throw .invalid("until", "must be later than before, and at the latest \(latest)")
    }
    state.share.value.until = until
    for person in state.everybody { context.send(ShareExtended(share: id, until: until), to: .person(person)) }
    return NoAnswer()
  }
}
