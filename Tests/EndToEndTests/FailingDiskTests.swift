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
    "a flush that fails, whichever, stops the server; nothing it has answered is lost, though the next would succeed",
    arguments: [3, 5, 7, 10, 12, 15])
  func failedFlush(number: Int) async throws {
    let prepared = try await KillTests.Prepared.shared.value
    let folder = try prepared.copy()
    defer { try? FileManager.default.removeItem(at: folder) }
    let injection = "inject=fdatasync:error=EIO:when=\(number)"
    let failing = try? await ServerProcess.start(
      data: folder,
      through: Strace.command(into: folder.appending(path: "trace"), ["-e", "trace=fdatasync", "-e", injection]))
    #expect(failing != nil || number < 10, "it was to fail while it serves")
    var answered = 0
    if let failing, let client = try? await prepared.client(on: failing.port) {
      while await call(answered + 1, client, prepared.room) { answered += 1 }
      #expect(await failing.exitStatus == 1, "it stops by itself")
    }
    #expect(answered > 0 || number < 15)
    let server = try await ServerProcess.start(data: folder)
    let client = try await prepared.client(on: server.port)
    let before = try await client.call("room.subscribe", ["room": .string(prepared.room)])
    let count = before["state"]?["notes"]?.object?.count ?? 0
    #expect(count == answered || count == answered + 1)
    #expect(await call(answered + 1, client, prepared.room))
    let after = try await client.call("room.subscribe", ["room": .string(prepared.room)])
    #expect(after["state"]?["notes"]?.object?.count == answered + 1, "what was not answered is done once")
    await server.stop()
  }

  /// Adds a note; whether that was answered.
  private func call(_ number: Int, _ client: TestClient, _ room: String) async -> Bool {
    let parameters: [String: JSON] = ["room": .string(room), "seq": .number(JSON.Number(number)), "text": "x"]
    return (try? await client.call("notes.add", parameters)) != nil
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
