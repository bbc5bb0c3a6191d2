internal import Crypto
internal import HTTP
public import JSON
public import Rooms
internal import Transport

/// A person's rooms on a Hearth server, through bad networks, restarts of either side, and hours without any
/// connection.
///
///     let files = try FolderFiles(path: folder)
///     let client = try HearthClient(endpoint, token: token, files: files)
///     client.start()
///
///     // Shown at once, from the disk; then as it changes, for as long as anybody looks.
///     Task { for await document in try await client.documents(of: room) { show(document.state["notes"]) } }
///
///     // On disk and shown when this returns, whether or not there is a connection.
///     let note = UUID().uuidString.lowercased()
///     let change = try await client.change(
///       "notes.add", ["id": .string(note), "text": "Milk is out"], room: room,
///       showing: ["notes": [note: ["text": "Milk is out"]]])
///     // The server's word, once it can be had.
///     let answer = try await change.answer
///
/// A token comes from `ServerConnection.signUp` or `logIn`.
///
/// **What it promises.** A change that was accepted is carried out once, after all changes of its room that were
/// accepted before it, or its refusal is reported: to `Change.answer`, and to `events()` for those of an earlier run.
/// What is shown is the server's document with the changes on top that it has not confirmed. A room that is followed
/// is subscribed again after every disconnection, and told only what was missed. When the session is over, everything
/// is removed from the disk, and `events()` says so.
///
/// One client at a time uses a folder. Its connection is its own: the same folder means the same client to the server.
public final class HearthClient: Sendable {
  public struct Options: Sendable {
    public var connection = ServerConnection.Options()
    public var backoff = Backoff()
    /// Changes that may wait in the queue; one more throws `tooMuch("queuedChanges")`.
    public var queuedChanges = 1000
    /// Their bytes; more throw `tooMuch("queuedBytes")`.
    public var queuedBytes = 4 << 20
    /// Bytes of all documents on disk. Rooms that are not followed make way first; what has no room is asked for anew.
    public var keptBytes = 12 << 20
    /// How long documents may wait until they are written. A crash costs no more than asking for them again.
    public var saveInterval = Duration.seconds(5)
    /// The program's name and version, for the server: 1 to 100 characters.
    public var app: String?

    public init() {}

    var queueLimits: ChangeQueue.Limits { ChangeQueue.Limits(changes: queuedChanges, bytes: queuedBytes) }
  }

  /// This installation's name to the server: made with the files, and kept in them.
  public let id: ID<Client>
  private let gate: LoopGate<ClientDriver>

  /// Opens what is on disk; nothing is sent before `start` or `connect`.
  ///
  /// Throws `storage` where the files cannot be used.
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

  /// Connects, and from then on again whenever the connection is lost. Having no network now is like losing it.
  ///
  /// Goes on after `stopped`, too, unless the session is over.
  public func start() { gate.post { $0.start() } }

  /// The same, and waits for the server's greeting. Throws where the next try fails; others follow all the same until
  /// `close`.
  @discardableResult
  public func connect() async throws(ClientError) -> Greeting { try await gate.ask { $0.connect($1) } }

  /// Tries again at once instead of waiting: for when the device has a network again, or the program is looked at.
  public func reconnect() { gate.post { $0.start() } }

  /// Goes on with another token, after `stopped` or at any time. If it is another person's, everything of the former
  /// one is removed as soon as the server has said so.
  public func use(token: String) { gate.post { $0.use(token: token) } }

  /// What happens to the client from now on. Of a reader that is 1,024 events behind the oldest are lost.
  public func events() -> AsyncStream<ClientEvent> {
    let (stream, listener) = AsyncStream.makeStream(of: ClientEvent.self, bufferingPolicy: .bufferingNewest(1024))
    gate.post({ $0.listen(listener) }, orElse: { listener.finish() })
    return stream
  }

  // MARK: rooms

  /// Follows a room until `unfollow`: its changes, in order, whatever happens to the connection. The first event is the
  /// whole room, at once if something of it is on disk. The stream ends with the room; a reader that ends earlier does
  /// not end the following.
  ///
  /// Throws `tooMuch("rooms")`.
  public func follow(_ room: String) async throws(ClientError) -> AsyncStream<RoomEvent> {
    let queue: EventQueue = try await gate.ask { $0.follow(room, $1) }
    return queue.stream
  }

  /// Follows a room, and gives its document each time that it has changed.
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

  /// What a room that is followed is like, with our own changes in it; `nil` where nothing is known of it yet.
  public func document(of room: String) async -> RoomDocument? {
    try? await gate.ask { $1(.success($0.document(of: room))) }
  }

  /// Ends following. What is on disk stays there.
  public func unfollow(_ room: String) { gate.post { $0.unfollow(room) } }

  // MARK: changes and calls

  /// Queues a change. When this returns it is on disk and shown, and will be carried out once.
  ///
  /// - Parameters:
  ///   - method: one that changes a room (protocol.md, Calls that change something).
  ///   - parameters: an object, without `room`, `seq` and `answered`. Choose the `id` of what is new, so that later
  ///     changes can name it before the server has answered.
  ///   - room: where it happens; `nil` for methods of `me` that need none.
  ///   - patch: a merge patch by which the room's document is shown until the server has confirmed or refused.
  ///
  /// Throws, and nothing has happened: `tooMuch`, `parametersNotAnObject`, `reservedParameter`, `storage`.
  public func change(
    _ method: String, _ parameters: JSON = [:], room: String? = nil, showing patch: JSON? = nil
  ) async throws(ClientError) -> Change {
    try await gate.ask { $0.change(method, parameters, room: room, patch: patch, $1) }
  }

  /// The changes that the server has not answered, in order; those of earlier runs, too.
  public func queued() async -> [QueuedChange] { (try? await gate.ask { $1(.success($0.queued)) }) ?? [] }

  /// Calls a method now, besides the queue: for what only asks (`activity.list`) or is only true now
  /// (`positions.report`). Throws `offline` where there is no connection; where it breaks before the answer, nobody
  /// knows whether the call was carried out.
  public func call(
    _ method: String, _ parameters: JSON = [:], room: String? = nil
  ) async throws(ClientError) -> JSON {
    try await gate.ask { $0.call(method, parameters, room: room, $1) }
  }

  /// Writes what is not written yet and closes the connection in order. What is queued waits for the next client on
  /// these files; those who wait for answers are told `closed`.
  public func close() async { await gate.close { $0.leave($1) } }
}
