import Foundation
import JSON
import TestSupport
import Testing

/// SYN-4 with the system's own calls in sight: what is flushed before what is sent, and what a flush that fails does
/// (RELIABILITY C2, C3).
@Suite(
  "A disk that is watched, and one that fails",
  .enabled(if: Strace.isAvailable, "needs strace(1) and the right to use it"))
struct FailingDiskTests {
  @Test("every answer leaves behind a flush that came after the call")
  func flushFirst() async throws {
    let prepared = try await KillTests.Prepared.shared.value
    let folder = try prepared.copy()
    defer { try? FileManager.default.removeItem(at: folder) }
    let trace = folder.appending(path: "trace")
    let server = try await ServerProcess.start(
      data: folder, through: Strace.command(into: trace, ["-s", "400", "-e", "trace=fdatasync,sendto"]))
    let client = try await prepared.client(on: server.port)
    let count = 200
    for number in 1...count {
      client.post(
        "notes.add", ["room": .string(prepared.room), "seq": .number(JSON.Number(number)), "text": "x"],
        id: 5000 + number)
      _ = try await client.next { $0["id"]?.int == 5000 + number }
    }
    await server.stop()
    var isFlushed = false
    var answers = 0
    for line in try String(contentsOf: trace, encoding: .utf8).split(separator: "\n") {
      if line.contains("fdatasync"), line.hasSuffix("= 0") { isFlushed = true }
      guard line.contains("sendto("), line.contains(#"\"id\":5"#) else { continue }
      #expect(isFlushed, "\(line)")
      isFlushed = false
      answers += 1
    }
    #expect(answers == count)
  }

  @Test(
    "C3: a call of the disk that fails stops the server or is told as a refusal; nothing answered is lost or repeated",
    arguments: [3, 5, 7, 8, 10, 12].map { FailingCall("fdatasync", "EIO", number: $0) } + [
      FailingCall("fdatasync", "ENOSPC", number: 11, isForGood: true), FailingCall("pwrite64", "EIO", number: 100),
      FailingCall("pwrite64", "ENOSPC", number: 110), FailingCall("pwrite64", "ENOSPC", number: 120, isForGood: true),
    ])
  func failing(call: FailingCall) async throws {
    let outcome = try await Self.serve(60, through: call)
    #expect(outcome.hasFailed, "it was never called so often")
    #expect(call.number < 10 || outcome.answeredFirst > 0, "it was to fail while it serves")
    if call.name == "fdatasync" { #expect(outcome.hasStopped, "after a failed flush nobody knows what is on disk") }
    if call.name == "pwrite64", call.error == "ENOSPC" { #expect(!outcome.hasStopped, "full is no damage") }
  }

  @Test(
    "C3: each call of the disk fails in turn, until a run meets none that fails",
    .enabled(if: ProcessInfo.processInfo.environment["HEARTH_FAIL_ALL"] != nil, "takes minutes"),
    arguments: ["fdatasync", "pwrite64", "ftruncate", "unlink"])
  func eachInTurn(name: String) async throws {
    for error in ["EIO", "ENOSPC"] {
      for isForGood in [false, true] {
        var number = 1
        func fails() async throws -> Bool {
          try await Self.serve(40, through: FailingCall(name, error, number: number, isForGood: isForGood)).hasFailed
        }
        while try await fails() { number += 1 }
        print("\(name) \(error) \(isForGood ? "for good" : "once"): \(number - 1) calls failed in turn")
      }
    }
  }

  struct FailingCall: Sendable, CustomTestStringConvertible {
    let name: String
    let error: String
    /// Which is the first that fails, of each thread's.
    let number: Int
    let isForGood: Bool

    init(_ name: String, _ error: String, number: Int, isForGood: Bool = false) {
      (self.name, self.error, self.number, self.isForGood) = (name, error, number, isForGood)
    }

    var testDescription: String { "\(name) \(number)\(isForGood ? "+" : "") \(error)" }

    var options: [String] {
      ["-e", "trace=\(name)", "-e", "inject=\(name):error=\(error):when=\(number)\(isForGood ? "+" : "")"]
    }
  }

  private struct Outcome {
    var hasFailed = false
    /// The server has ended by itself.
    var hasStopped = false
    /// Calls that it answered before.
    var answeredFirst = 0
  }

  /// Lets a server add so many notes on a disk that fails so, and looks at what is there when it is started on one that
  /// does not.
  private static func serve(_ count: Int, through call: FailingCall) async throws -> Outcome {
    let prepared = try await KillTests.Prepared.shared.value
    let folder = try prepared.copy()
    defer { try? FileManager.default.removeItem(at: folder) }
    let trace = folder.appending(path: "trace")
    var texts = (1...count).map { "note \($0)" }
    var outcome = Outcome()
    var answered: Set<String> = []
    var refused: Set<String> = []
    if let failing = try? await ServerProcess.start(data: folder, through: Strace.command(into: trace, call.options)) {
      if let client = try? await prepared.client(on: failing.port) {
        for (number, text) in texts.enumerated() where !outcome.hasStopped && number < texts.count {
          do {
            try await add(text, number, client, prepared.room)
            answered.insert(text)
            if answered.count == number + 1 { outcome.answeredFirst = answered.count }
          } catch let error as WireError {
            // Behind a failure a few show whether it goes on.
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
    // What was refused has had no effect, and is another call now.
    for (number, text) in texts.enumerated() where refused.contains(text) {
      try await add(text, texts.count + number, client, prepared.room)
    }
    let all = try await notes(client, prepared.room)
    #expect(all.sorted() == texts.sorted(), "\(call.testDescription): what is asked for again is done once")
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

/// strace(1), which shows a program's system calls and lets them fail.
private enum Strace {
  static let path = "/usr/bin/strace"

  static let isAvailable = {
    guard FileManager.default.isExecutableFile(atPath: path),
      let process = try? ChildProcess([path, "-o", "/dev/null", "-e", "inject=fdatasync:error=EIO:when=9", "/bin/true"])
    else { return false }
    return process.waitHere() == .exited(0)
  }()

  static func command(into file: URL, _ options: [String]) -> [String] {
    // -D: the program is our child, strace beside it, so that signals reach it and its end is its own.
    [path, "-D", "-f", "-qq", "-o", file.path] + options
  }
}
