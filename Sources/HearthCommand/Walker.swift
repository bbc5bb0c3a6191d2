import HearthClient
import JSON
import Rooms

/// Reports a walk as the application on a phone does.
///
/// Fixes that cannot be sent stay, and go with a later report, in order. Fixes that the server refuses are named, and
/// not sent again.
struct Walker {
  /// The next step after a round.
  enum Next: Equatable {
    case report(after: Duration)
    /// Everything has been reported.
    case arrived
    /// No share takes the position any longer.
    case unwanted
    /// Reporting again would change nothing.
    case failed(ClientError)
  }

  /// A round of reports: all that could be sent at one time.
  struct Round: Equatable {
    /// A line for each report that the server has taken.
    var lines: [String] = []
    /// Sentences for standard error.
    var problems: [String] = []
    var next: Next
  }

  /// Sends the parameters of a report and returns the answer.
  typealias Send = (JSON) async throws(ClientError) -> JSON

  private(set) var phone: WalkingPhone
  /// The time between reports; `nil` for what the server asks for.
  private let chosenInterval: Duration?
  private var interval: Duration

  /// The time between reports where the server has not told any (protocol.md, Sharing a position).
  static let usualInterval = Duration.seconds(30)
  /// The intervals that are believed.
  static let intervals = Duration.seconds(1)...Duration.seconds(3600)

  init(_ phone: WalkingPhone, interval: Duration? = nil) {
    self.phone = phone
    chosenInterval = interval
    self.interval = interval ?? Self.usualInterval
  }

  /// Looks where the walker is, and reports all that the server does not know.
  mutating func walk(now: () -> Instant, send: Send) async -> Round {
    phone.look(at: now())
    var round = Round(next: .report(after: interval))
    repeat {
      let sentAt = now()
      do throws(ClientError) {
        take(try await send(phone.report(at: sentAt)), &round, at: sentAt)
      } catch {
        guard canGoOn(after: error, &round) else { return round }
      }
      if round.next == .unwanted { return round }
    } while !phone.unsent.isEmpty
    if phone.isDone(at: now()) { round.next = .arrived }
    return round
  }

  private mutating func take(_ answer: JSON, _ round: inout Round, at sentAt: Instant) {
    for refusal in answer["refused"]?.array ?? [] {
      guard let index = refusal["index"]?.int, 0..<phone.due.count ~= index else { continue }
      let time = phone.due[phone.due.startIndex + index].time
      round.problems.append("The server refused the fix of \(time): \(refusal["reason"]?.string ?? "no reason").")
    }
    let shares = answer["shares"]?.int ?? 0
    let hint = answer["intervalSeconds"]?.int.map { Duration.seconds(min(max(0, $0), 86_400)) }
    interval =
      chosenInterval ?? min(max(hint ?? Self.usualInterval, Self.intervals.lowerBound), Self.intervals.upperBound)
    if let newest = phone.due.last {
      round.lines.append(line(newest, count: phone.due.count, shares: shares, at: sentAt))
    }
    phone.answered(phone.due.count)
    round.next = shares == 0 ? .unwanted : .report(after: interval)
  }

  private func line(_ fix: WalkingPhone.Fix, count: Int, shares: Int, at sentAt: Instant) -> String {
    let parts = [
      sentAt.description, "\(Coordinate.decimals(fix.place.lat)), \(Coordinate.decimals(fix.place.lon))",
      "walked \(Lengths.metric(fix.walked))", count == 1 ? "1 fix" : "\(count) fixes",
      shares == 1 ? "1 share" : "\(shares) shares", "interval \(interval.short)",
    ]
    return parts.joined(separator: "  ")
  }

  /// Whether there may be more to send now; otherwise `round` says what comes next.
  private mutating func canGoOn(after error: ClientError, _ round: inout Round) -> Bool {
    switch error {
    case .server(let refusal) where refusal.isTemporary:
      round.problems.append("\(refusal.message) \(kept)")
      round.next = .report(after: max(refusal.retryAfter ?? interval, Self.intervals.lowerBound))
      return false
    case .server(let refusal) where !refusal.fields.isEmpty:
      // None of them was good: sending them again would change nothing.
      for (path, problem) in refusal.fields.sorted(by: { $0.key < $1.key }) {
        round.problems.append("The server refused a report of \(phone.due.count) fixes: \(path) \(problem).")
      }
      phone.answered(phone.due.count)
      return true
    case .offline, .lost, .silent, .leaving, .closedByServer, .unreachable, .refused:
      round.problems.append("\(error) \(kept)")
      round.next = .report(after: interval)
      return false
    default:
      round.next = .failed(error)
      return false
    }
  }

  private var kept: String {
    let count = phone.unsent.count
    let kept = count == 1 ? "1 fix is kept for later." : "\(count) fixes are kept for later."
    return phone.forgottenCount == 0 ? kept : "\(kept) The \(phone.forgottenCount) oldest are lost."
  }
}
