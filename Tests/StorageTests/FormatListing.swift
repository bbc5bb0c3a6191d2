import Foundation
import GRDB
import Home
import JSON
import Platform
import Rooms

@testable import Storage

/// Everything that the format number stands for, one fact a line.
enum FormatListing {
  static func lines() throws -> [String] {
    var lines = ["format \(StoreFormat.current)"]
    for kind in HomeRooms.kinds {
      let content = kind.describeContent()
      for part in content.parts.sorted(by: { $0.name < $1.name }) {
        lines += describe(part.schema, as: "\(kind.name) \(part.visibility) \(part.name)")
      }
      for (name, schema) in content.messages.sorted(by: { $0.key < $1.key }) {
        lines += describe(schema, as: "\(kind.name) message \(name)")
      }
      for (name, schema) in content.history.sorted(by: { $0.key < $1.key }) {
        lines += describe(schema, as: "\(kind.name) history \(name)")
      }
    }
    return lines + describe(Letter.schema(nil), as: "letter") + (try tables())
  }

  /// A line for each field. Limits are left out: a store holds what was within the limit when it was written.
  private static func describe(_ schema: JSON, as path: String) -> [String] {
    if let choices = schema["anyOf"]?.array {
      return choices.enumerated().flatMap { describe($1, as: "\(path)|\($0)") }
    }
    if let fields = schema["properties"]?.object {
      return fields.sorted { $0.key < $1.key }.flatMap { describe($1, as: "\(path).\($0)") }
    }
    if let values = schema["additionalProperties"], values.object != nil { return describe(values, as: "\(path).*") }
    if let items = schema["items"] { return describe(items, as: "\(path)[]") }
    // An object without fields, such as a message that says nothing but its name.
    if schema["type"]?.string == "object" { return ["\(path): object"] }
    let types = schema["type"]?.array?.compactMap(\.string) ?? [schema["type"]?.string ?? "any"]
    let words = (schema["enum"]?.array ?? []).map { $0.string ?? "null" }
    return ["\(path): " + types.joined(separator: "|") + (words.isEmpty ? "" : " " + words.joined(separator: "|"))]
  }

  private static func tables() throws -> [String] {
    let folder = try TemporaryFolder()
    let store = try SQLiteStore(path: folder.path("store"))
    defer { store.close() }
    let sql = """
      SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'grdb%' AND name NOT LIKE 'sqlite%'
      ORDER BY name
      """
    return try store.pool.read { try String.fetchAll($0, sql: sql) }.map { statement in
      "store " + statement.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
  }
}
