import Foundation
import JSON
import TestSupport
import Testing

/// SYN-4 on a full file system (RELIABILITY C4).
@Suite("Full disk", .enabled(if: SmallDisk.isAvailable, "needs the right to mount a file system"))
struct FullDiskTests {
  @Test(
    "on a full disk calls are refused as temporary, no answer is false, and the server continues when there is space")
  func full() async throws {
    let prepared = try await KillTests.Prepared.shared.value
    let disk = try SmallDisk(kilobytes: 4096)
    defer { disk.unmount() }
    let folder = disk.folder.appending(path: "data")
    try FileManager.default.copyItem(at: try prepared.copy(), to: folder)
    let server = try await ServerProcess.start(data: folder)
    let client = try await prepared.client(on: server.port)
    let watcher = try await TestClient.connect(port: server.port)
    try await watcher.call("hello", ["token": .string(prepared.token), "client": .string(watcher.id)])
    let room: JSON = .string(prepared.room)
    _ = try await watcher.call("room.subscribe", ["room": room])
    try disk.fill(leaving: 64)
    var expected: Set<String> = []
    var refusal: WireError?
    var number = 0
    func add() async throws {
      let text = "\(number) " + String(repeating: "x", count: 1500)
      let answer = try await client.call(
        "notes.add", ["room": room, "seq": .number(JSON.Number(number + 1)), "text": .string(text)])
      expected.insert(try #require(answer["id"]?.string))
      number += 1
    }
    while refusal == nil, number < 190 {
      do { try await add() } catch let error as WireError { refusal = error }
    }
    #expect(refusal?.code == 7 && refusal?.error["data"]?["temporary"] == true, "\(String(describing: refusal))")
    // While the disk is full every change is refused, and reads still succeed.
    for _ in 0..<5 { await #expect(throws: WireError.self) { try await add() } }
    #expect(try await notes(watcher, room) == expected)
    try disk.empty()
    for _ in 0..<5 { try await add() }
    await server.kill()
    let again = try await ServerProcess.start(data: folder)
    #expect(try await notes(try await prepared.client(on: again.port), room) == expected)
    await again.stop()
  }

  @Test(
    "C4: on a full disk the server starts, says so, answers questions, and refuses changes until there is space",
    arguments: [true, false])
  func start(killed: Bool) async throws {
    let prepared = try await KillTests.Prepared.shared.value
    let disk = try SmallDisk(kilobytes: 4096)
    defer { disk.unmount() }
    let folder = disk.folder.appending(path: "data")
    try FileManager.default.copyItem(at: try prepared.copy(), to: folder)
    let room: JSON = .string(prepared.room)
    func add(_ text: String, on server: ServerProcess) async throws -> JSON {
      try await prepared.client(on: server.port).call("notes.add", ["room": room, "text": .string(text)])
    }
    let before = try await ServerProcess.start(data: folder)
    let kept = try await add("before", on: before)
    if killed { await before.kill() } else { await before.stop() }
    try disk.fill(leaving: 0)
    let full = try Program(["serve", "--data", folder.path, "--port", "0"])
    let listening = try #require(try await full.line { $0.contains("/sync") })
    let port = try #require(listening.firstMatch(of: /:(\d+)\/sync/).flatMap { UInt16($0.1) })
    #expect(try full.errors.contains("store.full"))
    let client = try await prepared.client(on: port)
    #expect(try await notes(client, room).contains(kept["id"]?.string ?? ""))
    var refusal: WireError?
    // The rest of the space that the server kept may take a few changes.
    for number in 0..<200 where refusal == nil {
      let text = "\(number) " + String(repeating: "x", count: 1500)
      do {
        _ = try await client.call("notes.add", ["room": room, "text": .string(text)])
      } catch let error as WireError { refusal = error }
    }
    #expect(refusal?.code == 7 && refusal?.reason == "busy", "\(String(describing: refusal))")
    #expect(try await notes(client, room).contains(kept["id"]?.string ?? ""))
    try disk.empty()
    _ = try await client.call("notes.add", ["room": room, "text": "after"])
    full.interrupt()
    #expect(await full.wait() == 0)
  }

  private func notes(_ client: TestClient, _ room: JSON) async throws -> Set<String> {
    let answer = try await client.call("room.subscribe", ["room": room])
    return Set((answer["state"]?["notes"]?.object ?? [:]).keys)
  }
}

/// A separate file system, small enough to be filled.
private final class SmallDisk {
  static let isAvailable = (try? SmallDisk(kilobytes: 256))?.unmount() != nil

  let folder: URL
  private var ballast: URL { folder.appending(path: "ballast") }

  init(kilobytes: Int) throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "hearth-disk-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let mount = try ChildProcess(["/bin/mount", "-t", "tmpfs", "-o", "size=\(kilobytes)k", "hearth", folder.path])
    guard mount.waitHere() == .exited(0) else {
      try? FileManager.default.removeItem(at: folder)
      throw Unexpected("cannot mount a file system here")
    }
  }

  /// Fills the disk up to a number of free kilobytes.
  func fill(leaving kilobytes: Int) throws {
    let attributes = try FileManager.default.attributesOfFileSystem(forPath: folder.path)
    let free = try #require((attributes[.systemFreeSize] as? NSNumber)?.intValue)
    try Data(count: free - kilobytes * 1024).write(to: ballast)
  }

  /// Frees the space, even if a child process of another test has inherited the open file.
  func empty() throws { try Data().write(to: ballast) }

  func unmount() {
    _ = try? ChildProcess(["/bin/umount", "-l", folder.path]).waitHere()
    try? FileManager.default.removeItem(at: folder)
  }
}
