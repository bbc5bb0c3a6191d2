public import JSON

/// A change that was asked for and is not answered yet: what the queue on disk remembers of it.
public struct QueuedChange: Sendable, Equatable {
  /// Names the change for as long as this client lives; another process may know it by another number.
  public var id: Int64
  public var method: String
  public var parameters: JSON
  /// `nil` where the method needs no room: it changes `me` then.
  public var room: String?
  /// The merge patch by which it is shown before it is confirmed.
  public var patch: JSON?

  public init(id: Int64, method: String, parameters: JSON, room: String?, patch: JSON? = nil) {
    self.id = id
    self.method = method
    self.parameters = parameters
    self.room = room
    self.patch = patch
  }

  /// The room in whose order it stands.
  var roomKey: String { room ?? "me" }
}

/// What a change is waiting for, on disk: it will be carried out, whatever happens to connection, server and process.
public struct Change: Sendable {
  public let queued: QueuedChange
  let outcome: Outcome

  /// Waits until the server has answered, however long that takes. Throws `server` if it has refused for good, and the
  /// reason for the client's end if that came before; what is queued then is sent by the next client on these files.
  public var answer: JSON {
    get async throws(ClientError) { try await outcome.value.get() }
  }
}
