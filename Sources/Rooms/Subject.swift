public import JSON

/// A part of a room's document with tables of its own: chores, the board, a shopping list (DESIGN, "How a subject is
/// built").
///
/// The struct owns the tables, the due time and the local rules, and names no other subject. Its methods and messages
/// see the whole state of the room.
public protocol Subject: Sendable {
  associatedtype State: RoomState
  /// The mutations and questions of the subject.
  static var methods: [Method] { get }
  /// The messages that the subject takes from other rooms.
  static var messages: [MessageHandler<State>] { get }
  /// The kinds of records that the subject writes to the room's history.
  static var history: [HistoryKind] { get }

  init()
  /// Lists the tables. Their names appear on the wire and in the log, and must differ from those of other subjects.
  mutating func parts(_ part: inout some PartVisitor)
  /// The next time at which the subject must act.
  var due: DueTime { get }
  /// Works out `due` from the rows. Called after the room has been loaded.
  mutating func planAll()
  /// Does everything that is due at `context.now`, and plans the next due time.
  static func fallDue(in state: inout State, _ context: Context)
}

extension Subject {
  public static var methods: [Method] { [] }
  public static var messages: [MessageHandler<State>] { [] }
  public static var history: [HistoryKind] { [] }
  public var due: DueTime { DueTime() }
  public mutating func planAll() {}
  public static func fallDue(in state: inout State, _ context: Context) {}
}

/// The next time at which a subject must act: never later than the first due row.
///
/// It follows from the rows, so the store does not keep it. Planning only moves it earlier; acting too early costs
/// little and does no harm.
public struct DueTime: Sendable {
  @usableFromInline var earliest: Instant?
  @inlinable public var at: Instant? { earliest }

  @inlinable public init() {}

  /// Notes a due time at `instant`.
  @inlinable public mutating func plan(_ instant: Instant?) {
    guard let instant else { return }
    if let earliest, earliest <= instant { return }
    earliest = instant
  }

  public func isReached(at now: Instant) -> Bool { at.map { $0 <= now } ?? false }
}

/// A kind of records in a room's history.
public struct HistoryKind: Sendable, Hashable {
  public let name: String
  /// The time for which a record is kept after its `at`; `nil` for as long as the room exists.
  public let lifetime: Duration?
  /// A JSON Schema of a record.
  public let schema: JSON

  public init<Item: Record>(_ name: String, of _: Item.Type, lifetime: Duration?) {
    self.name = name
    self.lifetime = lifetime
    schema = Item.schema(nil)
  }
}

/// A walk over the subjects of a room's state. Each use of the list is one visitor.
public protocol SubjectVisitor<State> {
  associatedtype State: RoomState
  mutating func callAsFunction<S: Subject>(_ subject: inout S) where S.State == State
}

/// A room's state that consists of subjects. Tables, due times, methods and messages derive from the list.
public protocol ComposedState: RoomState {
  mutating func subjects(_ subject: inout some SubjectVisitor<Self>)
}

extension ComposedState {
  @inlinable public mutating func parts(_ part: inout some PartVisitor) {
    var walking = WalkingParts<Self, _>(part)
    subjects(&walking)
    part = walking.part
  }

  @inlinable public var nextDue: Instant? { mutating get { dueOfSubjects } }

  /// The earliest due time of any subject.
  @inlinable public var dueOfSubjects: Instant? {
    mutating get {
      var finding = FindingDue<Self>()
      subjects(&finding)
      return finding.due.at
    }
  }

  public mutating func fallDue(in context: Context) { subjectsFallDue(in: context) }

  /// Lets every subject act whose due time is reached.
  public mutating func subjectsFallDue(in context: Context) {
    var finding = FindingReached<Self>(at: context.now)
    subjects(&finding)
    for fallDue in finding.reached { fallDue(&self, context) }
  }

  public mutating func restored() {
    var planning = PlanningAll<Self>()
    subjects(&planning)
  }

  private static var collected: CollectingLists<Self> {
    var collecting = CollectingLists<Self>()
    var state = Self()
    state.subjects(&collecting)
    return collecting
  }

  /// The methods of all subjects.
  public static var methodsOfSubjects: [Method] { collected.methods }
  /// The messages of all subjects.
  public static var messagesOfSubjects: [MessageHandler<Self>] { collected.messages }
  /// The kinds of history of all subjects.
  public static var historyOfSubjects: [HistoryKind] { collected.history }
}

@usableFromInline struct WalkingParts<State: RoomState, Visitor: PartVisitor>: SubjectVisitor {
  @usableFromInline var part: Visitor
  @inlinable init(_ part: Visitor) { self.part = part }
  @inlinable @inline(__always)
  mutating func callAsFunction<S: Subject>(_ subject: inout S) where S.State == State { subject.parts(&part) }
}

@usableFromInline struct FindingDue<State: RoomState>: SubjectVisitor {
  @usableFromInline var due = DueTime()
  @inlinable init() {}
  @inlinable @inline(__always)
  mutating func callAsFunction<S: Subject>(_ subject: inout S) where S.State == State { due.plan(subject.due.at) }
}

private struct FindingReached<State: RoomState>: SubjectVisitor {
  let now: Instant
  var reached: [(inout State, Context) -> Void] = []
  init(at now: Instant) { self.now = now }
  mutating func callAsFunction<S: Subject>(_ subject: inout S) where S.State == State {
    if subject.due.isReached(at: now) { reached.append { S.fallDue(in: &$0, $1) } }
  }
}

private struct PlanningAll<State: RoomState>: SubjectVisitor {
  mutating func callAsFunction<S: Subject>(_ subject: inout S) where S.State == State { subject.planAll() }
}

private struct CollectingLists<State: RoomState>: SubjectVisitor {
  var methods: [Method] = []
  var messages: [MessageHandler<State>] = []
  var history: [HistoryKind] = []
  mutating func callAsFunction<S: Subject>(_ subject: inout S) where S.State == State {
    methods += S.methods
    messages += S.messages
    history += S.history
  }
}
