public import JSON

/// The reason why a call was not carried out, sent as JSON-RPC's error object.
public struct Refusal: Error, Equatable, Sendable {
  /// The protocol's codes beside JSON-RPC's own (DESIGN §3).
  public enum Code: Int, Sendable, CaseIterable {
    case unauthorized = 1
    case forbidden = 2
    case notFound = 3
    case conflict = 4
    case rateLimited = 5
    case tooLarge = 6
    case unavailable = 7
    case parseError = -32700
    case invalidRequest = -32600
    case methodNotFound = -32601
    case invalidParams = -32602
    case internalError = -32603
  }

  public var code: Code
  /// A stable word for programs.
  public var reason: String
  /// A sentence for people.
  public var message: String
  /// Whether the same call may succeed later, unchanged.
  public var isTemporary = false
  /// The delay before a retry.
  public var retryAfter: Duration?
  /// The bad fields and their problems, for `invalidParams`.
  public var fields: [Problems.Problem] = []
  /// The puzzle to solve before the call is made again (SEC-10); empty for other refusals.
  public var puzzle: [String: JSON] = [:]
  /// Further members of the error's `data`, which the reason explains.
  public var details: [String: JSON] = [:]

  public init(_ code: Code, _ reason: String, _ message: String) {
    self.code = code
    self.reason = reason
    self.message = message
  }

  public static func invalid(_ fields: [Problems.Problem]) -> Refusal {
    let names = fields.map { $0.path.isEmpty ? $0.text : "\($0.path) \($0.text)" }.joined(separator: "; ")
    var refusal = Refusal(.invalidParams, "invalidParams", "Invalid parameters: \(names).")
    refusal.fields = fields
    return refusal
  }

  public static func invalid(_ problems: Problems) -> Refusal {
    var refusal = invalid(problems.list)
    refusal.details = problems.details
    return refusal
  }

  /// A refusal for one field that breaks a rule over several fields.
  public static func invalid(_ field: String, _ text: String) -> Refusal {
    invalid([Problems.Problem(path: field, text: text)])
  }

  public func temporary(after delay: Duration? = nil) -> Refusal {
    var copy = self
    copy.isTemporary = true
    copy.retryAfter = delay
    return copy
  }

  /// Whether a receipt keeps the refusal: only if the same call would be refused again for the same reason (SYN-3).
  public var isRemembered: Bool {
    !isTemporary && code != .notFound && code != .unauthorized && code.rawValue > 0 && puzzle.isEmpty
  }

  /// Writes the error object.
  public func write(to writer: Writer) {
    writer.openObject()
    writer.key("code")
    writer.int(code.rawValue)
    writer.key("message")
    writer.string(message)
    writer.key("data")
    writer.openObject()
    writer.key("reason")
    writer.string(reason)
    if isTemporary {
      writer.key("temporary")
      writer.bool(true)
    }
    if let retryAfter {
      writer.key("retryAfter")
      writer.int(Int(retryAfter.milliseconds))
    }
    if !fields.isEmpty {
      writer.key("fields")
      writer.openObject()
      var named: Set<String> = []
      for field in fields where named.insert(field.path).inserted {
        writer.key(field.path)
        writer.string(field.text)
      }
      writer.closeObject()
    }
    if !puzzle.isEmpty {
      writer.key("puzzle")
      JSON.object(puzzle).write(to: writer)
    }
    for (name, value) in details.sorted(by: { $0.key < $1.key }) {
      writer.key(name)
      value.write(to: writer)
    }
    writer.closeObject()
    writer.closeObject()
  }
}
