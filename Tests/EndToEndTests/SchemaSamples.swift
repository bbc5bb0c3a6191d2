import JSON

/// Sample values for a JSON Schema: valid ones, and ones just inside and just outside each limit.
enum SchemaSamples {
  struct Case {
    let value: JSON
    /// The path of the limit from the parameter on, such as `place.x`.
    let path: String
    let isAllowed: Bool
    let limit: String
  }

  /// A value that the schema allows.
  static func value(_ schema: JSON) -> JSON {
    if let first = schema["anyOf"]?[0] { return value(first) }
    if let word = schema["enum"]?[0] { return word }
    switch type(of: schema) {
    case "string": return text(schema, schema["minLength"]?.int ?? 1)
    case "integer", "number": return schema["minimum"] ?? 1
    case "boolean": return true
    case "array":
      return .array(Array(repeating: value(schema["items"] ?? [:]), count: schema["minItems"]?.int ?? 0))
    case "object":
      let required = schema["required"]?.array?.compactMap(\.string) ?? []
      let members = required.map { ($0, value(schema["properties"]?[$0] ?? [:])) }
      return .object(Dictionary(members, uniquingKeysWith: { $1 }))
    default: return .null
    }
  }

  /// A string of `count` characters in the schema's format.
  private static func text(_ schema: JSON, _ count: Int) -> JSON {
    switch schema["format"]?.string {
    case "uuid": return "c11e0000-0000-4000-8000-00000000000f"
    case "date-time": return "2026-05-01T09:00:00.000Z"
    case "date": return "1998-02-28"
    case "emoji": return .string(String(repeating: "👍", count: count))
    case "email":
      // The local part has at most 64 characters, each label of the domain 63.
      guard count > 4 else { return .string("a@b.c".prefix(count).description) }
      let length = max(3, count - 65)
      let domain = (length % 2 == 0 ? "dd" : "d") + String(repeating: ".d", count: (length - 1) / 2)
      return .string("\(String(repeating: "l", count: count - domain.count - 1))@\(domain)")
    default: return .string(String(repeating: schema["pattern"] == nil ? "é" : "A", count: count))
    }
  }

  private static func type(of schema: JSON) -> String? { schema["type"]?.string ?? schema["type"]?[0]?.string }

  /// Values just inside and just outside every limit, at any depth.
  static func cases(_ schema: JSON, at path: String) -> [Case] {
    var cases: [Case] = []
    func add(_ keyword: String, _ step: Int, _ make: (Int) -> JSON) {
      guard let limit = schema[keyword]?.int else { return }
      cases.append(Case(value: make(limit), path: path, isAllowed: true, limit: "\(keyword) \(limit)"))
      guard limit + step >= 0 || !(keyword.hasSuffix("Items") || keyword.hasSuffix("Length")) else { return }
      cases.append(Case(value: make(limit + step), path: path, isAllowed: false, limit: "\(keyword) \(limit)"))
    }
    func number(_ value: Int) -> JSON { .number(JSON.Number(value)) }
    add("minLength", -1) { text(schema, $0) }
    add("maxLength", 1) { text(schema, $0) }
    add("minimum", -1, number)
    add("maximum", 1, number)
    if let limit = schema["exclusiveMinimum"]?.int {
      cases.append(Case(value: number(limit), path: path, isAllowed: false, limit: "exclusiveMinimum"))
    }
    let item = schema["items"].map(value) ?? .null
    // Ids differ, since no list names one twice.
    func items(_ count: Int) -> JSON {
      guard schema["items"]?["format"] == "uuid" else { return .array(Array(repeating: item, count: count)) }
      return .array((0..<count).map { .string("c11e0000-0000-4000-8000-\(100_000_000_000 + $0)") })
    }
    add("minItems", -1, items)
    add("maxItems", 1, items)
    if let words = schema["enum"]?.array {
      for word in words { cases.append(Case(value: word, path: path, isAllowed: true, limit: "enum")) }
      cases.append(Case(value: "no such word", path: path, isAllowed: false, limit: "enum"))
    }
    for (name, inner) in schema["properties"]?.object ?? [:] {
      for found in Self.cases(inner, at: "\(path).\(name)") {
        var whole = value(schema).object ?? [:]
        whole[name] = found.value
        cases.append(Case(value: .object(whole), path: found.path, isAllowed: found.isAllowed, limit: found.limit))
      }
    }
    if let items = schema["items"] {
      for found in Self.cases(items, at: "\(path).0") {
        cases.append(Case(value: [found.value], path: found.path, isAllowed: found.isAllowed, limit: found.limit))
      }
    }
    return cases
  }
}
