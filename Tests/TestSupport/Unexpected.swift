/// An unexpected state in a test helper, thrown with a description.
public struct Unexpected: Error, CustomStringConvertible {
  public let description: String
  public init(_ description: String) { self.description = description }
}
