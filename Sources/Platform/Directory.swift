public import Rooms

/// Accounts and sessions: what must be found before any room is known. Nothing here is ever sent to a client.
public protocol Directory: Sendable {
  /// Makes an account together with its own room and first session, in one transaction.
  func createAccount(
    _ account: Account, room: RoomCommit, session: SessionRecord,
    reply: Reply<Result<AccountCreation, StoreError>>)
  func account(email: String, reply: Reply<Result<Account?, StoreError>>)
  func account(person: ID<Person>, reply: Reply<Result<Account?, StoreError>>)
  /// Replaces a password's hash, to raise its cost.
  func setPasswordHash(_ hash: String, of person: ID<Person>, reply: Reply<Result<Void, StoreError>>)
  /// Makes a session. Of more than `limit` of a person the longest unused others end, which it answers with.
  func createSession(
    _ session: SessionRecord, limit: Int, reply: Reply<Result<[ID<Session>], StoreError>>)
  func session(tokenHash: [UInt8], reply: Reply<Result<SessionRecord?, StoreError>>)
  /// Notes that a session is in use; written with other things, nobody waiting.
  func touchSession(_ session: ID<Session>, at instant: Instant)
  func sessions(of person: ID<Person>, reply: Reply<Result<[SessionRecord], StoreError>>)
  func renameSession(_ session: ID<Session>, to name: String, reply: Reply<Result<Void, StoreError>>)
  /// Ends sessions, all or none: their tokens are dead from then on.
  func revokeSessions(_ sessions: [ID<Session>], reply: Reply<Result<Void, StoreError>>)
}

public struct Account: Sendable, Equatable {
  public var person: ID<Person>
  /// Normalised: trimmed, lower case.
  public var email: String
  /// `nil` where the account has no password.
  public var passwordHash: String?
  public var createdAt: Instant

  public init(person: ID<Person>, email: String, passwordHash: String?, createdAt: Instant) {
    self.person = person
    self.email = email
    self.passwordHash = passwordHash
    self.createdAt = createdAt
  }
}

public enum AccountCreation: Sendable, Equatable {
  case created
  /// The address has an account already; nothing was changed.
  case emailTaken
}

/// A signed-in device (ACC-15). The token itself is never kept, only its SHA-256 (SEC-1).
public struct SessionRecord: Sendable, Equatable {
  public var id: ID<Session>
  public var person: ID<Person>
  /// 32 bytes.
  public var tokenHash: [UInt8]
  /// The device's name, as its client gave it.
  public var name: String
  public var createdAt: Instant
  public var lastUsedAt: Instant

  public init(
    id: ID<Session>, person: ID<Person>, tokenHash: [UInt8], name: String, createdAt: Instant, lastUsedAt: Instant
  ) {
    self.id = id
    self.person = person
    self.tokenHash = tokenHash
    self.name = name
    self.createdAt = createdAt
    self.lastUsedAt = lastUsedAt
  }
}
