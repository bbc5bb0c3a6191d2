import Home
import JSON
import Rooms

/// The OpenRPC document: every method with its parameters, limits, rooms and errors, made from the same lists that
/// calls are read by (NFR-3).
enum Discovery {
  static func make(_ table: MethodTable, _ configuration: Configuration) -> JSON {
    let providers = configuration.openID.map(\.name).sorted()
    var components: [String: JSON] = ["errors": .object(errors)]
    // Other lists of methods, such as the administrator's, have no rooms.
    let hasRooms = table.entries.contains { !$0.methods.isEmpty }
    if hasRooms { components["schemas"] = .object(documents) }
    var document: [String: JSON] = [
      "openrpc": "1.3.2",
      "info": [
        "title": "Hearth", "version": "1",
        "description": "Calls of the protocol hearth.v1: over a WebSocket on /sync, or by POST /rpc.",
        "license": ["name": "See the file LICENSE of the server."],
      ],
      "methods": .array(table.entries.map { method($0) }),
      "components": .object(components),
      "x-limits": .object(
        Dictionary(
          PublishedLimits.all(configuration).map { ($0.0, .number(JSON.Number($0.1))) }, uniquingKeysWith: { $1 })),
    ]
    if hasRooms { document["x-notifications"] = .array(notifications) }
    if !providers.isEmpty { document["x-openid"] = .array(providers.map(JSON.string)) }
    return .object(document)
  }

  /// The reasons for which methods of accounts are refused, besides those of all.
  private static let refusals: [String: [Refusal.Code]] = [
    "auth.signUp": [.forbidden, .conflict, .rateLimited],
    "auth.logIn": [.unauthorized, .forbidden, .rateLimited],
    "auth.logInWithToken": [.unauthorized, .notFound, .rateLimited],
    "auth.sendCode": [.conflict, .rateLimited],
    "auth.verify": [.forbidden, .conflict],
    "auth.changeAddress": [.forbidden, .notFound, .conflict, .rateLimited],
    "auth.forgotPassword": [.conflict, .rateLimited],
    "auth.resetPassword": [.forbidden, .rateLimited],
    "auth.changePassword": [.forbidden, .notFound, .rateLimited],
    "auth.confirm": [.forbidden, .notFound, .conflict, .rateLimited],
    "auth.setPin": [.forbidden, .notFound, .rateLimited],
    "auth.removePin": [.forbidden, .conflict],
    "admin.accounts": [.notFound], "admin.sessions": [.notFound], "admin.revoke": [.notFound],
    "admin.resetCode": [.notFound, .forbidden],
  ]

  // MARK: one method

  private static func method(_ entry: MethodEntry) -> JSON {
    let name = entry.name
    let variants = entry.methods.sorted { $0.room.rawValue < $1.room.rawValue }
    guard let server = entry.server else { return method(name, of: variants) }
    let note = serverMethods[name] ?? adminMethods[name]
    var codes: [Refusal.Code] = [.invalidParams, .unavailable]
    if server.needsPerson { codes.append(.unauthorized) }
    if server.place != .connection { codes.append(.notFound) }
    codes += refusals[name] ?? []
    if name == "room.subscribe" { codes.append(.tooLarge) }
    return method(
      name, note?.summary ?? "", server.describe().map { descriptor($0) }, answer: note?.answer ?? [], codes,
      rooms: note?.rooms ?? [])
  }

  /// A method of the domain: one for each kind of room that has it.
  private static func method(_ name: String, of variants: [Method]) -> JSON {
    let isMutation = variants.contains { $0.kind == .mutation }
    let isOfMe = variants.count == 1 && variants[0].room == .me
    var parameters: [JSON] = [descriptor(room(of: variants.map(\.room), isRequired: !isOfMe))]
    if isMutation {
      parameters.append(
        descriptor(
          FieldDescription("seq", Int.schema(1...Int(WireLimits.clientNumber - 1))),
          "The number of this call, by which sending it again has no second effect."))
      parameters.append(
        descriptor(
          FieldDescription("answered", Int.schema(0...Int(WireLimits.clientNumber - 2))),
          "Every answer up to this number has arrived."))
    }
    let lists = variants.map { (room: $0.room, fields: $0.describe()) }
    var seen: Set<String> = []
    for field in lists.flatMap(\.fields.parameters) where seen.insert(field.name).inserted {
      let same = lists.filter { $0.fields.parameters.contains { $0.name == field.name } }
      var merged = field
      let all = same.flatMap(\.fields.parameters).filter { $0.name == field.name }
      merged.isRequired = same.count == lists.count && all.allSatisfy(\.isRequired)
      if all.contains(where: { $0.schema != field.schema }) { merged.schema = ["anyOf": .array(all.map(\.schema))] }
      var parameter = descriptor(merged)
      if same.count < lists.count {
        parameter = parameter.adding(["x-rooms": .array(same.map { .string($0.room.form) })])
      }
      parameters.append(parameter)
    }
    var answer = isMutation ? [FieldDescription("version", Int.schema(0...Int.max), isRequired: true)] : []
    for field in lists.flatMap(\.fields.answer) where !answer.contains(where: { $0.name == field.name }) {
      answer.append(field)
    }
    var codes: [Refusal.Code] = [.invalidParams, .unauthorized, .forbidden, .notFound, .unavailable]
    if isMutation { codes += [.conflict, .rateLimited, .tooLarge] }
    return method(
      name, variants.map(\.summary).joined(separator: " "), parameters, answer: answer, codes,
      rooms: variants.map(\.room.form))
  }

