import JSON
import Rooms
import Testing

@testable import Home

@Suite("Requests for money")
struct RequestTests {
  let house: ChoreWorld
  init() throws { house = try ChoreWorld("Ana", "Ben", "Cem", "Dan") }

  private let day = Duration.seconds(24 * 3600)

  private func refused(_ body: () throws -> some Any) -> String? { reason(body) }

  /// Asks others for 500 each, for pizza.
  @discardableResult
  private func ask(_ people: [Int], _ more: [String: JSON] = [:], by author: Int = 0) throws -> ID<MoneyRequest> {
    var request: [String: JSON] = ["title": "Pizza"]
    if !people.isEmpty { (request["amount"], request["from"]) = (500, .array(people.map(house.person))) }
    let answer = try house.call(author, "requests.create", .object(request.merging(more) { $1 }))
    return try #require(answer["id"]?.string.flatMap { ID($0) })
  }

  @discardableResult
  private func accept(_ id: ID<MoneyRequest>, by person: Int) throws -> JSON {
    try house.withPIN { try house.call(person, "requests.accept", ["id": .id(id)]) }
  }

  private func request(_ id: ID<MoneyRequest>) throws -> MoneyRequest {
    try #require(try house.state.requests.requests[id])
  }

  private func part(_ id: ID<MoneyRequest>, of person: Int) throws -> RequestState? {
    try request(id).parts[house.people[person]]?.state
  }

  /// The requests that are over, the newest first.
  private func over(_ parameters: JSON = [:]) throws -> [ListedRequest] {
    let items = try house.call(3, "requests.list", parameters)["items"]?.array ?? []
    return items.compactMap { ListedRequest(history: $0.bytes) }
  }

  private func isUnread(_ kind: NotificationKind, of member: Int) throws -> Bool {
    try !house.unread(kind, of: member).isEmpty
  }

  @Test("BIL-17: a request is pending until it is paid: nothing is owed before it is accepted, and then it is")
  func accepted() throws {
    let id = try ask([1, 2], ["platform": "paypal", "note": "Friday's"])
    let told = try #require(try house.newest(.request, of: 1))
    #expect(told.amount == 500 && told.currency == "EUR" && told.name == "Pizza" && told.actorName == "Ana")
    #expect(told.ref == id.cast())
    #expect(try house.count(.request, of: 0) == 0 && house.count(.request, of: 3) == 0)
    #expect(try request(id).platform == .paypal && request(id).until == house.world.now + day * 90)
    #expect(try house.state.ledger.balances.isEmpty && house.bills.isEmpty)
    let answer = try accept(id, by: 1)
    let (billID, bill) = try #require(try house.bills.first)
    #expect(answer["id"] == .id(billID) && answer["shares"] == .object([house.people[1].description: 500]))
    #expect(
      bill.origin == BillOrigin(kind: .request, ref: id.cast()) && bill.title == "Pizza" && bill.note == "Friday's")
    #expect(bill.paid == [house.people[0]: 500] && bill.shares == [house.people[1]: 500])
    #expect(try house.debt(of: 1, to: 0) == 500 && house.debt(of: 2, to: 0) == 0)
    #expect(try part(id, of: 1) == .accepted && part(id, of: 2) == .pending)
    #expect(try request(id).parts[house.people[1]]?.bill == billID)
    // Each hears of it once.
    #expect(try !isUnread(.request, of: 1) && isUnread(.request, of: 2))
    #expect(try house.newest(.requestAccepted, of: 0)?.amount == 500)
    for member in 0...3 { #expect(try house.count(.bill, of: member) == 0) }
    // A part of it is not all of it; pending money is none yet.
    try house.record(499, from: 1, by: 0)
    let payment = try house.propose(1, from: 1, to: 0)
    #expect(try part(id, of: 1) == .accepted)
    try house.confirm(payment, by: 0)
    #expect(try part(id, of: 1) == .paid && house.state.ledger.balances.isEmpty)
    try accept(id, by: 2)
    try house.record(500, from: 2, by: 0)
    #expect(try house.state.requests.requests.isEmpty)
    let listed = try #require(try over().first)
    #expect(listed.id == id && listed.request.parts.values.allSatisfy { $0.state == .paid })
    #expect(listed.request.closedAt == house.world.now)
    #expect(refused { try accept(id, by: 2) } == "notFound/gone")
    #expect(try house.world.isRestorable(house.home))
    // Its id names it for ever.
    for _ in 1...2 {
      #expect(refused { try ask([1], ["id": .id(id)]) } == "conflict/exists")
      house.world.advance(day * 40)
    }
  }

