public import JSON

/// The description of one field for client generators (NFR-3).
public struct FieldDescription: Sendable {
  public var name: String
  /// A JSON Schema (draft 7) of the field's values, limits included.
  public var schema: JSON
  /// Whether a message without the field is refused.
  public var isRequired: Bool

  public init(_ name: String, _ schema: JSON, isRequired: Bool = false) {
    self.name = name
    self.schema = schema
    self.isRequired = isRequired
  }
}

/// Describes every field.
public struct Describing<Root: Record>: FieldVisitor {
  var list: [FieldDescription] = []

  init() {}

  public mutating func callAsFunction<Value: Field>(
    _ name: StaticString, _ path: WritableKeyPath<Root, Value>, _ limit: ClosedRange<Int>?
  ) {
    // A field that cannot be read from nothing is required.
    let isRequired = Value.read(nil, Problems()) == nil
    list.append(FieldDescription(name.description, Value.schema(limit), isRequired: isRequired))
  }
}

extension Record {
  /// The fields in their order.
  public static var descriptions: [FieldDescription] {
    var describing = Describing<Self>()
    fields(&describing)
    return describing.list
  }

  public static func schema(_ limit: ClosedRange<Int>?) -> JSON { .schema(of: descriptions) }
}

extension JSON {
  /// The schema of an object with these fields and no others.
  public static func schema(of fields: [FieldDescription]) -> JSON {
    var schema: [String: JSON] = ["type": "object", "additionalProperties": false]
    var properties: [String: JSON] = [:]
    for field in fields { properties[field.name] = field.schema }
    if !properties.isEmpty { schema["properties"] = .object(properties) }
    let required = fields.filter(\.isRequired).map { JSON.string($0.name) }
    if !required.isEmpty { schema["required"] = .array(required) }
    return .object(schema)
  }

  /// The schema with more members, such as limits.
  public func adding(_ members: [String: JSON]) -> JSON {
    .object((object ?? [:]).merging(members) { $1 })
  }

  /// The schema with `null` as a further value.
  public var nullable: JSON {
    guard case .string(let type)? = self["type"] else { return ["anyOf": [self, ["type": "null"]]] }
    var schema = adding(["type": [.string(type), "null"]])
    if let words = self["enum"]?.array { schema = schema.adding(["enum": .array(words + [.null])]) }
    return schema
  }

  fileprivate func limited(_ limit: ClosedRange<Int>?, _ least: String, _ most: String) -> JSON {
    guard let limit else { return self }
    return adding([least: .number(Number(limit.lowerBound)), most: .number(Number(limit.upperBound))])
  }
}

extension Field {
  /// An empty schema; a test finds the parameters that have no other.
  public static func schema(_ limit: ClosedRange<Int>?) -> JSON { [:] }
}

extension String {
  public static func schema(_ limit: ClosedRange<Int>?) -> JSON {
    JSON.object(["type": "string"]).limited(limit, "minLength", "maxLength")
  }
}

extension Int {
  public static func schema(_ limit: ClosedRange<Int>?) -> JSON {
    JSON.object(["type": "integer"]).limited(limit, "minimum", "maximum")
  }
}

extension Double {
  public static func schema(_ limit: ClosedRange<Int>?) -> JSON {
    JSON.object(["type": "number"]).limited(limit, "minimum", "maximum")
  }
}

extension Bool {
  public static func schema(_ limit: ClosedRange<Int>?) -> JSON { ["type": "boolean"] }
}

extension Optional where Wrapped: Field {
  public static func schema(_ limit: ClosedRange<Int>?) -> JSON { Wrapped.schema(limit).nullable }
}

extension Change {
  public static func schema(_ limit: ClosedRange<Int>?) -> JSON { Value.schema(limit).nullable }
}

extension Word {
  public static func schema(_ limit: ClosedRange<Int>?) -> JSON {
    ["type": "string", "enum": .array(allCases.map { .string($0.rawValue) })]
  }
}

extension ID {
  /// The pattern of a UUID in either case.
  public static var pattern: String { "[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}" }

  public static func schema(_ limit: ClosedRange<Int>?) -> JSON {
    ["type": "string", "format": "uuid", "pattern": "^\(pattern)$"]
  }
}

extension Instant {
  public static func schema(_ limit: ClosedRange<Int>?) -> JSON {
    ["type": "string", "format": "date-time", "pattern": "Z$"]
  }
}

extension SmallMap {
  public static func schema(_ limit: ClosedRange<Int>?) -> JSON {
    var schema: [String: JSON] = ["type": "object", "additionalProperties": Value.schema(nil)]
    if let key = Key.self as? any Field.Type { schema["propertyNames"] = key.schema(nil) }
    return JSON.object(schema).limited(limit, "minProperties", "maxProperties")
  }
}

extension SmallSet {
  public static func schema(_ limit: ClosedRange<Int>?) -> JSON {
    SmallMap<Element, Bool>.schema(limit).adding(["additionalProperties": ["const": true]])
  }
}

extension Array where Element: Field {
  public static func schema(_ limit: ClosedRange<Int>?) -> JSON {
    JSON.object(["type": "array", "items": Element.schema(nil)]).limited(limit, "minItems", "maxItems")
  }
}