  private static func method(
    _ name: String, _ summary: String, _ parameters: [JSON], answer: [FieldDescription], _ codes: [Refusal.Code],
    rooms: [String]
  ) -> JSON {
    // Clients pass over members that they do not know, so an answer may have more than these.
    var schema = JSON.schema(of: answer).object ?? [:]
    schema["additionalProperties"] = nil
    var method: [String: JSON] = [
      "name": .string(name), "summary": .string(summary), "paramStructure": "by-name", "params": .array(parameters),
      "result": ["name": "result", "schema": .object(schema)],
      "errors": .array(codes.map { ["$ref": .string("#/components/errors/\($0)")] }),
    ]
    if !rooms.isEmpty { method["x-rooms"] = .array(rooms.map(JSON.string)) }
    return .object(method)
  }

  static func descriptor(_ field: FieldDescription, _ text: String? = nil) -> JSON {
    var descriptor: [String: JSON] = [
      "name": .string(field.name), "schema": field.schema, "required": .bool(field.isRequired),
    ]
    if let text { descriptor["description"] = .string(text) }
    return .object(descriptor)
  }

  private static func room(of kinds: [RoomKindName], isRequired: Bool) -> FieldDescription {
    let id = ID<Household>.pattern
    let forms = kinds.map { $0.form.replacing("ID", with: id) }
    let pattern = forms.count == 1 ? "^\(forms[0])$" : "^(\(forms.joined(separator: "|")))$"
    return FieldDescription("room", ["type": "string", "pattern": .string(pattern)], isRequired: isRequired)
  }

  // MARK: what is the same for all

  private static let errors: [String: JSON] = {
    var errors: [String: JSON] = [:]
    for code in Refusal.Code.allCases {
      errors["\(code)"] = ["code": .number(JSON.Number(code.rawValue)), "message": .string(text(of: code))]
    }
    return errors
  }()

  private static func text(of code: Refusal.Code) -> String {
    switch code {
    case .unauthorized: "No valid token."
    case .forbidden: "This is for somebody else in the room to do."
    case .notFound: "There is no such room or thing here, or not any more."
    case .conflict: "It contradicts what is there, or another call."
    case .rateLimited: "Too many; data.retryAfter says when to come back."
    case .tooLarge: "A limit is reached; data.reason names it."
    case .unavailable: "The server cannot do this at the moment."
    case .parseError: "Not JSON."
    case .invalidRequest: "Not a JSON-RPC 2.0 request."
    case .methodNotFound: "There is no such method."
    case .invalidParams: "data.fields says what is wrong with which parameter."
    case .internalError: "A mistake of the server."
    }
  }

  // MARK: the server's own methods

  private static let signedIn: [FieldDescription] = [
    FieldDescription("me", ID<Person>.schema(nil), isRequired: true),
    FieldDescription("session", ID<Rooms.Session>.schema(nil), isRequired: true),
    FieldDescription("token", ["type": "string"], isRequired: true),
    FieldDescription("deviceToken", ["type": "string"], isRequired: true),
  ]

  /// Methods that take a new address or a new person check more than their lists say.
  static func checked(_ fields: [FieldDescription]) -> [FieldDescription] {
    let limits = Dictionary(PublishedLimits.all(), uniquingKeysWith: { $1 })
    return fields.map { field in
      var field = field
      switch field.name {
      case "email": field.schema = String.schema(5...(limits["email"] ?? 254)).adding(["format": "email"])
      case "name": field.schema = String.schema(1...(limits["name"] ?? 64))
      case "birthday": field.schema = field.schema.adding(["format": "date"])
      default: break
      }
      return field
    }
  }

