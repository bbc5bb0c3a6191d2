import Rooms

extension Change {
  /// The same change of another value.
  func map<Other: Field>(_ transform: (Value) -> Other) -> Change<Other> {
    switch self {
    case .unchanged: .unchanged
    case .cleared: .cleared
    case .set(let value): .set(transform(value))
    }
  }
}
