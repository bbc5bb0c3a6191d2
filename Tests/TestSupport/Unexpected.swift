/// What a test has met instead of what it had to.
public struct Unexpected: Error, CustomStringConvertible {
  public let description: String
  public init(_ description: String) { self.description = description }
}
