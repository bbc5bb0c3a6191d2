public import JSON

/// A value of a field, with its reading, its writing and its diffing.
public protocol Field: Equatable, Sendable {
  /// Reads a value; `view` is `nil` if the field is absent. If the value is invalid, notes a problem and returns `nil`.
  static func read(_ view: View?, _ problems: Problems) -> Self?
  func write(to writer: Writer)
  /// Writes the merge patch that turns `old` into this value. Called only if they differ and neither is absent.
  func writeChange(from old: Self, to writer: Writer)
  /// Writes the patch that turns `old` into this value, if this value is absent and `old` is not.
  func writeRemoval(of old: Self, to writer: Writer)
  /// Whether the field is left out because of its value.
  var isAbsent: Bool { get }
  /// Applies a merge patch (RFC 7396) from the log. The server wrote it, so no limits are checked.
  mutating func merge(_ view: View, _ problems: Problems)
  /// Whether the value is within the limit given with its field: of its length, its count or the value itself.
  func fits(_ limit: ClosedRange<Int>) -> Bool
  /// The text of the problem for a value outside the limit.
  static func limitText(_ limit: ClosedRange<Int>) -> String
  /// A JSON Schema of the values that the field accepts, within a limit given with the field (NFR-3).
  static func schema(_ limit: ClosedRange<Int>?) -> JSON
}

extension Field {
  @inlinable public func writeChange(from old: Self, to writer: Writer) { write(to: writer) }
  @inlinable public func writeRemoval(of old: Self, to writer: Writer) { writer.null() }
  @inlinable public var isAbsent: Bool { false }
  @inlinable public mutating func merge(_ view: View, _ problems: Problems) {
    if let value = Self.read(view, problems) { self = value }
  }
  @inlinable public func fits(_ limit: ClosedRange<Int>) -> Bool { true }
  public static func limitText(_ limit: ClosedRange<Int>) -> String {
    "must be \(limit.lowerBound) to \(limit.upperBound)"
  }
}

/// A type that lists its fields once; reading, writing, diffing and merging derive from that list.
public protocol Record: Field {
  init()
  static func fields(_ field: inout some FieldVisitor<Self>)
}

/// A walk over a list of fields. Each use of the list is one visitor.
public protocol FieldVisitor<Root> {
  associatedtype Root
  mutating func callAsFunction<Value: Field>(
    _ name: StaticString, _ path: WritableKeyPath<Root, Value>, _ limit: ClosedRange<Int>?)
}

extension FieldVisitor {
  @inlinable @inline(__always)
  public mutating func callAsFunction<Value: Field>(_ name: StaticString, _ path: WritableKeyPath<Root, Value>) {
    self(name, path, nil)
  }
}

extension Record {
  @inlinable public static func read(_ view: View?, _ problems: Problems) -> Self? { readFields(view, problems) }

  /// Reads every field; a record with a rule over several of them calls this from a `read` of its own.
  @inlinable public static func readFields(_ view: View?, _ problems: Problems) -> Self? {
    guard let view else {
      problems.note("missing")
      return nil
    }
    guard view.kind == .object else {
      problems.note("must be an object")
      return nil
    }
    let before = problems.count
    var reading = Reading<Self>(view, problems)
    fields(&reading)
    if view.firstUnused != nil { view.forEachUnused { problems.note($0, "unknown field") } }
    return problems.count == before ? reading.take() : nil
  }

  /// Reads the fields of good form; the others keep their defaults. `nil` if the value is no object.
  @inlinable static func readGoodFields(_ view: View) -> Self? {
    guard view.kind == .object else { return nil }
    var reading = Reading<Self>(view, Problems())
    fields(&reading)
    return reading.take()
  }

  @inlinable public func write(to writer: Writer) {
    writer.openObject()
    writeMembers(to: writer)
    writer.closeObject()
  }

  /// Writes the fields without the braces around them.
  @inlinable public func writeMembers(to writer: Writer) {
    var writing = Writing(self, writer)
    Self.fields(&writing)
  }

  @inlinable public func writeChange(from old: Self, to writer: Writer) {
    writer.openObject()
    var diffing = Diffing(from: old, to: self, writer)
    Self.fields(&diffing)
    writer.closeObject()
  }

  @inlinable public mutating func merge(_ view: View, _ problems: Problems) {
    var merging = Merging(self, view, problems)
    Self.fields(&merging)
    self = merging.take()
  }
}
