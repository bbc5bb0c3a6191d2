import HearthClient
import JSON
import Rooms

/// A call that a phone makes.
struct Operation {
  var method: String
  var room: String?
  var parameters: [String: JSON]
  /// Whether the call may have an effect, and therefore has a number.
  var isMutation: Bool
  /// Households whose data the caller may receive from now on.
  var admittedTo: Set<String> = []
  /// Sessions that have ended when the call is answered.
  var ends: Set<String> = []
  /// Whether the call ends all sessions except the caller's own, including ones opened meanwhile.
  var isSweep = false
}

/// Draws random calls from the server's own description of its methods, so that new methods are covered at once.
public final class Operations {
  struct Method {
    let name: String
    let rooms: [String]
    let parameters: [(name: String, schema: JSON, isRequired: Bool)]
    let isMutation: Bool
  }

  private let methods: [Method]
  /// How often each method took effect, and was refused.
  public private(set) var successes: [String: Int] = [:]
  public private(set) var refusals: [String: Int] = [:]
  /// The errors of refused calls, with their counts.
  public private(set) var reasons: [String: [String: Int]] = [:]

  /// - Parameters:
  ///   - description: the answer to `rpc.discover`.
  ///   - subjects: the subjects whose methods are drawn, such as `bills`; empty for all. Phones found households, and
  ///     join them, in any case.
  public init(description: JSON, subjects: Set<String> = []) {
    let needed: Set = ["households.create", "households.join", "joinCodes.create"]
    methods = (description["methods"]?.array ?? []).compactMap { method -> Method? in
      guard let name = method["name"]?.string, !Self.isConnection(name),
        subjects.isEmpty || needed.contains(name) || subjects.contains(String(name.prefix { $0 != "." }))
      else { return nil }
      let parameters = (method["params"]?.array ?? []).compactMap { parameter in
        parameter["name"]?.string.map { ($0, parameter["schema"] ?? [:], parameter["required"] == true) }
      }
      return Method(
        name: name, rooms: method["x-rooms"]?.array?.compactMap(\.string) ?? [],
        parameters: parameters.filter { !["room", "seq", "answered"].contains($0.0) },
        // For methods of devices, a number is allowed but not required.
        isMutation: parameters.contains { $0.0 == "seq" } && !name.hasPrefix("devices."))
    }
  }

  /// Whether phones call the method on their own, or never: hashing a new password is slow.
  private static func isConnection(_ name: String) -> Bool {
    [
      "hello", "rpc.discover", "room.subscribe", "room.unsubscribe", "auth.logIn", "auth.signUp",
      "auth.changePassword", "auth.confirm", "auth.setPin", "auth.removePin", "auth.deleteAccount",
      "auth.sendCode", "auth.verify", "auth.changeAddress", "auth.forgotPassword", "auth.resetPassword",
      "auth.nonce", "auth.logInWithToken", "auth.puzzle",
    ].contains(name)
  }

  public var names: [String] { methods.map(\.name) }

  func note(_ operation: Operation, _ result: Result<JSON, ServerError>) {
    switch result {
    case .success: successes[operation.method, default: 0] += 1
    case .failure(let error):
      refusals[operation.method, default: 0] += 1
      let key = "\(error.code) \(error.reason) \(error.data["problems"]?.text ?? error.message)"
      reasons[operation.method, default: [:]][key, default: 0] += 1
    }
  }

  // MARK: drawing

  private static func weight(of name: String, in world: World) -> Int {
    switch name {
    // Pairs of worlds are few: many of their calls have something to hide.
    case "shares.start" where world.latitude != nil, "positions.report" where world.latitude != nil,
      "groceries.add" where world.latitude != nil:
      150
    case "members.leave", "households.create", "contacts.block", "shares.leave": 1
    case "households.restore", "shares.end": 2
    case "households.dismiss", "members.remove", "members.makeHost": 3
    case "auth.logOut", "devices.rename": 3
    case "notes.add", "groceries.add", "groceries.edit", "groceries.check", "positions.report": 30
    case "chores.add", "chores.complete", "inbox.snooze", "pickup.ready", "pickup.accept": 20
    default: 10
    }
  }

