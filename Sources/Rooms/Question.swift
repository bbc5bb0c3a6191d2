/// A call that reads a room and changes nothing. It has no number, and its answer no version (DESIGN, "How a subject is
/// built").
///
/// The shard sends the answer after everything in the room is committed, so an answer never tells what a crash could
/// undo.
public protocol Question: Record {
  associatedtype State: RoomState
  associatedtype Answer: Record
  /// `plural.verb` in camel case.
  static var method: StaticString { get }
  /// The first line of the type's documentation.
  static var summary: StaticString { get }
  /// Whether `needs` may name anything.
  static var hasNeeds: Bool { get }
  /// Whether the call is refused over a connection in clear text (LOC-31).
  static var needsEncryption: Bool { get }
  /// The question's needs outside the room.
  func needs(for caller: ID<Person>) -> [Need]
  /// Answers from the room's state and from the answers to `needs`.
  func answer(from state: State, in inquiry: Inquiry) throws(Refusal) -> Answer
}

extension Question {
  public static var hasNeeds: Bool { false }
  public static var needsEncryption: Bool { State.needsEncryption }
  public func needs(for caller: ID<Person>) -> [Need] { [] }
}

/// The circumstances of a question.
public struct Inquiry: Sendable {
  public let caller: ID<Person>
  public let now: Instant
  public let room: RoomID
  /// The answers to the question's needs.
  public let fetched: [Need: Fetched]

  @usableFromInline init(_ turn: Turn, room: RoomID) {
    caller = turn.caller ?? ID()
    now = turn.now
    fetched = turn.fetched
    self.room = room
  }
}
