import Foundation
import JSON
import Testing

@testable import HearthCommand

@Suite("Damaged database")
struct DamagedDatabaseTests {
  private func run(_ arguments: String...) async throws -> (status: Int32, output: String) {
    let outcome = try await Program.run(arguments)
    return (outcome.status, outcome.output + outcome.errors)
  }

  @Test("C5: `hearth verify` reports the damage, and the server runs on the data that `hearth recover` saved")
  func commands() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo")
    for number in 1...30 {
      try await members[0].call(
        "notes.add", in: room, ["text": .string("\(number) " + String(repeating: "a", count: 1_500))])
    }
    let share = try await members[0].share(with: members[1])
    let data = server.folder.path
    let running = try await run("verify", "--data", data)
    #expect(running.output.contains("open in another process"))
    await server.stop()
    let whole = try await run("verify", "--data", data)
    #expect(whole.status == 0 && whole.output.contains("is undamaged"), "\(whole.output)")

    // Without the keys, the share is lost.
    try FileManager.default.removeItem(at: server.folder.appending(path: "hearth.db.keys"))
    let broken = try await run("verify", "--data", data)
    #expect(broken.status == 1 && broken.output.contains("hearth.db.keys") && broken.output.contains(share))
    let refused = try await run("serve", "--data", data, "--port", "0")
    #expect(refused.status != 0 && refused.output.contains("hearth.db.keys"))
    let folder = server.folder.appending(path: "saved")
    let recovered = try await run("recover", "--data", data, "--to", folder.path)
    #expect(recovered.status == 0 && recovered.output.contains("2 accounts and 2 sessions"), "\(recovered.output)")
    let again = try await TestServer.start(in: folder)
    defer { again.end() }
    let ana = try await members[0].again(on: again)
    #expect(try await ana.watch(room)["notes"].count == 30)
    #expect(try await ana.refusal("room.subscribe", in: share).code == 3)
  }
}
