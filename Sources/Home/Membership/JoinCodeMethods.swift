import Crypto
import JSON
import Rooms

/// A code that lets its bearers in (HH-3). The code itself is told once, to who made it.
struct JoinCode: Record {
  var by = ID<Person>()
  var at = Instant()
  var expiresAt = Instant()
  /// How many may use it, and how many have.
  var uses = 0
  var used = 0

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("by", \.by)
    field("at", \.at)
    field("expiresAt", \.expiresAt)
    field("uses", \.uses)
    field("used", \.used)
  }
}

/// SHA-256 of a code, hexadecimal.
struct CodeHash: Record {
  var hash = ""

  static func fields(_ field: inout some FieldVisitor<Self>) { field("hash", \.hash) }
}

/// Ten characters that are hard to mistake (Crockford's Base32): read in either case, with spaces or hyphens, with
/// O for 0 and I or L for 1.
struct JoinCodeText: Field {
  static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
  static let length = 10

  var text = ""

  /// Five bits of each of ten bytes.
  init(random: [UInt8]) {
    text = String(decoding: random.prefix(Self.length).map { Self.alphabet[Int($0 & 31)] }, as: UTF8.self)
  }

  init() {}

  /// `nil` for what cannot be a code.
  init?(_ written: String) {
    guard written.utf8.count <= 64 else { return nil }
    var letters: [UInt8] = []
    for byte in written.uppercased().utf8 {
      switch byte {
      case UInt8(ascii: " "), UInt8(ascii: "-"): continue
      case UInt8(ascii: "O"): letters.append(UInt8(ascii: "0"))
      case UInt8(ascii: "I"), UInt8(ascii: "L"): letters.append(UInt8(ascii: "1"))
      default: letters.append(byte)
      }
    }
    guard letters.count == Self.length, letters.allSatisfy(Self.alphabet.contains) else { return nil }
    text = String(decoding: letters, as: UTF8.self)
  }

  var hash: [UInt8] { SHA256.hash(Array(text.utf8)) }

  static func read(_ view: View?, _ problems: Problems) -> Self? {
    guard let text = String.read(view, problems) else { return nil }
    guard let code = JoinCodeText(text) else {
      problems.note("must be a code of \(length) letters and digits")
      return nil
    }
    return code
  }

  func write(to writer: Writer) { text.write(to: writer) }

  static func schema(_ limit: ClosedRange<Int>?) -> JSON { String.schema(length...64) }
}

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

/// Makes a code with which others may join; it is told only in this answer (HH-3).
struct CreateJoinCode: Mutation {
  static let method: StaticString = "joinCodes.create"
  static let summary: StaticString = "Makes a code with which others may join; it is told only in this answer (HH-3)."
  static let makesSecret = true
  var id: ID<JoinCode>?
  var uses: Int?
  var expiresAt: Instant?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("uses", \.uses, Limits.joinCodeUses)
    field("expiresAt", \.expiresAt)
  }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> JoinCodeAnswer {
    let latest = context.now + Limits.joinCodeAge
    let expiresAt = expiresAt ?? latest
    guard expiresAt > context.now, expiresAt <= latest else {
      throw .invalid("expiresAt", "must be in the next 7 days")
    }
    let id = context.newID(id)
    try home.checkNew(id)
    if home.joinCodes.count >= Limits.joinCodes {
      throw .full("joinCodes", "At most \(Limits.joinCodes) codes may be valid.")
    }
    let code = JoinCodeText(random: context.secret)
    guard code.text.utf8.count == JoinCodeText.length else {
      throw Refusal(.unavailable, "secret", "There is no secret to make a code of.").temporary()
    }
    let row = JoinCode(
      by: context.person, at: context.now, expiresAt: expiresAt, uses: uses ?? 8)
    home.joinCodes[id] = row
    home.codeHashes[id] = CodeHash(hash: Hex.encode(code.hash))
    home.upkeep.plan(expiresAt)
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
    guard let code = home.joinCodes[id] else { throw .gone("This code") }
    guard code.by == context.person || home.isHost(context.person) else { throw .forbidden }
    home.removeCode(id, in: context)
    return NoAnswer()
  }
}

/// Somebody shows a code; it comes from his own room.
struct CodePresented: Message {
  static let name = "codePresented"
  var call = CallReference()
  /// SHA-256 of the code, hexadecimal.
  var hash = ""
  var newcomer = Newcomer()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("call", \.call)
    field("hash", \.hash)
    field("newcomer", \.newcomer)
  }

  func apply(to home: inout HouseholdState, from source: RoomID, in context: Context) {
    guard case .person(let person) = source else { return }
    let isMember = home.members.contains(person)
    var problem: JoinProblem? = .gone
    let id = home.codeHashes.first { $0.value.hash == hash }?.key
    if let id, let code = home.joinCodes[id], code.expiresAt > context.now, code.used < code.uses, !isMember {
      problem = home.admit(person, newcomer, call, in: context)
      if problem == nil { home.use(id, in: context) }
    } else if isMember {
      problem = home.admit(person, newcomer, call, in: context)
    }
    if let problem { context.send(JoinRefused(call: call, problem: problem), to: source) }
  }
}

extension HouseholdState {
  /// Counts one use; a code that is used up goes.
  fileprivate mutating func use(_ id: ID<JoinCode>, in context: Context) {
    joinCodes[id]?.used += 1
    if let code = joinCodes[id], code.used >= code.uses { removeCode(id, in: context) }
  }

  mutating func removeCode(_ id: ID<JoinCode>, in context: Context) {
    if let hash = codeHashes[id].flatMap({ Hex.decode($0.hash) }) { context.forget(secretHash: hash) }
    joinCodes[id] = nil
    codeHashes[id] = nil
    forget(id, at: context.now)
  }
}
