import Foundation
import JSON
import Testing

@testable import HearthCommand

/// SYN-10, RELIABILITY E11: a stopping server closes all connections in order and loses nothing.
@Suite("Stopping the server")
struct LeavingTests {
  static let callers = 40

  @Test(
    "SYN-10, R-013: on a stop under load clients get a time to reconnect and 4001, and no answered call is lost")
  func underLoad() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "hearth-leaving-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let seeding = try await TestServer.start(in: folder)
    let (room, members) = try await seeding.household("Ana", "Bo", "Cy", "Dee")
    await seeding.stop()

    let process = try await ServerProcess.start(data: folder, arguments: ["--loops", "2", "--return-spread", "3s"])
    var callers: [NoteWriter] = []
    for index in 0..<Self.callers {
      callers.append(try await NoteWriter(room: room, token: members[index % 4].token, port: process.port))
    }
    // A connection without hello must not delay the stop.
    let silent = try await TestClient.connect(port: process.port)
    var stopping = Duration.zero
    await withTaskGroup(of: Void.self) { group in
      for caller in callers { group.addTask { await caller.callUntilLeft() } }
      try? await Task.sleep(for: .milliseconds(400))
      let clock = ContinuousClock.now
      await process.stop()
      stopping = ContinuousClock.now - clock
    }
    #expect(stopping <= .seconds(5), "\(stopping)")
    #expect(try await silent.closeCode() == 4001)
    let delays = callers.compactMap(\.delay)
    #expect(delays.count == Self.callers, "every client is notified")
    #expect(delays.allSatisfy { (0..<3000).contains($0) } && Set(delays).count > Self.callers / 2, "\(delays)")
    #expect((delays.max() ?? 0) - (delays.min() ?? 0) > 1500, "the delays are spread: \(delays.sorted())")
    #expect(callers.allSatisfy { $0.closeCode == 4001 })
    let answered = callers.reduce(0) { $0 + $1.answered.count }
    #expect(answered > 0)

    let again = try await TestServer.start(in: folder)
    defer { again.end() }
    let client = try await again.connect()
    try await client.call("hello", ["token": .string(members[0].token), "client": .string(newID())])
    let state = try await client.call("room.subscribe", ["room": .string(room)])
    let items = try #require(state["state"]?["lists"]?.object ?? state["state"]?["notes"]?.object)
    #expect(!items.isEmpty)
    for caller in callers {
      guard let last = caller.answered.last else { continue }
      let text = state["state"]?["notes"]?[caller.note]?["text"]?.string.flatMap { Int($0) } ?? 0
      #expect(text >= last, "the answered changes are there")
    }
    print("stopped in \(stopping), \(answered) calls answered")
  }

  @Test("SYN-10: calls made before the stop are answered, however slow the disk, before clients are told to reconnect")
  func answersFirst() async throws {
    let gate = Gate()
    let server = try await TestServer.start { $0.wrap = { gate.wrap($0) } }
    let (room, members) = try await server.household("Ana", "Bo")
    let (ana, bo) = (members[0], members[1])
    let copy = try await bo.watch(room)
    gate.hold()
    ana.post("notes.add", in: room, ["text": "in time"], id: 3000)
    await gate.holdsOne()
    let stopping = Task { await server.stop() }
    try await Task.sleep(for: .milliseconds(300))
    #expect(!ana.client.messagesNow.contains { $0["id"] == 3000 || $0["method"] == "server.leaving" })
    gate.release()
    let answer = try await ana.client.next { $0["id"] == 3000 || $0["method"] == "server.leaving" }
    #expect(answer["result"]?["version"] != nil)
    try await copy.follow { $0["notes"] != nil }
    for member in [ana, bo] {
      _ = try await member.client.notification("server.leaving")
      #expect(try await member.client.closeCode() == 4001)
    }
    await stopping.value
    server.end()
  }

  @Test("SYN-10: a second Ctrl-C stops the server at once")
  func twice() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "hearth-twice-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let process = try await ServerProcess.start(data: folder)
    // The server would wait for this client, which never closes.
    var deaf: [TestClient] = []
    for _ in 0..<5 {
      let client = try await TestClient.connect(port: process.port)
      client.pauseReading(true)
      deaf.append(client)
    }
    process.interrupt()
    await process.untilPrinted("Stopping.")
    process.interrupt()
    // A server that has waited exits with 0.
    #expect(await process.exitStatus == 130)
    for client in deaf { client.drop() }
  }

  @Test("a server whose output has no reader stops in order, too")
  func unread() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "hearth-unread-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let process = try await ServerProcess.start(data: folder)
    let client = try await TestClient.connect(port: process.port)
    try process.closeOutput()
    process.interrupt()
    #expect(try await client.closeCode() == 4001)
    #expect(await process.exitStatus == 0)
  }

  /// A member who writes increasing numbers into a note, several calls at a time.
  private final class NoteWriter: @unchecked Sendable {
    // @unchecked: the test and one of its tasks use it alternately.
    let client: TestClient
    let note: String
    private let room: String
    private(set) var answered: [Int] = []
    private(set) var delay: Int?
    private(set) var closeCode: UInt16?

    init(room: String, token: String, port: UInt16) async throws {
      self.room = room
      client = try await TestClient.connect(port: port)
      try await client.call("hello", ["token": .string(token), "client": .string(newID())])
      let answer = try await client.call("notes.add", ["room": .string(room), "text": "0", "keep": true])
      note = answer["id"]?.string ?? ""
    }

    func callUntilLeft() async {
      var sent = 0
      while true {
        while sent < (answered.last ?? 0) + 4 {
          sent += 1
          client.post(
            "notes.edit", ["room": .string(room), "id": .string(note), "text": .string(String(sent))],
            id: 1_000_000 + sent)
        }
        let message = try? await client.next {
          $0["id"]?.int ?? 0 > 1_000_000 || $0["method"]?.string == "server.leaving"
        }
        guard let message else { break }
        if let id = message["id"]?.int {
          #expect(message["result"] != nil, "\(message.text)")
          answered.append(id - 1_000_000)
        } else {
          delay = message["params"]?["reconnectAfter"]?.int
          break
        }
      }
      closeCode = try? await client.closeCode()
    }
  }
}
