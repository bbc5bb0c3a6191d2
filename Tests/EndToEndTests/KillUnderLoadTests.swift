import Foundation
import JSON
import Testing

/// SYN-3, SYN-4, NFR-4: repeatedly killed under load, the server loses no answered or visible change, repeats none, and
/// is ready again quickly (RELIABILITY C1).
@Suite("kill -9 under load")
struct KillUnderLoadTests {
  /// The number of kills; `script/kill` sets a higher one.
  static let kills = ProcessInfo.processInfo.environment["HEARTH_KILLS"].flatMap { Int($0) } ?? 3
  static let rooms = 10
  static let callersPerRoom = 5

  @Test("with 50 callers and 10 watchers, every call is answered once in the end, and versions have no gaps")
  func kills() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "hearth-killed-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let homes = try await Self.homes(in: folder)
    var slowest = Duration.zero
    var answered = 0
    for kill in 0...Self.kills {
      let start = ContinuousClock.now
      let server = try await ServerProcess.start(data: folder, arguments: ["--loops", "2"])
      slowest = max(slowest, ContinuousClock.now - start)
      for home in homes { try await home.resume(on: server.port) }
      answered = homes.flatMap(\.callers).reduce(0) { $0 + $1.answered }
      if kill == Self.kills {
        await server.stop()
        break
      }
      await withTaskGroup(of: Void.self) { group in
        for home in homes {
          group.addTask { await home.watch() }
          for caller in home.callers { group.addTask { await caller.callUntilCut() } }
        }
        try? await Task.sleep(for: .milliseconds(.random(in: 300...900)))
        await server.kill()
      }
    }
    #expect(answered > 0)
    print("\(Self.kills) kills, \(answered) calls answered, ready after \(slowest) at most")
  }

  /// Creates households with their members and a note for each member.
  private static func homes(in folder: URL) async throws -> [Home] {
    let server = try await TestServer.start(in: folder)
    var homes: [Home] = []
    for _ in 0..<rooms {
      let (room, members) = try await server.household("Ana", "Bo", "Cy", "Dee", "Eli")
      var callers: [Counter] = []
      for member in members {
        let note = try await member.call("notes.add", in: room, ["text": "0", "keep": true])
        callers.append(
          Counter(room: room, token: member.token, client: member.client.id, note: try #require(note["id"])))
      }
      homes.append(Home(room: room, callers: callers, copy: try await members[0].watch(room)))
    }
    await server.stop()
    return homes
  }

  /// A household, a client that watches it, and the callers that change it. Used by one task at a time.
  private final class Home: @unchecked Sendable {
    // @unchecked: the test and one of its tasks use it alternately.
    let room: String
    let callers: [Counter]
    private let start: Int
    private var epoch: JSON
    private var version: Int
    private var state: JSON
    private var client: TestClient

    init(room: String, callers: [Counter], copy: RoomCopy) {
      self.room = room
      self.callers = callers
      start = copy.version
      epoch = .string(copy.epoch)
      version = copy.version
      state = copy.state
      client = copy.client
    }

    /// Receives consecutive patches until the connection breaks.
    func watch() async {
      while let patch = try? await client.notification("room.patch") { take(patch) }
    }

    private func take(_ patch: JSON) {
      #expect(patch["from"]?.int == version)
      version = patch["version"]?.int ?? 0
      state = MergePatch.apply(patch["patch"] ?? [:], to: state).withoutEmptyMaps
    }

    /// Reconnects all clients and sends unanswered calls again, then checks everything that any of them knows.
    func resume(on port: UInt16) async throws {
      client = try await TestClient.connect(port: port)
      try await client.call("hello", ["token": .string(callers[0].token), "client": .string(client.id)])
      for caller in callers { try await caller.resume(on: port) }
      let place: [String: JSON] = ["room": .string(room), "epoch": epoch, "version": .number(JSON.Number(version))]
      let answer = try await client.call("room.subscribe", place)
      let patch = try #require(answer["patch"], "what was seen is still there: \(answer["reason"]?.text ?? "")")
      state = MergePatch.apply(patch, to: state).withoutEmptyMaps
      version = try #require(answer["version"]?.int)
      let fresh = try await client.call("room.subscribe", ["room": .string(room)])
      #expect(fresh["state"] == state && fresh["version"]?.int == version)
      #expect(version == start + callers.reduce(0) { $0 + $1.answered }, "each call raised the version once")
      for caller in callers {
        let note = state["notes"]?[caller.note.string ?? ""]
        #expect(note?["text"]?.string == String(caller.answered))
      }
      client.forget()
    }
  }

  /// A member who counts in a note, four calls at a time.
  private final class Counter: @unchecked Sendable {
    // @unchecked: the test and one of its tasks use it alternately.
    let token: String
    let note: JSON
    private let room: String
    private let id: String
    private var client: TestClient?
    private var sent = 0
    private(set) var answered = 0

    init(room: String, token: String, client: String, note: JSON) {
      self.room = room
      self.token = token
      id = client
      self.note = note
    }

    func callUntilCut() async {
      while true {
        while sent < answered + 4 {
          sent += 1
          post(sent)
        }
        guard await takeNextAnswer() else { return }
      }
    }

    func resume(on port: UInt16) async throws {
      let client = try await TestClient.connect(port: port)
      try await client.call("hello", ["token": .string(token), "client": .string(id)])
      self.client = client
      for number in answered..<sent { post(number + 1) }
      while answered < sent { try #require(await takeNextAnswer()) }
    }

    private func post(_ number: Int) {
      client?.post(
        "notes.edit",
        ["room": .string(room), "seq": .number(JSON.Number(number)), "id": note, "text": .string(String(number))],
        id: 1_000_000 + number)
    }

    private func takeNextAnswer() async -> Bool {
      let number = answered + 1
      guard let answer = try? await client?.next({ $0["id"]?.int == 1_000_000 + number }) else { return false }
      #expect(answer["result"] != nil, "\(answer.text)")
      answered = number
      return true
    }
  }
}
