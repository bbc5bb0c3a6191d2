/// An event that an operator may want to know about (OPS-2).
///
/// The name is a fixed literal; variable data goes into fields. No field may hold a secret, a text that a member wrote,
/// an email address, or a position.
public struct LogEvent: Sendable, Equatable {
  /// The importance of an event.
  public enum Level: String, CaseIterable, Comparable, Sendable {
    /// Activity of single connections.
    case debug
    /// Normal changes in the life of a server.
    case info
    /// A condition that may need action later.
    case warning
    /// A failure.
    case error

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    public static func < (first: Level, second: Level) -> Bool { first.rank < second.rank }
  }

  /// The value of a field.
  public enum Value: Sendable, Equatable {
    case text(String)
    case number(Int)
  }

  /// A named value of an event.
  public struct Field: Sendable, Equatable {
    public var name: String
    public var value: Value

    public init(name: String, value: Value) {
      self.name = name
      self.value = value
    }
  }

  public var level: Level
  /// The event's stable name, words separated by dots, for searching.
  public var name: String
  public var fields: [Field]

  public init(level: Level, name: String, fields: [Field]) {
    self.level = level
    self.name = name
    self.fields = fields
  }
}

extension LogEvent.Value: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral {
  public init(stringLiteral text: String) { self = .text(text) }
  public init(integerLiteral number: Int) { self = .number(number) }
}

/// Passes on events of a minimum level; events below it cost nothing.
public struct Logger: Sendable {
  public let least: LogEvent.Level
  private let write: @Sendable (LogEvent) -> Void

  /// Passes events of level `least` and above to `write`, on the thread that logs them.
  public init(from least: LogEvent.Level, _ write: @escaping @Sendable (LogEvent) -> Void) {
    self.least = least
    self.write = write
  }

  /// Discards all events.
  public static let none = Logger(from: .error) { _ in }

  /// Logs an event. The fields are evaluated only if its level is logged.
  public func callAsFunction(
    _ level: LogEvent.Level, _ name: StaticString,
    _ fields: @autoclosure () -> KeyValuePairs<String, LogEvent.Value> = [:]
  ) {
    guard level >= least else { return }
    write(
      LogEvent(
        level: level, name: name.description, fields: fields().map { LogEvent.Field(name: $0.key, value: $0.value) }))
  }
}
