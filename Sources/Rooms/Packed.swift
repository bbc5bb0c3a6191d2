/// A type with one value that is never used, and so may stand for absence.
public protocol Packable: Equatable, Sendable {
  static var none: Self { get }
}

/// Keeps an optional value in no more bytes than the value takes: of an optional id the compiler makes 24, of an
/// optional time 16, and a household's rows have hundreds of them.
@propertyWrapper public struct Packed<Value: Packable>: Equatable, Sendable {
  @usableFromInline var value: Value

  @inlinable public init(wrappedValue: Value?) { value = wrappedValue ?? .none }

  @inlinable public var wrappedValue: Value? {
    get { value == .none ? nil : value }
    set { value = newValue ?? .none }
  }
}

/// The Max UUID, which RFC 9562 §5.10 keeps for this. Nothing is named by it: `read` refuses it.
extension ID: Packable {
  @inlinable public static var none: Self { ID(high: .max, low: .max) }
}

/// A moment long before those that can be written.
extension Instant: Packable {
  @inlinable public static var none: Self { Instant(milliseconds: .min + 1) }
}
