public import JSON
public import Rooms

/// The answer to `hello`.
public struct Greeting: Sendable, Equatable {
  /// The person of the token; `nil` without a token.
  public var me: ID<Person>?
  public var session: ID<Session>?
  /// The server's clock.
  public var now: Instant
  /// The interval of `room.tick` messages in a quiet room.
  public var heartbeat: Duration
  /// The server's limits by name.
  public var limits: JSON
  /// Names of the rooms that the person may watch.
  public var rooms: [String]

  init(_ members: AnswerReader) throws(ClientError) {
    me = try members.idIfPresent("me")
    session = try members.idIfPresent("session")
    now = try members.instant("now")
    heartbeat = .milliseconds(try members.integer("heartbeat"))
    limits = try members.object("limits")
    rooms = try members.stringsIfPresent("rooms") ?? []
  }
}

/// The answer to signing up and logging in.
public struct Login: Sendable, Equatable {
  public var me: ID<Person>
  public var session: ID<Session>
  /// A secret that authenticates the person.
  public var token: String
  /// A secret for later log-ins of the person on this device: with it others' failures do not slow them down. Keep it
  /// when logging out.
  public var deviceToken: String?

  init(_ members: AnswerReader) throws(ClientError) {
    me = try members.id("me")
    session = try members.id("session")
    token = try members.string("token")
    deviceToken = try members.stringIfPresent("deviceToken")
  }
}
