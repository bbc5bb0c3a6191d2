import JSON
import Rooms

/// The requests for money in a household (BIL-17): the open ones in the state, all others in the history.
///
/// A request changes no balance until it is accepted.
struct Requests: Subject {
  typealias State = HouseholdState
  static let history = [HistoryKind(ListRequests.history, of: ListedRequest.self, lifetime: nil)]

  var requests = Table<ID<MoneyRequest>, MoneyRequest>()
  /// Requests that were cancelled in the last minutes, and can be brought back.
  var cancelled = Table<ID<MoneyRequest>, MoneyRequest>()
  private(set) var due = DueTime()

  mutating func parts(_ part: inout some PartVisitor) {
    part("requests", &requests)
    part("cancelledRequests", &cancelled, .hidden)
  }

  mutating func planAll() {
    for request in requests.values { due.plan(request.until) }
    for request in cancelled.values { due.plan(Self.undoEnd(of: request)) }
  }

  /// A request that is not over, even if the timer has not fired yet.
  func request(_ id: ID<MoneyRequest>, at now: Instant) throws(Refusal) -> MoneyRequest {
    guard let request = requests[id], request.until > now else { throw .gone("This request") }
    return request
  }

  func checkSpace(for author: ID<Person>) throws(Refusal) {
    if requests.values.count(where: { $0.author == author }) >= Limits.requests {
      throw .full("requests", "At most \(Limits.requests) requests of one person are open.")
    }
  }

  mutating func put(_ request: MoneyRequest, as id: ID<MoneyRequest>) {
    requests[id] = request
    due.plan(request.until)
  }

  /// Keeps a cancelled request as long as it can be brought back.
  mutating func keep(_ request: MoneyRequest, as id: ID<MoneyRequest>) {
    cancelled[id] = request
    cancelled.keep(Limits.recentRequests) { $0.closedAt ?? $0.at }
    due.plan(Self.undoEnd(of: request))
  }

  static func undoEnd(of request: MoneyRequest) -> Instant { (request.closedAt ?? request.at) + Limits.undo }

  static func fallDue(in home: inout HouseholdState, _ context: Context) {
    for (id, request) in home.requests.requests where request.until <= context.now {
      home.expire(request, id, in: context)
    }
    home.requests.cancelled.removeAll { undoEnd(of: $1) <= context.now }
    home.requests.due = DueTime()
    home.requests.planAll()
  }
}

/// A request of the history, with its id.
struct ListedRequest: Record {
  var id = ID<MoneyRequest>()
  var request = MoneyRequest()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("request", \.request)
  }
}

/// Lists the requests for money that are over, those that were over last first (BIL-17).
struct ListRequests: PeoplePage {
  typealias State = HouseholdState
  typealias Item = ListedRequest
  static let method: StaticString = "requests.list"
  static let summary: StaticString =
    "Lists the requests for money that are over, those that were over last first (BIL-17)."
  static let history = "request"
  var before: HistoryCursor?
  var limit: Int?
  /// Only requests of all of these, or to them: one person, or two.
  var people: [ID<Person>]?

  /// The search for one request.
  static func query(_ id: ID<MoneyRequest>) -> HistoryQuery { HistoryQuery(kind: history, id: id.bytes, limit: 1) }
}
