import JSON
import Rooms

/// How requests for money come about, and how they end: the list, the history, and word to those whom they concern.
extension HouseholdState {
  /// Puts a request on the list, or closes it if it is over.
  ///
  /// - Parameter asked: The members who are told of it.
  mutating func put(
    _ request: MoneyRequest, as id: ID<MoneyRequest>, asking asked: [ID<Person>] = [], in context: Context
  ) {
    requests.put(request, as: id)
    if request.isOver { close(request, id, in: context) }
    for person in asked { tell(person, .request, of: id, request, request.parts[person]?.amount ?? 0, in: context) }
  }

  /// Takes a request off the list: it goes to the history, and its id is not used again.
  ///
  /// - Parameter state: The new state of parts that nobody has answered.
  /// - Returns: The request as it is in the history.
  @discardableResult mutating func close(
    _ request: MoneyRequest, _ id: ID<MoneyRequest>, pendingAs state: RequestState = .cancelled, in context: Context
  ) -> MoneyRequest {
    var request = request
    let pending = request.people(.pending)
    for person in pending { request.move(person, to: state, at: context.now) }
    request.closedAt = context.now
    requests.requests[id] = nil
    forget(id, in: context)
    resolve(id, for: pending, in: context)
    context.record(
      ListRequests.history, id: id.bytes, about: Set(request.parts.keys).union([request.author]),
      ListedRequest(id: id, request: request))
    return request
  }

  /// Posts the caller's part of a request as a bill that its author has paid for them.
  mutating func accept(
    _ request: MoneyRequest, _ id: ID<MoneyRequest>, in context: Context
  ) throws(Refusal) -> (bill: ID<Bill>, shares: SmallMap<ID<Person>, Int>) {
    var request = request
    let (debtor, amount) = (context.person, request.parts[context.person]?.amount ?? 0)
    let billID: ID<Bill> = .derived("requestBill", id.bytes + debtor.bytes)
    try checkNew(billID)
    var bill = Bill(
      title: request.title, amount: amount, currency: request.currency, paid: [request.author: amount],
      split: BillSplit(exact: [debtor: amount]), shares: [debtor: amount], date: zone.day(at: context.now),
      note: request.note, origin: BillOrigin(kind: .request, ref: id.cast()), by: request.author, at: context.now)
    try enter(&bill, as: billID, isTold: false, in: context)
    happened(.billAdded, by: debtor, ref: billID.cast(), named: bill.title, in: context)
    request.move(debtor, to: .accepted, at: context.now)
    request.parts[debtor]?.bill = billID
    requests.put(request, as: id)
    resolve(id, for: [debtor], in: context)
    tell(request.author, .requestAccepted, of: id, request, amount, in: context)
    // It may be set off against a debt of the author's.
    closeRequests(in: context)
    return (billID, bill.shares)
  }

  /// Closes a request whose time is over, and tells its author of the parts that nobody has answered.
  mutating func expire(_ request: MoneyRequest, _ id: ID<MoneyRequest>, in context: Context) {
    let amount = request.people(.pending).reduce(0) { $0 + (request.parts[$1]?.amount ?? 0) }
    let closed = close(request, id, pendingAs: .expired, in: context)
    if amount > 0 { tell(closed.author, .requestExpired, of: id, closed, amount, in: context) }
  }

  /// Notes which accepted parts are paid, or are no longer owed because their bill was removed.
  mutating func closeRequests(in context: Context) {
    for (id, request) in requests.requests {
      var rest = request
      for person in request.people(.accepted) {
        guard let bill = request.parts[person]?.bill else { continue }
        if bills.removed.contains(bill) {
          rest.move(person, to: .cancelled, at: context.now)
        } else if isPaid(bill, by: person, to: request.author, request.currency) {
          rest.move(person, to: .paid, at: context.now)
        }
      }
      if rest != request { put(rest, as: id, in: context) }
    }
  }

  /// A member has left: nobody asks them any longer, nor do they ask others.
  mutating func leaveRequests(_ person: ID<Person>, in context: Context) {
    for (id, var request) in requests.requests {
      if request.author == person {
        close(request, id, in: context)
      } else if request.parts[person]?.state == .pending {
        request.move(person, to: .cancelled, at: context.now)
        put(request, as: id, in: context)
      }
    }
    requests.cancelled.removeAll { $1.author == person }
  }

  // MARK: being told

  func tell(
    _ person: ID<Person>, _ kind: NotificationKind, of id: ID<MoneyRequest>, _ request: MoneyRequest, _ amount: Int,
    in context: Context
  ) {
    guard person != context.caller, membership.members.contains(person) else { return }
    notify(
      person,
      Notification(
        kind: kind, room: context.room.name, ref: id.cast(), actor: context.caller,
        actorName: membership.members[context.person]?.name, at: context.now, name: request.title, amount: amount,
        currency: request.currency),
      in: context)
  }

  /// Closes the notifications of a request, for those who have nothing to do with it any longer (REM-6).
  func resolve(_ id: ID<MoneyRequest>, for people: [ID<Person>], in context: Context) {
    for person in people where membership.members.contains(person) {
      context.send(Resolve(ref: id.cast()), to: .person(person))
    }
  }
}
