import Foundation
import JSON
import Rooms

/// Names in place of ids, and ages in place of times, for people.
struct Labels {
  private var names: [String: String] = [:]

  /// Collects the names of everything that the documents of the rooms name.
  init(_ states: [String: JSON], me: ID<Person>?) {
    for state in states.values {
      for table in (state.object ?? [:]).values {
        for (id, entry) in table.object ?? [:] where ID<Thing>(id) != nil {
          if let label = Self.label(of: entry), label.key != "kind" { names[id] = label.text }
        }
      }
      // The list of members is the better source than what others say of a person.
      for (id, entry) in state["members"]?.object ?? [:] { names[id] = entry["name"]?.string ?? names[id] }
    }
    if let me { names[me.description] = "you" }
  }

  /// The name of a person or a thing; the id where no room tells it.
  func name(of id: String) -> String { names[id] ?? id }

  /// The member that says best what an entry is.
  private static func label(of entry: JSON) -> (key: String, text: String)? {
    for key in ["text", "name", "title", "label", "email", "kind"] {
      if let text = entry[key]?.string { return (key, text) }
    }
    return nil
  }

  /// An entry of a table: its label, then its other members.
  func line(of entry: JSON, _ id: String, at time: Instant) -> String {
    let label = Self.label(of: entry)
    var rest = entry.object ?? [:]
    if let label { rest[label.key] = nil }
    for name in Self.unsaid { rest[name] = nil }
    let title = label?.text ?? name(of: id)
    let who = names[id] == "you" && title != "you" ? "\(title) (you)" : title
    let details = fields(of: rest, at: time)
    return details.isEmpty ? who : "\(who)  \(details)"
  }

  /// Members of an object in words, those without meaning for people left out.
  func fields(of members: [String: JSON], at time: Instant) -> String {
    members.sorted { $0.key < $1.key }.compactMap { text(of: $0.value, called: $0.key, at: time) }
      .joined(separator: ", ")
  }

  private func text(of value: JSON, called key: String, at time: Instant) -> String? {
    switch value {
    case .null, .bool(false): return nil
    case .bool(true): return key
    case .string(let text):
      if ID<Thing>(text) != nil { return names[text].map { "\(key) \($0)" } }
      guard let instant = Instant(text) else { return text.isEmpty ? nil : "\(key) \(text)" }
      let verb = key == "at" ? "" : (key.hasSuffix("At") ? String(key.dropLast(2)) : key) + " "
      return verb + Self.age(of: instant, at: time)
    case .number: return "\(key) \(value.text)"
    case .array(let items): return items.isEmpty ? nil : "\(key) \(items.count)"
    case .object(let inner):
      if inner.isEmpty { return nil }
      guard inner.keys.allSatisfy({ ID<Thing>($0) != nil }) else { return "\(key) (\(fields(of: inner, at: time)))" }
      let known = inner.keys.compactMap { names[$0] }.sorted()
      return "\(key) " + (known.count == inner.count ? known.joined(separator: " and ") : "\(inner.count)")
    }
  }

  /// Members of entries that say nothing to people: places on the board, keys and orders of clients.
  private static let unsaid: Set = ["key", "lines", "n", "place"]

  /// How long ago a time was, or how far it is ahead.
  static func age(of instant: Instant, at time: Instant) -> String {
    let seconds = Int((time - instant).milliseconds / 1000)
    let span = span(abs(seconds))
    if abs(seconds) < 5 { return "now" }
    return seconds < 0 ? "in \(span)" : "\(span) ago"
  }

  private static func span(_ seconds: Int) -> String {
    switch seconds {
    case ..<60: "\(seconds) s"
    case ..<3600: "\(seconds / 60) min"
    case ..<86_400: "\(seconds / 3600) h"
    default: "\(seconds / 86_400) d"
    }
  }
}
