import Foundation
import JSON
import Rooms
import Testing

@testable import hearth

@Suite("A share on disk")
struct SealedShareTests {
  /// Which of the texts stand in clear in any file of the folder.
  private func readable(_ texts: [String], in folder: URL) throws -> [String] {
    let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    return try texts.filter { text in
      try files.contains { try Data(contentsOf: $0).range(of: Data(text.utf8)) != nil }
    }
  }

  @Test("LOC-24: neither position nor note of a share is readable on disk; a restart keeps both")
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
    // A note of the household, to be sure that something would be found.
    try await bo2.call("notes.add", in: home, ["text": "shown in clear"])
    #expect(try readable(["shown in clear"], in: server.folder).count == 1)
  }
}
