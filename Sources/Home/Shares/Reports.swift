public import JSON
public import Rooms

/// A phone's report of its fixes (LOC-5, LOC-6).
public struct Report: Sendable {
  /// The time of sending by the phone's clock.
  var sentAt: Instant
  /// Sorted by time, whatever the order in which they were sent.
  let fixes: [Fix]

  init(sentAt: Instant, fixes: [Fix]) {
    self.sentAt = sentAt
    self.fixes = fixes.count > 1 ? fixes.sorted(by: Fix.precedes) : fixes
  }

  /// Reads the parameters of `positions.report`; `nil` after noting the problems.
  public init?(_ parameters: View, _ problems: Problems) {
    guard let read = ReportParameters.read(parameters, problems) else { return nil }
    self.init(sentAt: read.sentAt, fixes: read.fixes ?? [])
  }

  /// The fields of `positions.report`, for `rpc.discover`.
  public static var parameters: [FieldDescription] { ReportParameters.descriptions }

  /// Applies the report to a room: first the sharer's own, which refuses it if another device of theirs reports
  /// (LOC-35), then each of their shares. Rooms of other kinds ignore it.
  public func run(in room: Room, _ turn: Turn) throws(Refusal) {
    if let me = room as? TypedRoom<PersonState> {
      // Most reports come from the reporting device: they need no turn of this room.
      if let client = turn.client, me.state.shares.reporter.value.client == client { return }
      try me.performLive(turn) { state, context throws(Refusal) in try state.take(self, in: context) }
    } else if let share = room as? TypedRoom<ShareState> {
      try share.performLive(turn) { state, context throws(Refusal) in try state.take(self, in: context) }
    }
  }
}

/// The parameters of `positions.report`.
struct ReportParameters: Record {
  var sentAt = Instant()
  var fixes: [Fix]?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("sentAt", \.sentAt)
    field("fixes", \.fixes, Limits.fixes)
  }
}

/// A share's memory of reports from one device, by that device's clock.
struct Tracking: Record {
  var device: ID<Client>?
  /// The sending time of the last report, and the time of the newest fix.
  var sentAt: Instant?
  var fixTime: Instant?
  /// `Arrival.since`, and the state for which it was counted: the log may be ahead of the kept values, or behind.
  var since: Instant?
  var state: ArrivalState?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("device", \.device)
    field("sentAt", \.sentAt)
    field("fixTime", \.fixTime)
    field("since", \.since)
    field("state", \.state)
  }

  /// Whether a fix is a repeat: the newest again, or an older one in a report that is sent again unchanged. Clock
  /// correction would otherwise make a late repeat a new fix (LOC-32).
  func knows(_ fix: Fix, sentAt: Instant, last: Position) -> Bool {
    guard let newest = fixTime else { return false }
    return fix.fixTime < newest ? sentAt == self.sentAt : fix.fixTime == newest && last.isOf(fix)
  }
}

extension ShareState {
  /// Takes fixes in order: only the newest is shown, but each of them may prove an arrival (LOC-6, LOC-17).
  mutating func take(_ report: Report, in context: Context) throws(Refusal) {
    guard share.value.sharer == context.person else { throw .onlySharer }
    guard isRunning(at: context.now) else { throw .gone("This share") }
    // How far the phone's clock is behind. Transmission time makes fixes seem newer by as much, but a wrong clock would
    // do more harm.
    let correction = context.now - report.sentAt
    var known = tracking.value
    // Fixes of two devices together prove nothing.
    if known.device != context.client { known = Tracking(device: context.client) }
    var last = position.value
    var arrival = Arrival(
      state: share.value.arrival, since: known.state == share.value.arrival ? known.since : nil)
    for fix in report.fixes {
      if known.knows(fix, sentAt: report.sentAt, last: last) { continue }
      let at = min(fix.fixTime + correction, context.now)
      if let lastAt = last.at, at < lastAt { continue }
      last = Position(fix, at: at, receivedAt: context.now, after: last)
      known.fixTime = fix.fixTime
      // A share ignores fixes from before its start.
      guard let place = share.value.place, last.isTrusted, at >= share.value.startedAt else { continue }
      arrival.take(
        distance: place.distance(to: (fix.lat, fix.lon)), accuracy: fix.accuracy.metres, radius: place.radius, at: at)
    }
    known.sentAt = report.sentAt
    known.since = arrival.since
    known.state = arrival.state
    if known != tracking.value { tracking.value = known }
    if last != position.value { position.value = last }
    link.value.at = context.now
    noteReport(in: context)
    guard arrival.state != share.value.arrival else { return }
    share.value.arrival = arrival.state
    if hasArrived { arrive(at: arrival.arrivedAt, in: context) }
  }
}

extension Fix {
  /// A total order, by time first.
  static func precedes(_ a: Fix, _ b: Fix) -> Bool {
    (a.fixTime, a.accuracy.metres, a.lat, a.lon, a.battery ?? -1)
      < (b.fixTime, b.accuracy.metres, b.lat, b.lon, b.battery ?? -1)
  }
}
