public import JSON

/// A type with one value that is never used, and so can mean absence.
public protocol Packable: Equatable, Sendable {
  static var none: Self { get }
}

/// An optional value in no more bytes than the value (performance idioms). Use it only in rows of which a room has more
/// than 50.
///
/// `fields` names the wrapper, `\._name`: it is a stored property, while `\.name` is a getter that copies the whole
/// row.
@propertyWrapper public struct Packed<Value: Packable>: Equatable, Sendable {
  @usableFromInline var value: Value

  @inlinable public init(wrappedValue: Value?) { value = wrappedValue ?? .none }

  @inlinable public var wrappedValue: Value? {
    get { value == .none ? nil : value }
    set { value = newValue ?? .none }
  }
}

/// A field like the optional value.
extension Packed: Field where Value: Field {
  @inlinable public static func read(_ view: View?, _ problems: Problems) -> Self? {
    Value?.read(view, problems).map { Self(wrappedValue: $0) }
  }
  @inlinable public func write(to writer: Writer) { wrappedValue.write(to: writer) }
  @inlinable public func writeChange(from old: Self, to writer: Writer) {
    wrappedValue.writeChange(from: old.wrappedValue, to: writer)
  }
  @inlinable public var isAbsent: Bool { value == .none }
  @inlinable public mutating func merge(_ view: View, _ problems: Problems) { wrappedValue.merge(view, problems) }
  @inlinable public func fits(_ limit: ClosedRange<Int>) -> Bool { wrappedValue.fits(limit) }
  public static func limitText(_ limit: ClosedRange<Int>) -> String { Value.limitText(limit) }
  public static func schema(_ limit: ClosedRange<Int>?) -> JSON { Value?.schema(limit) }
}

/// The Max UUID, which RFC 9562 §5.10 reserves. It names nothing: `read` refuses it.
extension ID: Packable {
  @inlinable public static var none: Self { ID(high: .max, low: .max) }
}

/// A time long before the first writable one.
extension Instant: Packable {
  @inlinable public static var none: Self { Instant(milliseconds: .min + 1) }
}
