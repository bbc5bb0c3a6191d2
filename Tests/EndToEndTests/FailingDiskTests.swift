import Foundation
import JSON
import TestSupport
import Testing

/// SYN-4, observed through system calls: flushes come before sends, and a failed flush stops the server.
///
/// RELIABILITY C2, C3.
@Suite(
  "Traced and failing disks",
  .enabled(if: Strace.isAvailable, "needs strace(1) and the right to use it"))
struct FailingDiskTests {
  /// Whether to run the tests that take minutes, too.
  static let isLong = ProcessInfo.processInfo.environment["HEARTH_FAIL_ALL"] != nil

  @Test("C2: an answer or patch is sent only after a flush that began after its change was written")
  func flushFirst() async throws {
    let prepared = try await KillTests.Prepared.shared.value
    let folder = try prepared.copy()
    defer { try? FileManager.default.removeItem(at: folder) }
    let trace = folder.appending(path: "trace")
    let calls = ["-s", "65536", "-e", "trace=pwrite64,fdatasync,sendto"]
    let server = try await ServerProcess.start(data: folder, through: Strace.command(into: trace, calls))
    let client = try await prepared.client(on: server.port)
    let room: JSON = .string(prepared.room)
    var notes: [JSON] = []
    // At most as many as are edited at once: changes overwritten within a batch never reach the disk.
    let window = 40
    for number in 1...window {
      let sequence: JSON = .number(JSON.Number(number))
      let added = try await client.call("notes.add", ["room": room, "seq": sequence, "text": "-"])
      notes.append(try #require(added["id"]))
    }
    _ = try await client.call("room.subscribe", ["room": room])
    let count = Self.isLong ? 10_000 : 400
    for first in stride(from: 1, through: count, by: window) {
      for number in first..<first + window {
        let text: JSON = .string(FlushOrder.mark(number))
        client.post(
          "notes.edit",
          ["room": room, "seq": .number(JSON.Number(number + window)), "id": notes[number % window], "text": text],
          id: FlushOrder.firstCall + number)
      }
      for number in first..<first + window {
        let answer = try await client.next { $0["id"]?.int == FlushOrder.firstCall + number }
        try #require(answer["result"] != nil)
      }
      client.forget()
    }
    await server.stop()
    let order = try FlushOrder(of: trace)
    #expect(order.early.isEmpty)
    #expect(order.answers == count && order.told == count && order.flushes < count)
    print("\(order.answers) answers after \(order.flushes) flushes, \(order.told) changes in patches")
  }

  @Test(
    "C3: when a disk call fails, the server stops or refuses, and no answered call is lost or repeated",
    arguments: [3, 5, 7, 8, 10, 12].map { FailingCall("fdatasync", "EIO", number: $0) } + [
      FailingCall("fdatasync", "ENOSPC", number: 11, isForGood: true), FailingCall("pwrite64", "EIO", number: 100),
      FailingCall("pwrite64", "ENOSPC", number: 110), FailingCall("pwrite64", "ENOSPC", number: 120, isForGood: true),
      FailingCall("pwrite64", "EINTR", number: 105), FailingCall("fdatasync", "EINTR", number: 9),
    ])
  func failing(call: FailingCall) async throws {
    let outcome = try await Self.serve(60, through: call)
    #expect(outcome.hasFailed, "there were too few calls for the failure")
    #expect(call.number < 10 || outcome.answeredFirst > 0, "the failure should come while the server answers calls")
    if call.name == "fdatasync" { #expect(outcome.hasStopped, "after a failed flush the disk's content is unknown") }
    if call.name == "pwrite64", call.error != "EIO" {
      #expect(!outcome.hasStopped, "a full disk must not stop the server")
    }
  }

  @Test(
    "C3: each disk call fails in turn, until a run has no call left to fail",
    .enabled(if: isLong, "takes minutes"),
    arguments: ["fdatasync", "pwrite64", "ftruncate", "unlink", "openat"])
  func eachInTurn(name: String) async throws {
    for error in ["EIO", "ENOSPC", "EINTR"] {
      // A call that was interrupted by a signal is made again, so it fails permanently.
      for isForGood in error == "EINTR" ? [false] : [false, true] {
        var number = 1
        func fails() async throws -> Bool {
          try await Self.serve(40, through: FailingCall(name, error, number: number, isForGood: isForGood)).hasFailed
        }
        while try await fails() { number += 1 }
        print("\(name) \(error) \(isForGood ? "for good" : "once"): \(number - 1) calls failed in turn")
      }
    }
  }

  // MARK: starting

  /// A folder with notes of a server that was killed, so that the next one has a log to read.
  private static let killed = Task<URL, any Error> {
    let prepared = try await KillTests.Prepared.shared.value
    let folder = try prepared.copy()
    let server = try await ServerProcess.start(data: folder)
    let client = try await prepared.client(on: server.port)
    for number in 0..<5 { try await add("note \(number)", number, client, prepared.room) }
    await server.kill()
    // Foundation cannot copy a socket.
    try FileManager.default.removeItem(at: folder.appending(path: "admin.sock"))
    return folder
  }

  @Test(
    "C3: when a disk call fails while the server starts, it names the file and ends, or runs, and nothing is lost",
    arguments: [
      FailingCall("pread64", "EIO", number: 1), FailingCall("pread64", "EIO", number: 4),
      FailingCall("pread64", "EIO", number: 12), FailingCall("pread64", "EINTR", number: 2),
      FailingCall("pwrite64", "EIO", number: 1), FailingCall("pwrite64", "ENOSPC", number: 3),
      FailingCall("pwrite64", "EIO", number: 6, isForGood: true), FailingCall("fdatasync", "EIO", number: 1),
      FailingCall("fdatasync", "EIO", number: 2), FailingCall("fdatasync", "ENOSPC", number: 1, isForGood: true),
      FailingCall("ftruncate", "EIO", number: 1), FailingCall("openat", "EIO", number: 1),
      FailingCall("openat", "EACCES", number: 2), FailingCall("openat", "EIO", number: 4),
      FailingCall("openat", "ENOSPC", number: 3, isForGood: true),
      FailingCall("unlink", "EIO", number: 1, isForGood: true),
    ])
  func starting(call: FailingCall) async throws { try await Self.start(through: call) }

  @Test(
    "C3: while the server starts, each disk call fails in turn, until a start has no call left to fail",
    .enabled(if: isLong, "takes minutes"),
    arguments: ["pread64", "pwrite64", "fdatasync", "ftruncate", "openat", "unlink"])
  func startingEachInTurn(name: String) async throws {
    for error in ["EIO", "ENOSPC", "EINTR"] {
      for isForGood in error == "EINTR" ? [false] : [false, true] {
        var number = 1
        func fails() async throws -> Bool {
          try await Self.start(through: FailingCall(name, error, number: number, isForGood: isForGood))
        }
        while try await fails() { number += 1 }
        print("\(name) \(error) \(isForGood ? "for good" : "once"): \(number - 1) calls failed in turn")
      }
    }
  }

  /// Starts a server on a failing disk, then another on a working one, which finds everything. Returns whether a call
  /// has failed.
  @discardableResult private static func start(through call: FailingCall) async throws -> Bool {
    let prepared = try await KillTests.Prepared.shared.value
    let folder = FileManager.default.temporaryDirectory.appending(path: "hearth-starting-\(UUID())")
    try FileManager.default.copyItem(at: try await killed.value, to: folder)
    defer { try? FileManager.default.removeItem(at: folder) }
    let trace = folder.appending(path: "trace")
    let strace = Strace.command(into: trace, call.options(on: folder, isStarting: true))
    let expected = (0..<5).map { "note \($0)" }
    do {
      let server = try await ServerProcess.start(data: folder, through: strace, errors: .output)
      // It runs, and stops by itself if the failure comes only now.
      if let client = try? await prepared.client(on: server.port), let kept = try? await notes(client, prepared.room) {
        #expect(kept.sorted() == expected)
      }
      await server.stop()
      #expect([0, 1].contains(await server.exitStatus), "\(call.testDescription)")
    } catch let error as ServerProcess.NotStarted {
      let lines = error.output.split(separator: "\n").filter { $0.hasPrefix("Error: ") }
      #expect(lines.count == 1 && lines[0].contains("hearth.db"), "\(call.testDescription): \(error.output)")
    }
    let hasFailed = try String(contentsOf: trace, encoding: .utf8).contains("(INJECTED)")
    let server = try await ServerProcess.start(data: folder)
    let client = try await prepared.client(on: server.port)
    #expect(try await notes(client, prepared.room).sorted() == expected, "\(call.testDescription)")
    await server.stop()
    return hasFailed
  }

  struct FailingCall: Sendable, CustomTestStringConvertible {
    let name: String
    let error: String
    /// The number of the first failing call, counted per thread.
    let number: Int
    let isForGood: Bool

    init(_ name: String, _ error: String, number: Int, isForGood: Bool = false) {
      (self.name, self.error, self.number, self.isForGood) = (name, error, number, isForGood)
    }

    var testDescription: String { "\(name) \(number)\(isForGood ? "+" : "") \(error)" }

    /// The options for strace, which observes only the store's files.
    func options(on folder: URL, isStarting: Bool = false) -> [String] {
      let suffixes = ["", "-lock", "-wal", "-shm", "-spare", ".keys", ".keys-wal", ".keys-shm"]
      let names = suffixes.map { "hearth.db\($0)" }
      let store = names.flatMap { ["-P", folder.appending(path: $0).path] }
      let call = ["-e", "trace=\(name)", "-e", "inject=\(name):error=\(error):when=\(number)\(isForGood ? "+" : "")"]
      return (isStarting || name == "openat" ? store : []) + call
    }
  }

  private struct Outcome {
    var hasFailed = false
    /// Whether the server ended by itself.
    var hasStopped = false
    /// The number of calls answered before the failure.
    var answeredFirst = 0
  }

  /// Adds notes on a failing disk, then restarts the server on a working disk and checks its data.
  private static func serve(_ count: Int, through call: FailingCall) async throws -> Outcome {
    let prepared = try await KillTests.Prepared.shared.value
    let folder = try prepared.copy()
    defer { try? FileManager.default.removeItem(at: folder) }
    let trace = folder.appending(path: "trace")
    var texts = (1...count).map { "note \($0)" }
    var outcome = Outcome()
    var answered: Set<String> = []
    var refused: Set<String> = []
    let strace = Strace.command(into: trace, call.options(on: folder))
    if let failing = try? await ServerProcess.start(data: folder, through: strace) {
      if let client = try? await prepared.client(on: failing.port) {
        for (number, text) in texts.enumerated() where !outcome.hasStopped && number < texts.count {
          do {
            try await add(text, number, client, prepared.room)
            answered.insert(text)
            if answered.count == number + 1 { outcome.answeredFirst = answered.count }
          } catch let error as WireError {
            // After a failure, a few calls show whether the server continues.
            if refused.isEmpty { texts = Array(texts.prefix(number + 10)) }
            refused.insert(text)
            #expect(error.error["data"]?["temporary"] == true, "\(call.testDescription): \(error)")
          } catch {
            outcome.hasStopped = true
            texts = Array(texts.prefix(number + 10))
          }
        }
      } else {
        outcome.hasStopped = true
      }
      if !outcome.hasStopped { await failing.stop() }
      #expect(await failing.exitStatus == (outcome.hasStopped ? 1 : 0), "\(call.testDescription)")
    } else {
      outcome.hasStopped = true
    }
    outcome.hasFailed = try String(contentsOf: trace, encoding: .utf8).contains("(INJECTED)")

    let server = try await ServerProcess.start(data: folder)
    let client = try await prepared.client(on: server.port)
    let kept = try await notes(client, prepared.room)
    #expect(Set(kept).count == kept.count && answered.isSubset(of: kept), "\(call.testDescription): \(kept)")
    for (number, text) in texts.enumerated() where !refused.contains(text) {
      try await add(text, number, client, prepared.room)
    }
    // A refused note had no effect, so sending it again is a new call.
    for (number, text) in texts.enumerated() where refused.contains(text) {
      try await add(text, texts.count + number, client, prepared.room)
    }
    let all = try await notes(client, prepared.room)
    #expect(all.sorted() == texts.sorted(), "\(call.testDescription): a repeated call takes effect once")
    await server.stop()
    return outcome
  }

  private static func add(_ text: String, _ number: Int, _ client: TestClient, _ room: String) async throws {
    let sequence: JSON = .number(JSON.Number(number + 1))
    try await client.call("notes.add", ["room": .string(room), "seq": sequence, "text": .string(text)])
  }

  private static func notes(_ client: TestClient, _ room: String) async throws -> [String] {
    let answer = try await client.call("room.subscribe", ["room": .string(room)])
    return (answer["state"]?["notes"]?.object ?? [:]).values.compactMap { $0["text"]?.string }
  }
}

/// The order of writes, flushes and sends in strace's output.
private struct FlushOrder {
  static let firstCall = 1_000_000

  /// A note's text that can be found in a trace. It has two copies, since a page may end inside one of them.
  static func mark(_ number: Int) -> String { "mark:\(number). mark:\(number)." }

  private(set) var answers = 0
  /// The number of changes seen in patches.
  private(set) var told = 0
  private(set) var flushes = 0
  /// Changes that were sent before they were flushed.
  private(set) var early: [String] = []
  /// Changes that a thread has written since its last flush began, and those that this flush covers.
  private var written: [Substring: Set<Int>] = [:]
  private var flushing: [Substring: Set<Int>] = [:]
  private var flushed: Set<Int> = []

  init(of trace: URL) throws {
    // Each line starts with a thread's number.
    for line in try String(contentsOf: trace, encoding: .utf8).split(separator: "\n") {
      let thread = line.prefix { $0 != " " }
      let rest = line.dropFirst(thread.count).drop { $0 == " " }
      if rest.hasPrefix("pwrite64(") {
        written[thread, default: []].formUnion(Self.numbers(behind: "mark:", in: rest))
      } else if rest.hasPrefix("sendto(") {
        noteSent(rest)
      } else {
        if rest.hasPrefix("fdatasync(") { flushing[thread] = written.removeValue(forKey: thread) }
        if rest.contains("fdatasync"), rest.hasSuffix("= 0"), let all = flushing.removeValue(forKey: thread) {
          flushes += 1
          flushed.formUnion(all)
        }
      }
    }
  }

  private mutating func noteSent(_ line: Substring) {
    let calls = Self.numbers(behind: #"\"id\":"#, in: line).filter { $0 > Self.firstCall }
    let answered = calls.map { $0 - Self.firstCall }
    let patched = Set(Self.numbers(behind: "mark:", in: line))
    answers += answered.count
    told += patched.count
    for number in answered + patched where !flushed.contains(number) { early.append("\(number): \(line.prefix(200))") }
  }

  private static func numbers(behind mark: String, in line: Substring) -> [Int] {
    line.split(separator: mark).dropFirst().compactMap { Int($0.prefix { $0.isWholeNumber }) }
  }
}

/// strace(1), which shows a program's system calls and can make them fail.
private enum Strace {
  static let path = "/usr/bin/strace"

  static let isAvailable = {
    guard FileManager.default.isExecutableFile(atPath: path),
      let process = try? ChildProcess([path, "-o", "/dev/null", "-e", "inject=fdatasync:error=EIO:when=9", "/bin/true"])
    else { return false }
    return process.waitHere() == .exited(0)
  }()

  static func command(into file: URL, _ options: [String]) -> [String] {
    // -D: the program is our child and strace is not its parent, so signals and exit status are the program's own.
    [path, "-D", "-f", "-qq", "-o", file.path] + options
  }
}
