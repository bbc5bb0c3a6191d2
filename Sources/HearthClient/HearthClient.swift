internal import Crypto
internal import HTTP
public import JSON
public import Rooms
internal import Transport

/// A client that keeps a person's rooms in sync across bad networks, restarts of either side, and hours offline.
///
///     let files = try FolderFiles(path: folder)
///     let client = try HearthClient(endpoint, token: token, files: files)
///     client.start()
///
///     // The stored document at once, then every change while the task runs.
///     Task { for await document in try await client.documents(of: room) { show(document.state["notes"]) } }
///
///     // On disk and shown when this returns, with or without a connection.
///     let note = UUID().uuidString.lowercased()
///     let change = try await client.change(
///       "notes.add", ["id": .string(note), "text": "Milk is out"], room: room,
///       showing: ["notes": [note: ["text": "Milk is out"]]])
///     // The server's answer, as soon as there is one.
///     let answer = try await change.answer
///
/// A token comes from `ServerConnection.signUp` or `logIn`.
///
/// **Promises.** An accepted change is carried out once, after all changes of its room that were accepted before it, or
/// its refusal is reported: to `Change.answer`, and to `events()` for changes of an earlier run. The shown document is
/// the server's document with unconfirmed changes on top. A followed room is subscribed to again after every
/// disconnection, from the last known version. When the session ends, all data is removed from disk, and `events()`
/// reports it.
///
/// A folder is for one client at a time, and the server sees one client per folder.
public final class HearthClient: Sendable {
  /// The settings of a client.
  public struct Options: Sendable {
    public var connection = ServerConnection.Options()
    public var backoff = Backoff()
    /// The most changes in the queue; one more throws `tooMuch("queuedChanges")`.
    public var queuedChanges = 1000
    /// The most bytes of changes in the queue; more throw `tooMuch("queuedBytes")`.
    public var queuedBytes = 4 << 20
    /// The most bytes of all documents on disk. Rooms that are not followed are evicted first; evicted rooms are
    /// reloaded.
    public var keptBytes = 12 << 20
    /// The longest time until a changed document is written. After a crash a newer state is only requested again.
    public var saveInterval = Duration.seconds(5)
    /// The name and version of the application for the server, 1 to 100 characters.
    public var app: String?

    public init() {}

    var queueLimits: ChangeQueue.Limits { ChangeQueue.Limits(changes: queuedChanges, bytes: queuedBytes) }
  }

  /// This installation's id for the server, created with the files and kept in them.
  public let id: ID<Client>
  private let gate: LoopGate<ClientDriver>

  /// Opens the files without connecting; `start` and `connect` do that.
  ///
  /// Throws `storage` if the files cannot be used.
  public init(
    _ endpoint: Endpoint, token: String, files: any ClientFiles, options: Options = Options()
  ) throws(ClientError) {
    guard let target = Target(endpoint.path) else { throw .malformed("the path \(endpoint.path)") }
    var settings = ClientCore.Settings(token: token, app: options.app)
    settings.backoff = options.backoff
    settings.limits = options.connection.limits
    settings.saveInterval = options.saveInterval
    let driver = try ClientDriver(endpoint, target, settings: settings, options: options, files: files)
    let loop = try LoopGate<ClientDriver>.makeLoop()
    id = driver.client
    loop.start { core in
      driver.begin(core)
      return driver
    }
    gate = LoopGate(loop, driver)
  }

  deinit { gate.drop { $0.leave { _ in } } }

  // MARK: connecting

  /// Connects, and reconnects whenever the connection is lost; starting without a network counts as lost.
  ///
  /// Also continues after `stopped`, unless the session is over.
  public func start() { gate.post { $0.start() } }

  /// Starts like `start` and waits for the server's greeting.
  ///
  /// Throws if the next attempt fails; the client still retries until `close`.
  @discardableResult
  public func connect() async throws(ClientError) -> Greeting { try await gate.ask { $0.connect($1) } }

