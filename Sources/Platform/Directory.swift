public import Rooms

/// Accounts and sessions: what must be found before any room is known. Nothing of it is ever sent to a client.
public protocol Directory: Sendable {
  /// Makes an account together with its own room and first session, in one transaction.
  ///
  func createAccount(
    _ account: Account, by proof: AccountProof, room: RoomCommit, session: SessionRecord,
    reply: Reply<Result<AccountCreation, StoreError>>)
  func account(by key: AccountKey, reply: Reply<Result<Account?, StoreError>>)
  /// Makes changes of one person's account and sessions in their order, all or none.
  ///
  /// With a revision, the changes are made only if the account still has it: a decision that rests on the account as it
  /// was read, such as on its password, takes effect only if the account has not changed meanwhile.
  func change(
    _ person: ID<Person>, expecting revision: Revision?, _ changes: [AccountChange],
    reply: Reply<Result<AccountOutcome, StoreError>>)
  func session(tokenHash: [UInt8], reply: Reply<Result<SessionRecord?, StoreError>>)
  /// The sessions of a person, oldest first.
  func sessions(of person: ID<Person>, reply: Reply<Result<[SessionRecord], StoreError>>)
  /// The session with an id.
  func session(_ id: ID<Session>, reply: Reply<Result<SessionRecord?, StoreError>>)
  /// A page of all accounts in the order of their persons: those behind `person`, at most `limit`. A page of fewer
  /// accounts is the last.
  func accounts(after person: ID<Person>?, limit: Int, reply: Reply<Result<[ListedAccount], StoreError>>)
  /// The numbers of accounts and of sessions.
  func count(reply: Reply<Result<DirectoryCount, StoreError>>)
  /// Notes that a session is in use. It is written within a minute; a crash may lose it.
  func touchSession(_ session: ID<Session>, at instant: Instant)
  /// The store's own secret, 32 bytes, from which keys are derived for their purposes. It never changes.
  func secret(reply: Reply<Result<[UInt8], StoreError>>)
  /// Notes that a solved puzzle is used (SEC-10). Answers `false` if it was used before.
  ///
  /// - Parameters:
  ///   - call: The call that uses it, which may use it again; empty if it has no number.
  ///   - end: The time until which it is remembered.
  func spend(
    puzzle challenge: [UInt8], by call: [UInt8], until end: Instant, at now: Instant,
    reply: Reply<Result<Bool, StoreError>>)
}

extension Directory {
  /// Makes an account that has its address, or none, at once.
  public func createAccount(
    _ account: Account, room: RoomCommit, session: SessionRecord,
    reply: Reply<Result<AccountCreation, StoreError>>
  ) { createAccount(account, by: .none, room: room, session: session, reply: reply) }
}

/// A key by which the directory finds an account.
public enum AccountKey: Sendable, Hashable {
  /// Normalised: trimmed, lower case.
  case email(String)
  case person(ID<Person>)
  /// A person at a provider of OpenID (ACC-4).
  case identity(ProviderIdentity)
}

/// A person as a provider of OpenID names them (ACC-4). Nothing else of a token is kept.
public struct ProviderIdentity: Sendable, Hashable {
  /// The provider's own name: an `https` URL.
  public var issuer: String
  /// The person's name there, which is never another's: at most 255 characters of ASCII.
  public var subject: String

  public init(issuer: String, subject: String) {
    self.issuer = issuer
    self.subject = subject
  }
}

/// An identity with the nonce that proves it once.
public struct IdentityProof: Sendable, Hashable {
  public var identity: ProviderIdentity
  public var nonce: Nonce

  /// A nonce that one token may use.
  public struct Nonce: Sendable, Hashable {
    public var bytes: [UInt8]
    /// The time until which its use is remembered; it is worth nothing from then on.
    public var end: Instant

    public init(bytes: [UInt8], end: Instant) {
      self.bytes = bytes
      self.end = end
    }
  }

  public init(identity: ProviderIdentity, nonce: Nonce) {
    self.identity = identity
    self.nonce = nonce
  }
}

/// How often an account itself has changed. Its sessions do not count.
public struct Revision: Sendable, Hashable {
  public var number: Int64

  public init(number: Int64) { self.number = number }

  /// The revision of a new account.
  public static let first = Revision(number: 0)
}

public enum AccountChange: Sendable, Equatable {
  /// Replaces the code of the same purpose. If more than `limit` in the last hour, the outcome is `tooManyCodes`.
  case setCode(AccountCode, limit: Int)
  /// Uses up a code. If it is wrong, expired or used, the outcome is `wrongCode`, and a wrong one counts.
  ///
  /// A code for an address makes it the account's, and verified. If it belongs to another account by now, the outcome
  /// is `emailTaken`.
  case useCode(AccountCode.Purpose, hash: [UInt8], at: Instant)
  /// Gives the account an address that nobody has proved. If it belongs to another one, the outcome is `emailTaken`.
  case setEmail(String)
  /// Notes that the account's address is its owner's.
  case verifyAddress(at: Instant)
  /// Delivers something to the person, or to another address in a change of theirs.
  case deliver(Delivery)
  /// Replaces the PIN's hash; `nil` leaves the account without a PIN.
  case setPINHash(String?)
  /// A session has confirmed that its person is there; its wrong PINs are forgotten.
  case confirm(ID<Session>, by: Confirmation, at: Instant)
  /// A session has given a wrong PIN. If it has given `limit` of them in this time, it ends.
  case noteWrongPIN(ID<Session>, at: Instant, limit: Int, within: Duration)
  /// Replaces the password's hash; `nil` leaves the account without a password.
  case setPasswordHash(String?)
  /// Adds a session. If the person had `limit` sessions or more, the ones longest unused end.
  case addSession(SessionRecord, limit: Int)
  case renameSession(ID<Session>, to: String)
  /// Ends sessions: their tokens are dead from then on.
  case endSessions([ID<Session>])
  /// Ends all sessions but one, or all, also those that began a moment ago.
  case endOtherSessions(than: ID<Session>?)
  /// Uses a nonce up. If it has been used before, none of the changes is made.
  case spend(IdentityProof.Nonce, at: Instant)
}

