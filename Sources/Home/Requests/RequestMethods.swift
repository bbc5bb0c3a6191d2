import JSON
import Rooms

extension Requests {
  static let methods: [Method] = [
    .of(CreateRequest.self), .of(AcceptRequest.self), .of(DeclineRequest.self), .of(CancelRequest.self),
    .of(RestoreRequest.self), .question(ListRequests.self),
  ]
}

struct RequestAnswer: Record {
  var id = ID<MoneyRequest>()
  /// Until when it can be accepted.
  var until = Instant()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("until", \.until)
  }
}

/// Asks members for money: the same amount each, or a part each (BIL-17).
struct CreateRequest: Mutation {
  static let method: StaticString = "requests.create"
  static let summary: StaticString = "Asks members for money: the same amount each, or a part each (BIL-17)."
  static let hasNeeds = true
  var id: ID<MoneyRequest>?
  var title = Line()
  /// Of each one in `from`.
  var amount: Int?
  var from: [ID<Person>]?
  /// In the place of both.
  var parts: SmallMap<ID<Person>, Int> = [:]
  /// Without it, the household's.
  var currency: CurrencyCode?
  var platform: PaymentPlatform?
  var note: Prose?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("title", \.title, Limits.billTitle)
    field("amount", \.amount, Limits.payment)
    field("from", \.from, 1...Limits.members)
    field("parts", \.parts)
    field("currency", \.currency)
    field("platform", \.platform)
    field("note", \.note, Limits.billNote)
  }

  func needs(for caller: ID<Person>) -> [Need] { Requests.needs(of: id) }

  func check(_ problems: Problems, in home: inout HouseholdState, _ context: Context) {
    if parts.isEmpty {
      if from == nil, !problems.names("from"), !problems.names("parts") { problems.note("from", "missing") }
      if amount == nil, !problems.names("amount") { problems.note("amount", "missing") }
    } else {
      if from != nil { problems.note("parts", "and from contradict each other") }
      if amount != nil { problems.note("amount", "is for those in from") }
    }
    for (index, person) in (from ?? []).enumerated() {
      if from?[..<index].contains(person) == true { problems.note("from.\(index)", "stands in the list already") }
      home.check(person, "from.\(index)", problems, context)
    }
    for (person, amount) in parts {
      if !Limits.payment.contains(amount) { problems.note("parts.\(person)", Int.limitText(Limits.payment)) }
      home.check(person, "parts.\(person)", problems, context)
    }
  }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> RequestAnswer {
    if !home.isResident(context.person) { throw .guest }
    let id = context.newID(id)
    try home.checkNew(id, ListRequests.query(id), in: context)
    try home.requests.checkSpace(for: context.person)
    let amounts = parts.isEmpty ? SmallMap((from ?? []).map { ($0, amount ?? 0) }) : parts
    let request = MoneyRequest(
      title: title.text, currency: home.currency(currency),
      parts: SmallMap(amounts.map { ($0.key, RequestPart(amount: $0.value, at: context.now)) }), platform: platform,
      note: note?.text, author: context.person, at: context.now, until: context.now + Limits.requestAge)
    home.put(request, as: id, asking: request.people(.pending), in: context)
    return RequestAnswer(id: id, until: request.until)
  }
}

/// Accepts the caller's part of a request: from now on they owe it to its author (BIL-17).
struct AcceptRequest: Mutation {
  static let method: StaticString = "requests.accept"
  static let summary: StaticString =
    "Accepts the caller's part of a request: from now on they owe it to its author (BIL-17)."
  static let hasNeeds = true
  var id = ID<MoneyRequest>()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("id", \.id) }

  func needs(for caller: ID<Person>) -> [Need] { [.confirmation] }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> BillAnswer {
    let request = try home.requests.request(id, at: context.now)
    try request.requirePending(context)
    try context.requireConfirmation(by: .pin)
    let (bill, shares) = try home.accept(request, id, in: context)
    return BillAnswer(id: bill, shares: shares)
  }
}

