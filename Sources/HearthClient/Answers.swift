public import JSON
public import Rooms

/// What `hello` answers.
public struct Greeting: Sendable, Equatable {
  /// Who we are; `nil` without a token.
  public var me: ID<Person>?
  public var session: ID<Session>?
  /// The server's clock.
  public var now: Instant
  /// Silence in a room after which the server says that nothing has happened.
  public var heartbeat: Duration
  /// The server's limits by name.
  public var limits: JSON
  /// Names of the rooms that we may watch.
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

/// What signing up and logging in answer.
public struct Login: Sendable, Equatable {
  public var me: ID<Person>
  public var session: ID<Session>
  /// A secret: whoever has it is `me`.
  public var token: String

  init(_ members: AnswerReader) throws(ClientError) {
    me = try members.id("me")
    session = try members.id("session")
    token = try members.string("token")
  }
}