/// A code that proves, once, that its reader receives what is sent to an address.
public struct AccountCode: Sendable, Equatable {
  public enum Purpose: String, Sendable, CaseIterable {
    /// The address is to be the account's (ACC-16).
    case address
    /// The password is to be replaced (ACC-10).
    case reset
  }

  /// How many wrong ones end a code.
  public static let guesses = 5

  public var purpose: Purpose
  /// SHA-256, 32 bytes.
  public var hash: [UInt8]
  public var email: String
  public var at: Instant
  public var until: Instant

  public init(_ purpose: Purpose, hash: [UInt8], email: String, at: Instant, until: Instant) {
    self.purpose = purpose
    self.hash = hash
    self.email = email
    self.at = at
    self.until = until
  }
}

/// The proof with which an account is made.
public enum AccountProof: Sendable, Equatable {
  /// The account has its address, or none, at once.
  case none
  /// The account has no address yet: a code is on its way to the one that it claims.
  case claim(AddressClaim)
  /// The account is found by this identity from then on, and the proof is used up.
  case identity(IdentityProof)
}

/// An address that a new account claims.
public struct AddressClaim: Sendable, Equatable {
  public var code: AccountCode
  /// Brings the code to the address.
  public var letter: Delivery
  /// Tells the owner of the address, if there is an account with it.
  public var warning: Delivery

  public init(code: AccountCode, letter: Delivery, warning: Delivery) {
    self.code = code
    self.letter = letter
    self.warning = warning
  }
}

public enum AccountOutcome: Sendable, Equatable {
  /// All changes were made. They ended these sessions without naming them.
  case changed(ended: [ID<Session>])
  /// The account has another revision than expected, or there is none; nothing was changed.
  case outdated
  /// Nothing was changed, except that a wrong code was counted.
  case wrongCode
  /// Another account has the address; nothing was changed, but the code is used up.
  case emailTaken
  /// Nothing was changed: another code may be made at this time.
  case tooManyCodes(until: Instant)
  /// One of the changes needs a nonce that has been used before; nothing was changed.
  case nonceSpent
}

public struct Account: Sendable, Equatable {
  public var person: ID<Person>
  /// Normalised: trimmed, lower case. `nil` if the account has none, or has not proved one yet.
  public var email: String?
  /// When its owner proved that they receive what is sent to the address; `nil` if they have not.
  public var verifiedAt: Instant?
  /// The address to which an open code was sent, if the account shall have it.
  public var pendingEmail: String?
  /// `nil` if the account has no password.
  public var passwordHash: String?
  /// `nil` if the account has no PIN (BIL-8).
  public var pinHash: String?
  public var createdAt: Instant
  public var revision: Revision

  public init(
    person: ID<Person>, email: String?, verifiedAt: Instant? = nil, pendingEmail: String? = nil,
    passwordHash: String?, pinHash: String? = nil, createdAt: Instant, revision: Revision = .first
  ) {
    self.person = person
    self.email = email
    self.verifiedAt = verifiedAt
    self.pendingEmail = pendingEmail
    self.passwordHash = passwordHash
    self.pinHash = pinHash
    self.createdAt = createdAt
    self.revision = revision
  }
}

/// An account and its sessions, oldest first.
public struct ListedAccount: Sendable, Equatable {
  public var account: Account
  public var sessions: [SessionRecord]

  public init(_ account: Account, sessions: [SessionRecord]) {
    self.account = account
    self.sessions = sessions
  }
}

/// The size of a directory.
public struct DirectoryCount: Sendable, Equatable {
  public var accounts: Int
  public var sessions: Int

  public init(accounts: Int, sessions: Int) {
    self.accounts = accounts
    self.sessions = sessions
  }
}

public enum AccountCreation: Sendable, Equatable {
  case created
  /// The address has an account already; nothing was changed.
  case emailTaken
  /// The identity has an account already; nothing was changed.
  case identityTaken
  /// The nonce has been used before; nothing was changed.
  case nonceSpent
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
  /// Its last confirmation; `nil` if there was none.
  public var confirmed: Confirmed?

  /// The way in which a session has confirmed, and the time.
  public struct Confirmed: Sendable, Equatable {
    public var by: Confirmation
    public var at: Instant

    public init(by: Confirmation, at: Instant) {
      self.by = by
      self.at = at
    }
  }

  public init(
    id: ID<Session>, person: ID<Person>, tokenHash: [UInt8], name: String, createdAt: Instant, lastUsedAt: Instant,
    confirmed: Confirmed? = nil
  ) {
    self.id = id
    self.person = person
    self.tokenHash = tokenHash
    self.name = name
    self.createdAt = createdAt
    self.lastUsedAt = lastUsedAt
    self.confirmed = confirmed
  }
}
