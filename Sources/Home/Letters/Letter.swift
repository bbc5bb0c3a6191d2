import Crypto
import JSON
public import Rooms

/// A letter to one address, as it stands in the commit of its cause: its content, not yet its words.
public struct Letter: Record, Sendable, Equatable {
  public var kind = LetterKind.addressCode
  /// The address of its one recipient.
  public var to = ""
  /// The name of the person it is about: its reader, or the sender of an invitation.
  public var name = ""
  /// A code that its reader is to type.
  public var code: String?
  /// The name of the household that it invites to.
  public var household: String?

  public init() {}

  public init(_ kind: LetterKind, to email: String, name: String, code: String? = nil, household: String? = nil) {
    self.kind = kind
    to = email
    self.name = name
    self.code = code
    self.household = household
  }

  public static func fields(_ field: inout some FieldVisitor<Self>) {
    field("kind", \.kind)
    field("to", \.to)
    field("name", \.name)
    field("code", \.code)
    field("household", \.household)
  }

  /// The letter in the body of a delivery; `nil` if it is none of this release.
  public static func read(_ body: [UInt8]) -> Letter? {
    // The view is of the tape.
    let tape = Tape(depthLimit: 8, nodeLimit: 64)
    return withExtendedLifetime(tape) {
      guard let view = try? tape.parse(body.span) else { return nil }
      let problems = Problems()
      let letter = Letter.read(view, problems)
      return problems.isEmpty ? letter : nil
    }
  }

  /// The letter on its way by mail.
  public func delivery<Of>(_ id: ID<Of>, at now: Instant, until: Instant) -> Delivery {
    Delivery(id, .mail, notBefore: now, until: until, self)
  }
}

/// The causes of letters.
public enum LetterKind: String, Word, Sendable {
  /// A code proves that the reader has the address (ACC-16).
  case addressCode
  /// A person signs up with the address of an account that exists (ACC-1).
  case addressTaken
  /// The account has another address now; this goes to the one before (ACC-16).
  case addressChanged
  /// A code replaces a forgotten password (ACC-10).
  case resetCode
  /// A household invites an address that has no account (HH-4).
  case invitation
  /// A person invites an address that has no account to be their contact (LOC-33).
  case contact
}

extension Letter {
  /// The secret under which a room finds the owner of an address that it has invited.
  public static func awaiting(_ email: String) -> [UInt8] { SHA256.hash(Array("awaits \(email)".utf8)) }
}
