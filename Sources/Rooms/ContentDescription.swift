public import JSON

/// The part of the store's format that belongs to rooms of one kind.
public struct ContentDescription: Sendable {
  /// A table or a single record of a room's document.
  public struct Part: Sendable {
    public var name: String
    public var visibility: Visibility
    /// A JSON Schema of the value under the name.
    public var schema: JSON
  }

  public var parts: [Part]
  /// The messages that a room of this kind takes: a JSON Schema of each, by name.
  public var messages: [String: JSON]
  /// The kinds of a room's history: a JSON Schema of their records, by name.
  public var history: [String: JSON]

  init<State: RoomState>(_: State.Type) {
    var describing = DescribingParts()
    var state = State()
    state.parts(&describing)
    MessageNumbers.describe(&describing)
    parts = describing.list
    messages = Dictionary(State.messages.map { ($0.name, JSON.schema(of: $0.describe())) }) { first, _ in first }
    history = Dictionary(State.history.map { ($0.name, $0.schema) }) { first, _ in first }
  }
}

/// Describes the parts of a document.
struct DescribingParts: PartVisitor {
  var list: [ContentDescription.Part] = []

  mutating func callAsFunction<Part: Tracked>(_ name: StaticString, _ part: inout Part, _ visibility: Visibility) {
    add(name, Part.self, visibility)
  }

  mutating func add(_ name: StaticString, _ part: (some Tracked).Type, _ visibility: Visibility) {
    list.append(ContentDescription.Part(name: name.description, visibility: visibility, schema: part.schema))
  }
}

extension MessageNumbers {
  static func describe(_ describing: inout DescribingParts) {
    describing.add("_sent", Table<RoomID, Count>.self, .hidden)
    describing.add("_taken", Table<RoomID, Count>.self, .hidden)
    describing.add("_key", Single<Key>.self, .hidden)
    describing.add("_ending", Single<Ending>.self, .hidden)
  }
}

extension Table {
  public static var schema: JSON { ["type": "object", "additionalProperties": Row.schema(nil)] }
}

extension Single {
  public static var schema: JSON { Row.schema(nil) }
}