  @Test("BIL-8: accepting needs a fresh PIN, declining does not")
  func confirmation() throws {
    let id = try ask([1, 2])
    #expect(refused { try house.call(1, "requests.accept", ["id": .id(id)]) } == "forbidden/confirm")
    try house.call(1, "requests.decline", ["id": .id(id), "reason": "I ate nothing"])
    #expect(try request(id).parts[house.people[1]]?.reason == "I ate nothing" && part(id, of: 1) == .declined)
    #expect(try house.newest(.requestDeclined, of: 0)?.amount == 500 && !isUnread(.request, of: 1))
    #expect(refused { try accept(id, by: 1) } == "conflict/answered")
    #expect(refused { try house.call(1, "requests.decline", ["id": .id(id)]) } == "conflict/answered")
    #expect(refused { try accept(id, by: 3) } == "forbidden/forbidden")
    #expect(refused { try accept(id, by: 0) } == "forbidden/forbidden")
    try house.call(2, "requests.decline", ["id": .id(id)])
    #expect(try house.state.requests.requests.isEmpty && over().map(\.id) == [id])
    #expect(try house.state.ledger.balances.isEmpty && house.count(.requestDeclined, of: 0) == 2)
  }

  @Test("BIL-17: each can be asked for an amount of their own, in any currency")
  func parts() throws {
    let id = try ask(
      [], ["parts": .object([house.people[1].description: 700, house.people[2].description: 1]), "currency": "USD"])
    #expect(try house.newest(.request, of: 1)?.amount == 700 && house.newest(.request, of: 2)?.amount == 1)
    try accept(id, by: 1)
    #expect(try house.debt(of: 1, to: 0, "USD") == 700 && house.debt(of: 1, to: 0) == 0)
  }