  func draw(for client: SimulatedClient) -> Operation? {
    let world = client.world
    let isHomeless = client.person.me["households"]?.object?.isEmpty ?? true
    if isHomeless, client.core.snapshot(of: "me") != nil {
      let codes = world.people.flatMap(\.codes)
      let name = codes.isEmpty || world.random.chance(5) ? "households.create" : "households.join"
      if let method = methods.first(where: { $0.name == name }) { return make(method, client) }
    }
    var left = world.random.number(0...methods.reduce(0) { $0 + Self.weight(of: $1.name, in: world) } - 1)
    for method in methods {
      left -= Self.weight(of: method.name, in: world)
      if left < 0 { return make(method, client) }
    }
    return nil
  }

  private func make(_ method: Method, _ client: SimulatedClient) -> Operation? {
    let world = client.world
    // Shown items may differ for all.
    if world.latitude != nil, method.name == "groceries.show" { return nil }
    let rooms = client.core.followedRooms.sorted().filter { room in
      method.rooms.contains { Self.form(of: room) == $0 }
    }
    guard let room = world.random.pick(rooms) ?? (method.rooms.isEmpty ? "me" : nil) else { return nil }
    if let maker = Self.maker(before: method.name, in: client.core.snapshot(of: room)?.state), world.random.chance(70),
      let other = methods.first(where: { $0.name == maker })
    {
      return make(other, client)
    }
    var operation = Operation(
      method: method.name, room: method.rooms.isEmpty ? nil : room, parameters: [:], isMutation: method.isMutation)
    var drawing = Drawing(world: world, client: client, method: method.name, room: room)
    for (name, schema, isRequired) in method.parameters where isRequired || world.random.chance(45) {
      operation.parameters[name] = drawing.value(of: schema, named: name, depth: 0)
    }
    switch method.name {
    case "households.create":
      let id = world.random.id()
      operation.parameters["id"] = .string(id)
      operation.parameters["timeZone"] = "Europe/Berlin"
      operation.parameters["currency"] = "EUR"
      operation.admittedTo = [id]
    case "invitations.send" where world.random.chance(80), "contacts.invite" where world.random.chance(80):
      // One of the two is right; otherwise both may be there, or neither.
      let (given, other) = world.random.chance(70) ? ("email", "person") : ("person", "email")
      operation.parameters[other] = nil
      operation.parameters[given] = drawing.value(of: ["type": "string", "format": "uuid"], named: given, depth: 0)
    case "households.restore":
      let dismissed = client.person.me["dismissed"]?.object?.keys.sorted() ?? []
      let id = world.random.pick(dismissed) ?? world.random.id()
      operation.parameters["household"] = .string(id)
      operation.admittedTo = [id]
    case "households.dismiss": drawing.confirm(30)
    case "shares.end":
      drawing.confirm(60)
      let own = client.person.me["shares"]?.object?.filter { $0.value["role"] == "sharer" }.keys.sorted() ?? []
      if let share = world.random.pick(own) { operation.parameters["share"] = .string(share) }
    // The answer shows which household it was.
    case "households.join", "invitations.accept": operation.admittedTo = Set(world.households)
    case "devices.revoke" where world.random.chance(30):
      operation.parameters = ["others": true]
      operation.ends = world.sessions(of: client.person)
      operation.isSweep = true
    case "devices.revoke":
      let id = drawing.value(of: ["type": "string", "format": "uuid"], named: "id", depth: 0)
      operation.parameters = ["id": id]
      operation.ends = [id.string ?? ""]
    case "contacts.invite": operation.parameters[world.random.chance(50) ? "email" : "person"] = nil
    case "inbox.read":
      operation.parameters[world.random.chance(50) ? "ids" : "all"] = nil
      if operation.parameters.isEmpty { operation.parameters["all"] = true }
    case "shares.extend": operation.parameters["until"] = .string(drawing.time(within: 40_000))
    case "shares.start":
      operation.parameters["until"] = .string(drawing.time(within: 7200))
      if operation.parameters["place"] == nil { operation.parameters["position"] = nil }
      operation.parameters["receivers"] = drawing.mates()
      if operation.parameters["stop"] == "notify" { operation.parameters["silence"] = nil }
      // Pairs of worlds are few, and a jump, which random positions mostly are, is in no trail.
      if world.latitude != nil { operation.parameters["trail"] = true }
    default: drawing.refine(&operation)
    }
    return operation
  }

