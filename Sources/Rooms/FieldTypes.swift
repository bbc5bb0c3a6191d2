public import JSON

extension String: Field {
  @inlinable public static func read(_ view: View?, _ problems: Problems) -> String? {
    guard let view else {
      problems.note("missing")
      return nil
    }
    guard let text = view.string else {
      problems.note("must be text")
      return nil
    }
    return text
  }
  @inlinable public func write(to writer: Writer) { writer.string(self) }
  @inlinable public func fits(_ limit: ClosedRange<Int>) -> Bool {
    // Most texts are ASCII: their count of bytes is known.
    let bytes = utf8.count
    return bytes <= limit.upperBound && limit.lowerBound <= 1
      ? bytes >= limit.lowerBound : limit.contains(unicodeScalars.count)
  }
  public static func limitText(_ limit: ClosedRange<Int>) -> String {
    "must have \(limit.lowerBound) to \(limit.upperBound) characters"
  }
}

extension Int: Field {
  @inlinable public static func read(_ view: View?, _ problems: Problems) -> Int? {
    guard let view else {
      problems.note("missing")
      return nil
    }
    guard let number = view.int else {
      problems.note("must be a whole number")
      return nil
    }
    return number
  }
  @inlinable public func write(to writer: Writer) { writer.int(self) }
  @inlinable public func fits(_ limit: ClosedRange<Int>) -> Bool { limit.contains(self) }
}

extension Double: Field {
  @inlinable public static func read(_ view: View?, _ problems: Problems) -> Double? {
    guard let view else {
      problems.note("missing")
      return nil
    }
    guard let number = view.double else {
      problems.note("must be a number")
      return nil
    }
    return number
  }
  @inlinable public func write(to writer: Writer) { writer.double(self) }
  @inlinable public func fits(_ limit: ClosedRange<Int>) -> Bool {
    self >= Double(limit.lowerBound) && self <= Double(limit.upperBound)
  }
}

extension Bool: Field {
  @inlinable public static func read(_ view: View?, _ problems: Problems) -> Bool? {
    guard let view else {
      problems.note("missing")
      return nil
    }
    guard let value = view.bool else {
      problems.note("must be true or false")
      return nil
    }
    return value
  }
  @inlinable public func write(to writer: Writer) { writer.bool(self) }
}

extension Optional: Field where Wrapped: Field {
  @inlinable public static func read(_ view: View?, _ problems: Problems) -> Wrapped?? {
    guard let view, !view.isNull else { return .some(.none) }
    guard let value = Wrapped.read(view, problems) else { return nil }
    return .some(value)
  }
  @inlinable public func write(to writer: Writer) {
    if let self { self.write(to: writer) } else { writer.null() }
  }
  @inlinable public func writeChange(from old: Wrapped?, to writer: Writer) {
    if let self, let old { self.writeChange(from: old, to: writer) } else { write(to: writer) }
  }
  @inlinable public mutating func merge(_ view: View, _ problems: Problems) {
    if view.isNull {
      self = nil
    } else if var value = self {
      value.merge(view, problems)
      self = value
    } else if let value = Wrapped.read(view, problems) {
      self = value
    }
  }
  @inlinable public var isAbsent: Bool { self == nil }
  @inlinable public func fits(_ limit: ClosedRange<Int>) -> Bool { self?.fits(limit) ?? true }
  public static func limitText(_ limit: ClosedRange<Int>) -> String { Wrapped.limitText(limit) }
}

/// The change of one field in an edit: none, `null`, or a value.
public enum Change<Value: Field>: Field {
  case unchanged
  case cleared
  case set(Value)

  @inlinable public static func read(_ view: View?, _ problems: Problems) -> Self? {
    guard let view else { return .unchanged }
    if view.isNull { return .cleared }
    return Value.read(view, problems).map { .set($0) }
  }
  @inlinable public func write(to writer: Writer) {
    if case .set(let value) = self { value.write(to: writer) } else { writer.null() }
  }
  @inlinable public var isAbsent: Bool { if case .unchanged = self { true } else { false } }
  /// Written by hand: the compiler's version looks up the type's metadata at each comparison.
  @inlinable public static func == (left: Self, right: Self) -> Bool {
    switch (left, right) {
    case (.unchanged, .unchanged), (.cleared, .cleared): true
    case (.set(let left), .set(let right)): left == right
    default: false
    }
  }
  @inlinable public func fits(_ limit: ClosedRange<Int>) -> Bool {
    if case .set(let value) = self { value.fits(limit) } else { true }
  }
  public static func limitText(_ limit: ClosedRange<Int>) -> String { Value.limitText(limit) }

