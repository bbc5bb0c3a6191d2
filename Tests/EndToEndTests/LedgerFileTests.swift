import Foundation
import JSON
import TestSupport
import Testing

@testable import HearthCommand

/// The ledger in files: out of a household, and into one.
@Suite("The ledger in files")
struct LedgerFileTests {
  private static func file(_ name: String) -> URL {
    FileManager.default.temporaryDirectory.appending(path: "hearth-\(UUID())-\(name)")
  }

  @Test("BIL-22, R-039: the exported ledger adds up to the same balances in another program, as CSV and as JSON")
  func export() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo", "Cy")
    let (ana, bo) = (members[0], members[1])
    for (amount, currency) in [(1000, "EUR"), (500, "JPY"), (1000, "KWD"), (-250, "EUR")] {
      let bill: JSON = ["title": "=Tea, \"hot\"", "amount": .number(.init(amount)), "currency": .string(currency)]
      try await bo.call("bills.add", in: room, ["bill": bill])
    }
    let added = try await ana.call("bills.add", in: room, ["bill": ["title": "Rent", "amount": 90_001]])
    try await ana.call("bills.edit", in: room, ["id": added["id"] ?? .null, "bill": ["amount": 80_002]])
    try await ana.call("payments.record", in: room, ["from": .string(bo.id), "amount": 777])
    let balances = try await ana.watch(room).state["balances"]?.object?.compactMapValues { $0["people"] }
    #expect(balances?.count == 3)
    for form in ["csv", "json"] {
      // As it is: `Program` reads lines.
      let run = try ChildProcess.run([
        ServerProcess.program.path, "ledger", "--\(form)", "--url", "ws://127.0.0.1:\(server.port)/sync", "--token",
        ana.token,
      ])
      try #require(run.end == .exited(0), "\(run.output)")
      let file = Self.file("ledger.\(form)")
      defer { try? FileManager.default.removeItem(at: file) }
      try Data(run.output.utf8).write(to: file)
      let script = Peer.folder.appending(path: "recompute_ledger.py").path
      let sums = try ChildProcess.run(["/usr/bin/env", Peer.interpreter, script, form, file.path])
      try #require(sums.end == .exited(0), "\(sums.output.suffix(2000))")
      #expect(try JSON.parse(Array(sums.output.utf8)).object == balances, "\(form)")
    }
  }

  @Test("BIL-22: an export of Splitwise becomes bills with its balances; a dry run and a second run add nothing")
  func moveIn() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo")
    let file = Self.file("group.csv")
    defer { try? FileManager.default.removeItem(at: file) }
    let text = """
      Date,Description,Category,Cost,Currency,Ana B.,Bo

      2026-01-05,Hotel,Hotel,90.00,EUR,45.00,-45.00
      2026-01-06,Bo paid Ana,Payment,20.00,EUR,-20.00,20.00

      2026-01-07,Total balance, , ,EUR,25.00,-25.00
      """
    try Data(text.utf8).write(to: file)
    func run(_ more: String...) async throws -> Program.Outcome {
      try await Program.run(
        ["import", file.path, "--url", "ws://127.0.0.1:\(server.port)/sync"] + more, token: members[0].token)
    }
    let stranger = try await run()
    #expect(stranger.status == 1 && stranger.errors.contains("'Ana B.' is no member"))
    let dry = try await run("--dry-run", "--person", "Ana B.=Ana")
    #expect(dry.status == 0 && dry.output.contains("2 bills in EUR would be imported"), "\(dry.errors)")
    #expect(try await members[0].call("bills.list", in: room)["items"] == [])
    for added in [2, 0] {
      let done = try await run("--person", "Ana B.=Ana")
      #expect(done.output.contains("\(added) of 2 bills in EUR were imported"), "\(done.errors)")
    }
    let people = try await members[0].watch(room).state["balances"]?["EUR"]?["people"]
    #expect(people == .object([members[0].id: 2500, members[1].id: -2500]))
  }
}
