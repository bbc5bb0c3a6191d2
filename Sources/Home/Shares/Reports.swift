public import JSON
public import Rooms

/// A phone's report of its fixes (LOC-5, LOC-6).
public struct Report: Sendable {
  /// The time of sending by the phone's clock.
  var sentAt: Instant
  /// In order of time, whatever the order in which they were sent; the most accurate one of each time.
  let fixes: [DatedFix]
  /// The fixes that cannot be true, in the order in which they were sent.
  public let refused: [RefusedFix]

  init(sentAt: Instant, fixes: [Fix], refused: [RefusedFix] = []) {
    self.sentAt = sentAt
    self.fixes = Self.inOrder(fixes.map { DatedFix($0, sentAt: sentAt) })
    self.refused = refused
  }

  /// Reads the parameters of `positions.report`; `nil` after noting what is wrong.
  ///
  /// Bad fixes are only refused if there is a good one beside them.
  public init?(_ parameters: View, _ problems: Problems) {
    let start = problems.count
    let read = ReportParameters<ReportedFixes>.read(parameters, problems)
    guard let read, read.fixes.map({ $0.refused.isEmpty || !$0.good.isEmpty }) ?? true else {
      // Nothing is taken: every bad field is named, those of fixes included.
      _ = problems.take(since: start)
      _ = ReportParameters<[Fix]>.read(parameters, problems)
      return nil
    }
    self.init(sentAt: read.sentAt, fixes: read.fixes?.good ?? [], refused: read.fixes?.refused ?? [])
  }

  private static func inOrder(_ fixes: [DatedFix]) -> [DatedFix] {
    guard fixes.count > 1 else { return fixes }
    var kept: [DatedFix] = []
    for fix in fixes.sorted(by: DatedFix.precedes) where kept.last?.time != fix.time { kept.append(fix) }
    return kept
  }

  /// The fields of `positions.report`, for `rpc.discover`.
  public static var parameters: [FieldDescription] { ReportParameters<[Fix]>.descriptions }

  /// Applies the report to a room: first the sharer's own, which refuses it if another device of theirs reports
  /// (LOC-35), then each of their shares. Rooms of other kinds ignore it.
  public func run(in room: Room, _ turn: Turn) throws(Refusal) {
    if let me = room as? TypedRoom<PersonState> {
      // Most reports come from the device that reports already: they need no turn.
      if let session = turn.session, me.state.shares.reporter.value.session == session { return }
      try me.performLive(turn) { state, context throws(Refusal) in try state.take(self, in: context) }
    } else if let share = room as? TypedRoom<ShareState> {
      try share.performLive(turn) { state, context throws(Refusal) in try state.take(self, in: context) }
    }
  }
}

/// The parameters of `positions.report`, with its fixes read together or one by one.
struct ReportParameters<Fixes: Field>: Record {
  var sentAt = Instant()
  var fixes: Fixes?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("sentAt", \.sentAt)
    field("fixes", \.fixes, Limits.fixes)
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
    if known.device != context.session { known = Tracking(device: context.session) }
    known.settle(share.value.arrival)
    var last = position.value
    var arrival = known.arrival
    var way: [Position] = []
    for dated in report.fixes {
      let fix = dated.fix
      var at = min(dated.time + correction, context.now)
      if dated.time == known.fixTime, let lastAt = last.at {
        // They count as one fix, the more accurate one. The same again changes nothing (LOC-32).
        guard last.isBettered(by: fix), let before = known.before else { continue }
        (last, arrival, at) = (before.position, before.arrival, lastAt)
        known.stillness = before.stillness
      } else {
        // An older one in a report that is sent again, or that a later one has overtaken: the correction of clocks
        // would make it a new one, as late as it comes (LOC-32).
        if let newest = known.fixTime, dated.time < newest, known.hasOvertaken(report) { continue }
        if let lastAt = last.at, at < lastAt { continue }
        known.before = BeforeNewest(last, known.stillness, arrival)
      }
      let stillSince = last.stillSince
      last = Position(fix, at: at, receivedAt: context.now, after: last)
      // A jump or a vague fix says nothing about whether the sharer moves.
      last.stillSince = last.isTrusted ? known.takeStill(last) : stillSince
      if share.value.trail == true { way.append(last) }
      known.fixTime = dated.time
      // A share ignores fixes from before its start.
      guard let place = share.value.place, last.isTrusted, dated.isBelieved, at >= share.value.startedAt
      else { continue }
      arrival.take(
        distance: place.distance(to: (fix.lat, fix.lon)), accuracy: fix.accuracy.metres, radius: place.radius, at: at)
    }
    if !known.hasOvertaken(report) { known.sentAt = report.sentAt }
    known.arrival = arrival
    if known != tracking.value { tracking.value = known }
    if last != position.value { position.value = last }
    if !way.isEmpty { extendTrail(by: way) }
    link.value.at = context.now
    noteReport(in: context)
    guard arrival.state != share.value.arrival else { return }
    share.value.arrival = arrival.state
    if hasArrived { arrive(at: arrival.arrivedAt, in: context) }
  }
}

extension Accuracy {
  /// Whether this is more exact than `metres`; one that is known is more exact than one that is not.
  func isBetter(than metres: Double?) -> Bool { (known ?? .infinity) < (metres ?? .infinity) }
}

/// A fix with a time that can be true (R-LOC).
struct DatedFix: Sendable {
  let fix: Fix
  /// By the phone's clock.
  let time: Instant
  /// Whether the time is that of the fix; if not, it is that of sending, and so of receipt.
  let isBelieved: Bool

  /// Mends the time of a fix whose receiver has lost weeks: GPS counts them up to 1,024 and begins again, so that it is
  /// off by a multiple of that.
  init(_ fix: Fix, sentAt: Instant) {
    self.fix = fix
    let age = (sentAt - fix.fixTime).milliseconds
    let cycle = Limits.weekCycle.milliseconds
    let lost = (age + cycle / 2) / cycle * cycle
    if age <= Limits.fixAge.milliseconds {
      (time, isBelieved) = (fix.fixTime, true)
    } else if abs(age - lost) <= Limits.weekTolerance.milliseconds {
      (time, isBelieved) = (fix.fixTime + .milliseconds(lost), true)
    } else {
      (time, isBelieved) = (sentAt, false)
    }
  }

  /// A total order, by time first; of one time the fix that stands comes first.
  static func precedes(_ a: Self, _ b: Self) -> Bool {
    if a.time != b.time { return a.time < b.time }
    if a.isBelieved != b.isBelieved { return a.isBelieved }
    if a.fix.accuracy != b.fix.accuracy { return a.fix.accuracy.isBetter(than: b.fix.accuracy.known) }
    return (a.fix.lat, a.fix.lon, a.fix.battery ?? -1) < (b.fix.lat, b.fix.lon, b.fix.battery ?? -1)
  }
}
