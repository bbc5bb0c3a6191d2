internal import Crypto
internal import HTTP
public import JSON
internal import Platform
public import Rooms
internal import Transport
internal import WebSocket

/// A connection to a Hearth server: calls, and rooms that are followed as they change.
///
///     let client = try await HearthClient.connect(to: Endpoint(host: "127.0.0.1"), client: installation)
///     let greeting = try await client.hello(token: token)
///     for await event in try await client.subscribe("me") { … }
///
/// One that has ended stays ended: make a new one. Letting go of it closes the connection.
public final class HearthClient: Sendable {
  public struct Options: Sendable {
    /// How long connecting may take, and then the upgrade.
    public var connectLimit: Duration = .seconds(10)
    /// Silence after which the server is taken for dead. It is asked for a sign of life at half of this.
    public var silenceLimit: Duration = .seconds(60)
    /// How long the server may take to answer our close frame.
    public var closeLimit: Duration = .seconds(3)
    public var limits = ClientCore.Limits()

    public init() {}
  }

  static let subprotocol = "hearth.v1"

  private let client: ID<Client>
  private let loop: EventLoop
  private let connection: Connection
  private let state = Locked(State())

  private struct State {
    /// The loop has been told to stop, or will be.
    var isClosed = false
    /// Why the connection was over when it was closed.
    var end: ClientError?
  }

  private init(client: ID<Client>, loop: EventLoop, connection: Connection) {
    self.client = client
    self.loop = loop
    self.connection = connection
  }

  deinit {
    if state.withLock({ $0.isClosed }) { return }
    loop.run { [connection] _ in connection.close { _ in } }
    loop.stop(within: .seconds(1)) {}
  }

  /// Connects, and agrees on the protocol; nobody has said hello yet.
  ///
  /// - Parameter client: names this installation for ever: numbers of mutations belong to it.
  public static func connect(
    to endpoint: Endpoint, client: ID<Client>, options: Options = Options()
  ) async throws(ClientError) -> HearthClient {
    guard let target = Target(endpoint.path) else { throw .malformed("the path \(endpoint.path)") }
    let loop: EventLoop
    do throws(SystemError) {
      var settings = EventLoop.Options()
      settings.readBufferSize = 64 << 10
      settings.lingers = false
      loop = try EventLoop(name: "hearth-client", options: settings)
    } catch {
      throw .unreachable(.failed(error))
    }
    loop.start()
    let upgrade = ClientUpgrade(
      host: endpoint.hostHeader, target: target, key: SystemRandom.bytes(16), subprotocols: [subprotocol])
    let result: Result<Connection, ClientError> = await withCheckedContinuation { continuation in
      loop.run { core in
        Connection.open(endpoint, upgrade, options: options, on: core) { continuation.resume(returning: $0) }
      }
    }
    do throws(ClientError) {
      return HearthClient(client: client, loop: loop, connection: try result.get())
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
    return try Greeting(Members(try await call("hello", .object(parameters)), of: "hello"))
  }

  /// Makes an account. The token is for `hello`.
  public func signUp(
    email: String, password: String, name: String, birthday: String? = nil, device: String? = nil
  ) async throws(ClientError) -> Login {
    var parameters: [String: JSON] = ["email": .string(email), "password": .string(password), "name": .string(name)]
    parameters["birthday"] = birthday.map(JSON.string)
    parameters["device"] = device.map(JSON.string)
    return try Login(Members(try await call("auth.signUp", .object(parameters)), of: "auth.signUp"))
  }

  public func logIn(
    email: String, password: String, device: String? = nil
  ) async throws(ClientError) -> Login {
    var parameters: [String: JSON] = ["email": .string(email), "password": .string(password)]
    parameters["device"] = device.map(JSON.string)
    return try Login(Members(try await call("auth.logIn", .object(parameters)), of: "auth.logIn"))
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
    try await onLoop { $0.call(method, parameters, room: room, seq: seq, $1) }
  }

  /// Follows a room. The first event is its whole state; changes follow in order, and `state(of:)` is never behind
  /// them. The stream ends with the room, the subscription or the connection.
  ///
  /// A reader that falls far behind is given the whole state again in place of single changes.
  public func subscribe(_ room: String) async throws(ClientError) -> AsyncStream<RoomEvent> {
    let queue: EventQueue = try await onLoop { $0.subscribe(to: room, $1) }
    return queue.stream
  }

  public func unsubscribe(_ room: String) async throws(ClientError) {
    _ = try await onLoop { $0.unsubscribe(from: room, $1) } as JSON
  }

  /// What is known of a room that is being followed.
  public func state(of room: String) async -> RoomSnapshot? {
    try? await onLoop { $1(.success($0.snapshot(of: room))) }
  }

  /// Waits until the connection is over, and says why.
  public func ended() async -> ClientError {
    do throws(ClientError) {
      return try await onLoop { connection, done in connection.whenOver { done(.success($0)) } }
    } catch {
      return error
    }
  }

  /// Closes the connection in order. Calls that wait are answered with `closed`, and so is every later one, unless the
  /// connection was over for another reason before.
  public func close() async {
    let isFirst: Bool = await withCheckedContinuation { continuation in
      let isFirst = state.withLock { state in
        if state.isClosed { return false }
        state.isClosed = true
        loop.run { [self] _ in
          connection.close { end in
            self.state.withLock { $0.end = end }
            continuation.resume(returning: true)
          }
        }
        return true
      }
      if !isFirst { continuation.resume(returning: false) }
    }
    guard isFirst else { return }
    await withCheckedContinuation { continuation in loop.stop(within: .seconds(1)) { continuation.resume() } }
  }

  /// Runs `work` on the loop, which must call the completion once.
  private func onLoop<Value: Sendable>(
    _ work: @escaping @Sendable (Connection, @escaping Connection.Completion<Value>) -> Void
  ) async throws(ClientError) -> Value {
    let result: Result<Value, ClientError> = await withCheckedContinuation { continuation in
      // Under the lock: what is posted to a loop after it was told to stop is dropped, and would never be answered.
      let end = state.withLock { state -> ClientError? in
        if state.isClosed { return state.end ?? .closed }
        loop.run { [connection] _ in work(connection) { continuation.resume(returning: $0) } }
        return nil
      }
      if let end { continuation.resume(returning: .failure(end)) }
    }
    return try result.get()
  }
}
