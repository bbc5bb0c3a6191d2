public import JSON

/// A value that can stand in a field: it knows its reading, its writing and its changes.
public protocol Field: Equatable, Sendable {
  /// Reads a value; `view` is `nil` when the field was left out. Answers `nil` after noting a problem.
  static func read(_ view: View?, _ problems: Problems) -> Self?
  func write(to writer: Writer)
  /// Writes the merge patch that turns `old` into this value. Called only when they differ and neither is absent.
  func writeChange(from old: Self, to writer: Writer)
  /// Writes what turns `old` into this value where this value is absent and `old` is not.
  func writeRemoval(of old: Self, to writer: Writer)
  /// The field is left out where it holds this value.
  var isAbsent: Bool { get }
  /// Applies a merge patch (RFC 7396) from the log. Such patches are our own, so no limits are checked.
  mutating func merge(_ view: View, _ problems: Problems)
  /// Whether the value is within a limit given with its field: a length, a count or the value itself.
  func fits(_ limit: ClosedRange<Int>) -> Bool
  /// What to tell somebody whose value does not fit.
  static func limitText(_ limit: ClosedRange<Int>) -> String
  /// A JSON Schema of what may stand here, within a limit given with the field (NFR-3).
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

/// A type that says its fields once; reading, writing, diffing and merging are derived from that list.
public protocol Record: Field {
  init()
  static func fields(_ field: inout some FieldVisitor<Self>)
}

/// Walks a list of fields. Each use of the list is one visitor.
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