  @inlinable public func apply(to field: inout Value?) {
    switch self {
    case .unchanged: break
    case .cleared: field = nil
    case .set(let value): field = value
    }
  }
}

extension Change {
  /// The same change, of another value.
  @inlinable public func map<Other: Field>(_ transform: (Value) -> Other) -> Change<Other> {
    switch self {
    case .unchanged: .unchanged
    case .cleared: .cleared
    case .set(let value): .set(transform(value))
    }
  }
}

/// An enum of fixed words.
public protocol Word: Field, RawRepresentable, CaseIterable where RawValue == String {}

extension Word {
  @inlinable public static func read(_ view: View?, _ problems: Problems) -> Self? {
    guard let view else {
      problems.note("missing")
      return nil
    }
    guard let text = view.string, let word = Self(rawValue: text) else {
      problems.note("must be one of \(allCases.map(\.rawValue).joined(separator: ", "))")
      return nil
    }
    return word
  }
  @inlinable public func write(to writer: Writer) { writer.string(rawValue) }
}

extension ID: Field {
  @inlinable public static func read(_ view: View?, _ problems: Problems) -> Self? {
    guard let view else {
      problems.note("missing")
      return nil
    }
    guard view.kind == .string, let id = view.withBytes({ Self(text: $0) }), id != .none else {
      problems.note("must be a UUID")
      return nil
    }
    return id
  }
  @inlinable public func write(to writer: Writer) {
    writer.uuid(high, low)
  }
}

extension Instant: Field {
  @inlinable public static func read(_ view: View?, _ problems: Problems) -> Self? {
    guard let view else {
      problems.note("missing")
      return nil
    }
    guard view.kind == .string, let instant = view.withBytes({ Self(text: $0) }) else {
      problems.note("must be a time in UTC such as 2026-05-01T09:00:00Z")
      return nil
    }
    return instant
  }
}

/// A list, a JSON array. Patches replace it whole.
extension Array: Field where Element: Field {
  @inlinable public static func read(_ view: View?, _ problems: Problems) -> Self? {
    guard let view else {
      problems.note("missing")
      return nil
    }
    guard view.kind == .array else {
      problems.note("must be a list")
      return nil
    }
    var list: Self = []
    let before = problems.count
    var index = 0
    view.forEachItem { item in
      let start = problems.count
      if let element = Element.read(item, problems) { list.append(element) }
      if problems.count > start { problems.nest("\(index)", since: start) }
      index += 1
    }
    return problems.count == before ? list : nil
  }
  @inlinable public func write(to writer: Writer) {
    writer.openArray()
    for element in self { element.write(to: writer) }
    writer.closeArray()
  }
  @inlinable public func fits(_ limit: ClosedRange<Int>) -> Bool { limit.contains(count) }
  public static func limitText(_ limit: ClosedRange<Int>) -> String {
    "must have \(limit.lowerBound) to \(limit.upperBound) entries"
  }
}

/// A key of a map or a table.
public protocol MapKey: Hashable, Comparable, Sendable {
  init?(key: View)
  func writeKey(to writer: Writer)
  /// An id as this type of key, if the keys are ids of things in rooms; otherwise `nil`.
  static func key(_ id: ID<Thing>) -> Self?
}

extension MapKey {
  @inlinable public static func key(_ id: ID<Thing>) -> Self? { nil }
}

extension String: MapKey {
  @inlinable public init?(key: View) {
    guard let text = key.string else { return nil }
    self = text
  }
  @inlinable public func writeKey(to writer: Writer) { writer.key(self) }
}

extension ID: MapKey {
  @inlinable public init?(key: View) {
    guard let id = key.withBytes({ Self(text: $0) }) else { return nil }
    self = id
  }
  @inlinable public func writeKey(to writer: Writer) {
    writer.uuidKey(high, low)
  }
  /// `nil` for persons: a person exists outside the row that has their id as its key.
  @inlinable public static func key(_ id: ID<Thing>) -> Self? { Of.self == Person.self ? nil : id.cast() }
}

extension Word where Self: MapKey {
  @inlinable public init?(key: View) {
    guard let text = key.string else { return nil }
    self.init(rawValue: text)
  }
  @inlinable public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
  @inlinable public func writeKey(to writer: Writer) { writer.key(rawValue) }
}
