import JSON
import Rooms
import Testing

/// A person with an account, on one connection.
struct Member: Sendable {
  let client: TestClient
  let name: String
  let email: String
  let id: String
  let token: String

  @discardableResult
  func hello() async throws -> JSON {
    try await client.call("hello", ["token": .string(token), "client": .string(client.id)])
  }

  /// The same person on another connection, by default as the same client.
  func again(on server: TestServer, client id: String? = nil) async throws -> Member {
    try await again(at: server.port, client: id)
  }

  func again(at port: UInt16, client id: String? = nil) async throws -> Member {
    let other = try await TestClient.connect(port: port)
    other.id = id ?? client.id
    let member = Member(client: other, name: name, email: email, id: self.id, token: token)
    try await member.hello()
    return member
  }

  /// Logs the person in on another device, which says hello on its own connection.
  func logIn(on server: TestServer, device: String? = nil) async throws -> (Member, session: String) {
    let other = try await server.connect()
    var parameters: [String: JSON] = ["email": .string(email), "password": .string(TestServer.password)]
    if let device { parameters["device"] = .string(device) }
    let login = try await other.call("auth.logIn", parameters)
    let token = try #require(login["token"]?.string)
    let member = Member(client: other, name: name, email: email, id: id, token: token)
    try await member.hello()
    return (member, try #require(login["session"]?.string))
  }

  // MARK: calls

  @discardableResult
  func call(_ method: String, in room: String? = nil, _ parameters: [String: JSON] = [:]) async throws -> JSON {
    try await client.call(method, Self.parameters(parameters, in: room))
  }

  func refusal(_ method: String, in room: String? = nil, _ parameters: [String: JSON] = [:]) async throws -> WireError {
    try await client.refusal(method, Self.parameters(parameters, in: room))
  }

  func post(_ method: String, in room: String? = nil, _ parameters: [String: JSON] = [:], id: Int) {
    client.post(method, Self.parameters(parameters, in: room), id: id)
  }

  static func parameters(_ parameters: [String: JSON] = [:], in room: String?) -> [String: JSON] {
    var all = parameters
    if let room { all["room"] = .string(room) }
    return all
  }

  /// Starts watching a room and returns its whole state.
  func watch(_ room: String) async throws -> RoomCopy { try await RoomCopy(of: room, by: client) }

  // MARK: households

  func makeHousehold(_ name: String = "Elm Street") async throws -> String {
    let answer = try await call(
      "households.create", ["name": .string(name), "timeZone": "Europe/Berlin", "currency": "EUR"])
    return "household/\(try #require(answer["household"]?.string))"
  }

  /// The id in a household's name, as a parameter.
  static func household(_ room: String) -> JSON { .string(String(room.dropFirst("household/".count))) }

  /// Invites the owner of an address.
  @discardableResult
  func invite(_ email: String, to room: String, asGuest isGuest: Bool = false) async throws -> JSON {
    try await call(
      "invitations.send", ["household": Self.household(room), "email": .string(email), "guest": .bool(isGuest)])
  }

  /// Lets others join by a code.
  func letIn(_ others: [Member], to room: String) async throws {
    guard !others.isEmpty else { return }
    let code = try await call("joinCodes.create", in: room, ["uses": 32])
    for other in others { try await other.call("households.join", ["code": try #require(code["code"])]) }
  }

  // MARK: shares

  /// Starts sharing the position and returns the share's room.
  func share(with receivers: Member..., until: Instant = .now + .seconds(3600)) async throws -> String {
    try await share(with: receivers, ["until": until.json])
  }

  func share(with receivers: [Member], _ more: [String: JSON]) async throws -> String {
    var parameters = more
    parameters["receivers"] = .array(receivers.map { .string($0.id) })
    return "share/\(try #require(try await call("shares.start", parameters)["id"]?.string))"
  }

  @discardableResult
  func report(_ fixes: JSON..., sentAt: Instant = .now) async throws -> JSON {
    try await call("positions.report", ["sentAt": sentAt.json, "fixes": .array(fixes)])
  }
}

/// A position fix of a phone.
func fix(_ lat: JSON, _ lon: JSON, at time: Instant = .now, accuracy: JSON = 8) -> JSON {
  ["lat": lat, "lon": lon, "accuracy": accuracy, "fixTime": time.json]
}