/// Declines the caller's part of a request: its author is told (BIL-17).
struct DeclineRequest: Mutation {
  static let method: StaticString = "requests.decline"
  static let summary: StaticString = "Declines the caller's part of a request: its author is told (BIL-17)."
  var id = ID<MoneyRequest>()
  var reason: Line?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("reason", \.reason, Limits.paymentReason)
  }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> NoAnswer {
    var request = try home.requests.request(id, at: context.now)
    try request.requirePending(context)
    request.move(context.person, to: .declined, at: context.now)
    request.parts[context.person]?.reason = reason?.text
    home.put(request, as: id, in: context)
    home.resolve(id, for: [context.person], in: context)
    home.tell(
      request.author, .requestDeclined, of: id, request, request.parts[context.person]?.amount ?? 0, in: context)
    return NoAnswer()
  }
}

/// Cancels the caller's request; what was accepted stays, and for ten minutes it can be brought back (BIL-17, R-DEL).
struct CancelRequest: Mutation {
  static let method: StaticString = "requests.cancel"
  static let summary: StaticString =
    "Cancels the caller's request; what was accepted stays, and for ten minutes it can be brought back (BIL-17, R-DEL)."
  var id = ID<MoneyRequest>()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("id", \.id) }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> NoAnswer {
    let request = try home.requests.request(id, at: context.now)
    guard request.author == context.person else { throw .authorOnly }
    let closed = home.close(request, id, pendingAs: .cancelled, in: context)
    home.requests.keep(closed, as: id)
    return NoAnswer()
  }
}

/// Brings a request back that was cancelled in the last ten minutes, under a new id (R-DEL).
struct RestoreRequest: Mutation {
  static let method: StaticString = "requests.restore"
  static let summary: StaticString =
    "Brings a request back that was cancelled in the last ten minutes, under a new id (R-DEL)."
  static let hasNeeds = true
  var id = ID<MoneyRequest>()
  /// The new id of the request.
  var newID: ID<MoneyRequest>?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("newId", \.newID)
  }

  func needs(for caller: ID<Person>) -> [Need] { Requests.needs(of: newID) }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> RequestAnswer {
    guard var request = home.requests.cancelled[id], Requests.undoEnd(of: request) > context.now,
      request.until > context.now
    else { throw .gone("This request") }
    guard request.author == context.person else { throw .authorOnly }
    let newID = context.newID(newID)
    try home.checkNew(newID, ListRequests.query(newID), in: context)
    try home.requests.checkSpace(for: context.person)
    let asked = request.people(.cancelled).filter { home.isResident($0) && request.parts[$0]?.bill == nil }
    for person in asked { request.move(person, to: .pending, at: context.now) }
    (request.was, request.closedAt) = (id, nil)
    home.requests.cancelled[id] = nil
    context.erase(ListRequests.history, id: id.bytes)
    home.put(request, as: newID, asking: asked, in: context)
    // Meanwhile an accepted part may have been paid.
    home.closeRequests(in: context)
    return RequestAnswer(id: newID, until: request.until)
  }
}

extension Requests {
  /// The search for an earlier request with an id that a client has chosen.
  fileprivate static func needs(of id: ID<MoneyRequest>?) -> [Need] {
    id.map { [.history(ListRequests.query($0))] } ?? []
  }
}

extension MoneyRequest {
  /// Refuses a caller who is not asked, or has answered.
  fileprivate func requirePending(_ context: Context) throws(Refusal) {
    guard let part = parts[context.person] else {
      throw Refusal(.forbidden, "forbidden", "Only those who are asked may do this.")
    }
    if part.state != .pending { throw Refusal(.conflict, "answered", "You have answered this request.") }
  }
}

extension Refusal {
  fileprivate static var authorOnly: Refusal { Refusal(.forbidden, "forbidden", "Only the author may do this.") }
}

extension HouseholdState {
  /// Notes a person who cannot be asked.
  fileprivate func check(_ person: ID<Person>, _ field: String, _ problems: Problems, _ context: Context) {
    if person == context.person {
      problems.note(field, "is yourself")
    } else if !isResident(person) {
      problems.note(field, "does not live here")
    }
  }
}
