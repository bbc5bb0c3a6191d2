/// A call that changes a room: its parameters are its fields, its rule is `apply`.
public protocol Mutation: Record {
  associatedtype State: RoomState
  associatedtype Answer: Record
  /// `plural.verb` in camel case.
  static var method: StaticString { get }
  /// The first line of the type's documentation.
  static var summary: StaticString { get }
  /// Whether the rule gets a secret to hand out.
  static var makesSecret: Bool { get }
  /// Whether the answer comes later, from another room (DESIGN "Truth and copies").
  static var isAnsweredLater: Bool { get }
  /// Whether `needs` may name anything.
  static var hasNeeds: Bool { get }
  /// Whether the call is refused over a connection in clear text (LOC-31).
  static var needsEncryption: Bool { get }
  /// The rule's needs outside the room.
  func needs(for caller: ID<Person>) -> [Need]
  /// Notes the bad fields that only the rule can tell; it looks at the state, and changes nothing.
  ///
  /// It runs before `apply`, and also if the form is bad, so that one answer names every bad field (ACC-2). A field of
  /// bad form then has its default.
  func check(_ problems: Problems, in state: inout State, _ context: Context)
  /// Checks what is no field's fault, then changes the state. A refusal leaves no trace.
  func apply(to state: inout State, in context: Context) throws(Refusal) -> Answer
}

extension Mutation {
  public static var makesSecret: Bool { false }
  public static var isAnsweredLater: Bool { false }
  public static var hasNeeds: Bool { false }
  public static var needsEncryption: Bool { State.needsEncryption }
  public func needs(for caller: ID<Person>) -> [Need] { [] }
  @inlinable public func check(_ problems: Problems, in state: inout State, _ context: Context) {}
}

/// An answer without members of its own.
public struct NoAnswer: Record {
  @inlinable public init() {}
  @inlinable public static func fields(_ field: inout some FieldVisitor<Self>) {}
}
