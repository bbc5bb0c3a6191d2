import Foundation
import Synchronization

/// A program that runs beside the tests. Whoever lets go of it interrupts it.
///
/// Not Foundation's `Process`: looking for open descriptors, that of Swift 6.3 reads past the end of a directory entry,
/// and a process that has many of them crashes now and then (swift-corelibs-foundation #5472).
final class ChildProcess: Sendable {
  private struct Ending {
    /// As `waitpid` tells it.
    var status: Int32?
    var waiting: [CheckedContinuation<Int32, Never>] = []
  }

  /// What it prints.
  let output: FileHandle
  private let id: pid_t
  private let ending: Shared
  /// Waiting blocks a thread, which must be none of the few that run tests.
  static let queue = DispatchQueue(label: "test.processes", attributes: .concurrent)

  private final class Shared: Sendable {
    let state = Mutex(Ending())
  }

  /// Runs `arguments[0]`, with `environment` added to that of the tests. Its errors stand in `output` too, if
  /// `includesErrors`.
  init(_ arguments: [String], environment: [String: String] = [:], includesErrors: Bool = false) throws {
    // One after another, so that none inherits a pipe of another that is not marked yet.
    (id, output) = try Self.starting.withLock { _ in try Self.spawn(arguments, environment, includesErrors) }
    ending = Shared()
    Self.queue.async { [ending, id] in
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

  private static let starting = Mutex(())

  private static func spawn(
    _ arguments: [String], _ environment: [String: String], _ includesErrors: Bool
  ) throws -> (pid_t, FileHandle) {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw Unexpected("no pipe: \(errno)") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let output = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true)
    defer { close(ends[1]) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
    if includesErrors { posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO) }
    let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }.map { "\($0)=\($1)" }
    var words = arguments.map { strdup($0) } + [nil]
    var settings = variables.map { strdup($0) } + [nil]
    defer { for text in words + settings { free(text) } }
    var id = pid_t()
    let error = posix_spawn(&id, arguments[0], &actions, nil, &words, &settings)
    guard error == 0 else { throw Unexpected("\(arguments[0]) does not start: \(error)") }
    return (id, output)
  }

  deinit { send(SIGINT) }

  /// Sends a signal, unless it has ended.
  func send(_ signal: Int32) {
    ending.state.withLock { state in if state.status == nil { kill(id, signal) } }
  }

  /// Waits until it has ended; answers the signal that ended it, 0 if it ended by itself.
  @discardableResult
  func wait() async -> Int32 {
    let status = await withCheckedContinuation { continuation in
      let known = ending.state.withLock { state in
        if state.status == nil { state.waiting.append(continuation) }
        return state.status
      }
      if let known { continuation.resume(returning: known) }
    }
    return status & 0x7F
  }
}
