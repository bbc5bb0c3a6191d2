public import Foundation
import Platform

/// A child process. Releasing it interrupts the process.
///
/// Not Foundation's `Process`: when Swift 6.3's looks for open descriptors, it reads past the end of a directory entry,
/// and a process with many descriptors crashes now and then (swift-corelibs-foundation #5472).
public final class ChildProcess: Sendable {
  private struct Ending {
    /// The status as `waitpid` reports it.
    var status: Int32?
    var waiting: [CheckedContinuation<Int32, Never>] = []
  }

  /// The reading end of its standard output.
  public let output: FileHandle
  public let id: pid_t
  private let ending: Shared

  private final class Shared: Sendable {
    let state = Locked(Ending())
  }

  /// The destination of a program's standard error.
  public enum Errors: Sendable {
    case ours, output
    case file(URL)
  }

  /// Runs `arguments[0]`, with `environment` added to that of the tests. It reads from `input`, or from nothing.
  public init(
    _ arguments: [String], environment: [String: String] = [:], input: URL? = nil, errors: Errors = .ours
  ) throws {
    // One after another, so that no process inherits a pipe of another one before it is marked close-on-exec.
    (id, output) = try Self.started.withLock { count in
      count += 1
      return try Self.spawn(arguments, environment, input, errors)
    }
    ending = Shared()
    Self.aside { [ending, id] in
      var status: Int32 = 0
      while waitpid(id, &status, 0) == -1, errno == EINTR {}
      let waiting = ending.state.withLock { state in
        state.status = status
        defer { state.waiting = [] }
        return state.waiting
      }
      for continuation in waiting { continuation.resume(returning: status) }
    }
  }

  private static let started = Locked(0)

  private static func spawn(
    _ arguments: [String], _ environment: [String: String], _ input: URL?, _ errors: Errors
  ) throws -> (pid_t, FileHandle) {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw Unexpected("cannot create a pipe: \(errno)") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let output = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true)
    defer { close(ends[1]) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, input?.path ?? "/dev/null", O_RDONLY, 0)
    switch errors {
    case .ours: break
    case .output: posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO)
    case .file(let file):
      posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, file.path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    }
    // Variables that control the tests are not settings of a server.
    let inherited = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("HEARTH_") }
    let variables = inherited.merging(environment) { $1 }.map { "\($0)=\($1)" }
    var words = arguments.map { strdup($0) } + [nil]
    var settings = variables.map { strdup($0) } + [nil]
    defer { for text in words + settings { free(text) } }
    var id = pid_t()
    let error = posix_spawn(&id, arguments[0], &actions, nil, &words, &settings)
    guard error == 0 else { throw Unexpected("cannot start \(arguments[0]): \(error)") }
    return (id, output)
  }

  deinit { send(SIGINT) }

  /// Waits for output and returns it; empty at the end of the output.
  public func nextOutput() async -> String {
    let data = await withCheckedContinuation { continuation in
      Self.aside { continuation.resume(returning: self.output.availableData) }
    }
    return String(decoding: data, as: UTF8.self)
  }

  /// Runs blocking work on its own thread: Dispatch has few threads, and tests run on them.
  public static func aside(_ work: @escaping @Sendable () -> Void) { Thread.detachNewThread(work) }

  /// Sends a signal, unless the process has ended.
  public func send(_ signal: Int32) {
    ending.state.withLock { state in if state.status == nil { kill(id, signal) } }
  }

  /// Runs a program to its end, on this thread. Returns its output, with errors, and its end.
  public static func run(_ arguments: [String]) throws -> (output: String, end: End) {
    let child = try ChildProcess(arguments, errors: .output)
    let output = String(decoding: child.output.readDataToEndOfFile(), as: UTF8.self)
    return (output, child.waitHere())
  }

  /// The way in which a process ended.
  public enum End: Equatable {
    case exited(Int32)
    case killed(Int32)

    /// Interprets a status as `waitpid` reports it.
    public init(status: Int32) { self = status & 0x7F == 0 ? .exited(status >> 8 & 0xFF) : .killed(status & 0x7F) }
  }

  /// Waits for the end on this thread, for processes that end at once.
  public func waitHere() -> End {
    while true {
      if let status = ending.state.withLock(\.status) { return End(status: status) }
      usleep(1000)
    }
  }

  /// Waits for the end of the process.
  @discardableResult
  public func wait() async -> End {
    let status = await withCheckedContinuation { continuation in
      let known = ending.state.withLock { state in
        if state.status == nil { state.waiting.append(continuation) }
        return state.status
      }
      if let known { continuation.resume(returning: known) }
    }
    return End(status: status)
  }
}
