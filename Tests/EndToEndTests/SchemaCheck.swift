import JSON

@testable import Server

/// Compares what the server sends with what `rpc.discover` says of it.
///
/// The description allows unknown members, which clients pass over; here each one is a fault.
enum SchemaCheck {
  private static let documents = Discovery.documents
  private static let notifications = Dictionary(
    Discovery.notifications.map { ($0["name"]?.string ?? "", $0["params"]?.array ?? []) }
  ) { $1 }

  /// Faults of a notification; empty if it is as described.
  static func problems(ofNotification method: String, _ parameters: JSON) -> [String] {
    guard let described = notifications[method] else { return ["\(method) is not described"] }
    let fields = described.map { ($0["name"]?.string ?? "", $0) }
    let lacking = fields.filter { $0.1["required"] == true && parameters[$0.0] == nil }
    let missing = lacking.map { "\(method) lacks \($0.0)" }
    let properties = Dictionary(fields.map { ($0.0, $0.1["schema"] ?? [:]) }) { $1 }
    return missing + members(parameters.object ?? [:], properties, method)
  }

  /// Faults of a document of a room, its `state` or `live`; empty if it is as described.
  static func problems(of document: JSON, _ part: String, inRoom room: String) -> [String] {
    let kind = room.hasSuffix("/mine") ? "corner" : String(room.prefix { $0 != "/" })
    guard let schema = documents[kind]?["properties"]?[part] else { return ["\(room) is not described"] }
    return problems(of: document, schema, kind)
  }

  private static func problems(of value: JSON, _ schema: JSON, _ path: String) -> [String] {
    if let choices = schema["anyOf"]?.array {
      let found = choices.map { problems(of: value, $0, path) }
      return found.contains([]) ? [] : found.first ?? []
    }
    let types = (schema["type"]?.array ?? schema["type"].map { [$0] } ?? []).compactMap(\.string)
    guard types.isEmpty || types.contains(where: { matches(value, $0) }) else {
      return ["\(path) is \(value.text), no \(types)"]
    }
    if let words = schema["enum"]?.array, !words.contains(value) { return ["\(path) is \(value.text), no \(words)"] }
    if let items = schema["items"] {
      return (value.array ?? []).flatMap { problems(of: $0, items, "\(path)[]") }
    }
    guard let object = value.object else { return [] }
    if let row = schema["additionalProperties"], row.object != nil {
      return object.flatMap { problems(of: $0.value, row, "\(path).*") }
    }
    guard let properties = schema["properties"]?.object else { return [] }
    let missing = (schema["required"]?.array ?? []).compactMap(\.string).filter { object[$0] == nil }
    return missing.map { "\(path) lacks \($0)" } + members(object, properties, path)
  }

  private static func members(_ object: [String: JSON], _ properties: [String: JSON], _ path: String) -> [String] {
    object.flatMap { name, value in
      properties[name].map { problems(of: value, $0, "\(path).\(name)") } ?? ["\(path).\(name) is not described"]
    }
  }

  private static func matches(_ value: JSON, _ type: String) -> Bool {
    switch (value, type) {
    case (.null, "null"), (.bool, "boolean"), (.string, "string"), (.array, "array"), (.object, "object"),
      (.number, "number"):
      true
    case (.number, "integer"): value.int != nil
    default: false
    }
  }
}