  @Test("BIL-17: all bad fields are named together, and nobody is asked")
  func fields() throws {
    func paths(_ request: JSON) -> Set<String> {
      Set(refusal { try house.call(0, "requests.create", request) }?.fields.map(\.path) ?? [])
    }
    let stranger = try house.world.signUp("Eve")
    #expect(paths([:]) == ["title", "from", "amount"])
    #expect(
      paths([
        "title": "x", "amount": 1, "from": .array([house.person(0), .id(stranger), house.person(1), house.person(1)]),
      ])
        == ["from.0", "from.1", "from.3"])
    let parts: JSON = .object([house.people[1].description: 0, house.people[0].description: 5])
    #expect(
      paths(["title": "x", "amount": 1, "from": .array([house.person(1)]), "parts": parts])
        == ["amount", "parts", "parts.\(house.people[1])", "parts.\(house.people[0])"])
    #expect(paths(["title": "x", "amount": 0, "from": [], "currency": "ZZZ"]) == ["amount", "from", "currency"])
    #expect(try house.count(.request, of: 1) == 0)
  }

  @Test("BIL-17, R-DEL: only the author cancels; what was accepted stays; for ten minutes it can be brought back")
  func cancelled() throws {
    let id = try ask([1, 2, 3])
    try accept(id, by: 1)
    try house.call(3, "requests.decline", ["id": .id(id)])
    for person in [1, 2] {
      #expect(refused { try house.call(person, "requests.cancel", ["id": .id(id)]) } == "forbidden/forbidden")
    }
    try house.call(0, "requests.cancel", ["id": .id(id)])
    #expect(try !isUnread(.request, of: 2) && house.debt(of: 1, to: 0) == 500)
    #expect(refused { try accept(id, by: 2) } == "notFound/gone")
    let states = try over().first?.request.parts
    #expect(states?[house.people[2]]?.state == .cancelled && states?[house.people[1]]?.state == .accepted)
    #expect(refused { try house.call(2, "requests.restore", ["id": .id(id)]) } == "forbidden/forbidden")
    house.world.advance(.seconds(599))
    // Meanwhile Ben has paid.
    try house.record(500, from: 1, by: 0)
    let answer = try house.call(0, "requests.restore", ["id": .id(id)])
    let back: ID<MoneyRequest> = try #require(answer["id"]?.string.flatMap { ID($0) })
    #expect(try part(back, of: 1) == .paid && part(back, of: 2) == .pending && part(back, of: 3) == .declined)
    #expect(try request(back).was == id && over().isEmpty && isUnread(.request, of: 2))
    #expect(try house.count(.request, of: 1) == 1)
    try house.call(0, "requests.cancel", ["id": .id(back)])
    house.world.advance(.seconds(600))
    #expect(refused { try house.call(0, "requests.restore", ["id": .id(back)]) } == "notFound/gone")
    #expect(try house.state.requests.cancelled.isEmpty && house.world.isRestorable(house.home))
  }

  @Test(
    "BIL-17: a request that nobody has answered expires after 90 days, once; its author is told. Also after downtime")
  func expired() throws {
    let id = try ask([1, 2, 3])
    try accept(id, by: 3)
    house.world.advance(day * 90 - .milliseconds(1))
    #expect(try part(id, of: 1) == .pending)
    house.world.advance(.milliseconds(1))
    #expect(try house.state.requests.requests.isEmpty && house.newest(.requestExpired, of: 0)?.amount == 1000)
    let states = try #require(try over().first?.request.parts)
    #expect(states[house.people[1]]?.state == .expired && states[house.people[3]]?.state == .accepted)
    #expect(try house.debt(of: 3, to: 0) == 500, "what was accepted is owed")
    // Before the timer fires, it is over all the same.
    let other = try ask([1])
    house.world.now = house.world.now + day * 100
    #expect(refused { try accept(other, by: 1) } == "notFound/gone")
    house.world.advance(.zero)
    #expect(try over().count == 2 && house.count(.requestExpired, of: 0) == 1, "the first is too old by now")
    house.world.advance(day * 10)
    #expect(try house.count(.requestExpired, of: 0) == 1)
  }

  @Test("BIL-17: of those who have left nobody asks anything, and their own requests are over; what is owed stays")
  func left() throws {
    let id = try ask([1, 2])
    let own = try ask([0, 3], by: 1)
    try accept(own, by: 3)
    try house.call(1, "members.leave", [:])
    #expect(try part(id, of: 1) == .cancelled && part(id, of: 2) == .pending)
    #expect(try over().map(\.id) == [own] && !isUnread(.request, of: 0) && house.debt(of: 3, to: 1) == 500)
    try house.call(2, "members.leave", [:])
    #expect(try house.state.requests.requests.isEmpty && over().count == 2)
  }

  @Test(
    "BIL-13, BIL-17: if its author removes the bill of an accepted part, nothing is owed, and it is not paid either")
  func billRemoved() throws {
    let id = try ask([1])
    let answer = try accept(id, by: 1)
    #expect(refused { try house.call(1, "bills.remove", ["id": answer["id"] ?? .null]) } == "forbidden/forbidden")
    try house.call(0, "bills.remove", ["id": answer["id"] ?? .null])
    #expect(try over().first?.request.parts[house.people[1]]?.state == .cancelled)
    #expect(try house.state.ledger.balances.isEmpty)
  }

  @Test("BIL-17: what is set off against a debt of the author's is paid at once")
  func setOff() throws {
    try house.bill(800, by: 1, for: [0])
    let id = try ask([1])
    try accept(id, by: 1)
    #expect(try over().map(\.id) == [id] && house.debt(of: 0, to: 1) == 300)
    #expect(try over().first?.request.parts[house.people[1]]?.state == .paid)
  }

  @Test("BIL-17: the history has the requests that are over, also of two people alone")
  func pages() throws {
    for people in [[1], [2], [1, 2]] {
      house.world.advance(.seconds(1))
      try house.call(0, "requests.cancel", ["id": .id(ask(people))])
    }
    #expect(try over().map { $0.request.parts.count } == [2, 1, 1])
    #expect(try over(["people": .array([house.person(0), house.person(1)])]).count == 2)
    #expect(try over(["people": .array([house.person(1), house.person(2)])]).count == 1)
    #expect(try over(["people": .array([house.person(3)])]).isEmpty && over(["limit": 2]).count == 2)
  }
}