  /// Retries at once instead of waiting: call it when the device is online again or the application comes to front.
  public func reconnect() { gate.post { $0.start() } }

  /// Continues with another token, after `stopped` or at any time.
  ///
  /// If the token is another person's, all data of the previous person is removed as soon as the server confirms it.
  public func use(token: String) { gate.post { $0.use(token: token) } }

  /// Events of the client from now on. A reader that is more than 1,024 events behind loses the oldest ones.
  public func events() -> AsyncStream<ClientEvent> {
    let (stream, listener) = AsyncStream.makeStream(of: ClientEvent.self, bufferingPolicy: .bufferingNewest(1024))
    gate.post({ $0.listen(listener) }, orElse: { listener.finish() })
    return stream
  }

  // MARK: rooms

  /// Follows a room until `unfollow` and returns its events in order, across reconnections.
  ///
  /// The first event is the whole state, at once if the room is on disk. The stream ends with the room. A reader that
  /// stops reading does not stop following the room. Throws `tooMuch("rooms")`.
  public func follow(_ room: String) async throws(ClientError) -> AsyncStream<RoomEvent> {
    let queue: EventQueue = try await gate.ask { $0.follow(room, $1) }
    return queue.stream
  }

  /// Follows a room and returns its document after each change.
  public func documents(of room: String) async throws(ClientError) -> AsyncStream<RoomDocument> {
    let queue: EventQueue = try await gate.ask { $0.follow(room, $1) }
    return AsyncStream(
      unfolding: { [gate] in
        while let event = await queue.next() {
          if case .tick = event { continue }
          let document: RoomDocument?? = try? await gate.ask { $1(.success($0.document(of: room))) }
          if let document, let document { return document }
        }
        return nil
      }, onCancel: { queue.finish() })
  }

  /// The document of a followed room with our own changes applied; `nil` if nothing is known of it yet.
  public func document(of room: String) async -> RoomDocument? {
    try? await gate.ask { $1(.success($0.document(of: room))) }
  }

  /// Stops following a room. Its document stays on disk.
  public func unfollow(_ room: String) { gate.post { $0.unfollow(room) } }

  // MARK: changes and calls

  /// Queues a change. When this returns, the change is on disk and shown, and will be carried out once.
  ///
  /// - Parameters:
  ///   - method: a method that changes a room (protocol.md, Calls that change something).
  ///   - parameters: an object without `room`, `seq` and `answered`. Choose the `id` of new objects, so that later
  ///     changes can refer to them before the server has answered.
  ///   - room: the room to change; `nil` for methods of `me` that need none.
  ///   - patch: a merge patch that shows the change in the room's document until the server confirms or refuses it.
  ///
  /// Throws `tooMuch`, `parametersNotAnObject`, `reservedParameter` or `storage`; nothing has happened then.
  public func change(
    _ method: String, _ parameters: JSON = [:], room: String? = nil, showing patch: JSON? = nil
  ) async throws(ClientError) -> Change {
    try await gate.ask { $0.change(method, parameters, room: room, patch: patch, $1) }
  }

  /// The changes without a final answer, in order, including those of earlier runs.
  public func queued() async -> [QueuedChange] { (try? await gate.ask { $1(.success($0.queued)) }) ?? [] }

  /// Calls a method now, outside the queue, for queries (`activity.list`) and for data that soon expires
  /// (`positions.report`).
  ///
  /// Throws `offline` without a connection. If the connection breaks before the answer, it is unknown whether the
  /// server carried out the call.
  public func call(
    _ method: String, _ parameters: JSON = [:], room: String? = nil
  ) async throws(ClientError) -> JSON {
    try await gate.ask { $0.call(method, parameters, room: room, $1) }
  }

  /// Writes pending data and closes the connection in order.
  ///
  /// Queued changes stay for the next client on these files. Callers that wait for answers get `closed`.
  public func close() async { await gate.close { $0.leave($1) } }
}