  /// The kind of a room as written in descriptions.
  private static func form(of room: String) -> String {
    if room == "me" { return "me" }
    if room.hasSuffix("/mine") { return "household/ID/mine" }
    return room.hasPrefix("share/") ? "share/ID" : "household/ID"
  }
}

/// Draws values that a schema allows, plausible for a phone that refers to its documents.
struct Drawing {
  let world: World
  let client: SimulatedClient
  let method: String
  let room: String

  /// The phone's document of the room of the call.
  var state: JSON { client.core.snapshot(of: room)?.state ?? [:] }

  func time(within seconds: Int) -> String {
    (world.wallTime + .seconds(world.random.number(1000...max(1001, seconds)))).description
  }

  func mates() -> JSON {
    let households = client.core.followedRooms.sorted().compactMap { client.core.snapshot(of: $0)?.state["members"] }
    let known = Set(households.flatMap { ($0.object ?? [:]).keys }).union(rows("contacts"))
    let mates = known.subtracting([client.person.id.description])
    let chosen = mates.sorted().filter { _ in world.random.chance(70) }
    return .array((chosen.isEmpty ? Array(mates.sorted().prefix(1)) : chosen).map { .string($0) })
  }

  /// The keys of a table of the phone's own document.
  private func rows(_ table: String) -> [String] {
    (client.core.snapshot(of: "me")?.state[table]?.object ?? [:]).keys.sorted()
  }

  mutating func value(of schema: JSON, named name: String, depth: Int) -> JSON {
    if let choices = schema["anyOf"]?.array, let choice = world.random.pick(choices) {
      return value(of: choice, named: name, depth: depth)
    }
    if let words = schema["enum"]?.array, let word = world.random.pick(words) { return word }
    var types = schema["type"]?.array?.compactMap(\.string) ?? []
    if let type = schema["type"]?.string { types = [type] }
    switch world.random.pick(types) {
    case "string": return .string(text(schema, named: name))
    case "integer":
      let low = schema["minimum"]?.int ?? 0
      return .number(JSON.Number(world.random.number(low...min(schema["maximum"]?.int ?? low + 50, low + 50))))
    case "number":
      if name == "lat" { return latitude() }
      let low = schema["minimum"]?.int ?? 1
      let high = max(low, schema["maximum"]?.int ?? low + 100)
      return .number(JSON.Number(world.random.number(low...min(high, low + 3))))
    case "boolean": return .bool(world.random.chance(60))
    case "array":
      if name == "receivers" { return mates() }
      let most = min(3, schema["maxItems"]?.int ?? 3)
      let count = world.random.number((schema["minItems"]?.int ?? 0)...max(most, schema["minItems"]?.int ?? 0))
      return .array((0..<count).map { _ in value(of: schema["items"] ?? [:], named: name, depth: depth + 1) })
    case "object":
      if let keys = schema["propertyNames"] { return map(from: keys, to: schema["additionalProperties"] ?? [:], depth) }
      let required = Set(schema["required"]?.array?.compactMap(\.string) ?? [])
      var object: [String: JSON] = [:]
      for (key, inner) in (schema["properties"]?.object ?? [:]).sorted(by: { $0.key < $1.key })
      where required.contains(key) || world.random.chance(50) {
        object[key] = value(of: inner, named: key, depth: depth + 1)
      }
      return .object(object)
    default: return .null
    }
  }

  /// An object whose keys are persons, or words.
  private mutating func map(from keys: JSON, to values: JSON, _ depth: Int) -> JSON {
    let words = keys["enum"]?.array ?? mates().array ?? []
    var object: [String: JSON] = [:]
    for word in words where world.random.chance(50) {
      if let key = word.string { object[key] = value(of: values, named: "person", depth: depth + 1) }
    }
    return .object(object)
  }

