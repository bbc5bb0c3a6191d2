import Foundation
import GRDB
import TestSupport
import Testing

@testable import loadtest

/// Runs against the smallest of the peers, which shares no code with the generator.
@Suite("Load test: relays")
struct RelayScenarioTests {
  private static let compiler = "/usr/bin/cc"
  private static let source = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../loadtest/peers/floor/floor.c").path

  /// Compiles and starts a relay; passes its port, and the file of its journal if it keeps one.
  private func withRelay(_ arguments: [String], _ body: (UInt16, URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "hearth-loadtest-relay-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let program = folder.appending(path: "floor").path
    let (_, end) = try ChildProcess.run([Self.compiler, "-O1", "-o", program, Self.source, "-lcrypto", "-lsqlite3"])
    try #require(end == .exited(0))
    let journal = folder.appending(path: "journal")
    let relay = try ChildProcess([program, "0"] + arguments + (arguments == ["--journal"] ? [journal.path] : []))
    defer { relay.send(SIGKILL) }
    let line = String(decoding: relay.output.availableData, as: UTF8.self)
    try body(try #require(UInt16(line.dropLast())), journal)
  }

  @Test(
    "every client receives every message once and in order, in a closed loop and at a fixed rate",
    .enabled(if: FileManager.default.isExecutableFile(atPath: compiler), "there is no C compiler"),
    arguments: [[], ["--collect"], ["--journal"]], [["--in-flight", "3"], ["--rate", "500"]])
  func load(relay: [String], load: [String]) throws {
    try withRelay(relay) { port, journal in
      let options = try RelayCommand.parse(
        ["--port", "\(port)", "--rooms", "3", "--members", "4", "--callers", "2", "--text", "100"] + load)
      let generator = try Generator(options.target)
      let scenario = RelayScenario(options, generator)
      generator.scenario = scenario
      try generator.openAll()
      #expect(generator.readyCount == 12)
      scenario.start()
      _ = scenario.window(seconds: 0.3, of: nil)
      scenario.stop()
      scenario.drain(seconds: 10)
      let tally = scenario.record.tally
      #expect(tally.sent > 10)
      #expect(tally.answers == tally.sent)
      #expect(tally.deliveries == 4 * tally.sent)
      #expect(scenario.missingCount + scenario.twiceCount + scenario.disorderCount + scenario.strangeCount == 0)
      #expect(generator.losses.isEmpty)
      if relay == ["--journal"] {
        let rows = try DatabaseQueue(path: journal.path).read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM log") }
        #expect(rows == tally.sent)
      }
    }
  }
}
