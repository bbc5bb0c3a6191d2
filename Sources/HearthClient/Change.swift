public import JSON

/// A change without a final answer, as stored in the queue on disk.
public struct QueuedChange: Sendable, Equatable {
  /// Identifies the change within this client object; another process may give it another id.
  public var id: Int64
  public var method: String
  public var parameters: JSON
  /// `nil` for a method that needs no room; it then changes `me`.
  public var room: String?
  /// The merge patch that shows the change before the server confirms it.
  public var patch: JSON?

  public init(id: Int64, method: String, parameters: JSON, room: String?, patch: JSON? = nil) {
    self.id = id
    self.method = method
    self.parameters = parameters
    self.room = room
    self.patch = patch
  }

  /// The room that orders the change.
  var roomKey: String { room ?? "me" }
}

/// A change that is on disk and will be carried out despite lost connections and restarts of server or process.
public struct Change: Sendable {
  public let queued: QueuedChange
  let outcome: Outcome

  /// Waits for the server's final answer, however long it takes.
  ///
  /// Throws `server` if the server has refused for good. If the client ends first, throws the reason; the next client
  /// on the same files then sends the change.
  public var answer: JSON {
    get async throws(ClientError) { try await outcome.value.get() }
  }
}