  /// A latitude near those of other people, or near their destinations.
  private func latitude() -> JSON {
    let degrees = world.random.number(1...4)
    guard method == "positions.report" else { return .number(JSON.Number(degrees)) }
    let text = "\((world.latitude ?? 0) + degrees).0000\(client.person.mark)"
    return JSON.Number(text: text).map { .number($0) } ?? .null
  }

  private mutating func text(_ schema: JSON, named name: String) -> String {
    switch (name, schema["format"]?.string) {
    case ("person", _) where ["dinner", "drinks", "rota"].contains(method.prefix { $0 != "." }): return member()
    case ("code", _): return world.random.pick(world.people.flatMap(\.codes)) ?? "0123456789"
    case ("email", _):
      // Some addresses have no account: mail goes there.
      if world.random.chance(30) { return "stranger\(world.random.number(1...20))@example.org" }
      return world.random.pick(world.people)?.email ?? ""
    case ("timeZone", _): return "Europe/Berlin"
    case ("currency", _): return "EUR"
    case ("person", _) where method == "contacts.remove" || method == "contacts.unblock":
      let known = rows(method == "contacts.remove" ? "contacts" : "blocked")
      return world.random.pick(known) ?? world.random.id()
    case ("person", _) where method == "shares.declineAsk": return world.random.pick(rows("asks")) ?? world.random.id()
    case ("person", _): return mates().array?.first?.string ?? world.random.id()
    case ("household", _): return world.random.pick(world.households) ?? world.random.id()
    case ("newId", _): return world.random.id()
    case (_, "uuid"):
      if let id = homeID(named: name) { return id }
      return id(isNew: ["add", "create", "invite"].contains { method.hasSuffix(".\($0)") })
    case ("sentAt", _), ("fixTime", _):
      return (world.wallTime - .seconds(world.random.number(-20...60))).description
    case (_, "date-time"): return time(within: 20_000)
    case ("to", "date") where method == "members.away": return day(world.random.number(1...8))
    case ("from", "date") where method == "rota.weeks": return monday(world.random.number(-1...3))
    case ("from", "date"), ("to", "date"): return day(world.random.number(1...3))
    case ("week", "date"), ("startWeek", "date"): return monday(world.random.number(-1...0))
    case ("date", "date"): return day(world.random.number(0...5))
    case (_, "date"): return "1990-05-31"
    case ("start", _), ("end", _): return eventTime()
    case (_, "emoji"): return world.random.pick(["👍", "❤️", "🎉"]) ?? "👍"
    case ("time", _), ("hour", _), ("quietFrom", _), ("quietTo", _): return "0\(world.random.number(0...9)):30"
    default:
      let words = ["Milk", "Eggs", "Bread", "Tea", "Soap", "Rice"]
      let word = world.random.pick(words) ?? ""
      let most = schema["maxLength"]?.int ?? 100
      if let latitude = world.latitude, most >= 60, room.hasSuffix("/mine") { return "\(word) \(latitude)" }
      // Invited persons see a household's name, too.
      let isMarked = most >= 60 && method != "households.update"
      guard isMarked, let marker = World.marker(of: room) else { return String(word.prefix(max(1, most))) }
      return "\(word) \(marker)" + (name == "text" ? " \(world.random.number(0...1_000_000))" : "")
    }
  }

  /// The id of an object in the phone's document, or an unused id.
  private func id(isNew: Bool) -> String {
    if isNew || world.random.chance(8) { return world.random.id() }
    let state = state.object ?? [:]
    let kind = String(method.prefix { $0 != "." })
    let known = [
      "inbox.read": "inbox", "invitations.accept": "invitations", "invitations.decline": "invitations",
      "contacts.accept": "contactInvitations", "contacts.decline": "contactInvitations",
      "contacts.revoke": "sentContactInvitations",
    ]
    let tables = state.keys.sorted().filter { name in
      known[method].map { name == $0 } ?? name.lowercased().hasSuffix(kind.lowercased())
    }
    let ids = tables.flatMap { state[$0]?.object?.keys.sorted() ?? [] }
    return world.random.pick(ids) ?? world.random.id()
  }
}
