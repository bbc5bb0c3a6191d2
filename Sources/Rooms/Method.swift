public import JSON

/// A call that changes a room: its parameters are its fields, its rule is `apply`.
public protocol Mutation: Record {
  associatedtype State: RoomState
  associatedtype Answer: Record
  /// `plural.verb` in camel case.
  static var method: StaticString { get }
  /// The first line of the type's documentation.
  static var summary: StaticString { get }
  /// The rule may be given a secret to hand out.
  static var makesSecret: Bool { get }
  /// The answer comes later, from another room (DESIGN "Truth and copies").
  static var isAnsweredLater: Bool { get }
  /// `needs` may name something.
  static var hasNeeds: Bool { get }
  /// What the rule needs to know from outside the room.
  func needs() -> [Need]
  /// Checks, then changes the state. A refusal leaves no trace.
  func apply(to state: inout State, in context: Context) throws(Refusal) -> Answer
}

extension Mutation {
  public static var makesSecret: Bool { false }
  public static var isAnsweredLater: Bool { false }
  public static var hasNeeds: Bool { false }
  public func needs() -> [Need] { [] }
}

/// A call that changes only what is true now: no number, no version, no receipt. Where it causes something that
/// lasts, the room's versioned parts change by the same rule, and that is a change by the room itself.
public protocol LiveMutation: Record {
  associatedtype State: RoomState
  static var method: StaticString { get }
  static var summary: StaticString { get }
  func apply(to state: inout State, in context: Context) throws(Refusal)
}

/// What one room tells another. A message is never refused: its cause is on disk already.
public protocol Message: Record {
  associatedtype State: RoomState
  static var name: String { get }
  /// The message makes its room when there is none.
  static var opensRoom: Bool { get }
  /// The room that sends it sends no other one before it is made again.
  static var isLast: Bool { get }
  func apply(to state: inout State, from source: RoomID, in context: Context)
}

extension Message {
  public static var opensRoom: Bool { false }
  public static var isLast: Bool { false }
}

/// An answer that says nothing beyond the version.
public struct NoAnswer: Record {
  @inlinable public init() {}
  @inlinable public static func fields(_ field: inout some FieldVisitor<Self>) {}
}

/// The kinds of room, as a method's target.
public enum RoomKindName: String, Sendable, CaseIterable {
  case me
  case household
  case corner
  case share

  public init(_ room: RoomID) {
    switch room {
    case .person: self = .me
    case .household: self = .household
    case .corner: self = .corner
    case .share: self = .share
    }
  }
}

/// A method as a value: made where its type is known, so that reading, rule and answer are specialised there.
public final class Method: Sendable {
  public let name: String
  /// A number for the name, the same in every process.
  public let nameDigest: UInt64
  public let summary: String
  public let room: RoomKindName
  public let isLive: Bool
  public let makesSecret: Bool
  public let isAnsweredLater: Bool
  public let hasNeeds: Bool
  /// The fields of parameters and answer, for `rpc.discover`.
  public let describe: @Sendable () -> (parameters: [FieldDescription], answer: [FieldDescription])
  /// Reads the parameters; `nil` after noting what is wrong.
  public let read: @Sendable (View, Problems) -> (any Record)?
  public let needs: @Sendable (any Record) -> [Need]
  /// Reads the parameters and runs the rule. Writes the members of the answer without braces.
  public let run: @Sendable (Room, View, Turn, Problems, Writer) -> Outcome

  public enum Outcome: Sendable {
    case done
    /// Something is wrong with the parameters; `Problems` says what.
    case invalid
    case refused(Refusal)
  }

  @inlinable public static func of<M: Mutation>(_: M.Type) -> Method {
    Method(
      name: M.method.description, summary: M.summary.description, room: M.State.kind, isLive: false,
      makesSecret: M.makesSecret, isAnsweredLater: M.isAnsweredLater, hasNeeds: M.hasNeeds,
      describe: { (M.descriptions, M.Answer.descriptions) },
      read: { M.read($0, $1) },
      needs: { ($0 as? M)?.needs() ?? [] },
      run: { room, parameters, turn, problems, writer in
        guard let mutation = M.read(parameters, problems) else { return .invalid }
        guard let room = room as? TypedRoom<M.State> else { return .refused(.wrongRoom) }
        do throws(Refusal) {
          let answer = try room.perform(mutation, turn)
          answer.writeMembers(to: writer)
          return .done
        } catch {
          return .refused(error)
        }
      })
  }

  @inlinable public static func live<M: LiveMutation>(_: M.Type) -> Method {
    Method(
      name: M.method.description, summary: M.summary.description, room: M.State.kind, isLive: true,
      makesSecret: false, isAnsweredLater: false, hasNeeds: false,
      describe: { (M.descriptions, []) },
      read: { M.read($0, $1) },
      needs: { _ in [] },
      run: { room, parameters, turn, problems, writer in
        guard let mutation = M.read(parameters, problems) else { return .invalid }
        guard let room = room as? TypedRoom<M.State> else { return .refused(.wrongRoom) }
        do throws(Refusal) {
          try room.performLive(mutation, turn)
          return .done
        } catch {
          return .refused(error)
        }
      })
  }

  @usableFromInline init(
    name: String, summary: String, room: RoomKindName, isLive: Bool, makesSecret: Bool, isAnsweredLater: Bool,
    hasNeeds: Bool,
    describe: @escaping @Sendable () -> (parameters: [FieldDescription], answer: [FieldDescription]),
    read: @escaping @Sendable (View, Problems) -> (any Record)?,
    needs: @escaping @Sendable (any Record) -> [Need],
    run: @escaping @Sendable (Room, View, Turn, Problems, Writer) -> Outcome
  ) {
    self.name = name
    nameDigest = Array(name.utf8).span.digest()
    self.summary = summary
    self.room = room
    self.isLive = isLive
    self.makesSecret = makesSecret
    self.isAnsweredLater = isAnsweredLater
    self.hasNeeds = hasNeeds
    self.describe = describe
    self.read = read
    self.needs = needs
    self.run = run
  }
}

extension Refusal {
  @usableFromInline static var wrongRoom: Refusal {
    .invalid("room", "is not a room that this method works on")
  }
}

/// The taking up of one kind of message, as a value.
public struct MessageHandler<State: RoomState>: Sendable {
  public let name: String
  public let opensRoom: Bool
  let isLast: Bool
  let take: @Sendable (View, inout State, RoomID, Context) -> Void

  public static func of<M: Message>(_: M.Type) -> MessageHandler where M.State == State {
    MessageHandler(name: M.name, opensRoom: M.opensRoom, isLast: M.isLast) { view, state, source, context in
      // A message is merged, not read: fields that an older release did not send keep their defaults.
      var message = M()
      message.merge(view, Problems())
      message.apply(to: &state, from: source, in: context)
    }
  }
}

/// A kind of room as a value: how to make one, and what it understands.
public struct RoomKind: Sendable {
  public let name: RoomKindName
  public let make: @Sendable (RoomID) -> Room
  public let methods: [Method]
  /// A room of this kind may be made again under its address when it has ended.
  public let mayBeginAgain: Bool
  /// Names of the messages that make a room of this kind.
  public let openingMessages: Set<String>

  public static func of<State: RoomState>(_: State.Type, methods: [Method]) -> RoomKind {
    RoomKind(
      name: State.kind, make: { TypedRoom<State>($0) }, methods: methods,
      mayBeginAgain: State.mayBeginAgain, openingMessages: Set(State.messages.filter(\.opensRoom).map(\.name)))
  }
}
