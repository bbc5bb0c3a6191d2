import Dispatch
import Foundation
import JSON
import Platform
import Rooms

/// The format of log lines.
enum LogFormat: String, CaseIterable, Sendable {
  /// `2026-05-01T09:00:00.000Z warning commit.failed rooms=2 why="no space"`
  case text
  /// `{"time":…,"level":…,"event":…}` and the fields.
  case json

  /// The line for an event, without its end.
  func line(_ event: LogEvent, at time: Instant) -> String {
    switch self {
    case .text:
      let fields = event.fields.map { " \($0.name)=\(Self.text($0.value))" }.joined()
      return "\(time) \(event.level.rawValue) \(event.name)\(fields)"
    case .json:
      let writer = Writer(capacity: 256)
      writer.openObject()
      let head = [("time", time.description), ("level", event.level.rawValue), ("event", event.name)]
      for (name, text) in head {
        writer.key(name)
        writer.string(text)
      }
      for field in event.fields {
        writer.key(field.name)
        switch field.value {
        case .text(let text): writer.string(text)
        case .number(let number): writer.int(number)
        }
      }
      writer.closeObject()
      return String(decoding: writer.bytes(), as: UTF8.self)
    }
  }

  /// Words are bare; anything else is quoted, so that an event stays one line.
  private static func text(_ value: LogEvent.Value) -> String {
    switch value {
    case .number(let number): String(number)
    case .text(let text):
      if !text.isEmpty, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") }) {
        text
      } else {
        JSON.string(text).text
      }
    }
  }
}

/// Writes events to standard error on its own thread, so that a slow terminal or full pipe delays nothing else.
final class LogOutput: Sendable {
  private let format: LogFormat
  private let queue = DispatchQueue(label: "hearth.log")
  private let state = Locked(State())

  private struct State: Sendable {
    var waiting = 0
    var dropped = 0
  }

  /// Lines that may wait; further ones are dropped and counted.
  static let capacity = 10_000

  init(_ format: LogFormat) { self.format = format }

  func logger(from level: LogEvent.Level) -> Logger { Logger(from: level) { self.take($0) } }

  /// Returns once everything has been written.
  func flush() { queue.sync {} }

  private func take(_ event: LogEvent) {
    let isTaken = state.withLock { state in
      guard state.waiting < Self.capacity else {
        state.dropped += 1
        return false
      }
      state.waiting += 1
      return true
    }
    guard isTaken else { return }
    let time = Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
    queue.async { [self] in write(event, at: time) }
  }

  private func write(_ event: LogEvent, at time: Instant) {
    complain(format.line(event, at: time))
    let dropped = state.withLock { state in
      state.waiting -= 1
      defer { if state.waiting == 0 { state.dropped = 0 } }
      return state.waiting == 0 ? state.dropped : 0
    }
    guard dropped > 0 else { return }
    let fields = [LogEvent.Field(name: "lines", value: .number(dropped))]
    complain(format.line(LogEvent(level: .warning, name: "log.dropped", fields: fields), at: time))
  }
}
