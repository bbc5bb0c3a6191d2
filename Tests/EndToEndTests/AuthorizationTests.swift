import Home
import JSON
import Rooms
import Testing

@testable import HearthCommand

/// SEC-11, RELIABILITY F9: every method × every relation of a person to a room.
///
/// A new method is tested here automatically, and fails until the table says who may call it.
@Suite("Authorization")
struct AuthorizationTests {
  private static let methods = DiscoveryTests.methods

  /// Parameters that the schema of a method allows in a kind of room: all of them, or only the required ones.
  private static func sample(_ method: JSON, in form: String?, all: Bool) -> [String: JSON] {
    var parameters: [String: JSON] = [:]
    for parameter in method["params"]?.array ?? [] {
      guard let name = parameter["name"]?.string, name != "room", all || parameter["required"] == true else { continue }
      if let rooms = parameter["x-rooms"]?.array, let form, !rooms.contains(.string(form)) { continue }
      parameters[name] = name == "id" ? .string(newID()) : SchemaSamples.value(parameter["schema"] ?? [:])
    }
    return parameters
  }

  @Test("an unauthenticated client may call only methods that lead to an account")
  func unsigned() async throws {
    let server = try await TestServer.start { $0.configuration.helloTimeout = .seconds(600) }
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo")
    let share = try await members[0].share(with: members[1])
    let stranger = try await server.connect()
    let open: Set<JSON> = [
      "hello", "rpc.discover", "auth.signUp", "auth.logIn", "auth.forgotPassword", "auth.resetPassword", "auth.nonce",
      "auth.logInWithToken", "auth.puzzle",
    ]
    let closed = Self.methods.filter { !open.contains($0["name"] ?? "") }
    #expect(closed.count == Self.methods.count - open.count && closed.count > 30)
    for method in closed {
      let name = method["name"]?.string ?? ""
      for target in [nil, "me", room, room + "/mine", share, "household/\(newID())"] {
        var parameters = Self.sample(method, in: nil, all: true)
        if let target { parameters["room"] = .string(target) }
        let error = try await stranger.refusal(name, parameters)
        #expect(error.code == 1, "\(name) in \(target ?? "no room"): \(error)")
        #expect(error.error["data"]?["fields"] == nil, "\(name) reveals more")
      }
    }
  }

  /// The whole answer, whether result or error.
  private static func answer(
    of member: Member, _ method: String, in room: String, _ parameters: [String: JSON]
  ) async throws -> JSON {
    member.post(method, in: room, parameters, id: 1_000_000)
    return try await member.client.next { $0["id"] == 1_000_000 }
  }

  /// A room of an insider that outsiders try to use.
  private struct Place {
    let form: String
    let room: String
    /// Names of the same kind without a room.
    let nobodys: String
    let outsiders: [(relation: String, member: Member)]
    let insiders: [(relation: String, member: Member)]
  }

  private static func places(_ server: TestServer) async throws -> [Place] {
    let (room, members) = try await server.household("Ana", "Bo", "Cy", "Dee")
    let (ana, bo, cy, former) = (members[0], members[1], members[2], members[3])
    let share = try await ana.share(with: bo)
    let (stranger, invited) = (try await server.member("Eve"), try await server.member("Ivy"))
    let neighbour = try await server.member("Ned")
    _ = try await neighbour.makeHousehold()
    try await ana.invite(invited.email, to: room)
    try await former.call("members.leave", in: room)
    let outside = [
      ("a stranger", stranger), ("one invited", invited), ("a neighbour", neighbour), ("one who left", former),
    ]
    return [
      Place(
        form: "household/ID", room: room, nobodys: "household/\(newID())", outsiders: outside,
        insiders: [("the host", ana), ("a member", bo), ("a guest", try await guest(of: bo, in: room, on: server))]),
      Place(
        form: "household/ID/mine", room: room + "/mine", nobodys: "household/\(newID())/mine", outsiders: outside,
        insiders: [("a member", bo)]),
      Place(
        form: "share/ID", room: share, nobodys: "share/\(newID())",
        outsiders: outside + [("a housemate who does not receive it", cy)],
        insiders: [("the sharer", ana), ("a receiver", bo)]),
    ]
  }

