import Crypto
import JSON
import Rooms

struct JoinCodeAnswer: Record {
  var id = ID<JoinCode>()
  var code = ""
  var uses = 0
  var expiresAt = Instant()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("code", \.code)
    field("uses", \.uses)
    field("expiresAt", \.expiresAt)
  }
}

/// Makes a code with which others may join; only this answer holds it (HH-3).
struct CreateJoinCode: Mutation {
  static let method: StaticString = "joinCodes.create"
  static let summary: StaticString = "Makes a code with which others may join; only this answer holds it (HH-3)."
  static let makesSecret = true
  var id: ID<JoinCode>?
  var uses: Int?
  var expiresAt: Instant?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("uses", \.uses, Limits.joinCodeUses)
    field("expiresAt", \.expiresAt)
  }

  func check(_ problems: Problems, in home: inout HouseholdState, _ context: Context) {
    guard let expiresAt else { return }
    if expiresAt <= context.now || expiresAt > context.now + Limits.joinCodeAge {
      problems.note("expiresAt", "must be in the next 7 days")
    }
  }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> JoinCodeAnswer {
    let expiresAt = expiresAt ?? context.now + Limits.joinCodeAge
    let id = context.newID(id)
    try home.checkNew(id)
    if home.membership.joinCodes.count >= Limits.joinCodes {
      throw .full("joinCodes", "At most \(Limits.joinCodes) codes may be valid.")
    }
    let code = JoinCodeText(random: context.secret)
    guard code.text.utf8.count == JoinCodeText.length else {
      throw Refusal(.unavailable, "secret", "There is no secret to make a code of.").temporary()
    }
    let row = JoinCode(by: context.person, at: context.now, expiresAt: expiresAt, uses: uses ?? 8)
    home.membership.add(row, id, hash: Hex.encode(code.hash))
    context.admit(secretHash: code.hash)
    return JoinCodeAnswer(id: id, code: code.text, uses: row.uses, expiresAt: expiresAt)
  }
}

/// Makes a code invalid; its author or the host may (HH-3).
struct RevokeJoinCode: Mutation {
  static let method: StaticString = "joinCodes.revoke"
  static let summary: StaticString = "Makes a code invalid; its author or the host may (HH-3)."
  var id = ID<JoinCode>()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("id", \.id) }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> NoAnswer {
    guard let code = home.membership.joinCodes[id] else { throw .gone("This code") }
    try home.require(authorOrHost: code.by, context)
    home.removeCode(id, in: context)
    return NoAnswer()
  }
}

extension HouseholdState {
  mutating func removeCode(_ id: ID<JoinCode>, in context: Context) {
    if let hash = membership.codeHashes[id].flatMap({ Hex.decode($0.hash) }) { context.forget(secretHash: hash) }
    membership.remove(id)
    forget(id, in: context)
  }
}