  /// The parts of their descriptions that their parameters do not hold.
  static let serverMethods: [String: (summary: String, answer: [FieldDescription], rooms: [String])] = [
    "hello": (
      "Begins a connection: who is there, and what the server's limits are (SYN-1).",
      [
        FieldDescription("now", Instant.schema(nil), isRequired: true),
        FieldDescription("heartbeat", Int.schema(1...60_000), isRequired: true),
        FieldDescription("limits", ["type": "object"], isRequired: true),
        FieldDescription(
          "page",
          [
            "type": "object", "properties": ["version": ["type": "string"], "mapTiles": ["type": "string"]],
            "required": ["version"], "additionalProperties": false,
          ]),
        FieldDescription("openid", [String].schema(nil)),
        FieldDescription("me", ID<Person>.schema(nil)), FieldDescription("session", ID<Rooms.Session>.schema(nil)),
        FieldDescription("rooms", [String].schema(nil)),
      ], []
    ),
    "rpc.discover": (
      "Answers this document (NFR-3).",
      [
        FieldDescription("openrpc", ["type": "string"], isRequired: true),
        FieldDescription("info", ["type": "object"], isRequired: true),
        FieldDescription("methods", ["type": "array"], isRequired: true),
      ], []
    ),
    "auth.signUp": ("Makes an account and logs in (ACC-1, ACC-2).", signedIn, []),
    "auth.logIn": ("Logs in with an e-mail address and a password (ACC-3).", signedIn, []),
    "auth.nonce": (
      "Answers a nonce for an ID token, which counts once and for ten minutes (ACC-4).",
      [
        FieldDescription("nonce", ["type": "string"], isRequired: true),
        FieldDescription("expiresAt", Instant.schema(nil), isRequired: true),
      ], []
    ),
    "auth.logInWithToken": (
      "Logs in with an ID token of OpenID Connect, and makes an account at the first time (ACC-4).",
      signedIn.map {
        FieldDescription($0.name, $0.schema, isRequired: $0.name != "deviceToken")
      }, []
    ),
    "auth.puzzle": (
      "Answers a puzzle, for a proof of work (SEC-10).",
      [
        FieldDescription("algorithm", ["type": "string", "enum": ["SHA-256"]], isRequired: true),
        FieldDescription("challenge", ["type": "string"], isRequired: true),
        FieldDescription("maxnumber", Int.schema(0...Int.max), isRequired: true),
        FieldDescription("salt", ["type": "string"], isRequired: true),
        FieldDescription("signature", ["type": "string"], isRequired: true),
        FieldDescription("need", ["type": "boolean"], isRequired: true),
      ], []
    ),
    "auth.changePassword": (
      "Gives the caller's account another password, and ends all its other sessions (ACC-17).",
      [FieldDescription("deviceToken", ["type": "string"], isRequired: true)], []
    ),
    "auth.sendCode": ("Mails another code to the address that is to be proved (ACC-16).", [], []),
    "auth.verify": ("Takes a mailed code: its address is the account's from now on (ACC-16).", [], []),
    "auth.changeAddress": (
      "Gives the caller's account another address, once a code comes back from there (ACC-16).", [], []
    ),
    "auth.forgotPassword": ("Mails a code that replaces a forgotten password (ACC-10).", [], []),
    "auth.resetPassword": (
      "Replaces a forgotten password by a mailed code, ends all sessions and logs in (ACC-10).", signedIn, []
    ),
    "auth.confirm": (
      "Confirms, for some minutes, that the caller is the owner of the account (BIL-8).",
      [FieldDescription("until", Instant.schema(nil), isRequired: true)], []
    ),
    "auth.setPin": ("Gives the caller's account a PIN, or another one (BIL-8, ACC-17).", [], []),
    "auth.removePin": ("Leaves the caller's account without a PIN (BIL-8).", [], []),
    "auth.logOut": ("Ends the session everywhere: its token is dead (ACC-6).", [], []),
    "room.subscribe": (
      "Watches a room: the whole state or what was missed, then every change (SYN-1, SYN-2).",
      [
        FieldDescription("room", ["type": "string"], isRequired: true),
        FieldDescription("epoch", ["type": "string"], isRequired: true),
        FieldDescription("version", Int.schema(0...Int.max), isRequired: true),
        FieldDescription("state", ["type": "object"]),
        FieldDescription("reason", ["type": "string", "enum": ["new", "tooOld", "epoch", "ahead"]]),
        FieldDescription("from", Int.schema(0...Int.max)), FieldDescription("patch", ["type": "object"]),
        FieldDescription("live", ["type": "object"], isRequired: true),
        FieldDescription("seq", Int.schema(0...Int.max), isRequired: true),
      ], RoomKindName.allCases.map(\.form)
    ),
    "room.unsubscribe": ("Ends the subscription to a room.", [], RoomKindName.allCases.map(\.form)),
    "positions.report": (
      "Tells where the caller is, in every share of his that is running (LOC-5, LOC-6).",
      [
        FieldDescription("shares", Int.schema(0...Int.max), isRequired: true),
        FieldDescription("intervalSeconds", Int.schema(0...Int.max), isRequired: true),
        FieldDescription("alreadyInside", [ID<Share>].schema(nil)),
        FieldDescription("refused", [RefusedFix].schema(nil)),
      ], []
    ),
    "devices.revoke": ("Logs a device of the caller's out, or all others (ACC-15).", [], []),
    "devices.rename": ("Gives a device of the caller's another name (ACC-15).", [], []),
  ]
}

extension RoomKindName {
  /// The name of a room of this kind, with `ID` for its id.
  var form: String {
    switch self {
    case .me: "me"
    case .household: "household/ID"
    case .corner: "household/ID/mine"
    case .share: "share/ID"
    }
  }
}

extension Shard {
  /// `rpc.discover`. The document is long and anybody may ask for it, so whoever does not read is not given more.
  func discover(_ caller: Caller) {
    if connections.isFull(caller.session) { return refuse(caller, .unavailable) }
    if caller.session.isAdmin { return deliver(caller, member: Array("\"result\":".utf8) + adminDiscovery) }
    deliver(caller, member: Array("\"result\":".utf8) + discovery)
  }
}
