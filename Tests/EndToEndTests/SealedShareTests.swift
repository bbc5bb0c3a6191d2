import Foundation
import GRDB
import JSON
import Rooms
import Testing

@testable import HearthCommand

@Suite("Shares on disk")
struct SealedShareTests {
  /// The texts that are in clear text in any file of the folder.
  private func readable(_ texts: [String], in folder: URL) throws -> [String] {
    try texts.filter { try isThere(Data($0.utf8), in: folder) }
  }

  /// The keys that the server has now.
  private func keys(_ server: TestServer) throws -> [Data] {
    var configuration = GRDB.Configuration()
    configuration.readonly = true
    let path = server.folder.appending(path: "hearth.db.keys").path
    return try DatabaseQueue(path: path, configuration: configuration).read {
      try Data.fetchAll($0, sql: "SELECT bytes FROM key")
    }
  }

  /// Whether any file of the folder contains the bytes.
  private func isThere(_ bytes: Data, in folder: URL) throws -> Bool {
    let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    return try files.contains { try Data(contentsOf: $0).range(of: bytes) != nil }
  }

  @Test("LOC-24: when a share ends, its keys are in no file any longer, and other shares keep theirs")
  func shredded() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (_, members) = try await server.household("Ana", "Bo")
    let (ana, bo) = (members[0], members[1])
    let ends = Instant.now + .seconds(1000)
    let first = try await ana.share(with: bo, until: ends)
    let second = try await bo.share(with: ana, until: ends + .seconds(1000))
    try await ana.report(fix(52.491736, 4.8129371))
    try await bo.report(fix(52.4917, 4.8129))
    try await Task.sleep(for: .seconds(1.2))
    let before = try keys(server)
    for key in before { #expect(try isThere(key, in: server.folder)) }

    try await server.restart { $0.wrap = { LaterStore($0, after: ends - .now - .seconds(1)) } }
    var after = before
    // The bytes are overwritten a moment after the rows are deleted.
    let deadline = ContinuousClock.now + .seconds(20)
    func remains() throws -> Bool {
      try before.contains { key in try !after.contains(key) && isThere(key, in: server.folder) }
    }
    while try after.count > before.count / 2 || remains(), ContinuousClock.now < deadline {
      try await Task.sleep(for: .milliseconds(50))
      after = try keys(server)
    }
    #expect(after.count == before.count / 2 && !after.isEmpty)
    for key in before { #expect(try isThere(key, in: server.folder) == after.contains(key)) }
    let again = try await ana.again(on: server)
    #expect(try await again.refusal("room.subscribe", in: first).code == 3)
    #expect(try await again.watch(second).answer["live"]?["position"]?["lat"] == 52.4917)
  }

  @Test("LOC-24: a share's position and note are not readable on disk, and both survive a restart")
  func sealed() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (home, members) = try await server.household("Ana", "Bo")
    let (ana, bo) = (members[0], members[1])
    let secrets = ["52.4917360", "4.8129371", "52.4917361", "behind the old lighthouse"]
    let until = (Instant.now + .seconds(3600)).json
    let answer = try await ana.call(
      "shares.start", ["receivers": [.string(bo.id)], "until": until, "note": .string(secrets[3])])
    let share = "share/\(try #require(answer["id"]?.string))"
    try await ana.report(fix(52.491736, 4.8129371))
    try await Task.sleep(for: .seconds(1.2))
    try await ana.report(fix(52.4917361, 4.8129371))
    try await Task.sleep(for: .seconds(1.2))
    let room = try await bo.watch(share)
    #expect(room["share"]["note"] == .string(secrets[3]))
    #expect(try readable(secrets + ["52.491736"], in: server.folder) == [])

    try await server.restart()
    #expect(try readable(secrets + ["52.491736"], in: server.folder) == [])
    let bo2 = try await bo.again(on: server)
    let again = try await bo2.watch(share)
    #expect(again["share"]["note"] == .string(secrets[3]))
    // A cross-check: a household's note is found.
    try await bo2.call("notes.add", in: home, ["text": "shown in clear"])
    #expect(try readable(["shown in clear"], in: server.folder).count == 1)
  }
}
