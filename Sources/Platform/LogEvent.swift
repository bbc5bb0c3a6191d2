/// One thing that an operator may want to know of (OPS-2).
///
/// The words are fixed where it is written; what varies are fields. Never in any of them: a secret, a text that
/// somebody wrote, an email address, a position.
public struct LogEvent: Sendable, Equatable {
  public enum Level: String, CaseIterable, Comparable, Sendable {
    /// What single connections do.
    case debug
    /// What happens in the life of a server.
    case info
    /// Somebody may have to do something some day.
    case warning
    /// Something does not work.
    case error

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    public static func < (first: Level, second: Level) -> Bool { first.rank < second.rank }
  }

  public enum Value: Sendable, Equatable {
    case text(String)
    case number(Int)
  }

  public struct Field: Sendable, Equatable {
    public var name: String
    public var value: Value

    public init(name: String, value: Value) {
      self.name = name
      self.value = value
    }
  }

  public var level: Level
  /// What has happened, in words with dots between them: stable, to be searched for.
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

/// Takes events from a level on; others cost nothing.
public struct Logger: Sendable {
  public let least: LogEvent.Level
  private let write: @Sendable (LogEvent) -> Void

  /// Passes events of level `least` and above to `write`, on whichever thread.
  public init(from least: LogEvent.Level, _ write: @escaping @Sendable (LogEvent) -> Void) {
    self.least = least
    self.write = write
  }

  /// Takes nothing.
  public static let none = Logger(from: .error) { _ in }

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