  @Test("HH-14, LOC-23: outsiders are refused every method as if the room did not exist, and insiders are not")
  func outside() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let ofRooms = Set(HomeRooms.kinds.flatMap { $0.methods.map(\.name) })
    var tried = 0
    var refused: Set<String> = []
    for place in try await Self.places(server) {
      let copy = try await place.insiders[0].member.watch(place.room)
      let before = copy.state
      for method in Self.methods where method["x-rooms"]?.array?.contains(.string(place.form)) == true {
        let name = try #require(method["name"]?.string)
        for parameters in [
          [:], Self.sample(method, in: place.form, all: false), Self.sample(method, in: place.form, all: true),
          ["id": .string(newID()), "nonsense": true],
        ] {
          for (relation, member) in place.outsiders {
            let here = try await Self.answer(of: member, name, in: place.room, parameters)
            let nowhere = try await Self.answer(of: member, name, in: place.nobodys, parameters)
            #expect(here == nowhere, "\(name) by \(relation)")
            // Connection methods may check parameters first, and unsubscribing reveals nothing.
            let mayDiffer =
              !ofRooms.contains(name) && here["error"]?["code"] == -32602 || name == "room.unsubscribe"
            let isRefused = here["error"]?["code"] == 3 && here["error"]?["data"]?["reason"] == "room"
            #expect(isRefused || mayDiffer, "\(name) by \(relation): \(here.text)")
            if isRefused { refused.insert(name + " " + place.form) }
            tried += 1
          }
        }
      }
      try await place.insiders[0].member.client.fence()
      #expect(copy.state == before, "\(place.form) has changed")
      // Insiders never get the refusal for a missing room.
      for method in Self.methods where method["x-rooms"]?.array?.contains(.string(place.form)) == true {
        let name = try #require(method["name"]?.string)
        guard !["members.leave", "members.back", "room.unsubscribe", "shares.leave"].contains(name) else { continue }
        #expect(refused.contains(name + " " + place.form), "\(name) was not refused to any outsider")
        for (relation, member) in place.insiders {
          let parameters = Self.sample(method, in: place.form, all: false)
          let answer = try await Self.answer(of: member, name, in: place.room, parameters)
          #expect(answer["error"]?["data"]?["reason"] != "room", "\(name) by \(relation): \(answer.text)")
          #expect(answer["error"]?["code"] != 1, "\(name) by \(relation): \(answer.text)")
        }
      }
    }
    #expect(tried > 400)
  }

  // MARK: insiders

  private enum Role: CaseIterable { case host, author, other, guest }

  /// The roles that may call a method, relative to the author of the object that it concerns.
  private enum Rule {
    case everybody
    case only(Set<Role>, something: String, with: [String: JSON] = [:])
  }

  private static let all = Set(Role.allCases)
  private static let absence: [String: JSON] = [
    "from": .string(day(0)), "to": .string(day(2)),
  ]

  /// A day from today on, in UTC.
  private static func day(_ number: Int) -> String {
    String((Instant.now + .seconds(86_400 * number)).description.prefix(10))
  }

  /// A full hour so many hours from now.
  private static func hour(_ number: Int) -> Instant {
    Instant(milliseconds: (Instant.now.milliseconds / 3_600_000 + Int64(number)) * 3_600_000)
  }

  /// Lets a guest come to a household, for the absence of a member.
  private static func guest(of member: Member, in room: String, on server: TestServer) async throws -> Member {
    let guest = try await server.member("Gil")
    try await member.call("members.away", in: room, absence)
    let me = try await guest.watch("me")
    let invitation = try await member.invite(guest.email, to: room, asGuest: true)
    try await me.follow { $0["invitations"]?.object?.isEmpty == false }
    try await guest.call("invitations.accept", ["id": try #require(invitation["id"])])
    return guest
  }

  private static let rent: JSON = [
    "title": "Rent", "amount": 900, "first": .string(day(1)), "repeat": ["every": 1, "unit": "months"],
  ]
  /// Methods that need a fresh PIN.
  private static let confirmed: Set = [
    "payments.confirm", "recurringBills.add", "recurringBills.edit", "requests.accept",
  ]

  private static let household: [String: Rule] = [
    "activity.list": .everybody, "groceries.suggest": .everybody, "groceries.forget": .everybody,
    "room.subscribe": .everybody, "room.unsubscribe": .everybody, "members.leave": .everybody,
    "joinCodes.create": .everybody, "notes.add": .everybody, "groceries.add": .everybody,
    "notes.edit": .only([.host, .author], something: "note", with: ["text": "Changed"]),
    "notes.remove": .only([.host, .author], something: "note"),
    "notes.restore": .only([.host, .author], something: "removed note"),
    "invitations.revoke": .only([.host, .author], something: "invitation"),
    "joinCodes.revoke": .only([.host, .author], something: "code"),
    "groceries.edit": .only([.author], something: "shown item", with: ["name": "Another"]),
    // The member who is shopping.
    "groceries.check": .only(all, something: "shown item", with: ["checked": true]),
    "groceries.remove": .only([.author], something: "shown item"),
    "groceries.hide": .only([.author], something: "shown item"),
    "groceries.restore": .only([.author], something: "removed shown item"),
    "groceries.forgetCategory": .everybody,
    "lists.create": .only(all, something: "household", with: ["name": "Market"]),
    "lists.edit": .only(all, something: "list", with: ["name": "Another"]),
    "lists.remove": .only(all, something: "list"), "lists.restore": .only(all, something: "removed list"),
    "trips.start": .everybody, "trips.discard": .only([.author], something: "trip"),
    "chat.send": .everybody, "chat.list": .everybody,
    "chat.remove": .only([.host, .author], something: "message"),
    "chat.react": .only(all, something: "message", with: ["emoji": "👍", "on": true]),
    "notes.react": .only(all, something: "note", with: ["emoji": "👍", "on": true]),
    "households.update": .only([.host], something: "household", with: ["name": "Another"]),
    "members.remove": .only(all, something: "member"),
    "members.makeHost": .only([.host], something: "member"),
    "members.away": .only([.host, .author, .other], something: "household", with: absence),
    "members.back": .everybody,
    "households.dismiss": .only([.host], something: "household"),
    "chores.add": .only(all, something: "household", with: ["chore": ["name": "Bath"]]),
    "chores.edit": .only([.host, .author], something: "chore", with: ["chore": ["name": "Bath"]]),
    "chores.remove": .only([.host, .author], something: "chore"),
    "chores.restore": .only([.host, .author], something: "removed chore"),
    "chores.move": .only([.host, .author], something: "turn", with: ["date": .string(day(3))]),
    "chores.skip": .only([.host, .author], something: "turn"),
    "chores.complete": .only(all, something: "turn"),
    "chores.approve": .only([.host, .other, .guest], something: "chore to approve", with: ["approved": true]),
    "chores.claim": .only(all, something: "free chore"),
    "chores.release": .everybody, "chores.remind": .everybody,
    "stock.set": .only(all, something: "household", with: ["name": "Salt", "level": "low"]),
    "stock.remove": .everybody,
    "chores.undo": .only([.host, .author], something: "chore done"),
    "chores.rate": .only([.host, .other, .guest], something: "chore done", with: ["stars": 5]),
    "chores.forget": .everybody,
    "chores.history": .everybody, "chores.score": .only(all, something: "household", with: ["year": 2026]),
    "chores.statistics": .only(
      all, something: "household", with: ["from": .string(day(0)), "to": .string(day(1))]),
    "rewards.add": .only(
      [.host, .author, .other], something: "household", with: ["name": "Cake", "cost": 1]),
    "rewards.edit": .only([.host, .author, .other], something: "reward", with: ["cost": 2]),
    "rewards.remove": .only([.host, .author, .other], something: "reward"),
    "rewards.restore": .only([.host, .author, .other], something: "removed reward"),
    // All who have the points for it.
    "rewards.redeem": .everybody, "rewards.history": .everybody,
    "rewards.undo": .only([.host, .author], something: "redemption"),
    "dinner.set": .only(all, something: "household", with: ["date": .string(day(5)), "eats": "in"]),
    "dinner.pattern": .only(all, something: "household", with: ["days": ["monday": "in"]]),
    "dinner.counts": .everybody,
    "drinks.add": .only(all, something: "household", with: ["kind": "Beer", "n": 1]),
    "drinks.buy": .only(all, something: "household", with: ["kind": "Beer", "n": 1]),
    "drinks.correct": .only(all, something: "household", with: ["kind": "Beer", "to": 1]),
    "drinks.undo": .only([.author], something: "drink"),
    "drinks.removeKind": .everybody,
    "drinks.closePeriod": .only([.host, .author, .other], something: "drink of the period"),
    "drinks.overview": .everybody, "drinks.list": .everybody, "drinks.periods": .everybody,
    "bills.add": .only(
      [.host, .author, .other], something: "household", with: ["bill": ["title": "Pizza", "amount": 900]]),
    "bills.edit": .only([.host, .author], something: "bill", with: ["bill": ["title": "Pasta"]]),
    "bills.remove": .only([.host, .author], something: "bill"),
    "bills.restore": .only([.host, .author], something: "removed bill"),
    "trips.complete": .only(all, something: "household", with: ["lines": []]),
    "trips.edit": .only([.host, .author], something: "purchase", with: ["note": "Changed"]),
    "trips.history": .everybody, "trips.versions": .only(all, something: "purchase"),
    "bills.list": .everybody, "bills.spending": .everybody,
    "bills.versions": .only(all, something: "bill"),
    "ledger.list": .everybody,
    "rota.set": .only([.host], something: "household", with: ["tasks": [["name": "Bathroom"]]]),
    "rota.tick": .everybody, "rota.claim": .everybody, "rota.release": .everybody,
    "rota.weeks": .everybody, "rota.list": .everybody,
    "events.add": .everybody, "events.days": .everybody,
    "events.edit": .only([.host, .author], something: "event", with: ["title": "Changed"]),
    "events.remove": .only([.host, .author], something: "event"),
    "events.restore": .only([.host, .author], something: "removed event"),
    "calendar.link": .everybody, "calendar.unlink": .everybody, "calendar.show": .everybody,
    "specialEvents.create": .everybody,
    // The people whom it concerns.
    "specialEvents.busy": .only([.author], something: "special event", with: ["intervals": []]),
    "specialEvents.slots": .only(all, something: "special event"),
    "specialEvents.confirm": .only([.host, .author], something: "special event", with: ["start": hour(36).json]),
    "specialEvents.cancel": .only([.host, .author], something: "special event"),
    "payments.propose": .everybody, "payments.record": .everybody, "payments.list": .everybody,
    "payments.link": .everybody,
    // A payment of the author to the host.
    "payments.confirm": .only([.host], something: "payment"),
    "payments.reject": .only([.host], something: "payment"),
    "payments.cancel": .only([.author], something: "payment"),
    "payments.restore": .only([.author], something: "cancelled payment"),
    "payments.undo": .only([.author], something: "recorded payment"),
    "money.remind": .everybody, "money.remindAll": .everybody,
    "recurringBills.add": .only([.host, .author, .other], something: "household", with: ["bill": rent]),
    "recurringBills.edit": .only([.host, .author], something: "recurring bill", with: ["bill": ["note": "Hello"]]),
    "recurringBills.cancel": .only([.host, .author], something: "recurring bill"),
    "recurringBills.restore": .only([.host, .author], something: "cancelled recurring bill"),
    // The author pays it.
    "recurringBills.paid": .only([.author], something: "recurring bill"),
    "requests.create": .only(
      [.host, .author, .other], something: "household and mate", with: ["title": "Pizza", "amount": 500]),
    // The author asks the host.
    "requests.accept": .only([.host], something: "request"),
    "requests.decline": .only([.host], something: "request"),
    "requests.cancel": .only([.author], something: "request"),
    "requests.restore": .only([.author], something: "cancelled request"),
    "requests.list": .everybody,
  ]

  /// Parameters that name a new object of this kind, made by its author.
  private static func parameters(
    naming something: String, by author: Member, in room: String, on server: TestServer
  ) async throws -> [String: JSON] {
    switch something {
    case "household": return [:]
    case "drink of the period":
      try await author.call("drinks.add", in: room, ["kind": "Beer", "n": 1])
      return [:]
    case "member":
      let newcomer = try await server.member("Dee")
      try await author.letIn([newcomer], to: room)
      return ["person": .string(newcomer.id)]
    case "household and mate":
      let newcomer = try await server.member("Dee")
      try await author.letIn([newcomer], to: room)
      return ["from": [.string(newcomer.id)]]
    default: return ["id": try #require(try await make(something, by: author, in: room))]
    }
  }

  private static func make(_ something: String, by author: Member, in room: String) async throws -> JSON? {
    switch something {
    case "note": return try await author.call("notes.add", in: room, ["text": "Hello"])["id"]
    case "removed note":
      let id = try #require(try await author.call("notes.add", in: room, ["text": "Hello"])["id"])
      try await author.call("notes.remove", in: room, ["id": id])
      return id
    case "reward":
      return try await author.call("rewards.add", in: room, ["name": "Cake", "cost": 1])["id"]
    case "removed reward":
      let id = try #require(try await make("reward", by: author, in: room))
      try await author.call("rewards.remove", in: room, ["id": id])
      return id
    case "redemption":
      let chore = try await author.call("chores.add", in: room, ["chore": ["name": "Bath", "points": 1]])
      try await author.call("chores.complete", in: room, ["id": try #require(chore["occurrence"])])
      let id = try #require(try await make("reward", by: author, in: room))
      return try await author.call("rewards.redeem", in: room, ["reward": id])["id"]
    case "event":
      return try await author.call("events.add", in: room, ["title": "Party", "start": .string(day(3))])["id"]
    case "removed event":
      let id = try #require(try await make("event", by: author, in: room))
      try await author.call("events.remove", in: room, ["id": id])
      return id
    case "bill":
      return try await author.call("bills.add", in: room, ["bill": ["title": "Pizza", "amount": 900]])["id"]
    case "purchase": return try await author.call("trips.complete", in: room, ["lines": []])["id"]
    case "removed bill":
      let id = try #require(try await make("bill", by: author, in: room))
      try await author.call("bills.remove", in: room, ["id": id])
      return id
    case "special event":
      let window: JSON = ["from": hour(24).json, "to": hour(48).json]
      return try await author.call(
        "specialEvents.create", in: room,
        ["title": "Cleaning", "minutes": .object([author.id: 60]), "window": window])["id"]
    case "invitation":
      return try await author.invite("\(newID())@example.org", to: room)["id"]
    case "message": return try await author.call("chat.send", in: room, ["text": "Hello"])["id"]
    case "drink": return try await author.call("drinks.add", in: room, ["kind": "Beer", "n": 1])["id"]
    case "chore", "removed chore", "turn", "free chore", "chore to approve", "chore done":
      return try await chore(something, by: author, in: room)
    case "code": return try await author.call("joinCodes.create", in: room)["id"]
    case "list": return try await author.call("lists.create", in: room, ["name": "Market"])["id"]
    case "removed list":
      let id = try #require(try await make("list", by: author, in: room))
      try await author.call("lists.remove", in: room, ["id": id])
      return id
    case "trip":
      // One at a time.
      let home = try await author.watch(room)
      for (trip, row) in home["trips"] where row["by"]?.string == author.id {
        try await author.call("trips.discard", in: room, ["id": .string(trip)])
      }
      return try await author.call("trips.start", in: room)["id"]
    case "removed shown item":
      let id = try #require(try await make("shown item", by: author, in: room))
      try await author.call("groceries.remove", in: room, ["id": id])
      return id
    case "payment", "cancelled payment", "recorded payment":
      return try await payment(something, by: author, in: room)
    case "recurring bill", "cancelled recurring bill":
      try await confirmByPIN(author)
      let id = try #require(try await author.call("recurringBills.add", in: room, ["bill": rent])["id"])
      // The first is posted at once.
      try await author.watch(room).follow { $0["recurringBills"]?[id.string ?? ""]?["posted"] != nil }
      if something != "recurring bill" { try await author.call("recurringBills.cancel", in: room, ["id": id]) }
      return id
    case "request", "cancelled request":
      let host = try #require(try await author.watch(room).state["household"]?["host"])
      let request: [String: JSON] = ["title": "Pizza", "amount": 500, "from": [host]]
      let id = try #require(try await author.call("requests.create", in: room, request)["id"])
      if something != "request" { try await author.call("requests.cancel", in: room, ["id": id]) }
      return id
    default:
      let own = try await author.call("groceries.add", in: room + "/mine", ["name": "Cake"])
      return try await author.call("groceries.show", in: room + "/mine", ["id": try #require(own["id"])])["id"]
    }
  }

  /// A payment between the author and the host.
  private static func payment(_ something: String, by author: Member, in room: String) async throws -> JSON? {
    let host = try #require(try await author.watch(room).state["household"]?["host"])
    var payment: [String: JSON] = ["amount": 1, "overpay": true]
    guard something != "recorded payment" else {
      payment["from"] = host
      return try await author.call("payments.record", in: room, payment)["id"]
    }
    try await confirmByPIN(author)
    payment["to"] = host
    let id = try await author.call("payments.propose", in: room, payment)["id"]
    if something == "cancelled payment" { try await author.call("payments.cancel", in: room, ["id": try #require(id)]) }
    return id
  }

  /// Gives a person a PIN, and confirms with it.
  private static func confirmByPIN(_ member: Member) async throws {
    try await member.call("auth.setPin", ["pin": "1234", "password": .string(TestServer.password)])
    try await member.call("auth.confirm", ["pin": "1234"])
  }

  /// A chore of the author's, whose turn it is; or the occurrence of one.
  private static func chore(_ something: String, by author: Member, in room: String) async throws -> JSON? {
    var fields: [String: JSON] = ["name": "Bath", "date": .string(day(2)), "people": [.string(author.id)]]
    if something == "free chore" { fields["people"] = [] }
    if something == "chore to approve" { fields["needsApproval"] = true }
    let added = try await author.call("chores.add", in: room, ["chore": .object(fields)])
    let (chore, occurrence) = (try #require(added["id"]), try #require(added["occurrence"]))
    switch something {
    case "chore": return chore
    case "removed chore":
      try await author.call("chores.remove", in: room, ["id": chore])
      return chore
    case "chore to approve", "chore done":
      try await author.call("chores.complete", in: room, ["id": occurrence])
      return occurrence
    default: return occurrence
    }
  }

  @Test("SEC-11: in a household each method is allowed to the roles in the table, and `forbidden` to all others")
  func inside() async throws {
    let here = Self.methods.filter { $0["x-rooms"]?.array?.contains("household/ID") == true }
    #expect(Set(here.compactMap { $0["name"]?.string }) == Set(Self.household.keys))
    let server = try await TestServer.start()
    defer { server.end() }
    for (method, rule) in Self.household.sorted(by: { $0.key < $1.key }) {
      guard case .only(let allowed, let something, let more) = rule else { continue }
      let (room, members) = try await server.household("Ana", "Bo", "Cy")
      try await members[0].call("households.update", in: room, ["points": true])
      // The host comes last: what the host does may end it for the others.
      let guest = try await Self.guest(of: members[2], in: room, on: server)
      for (role, caller) in zip(Role.allCases, members + [guest]).reversed() {
        try await caller.call("auth.confirm", ["password": .string(TestServer.password)])
        let named = try await Self.parameters(naming: something, by: members[1], in: room, on: server)
        if Self.confirmed.contains(method) { try await Self.confirmByPIN(caller) }
        let answer = try await Self.answer(of: caller, method, in: room, more.merging(named) { $1 })
        if allowed.contains(role) {
          #expect(answer["error"] == nil, "\(method) by \(role): \(answer.text)")
        } else {
          #expect(answer["error"]?["code"] == 2, "\(method) by \(role): \(answer.text)")
        }
      }
    }
  }

  @Test("SEC-11, LOC-4, LOC-21: each method of a share is allowed to the sharer, to receivers, or to both")
  func shares() async throws {
    let rules: [String: (sharer: Bool, receiver: Bool, parameters: [String: JSON])] = [
      "room.subscribe": (true, true, [:]), "room.unsubscribe": (true, true, [:]),
      "shares.extend": (true, false, ["until": (Instant.now + .seconds(7200)).json]),
      "shares.see": (false, true, [:]), "shares.distance": (true, true, ["lat": 52.5, "lon": 13.4]),
      "shares.leave": (false, true, [:]), "shares.stop": (true, false, [:]),
      "shares.answerStop": (false, true, ["confirm": true]), "pickup.ready": (true, false, [:]),
      "pickup.cancel": (true, false, [:]), "pickup.accept": (false, true, ["minutes": 5]),
      "pickup.update": (false, true, ["minutes": 5]), "pickup.release": (false, true, [:]),
      "pickup.collected": (true, true, [:]),
    ]
    let here = Self.methods.filter { $0["x-rooms"]?.array?.contains("share/ID") == true }
    #expect(Set(here.compactMap { $0["name"]?.string }) == Set(rules.keys))
    let server = try await TestServer.start()
    defer { server.end() }
    let (_, members) = try await server.household("Ana", "Bo")
    for (method, rule) in rules.sorted(by: { $0.key < $1.key }) {
      let share = try await members[0].share(with: members[1])
      for (caller, isAllowed) in [(members[0], rule.sharer), (members[1], rule.receiver)] {
        let answer = try await Self.answer(of: caller, method, in: share, rule.parameters)
        #expect((answer["error"]?["code"] == 2) == !isAllowed, "\(method) by \(caller.name): \(answer.text)")
      }
      // Five shares are the most of one person at once.
      if method != "shares.leave" { try await members[1].call("shares.leave", in: share) }
    }
  }
}
