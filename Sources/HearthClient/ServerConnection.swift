internal import Crypto
internal import HTTP
public import JSON
public import Rooms
internal import Transport
internal import WebSocket

/// A single connection to a Hearth server, with calls and subscriptions to rooms.
///
/// Use it for signing up and logging in, and in short-lived tools. `HearthClient` uses the same protocol but
/// reconnects.
///
///     let connection = try await ServerConnection.connect(to: Endpoint(host: "127.0.0.1"), client: installation)
///     let login = try await connection.logIn(email: email, password: password)
///     let greeting = try await connection.hello(token: login.token)
///     for await event in try await connection.subscribe("me") { … }
///
/// A connection that has ended cannot be reopened: make a new one. Releasing it closes it.
public final class ServerConnection: Sendable {
  /// The settings of a connection.
  public struct Options: Sendable {
    /// The longest time for connecting, and again for the upgrade.
    public var connectLimit: Duration = .seconds(10)
    /// The silence after which the server counts as dead. A ping is sent after half of it.
    public var silenceLimit: Duration = .seconds(45)
    /// The longest time that the server may take to answer a close frame.
    public var closeLimit: Duration = .seconds(3)
    public var limits = ConnectionCore.Limits()
    /// A PEM file with trusted authorities for TLS; `nil` for those of the operating system.
    public var authorities: String?

    public init() {}
  }

  static let subprotocol = "hearth.v1"

  private let client: ID<Client>
  private let gate: LoopGate<ConnectionDriver>

  private init(client: ID<Client>, gate: LoopGate<ConnectionDriver>) {
    self.client = client
    self.gate = gate
  }

  deinit { gate.drop { driver in driver.close { _ in } } }

  /// Connects and negotiates the protocol, without `hello`.
  ///
  /// - Parameter client: the permanent id of this installation, which the numbers of its mutations belong to.
  public static func connect(
    to endpoint: Endpoint, client: ID<Client>, options: Options = Options()
  ) async throws(ClientError) -> ServerConnection {
    guard let target = Target(endpoint.path) else { throw .malformed("the path \(endpoint.path)") }
    let loop = try LoopGate<ConnectionDriver>.makeLoop()
    loop.start()
    let upgrade = ClientUpgrade(
      host: endpoint.hostHeader, target: target, key: SystemRandom.bytes(16), subprotocols: [subprotocol])
    let result: Result<ConnectionDriver, ClientError> = await withCheckedContinuation { continuation in
      loop.run { core in
        let driver = ConnectionDriver(limits: options.limits) { continuation.resume(returning: $0) }
        _ = Connection.open(endpoint, upgrade, options: options, on: core, owner: driver)
      }
    }
    do throws(ClientError) {
      return ServerConnection(client: client, gate: LoopGate(loop, try result.get()))
    } catch {
      loop.stop {}
      throw error
    }
  }

  // MARK: identity

  /// Identifies the client: the first call of a connection, and again after signing up or logging in on it.
  public func hello(token: String? = nil, app: String? = nil) async throws(ClientError) -> Greeting {
    var parameters: [String: JSON] = ["client": .string(client.description)]
    parameters["token"] = token.map(JSON.string)
    parameters["app"] = app.map(JSON.string)
    return try Greeting(AnswerReader(try await call("hello", .object(parameters)), of: "hello"))
  }

  /// Creates an account and returns a token for `hello`. Solves a puzzle if the server asks for one, as `logIn` does.
  public func signUp(
    email: String, password: String, name: String, birthday: String? = nil, device: String? = nil
  ) async throws(ClientError) -> Login {
    var parameters: [String: JSON] = ["email": .string(email), "password": .string(password), "name": .string(name)]
    parameters["birthday"] = birthday.map(JSON.string)
    parameters["device"] = device.map(JSON.string)
    return try Login(AnswerReader(try await callSolving("auth.signUp", .object(parameters)), of: "auth.signUp"))
  }

  /// Logs in and returns a token for `hello`.
  ///
  /// - Parameter deviceToken: from the last log-in of this person on this device, if there was one.
  public func logIn(
    email: String, password: String, device: String? = nil, deviceToken: String? = nil
  ) async throws(ClientError) -> Login {
    var parameters: [String: JSON] = ["email": .string(email), "password": .string(password)]
    parameters["device"] = device.map(JSON.string)
    parameters["deviceToken"] = deviceToken.map(JSON.string)
    return try Login(AnswerReader(try await callSolving("auth.logIn", .object(parameters)), of: "auth.logIn"))
  }

  // MARK: calls and rooms

  /// Calls a method and returns its result.
  ///
  /// - Parameters:
  ///   - parameters: an object.
  ///   - room: added to the parameters under this name.
  ///   - seq: added to the parameters under this name; a mutation sent again with the same number takes effect once.
  public func call(
    _ method: String, _ parameters: JSON = [:], room: String? = nil, seq: Int64? = nil
  ) async throws(ClientError) -> JSON {
    try await gate.ask { $0.call(method, parameters, room: room, seq: seq, $1) }
  }

  /// Subscribes to a room and returns its events.
  ///
  /// The first event is the whole state. Changes follow in order, and `state(of:)` includes at least the events read.
  /// The stream ends with the room, the subscription or the connection. A reader that is far behind receives the whole
  /// state again instead of single changes.
  public func subscribe(_ room: String) async throws(ClientError) -> AsyncStream<RoomEvent> {
    let queue: EventQueue = try await gate.ask { $0.subscribe(to: room, $1) }
    return queue.stream
  }

  /// Unsubscribes from a room.
  public func unsubscribe(_ room: String) async throws(ClientError) {
    _ = try await gate.ask { $0.unsubscribe(from: room, $1) } as JSON
  }

  /// The known state of a subscribed room.
  public func state(of room: String) async -> RoomSnapshot? {
    try? await gate.ask { $1(.success($0.snapshot(of: room))) }
  }

  /// Waits until the connection is over and returns the reason.
  public func ended() async -> ClientError {
    do throws(ClientError) {
      return try await gate.ask { driver, done in driver.whenOver { done(.success($0)) } }
    } catch {
      return error
    }
  }

  /// Closes the connection in order.
  ///
  /// Pending and later calls get `closed`, unless the connection was already over for another reason.
  public func close() async { await gate.close { $0.close($1) } }
}
