internal import Crypto
internal import HTTP
public import JSON
public import Rooms
internal import Transport
internal import WebSocket

/// One connection to a Hearth server: calls, and rooms that are followed as they change. `HearthClient` is built on
/// the same and survives its end; this is for signing up and logging in, for tools, and for what lives shortly.
///
///     let connection = try await ServerConnection.connect(to: Endpoint(host: "127.0.0.1"), client: installation)
///     let login = try await connection.logIn(email: email, password: password)
///     let greeting = try await connection.hello(token: login.token)
///     for await event in try await connection.subscribe("me") { … }
///
/// One that has ended stays ended: make a new one. Letting go of it closes the connection.
public final class ServerConnection: Sendable {
  public struct Options: Sendable {
    /// How long connecting may take, and then the upgrade.
    public var connectLimit: Duration = .seconds(10)
    /// Silence after which the server is taken for dead. It is asked for a sign of life at half of this.
    public var silenceLimit: Duration = .seconds(45)
    /// How long the server may take to answer our close frame.
    public var closeLimit: Duration = .seconds(3)
    public var limits = ConnectionCore.Limits()
    /// A PEM file with the authorities to believe on a secure connection; without it, those that the system knows.
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

  /// Connects, and agrees on the protocol; nobody has said hello yet.
  ///
  /// - Parameter client: names this installation for ever: numbers of mutations belong to it.
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

  // MARK: who we are

  /// Says who we are: the first call of a connection, and again after signing up or logging in on it.
  public func hello(token: String? = nil, app: String? = nil) async throws(ClientError) -> Greeting {
    var parameters: [String: JSON] = ["client": .string(client.description)]
    parameters["token"] = token.map(JSON.string)
    parameters["app"] = app.map(JSON.string)
    return try Greeting(AnswerReader(try await call("hello", .object(parameters)), of: "hello"))
  }

  /// Makes an account. The token is for `hello`.
  public func signUp(
    email: String, password: String, name: String, birthday: String? = nil, device: String? = nil
  ) async throws(ClientError) -> Login {
    var parameters: [String: JSON] = ["email": .string(email), "password": .string(password), "name": .string(name)]
    parameters["birthday"] = birthday.map(JSON.string)
    parameters["device"] = device.map(JSON.string)
    return try Login(AnswerReader(try await call("auth.signUp", .object(parameters)), of: "auth.signUp"))
  }

  public func logIn(
    email: String, password: String, device: String? = nil
  ) async throws(ClientError) -> Login {
    var parameters: [String: JSON] = ["email": .string(email), "password": .string(password)]
    parameters["device"] = device.map(JSON.string)
    return try Login(AnswerReader(try await call("auth.logIn", .object(parameters)), of: "auth.logIn"))
  }

  // MARK: calls and rooms

  /// Calls a method and answers its result.
  ///
  /// - Parameters:
  ///   - parameters: an object.
  ///   - room: goes into the parameters under that name.
  ///   - seq: likewise; with it a mutation that is sent again takes effect once.
  public func call(
    _ method: String, _ parameters: JSON = [:], room: String? = nil, seq: Int64? = nil
  ) async throws(ClientError) -> JSON {
    try await gate.ask { $0.call(method, parameters, room: room, seq: seq, $1) }
  }

  /// Follows a room. The first event is its whole state; changes follow in order, and `state(of:)` is never behind
  /// them. The stream ends with the room, the subscription or the connection.
  ///
  /// A reader that falls far behind is given the whole state again in place of single changes.
  public func subscribe(_ room: String) async throws(ClientError) -> AsyncStream<RoomEvent> {
    let queue: EventQueue = try await gate.ask { $0.subscribe(to: room, $1) }
    return queue.stream
  }

  public func unsubscribe(_ room: String) async throws(ClientError) {
    _ = try await gate.ask { $0.unsubscribe(from: room, $1) } as JSON
  }

  /// What is known of a room that is being followed.
  public func state(of room: String) async -> RoomSnapshot? {
    try? await gate.ask { $1(.success($0.snapshot(of: room))) }
  }

  /// Waits until the connection is over, and says why.
  public func ended() async -> ClientError {
    do throws(ClientError) {
      return try await gate.ask { driver, done in driver.whenOver { done(.success($0)) } }
    } catch {
      return error
    }
  }

  /// Closes the connection in order. Calls that wait are answered with `closed`, and so is every later one, unless the
  /// connection was over for another reason before.
  public func close() async { await gate.close { $0.close($1) } }
}
