import Foundation
import JSON
import Rooms
import TestSupport
import Testing

@testable import HearthClient

/// SYN-3, SYN-11: with any faults in any order, an accepted change takes effect once or its refusal is reported, and
/// the shown state converges to the server's.
@Suite("Convergence")
struct ConvergenceTests {
  static let runs = ProcessInfo.processInfo.environment["HEARTH_CLIENT_RUNS"].flatMap { Int($0) } ?? 12

  @Test("the client converges despite concurrent changes, lost messages, torn files and killed processes")
  func randomRuns() throws {
    let asked = ProcessInfo.processInfo.environment["HEARTH_CLIENT_SEED"].flatMap { UInt64($0) }
    let seed = asked ?? UInt64.random(in: 0..<UInt64.max)
    var sums = Play.Sums()
    for run in 0..<UInt64(Self.runs) {
      let play = try Play(seed: seed &+ run)
      for _ in 0..<400 { try play.step() }
      try play.finish()
      sums.add(play)
    }
    // A run without faults would prove nothing.
    #expect(sums.refusedForNow > 0 && sums.repeated > 0 && sums.kills > 0 && sums.torn > 0, "\(sums)")
    print("\(Self.runs) runs: \(sums)")
  }

  /// One client, one server, and the messages in flight between them.
  private final class Play {
    struct Sums {
      var accepted = 0, refusedForNow = 0, repeated = 0, kills = 0, torn = 0

      mutating func add(_ play: Play) {
        accepted += play.accepted.count
        refusedForNow += play.server.refusedForNow
        repeated += play.server.repeated
        kills += play.kills
        torn += play.torn
      }
    }

    static let rooms = [CoreUnderTest.house, "household/0a000000-0000-4000-8000-000000000001", "me"]
    let seed: UInt64
    var random: SeededGenerator
    var server: ModelServer
    var client: CoreUnderTest
    /// Messages in flight.
    var toServer: [JSON] = []
    var toClient: [JSON] = []
    var isConnected = false
    var nextID = 0
    /// Ids of changes that the client has accepted, or may have: a crash interrupted the write.
    var accepted: Set<String> = []
    var refused: Set<String> = []
    var rejected: Set<String> = []
    var ids: [Int64: String] = [:]
    var kills = 0
    var torn = 0

    init(seed: UInt64) throws {
      self.seed = seed
      random = SeededGenerator(seed: seed)
      server = ModelServer(rooms: Self.rooms, seed: seed ^ 0xFF)
      client = try CoreUnderTest(seed: seed)
      try begin()
    }

    private func begin() throws {
      for room in Self.rooms { try client.run { try $0.follow(room, kept: client.kept[room]) } }
      client.run { $0.start() }
      try settle()
    }

    private func draw(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }

    func step() throws {
      switch draw(20) {
      case 0...5: try change()
      case 6, 7: others()
      case 8...11: deliverToServer()
      case 12...15: deliverToClient()
      case 16: disconnect()
      case 17, 18: client.advance(by: .milliseconds(draw(3000)))
      default: if draw(4) == 0 { try kill() }
      }
      try settle()
      try check()
    }

    private func change() throws {
      nextID += 1
      let id = "c\(nextID)"
      let room = Self.rooms[draw(3)]
      let key = "k\(draw(4))"
      let value: JSON = draw(8) == 0 ? "no" : .string(id)
      client.isDiskSlow = draw(6) == 0
      client.isDiskFull = draw(20) == 0
      try client.run { core in
        let result = try core.change(
          "put", ["id": .string(id), "key": .string(key), "value": value], room: room, patch: ["n": [key: value]],
          wall: Sample.at)
        ids[result.id] = id
        return result.outputs
      }
      client.isDiskFull = false
    }

    private func others() {
      let room = Self.rooms[draw(3)]
      let value: JSON = draw(3) == 0 ? .null : .string("o\(draw(1000))")
      toClient += server.otherChange(in: room, ["n": ["k\(draw(4))": value]])
    }

    private func deliverToServer() {
      guard isConnected else { return }
      for _ in 0..<(1 + draw(4)) where !toServer.isEmpty { toClient += server.receive(toServer.removeFirst()) }
    }

    private func deliverToClient() {
      for _ in 0..<(1 + draw(4)) where isConnected && !toClient.isEmpty { client.send(toClient.removeFirst()) }
    }

    /// Ends the connection. Messages in flight to the server may still arrive; its answers never do.
    private func disconnect() {
      guard isConnected else { return }
      for _ in 0..<draw(toServer.count + 1) { _ = server.receive(toServer.removeFirst()) }
      hangUp()
      client.end(.lost)
    }

    private func hangUp() {
      isConnected = false
      toServer = []
      toClient = []
      server.disconnect()
    }

    /// Ends the process at once, perhaps inside a write, and starts another one.
    private func kill() throws {
      kills += 1
      if isConnected { for _ in 0..<draw(toServer.count + 1) { _ = server.receive(toServer.removeFirst()) } }
      hangUp()
      var file = client.file
      if client.wantsStore {
        let line = client.takeUnwrittenLine()
        let written = draw(line.count + 1)
        if written > 0, written < line.count { torn += 1 }
        file += line.prefix(written)
      }
      take(client.take())
      let before = client
      client = try CoreUnderTest(file: file, kept: before.kept, seed: random.next())
      client.now = before.now
      // Changes have other ids in the new process, so they are identified by their parameters.
      ids = [:]
      for entry in client.core.queue.entries {
        let id = entry.change.parameters["id"]?.string ?? ""
        ids[entry.change.id] = id
        accepted.insert(id)
        // The refusal was not recorded yet, so the server reports it again.
        refused.remove(id)
      }
      try begin()
    }

    /// Carries out the client's requests to the network.
    private func settle() throws {
      while true {
        let outputs = client.take()
        take(outputs)
        guard outputs.contains(where: { $0 == .connect || $0 == .disconnect }) else { break }
        if outputs.contains(.disconnect) { hangUp() }
        if outputs.contains(.connect) {
          isConnected = true
          client.open()
        }
      }
      let calls = try client.takeCalls()
      if isConnected { toServer += calls }
    }

    private func take(_ outputs: [ClientCore.Output]) {
      for output in outputs {
        switch output {
        case .accepted(let id): accepted.insert(ids[id] ?? "?")
        case .rejected(let id, _): rejected.insert(ids[id] ?? "?")
        case .settled(let id, .failure): refused.insert(ids[id] ?? "?")
        case .fail(let error): Issue.record("\(error), seed \(seed)")
        default: break
        }
      }
    }

    /// Checks that each document is an earlier state of the server with the client's own changes applied.
    private func check() throws {
      for room in Self.rooms {
        guard let document = client.core.document(of: room) else { continue }
        let states = server.rooms[room]?.states ?? []
        try #require(document.confirmed.state == states[Int(document.confirmed.version)], "seed \(seed)")
        let state = document.pending.reduce(document.confirmed.state) {
          MergePatch.apply($1.patch ?? [:], to: $0)
        }
        try #require(document.state == state, "seed \(seed)")
        for change in document.pending {
          try #require(!refused.contains(change.parameters["id"]?.string ?? ""), "seed \(seed)")
        }
      }
    }

    /// Delivers everything from now on, without faults.
    func finish() throws {
      client.isDiskSlow = false
      client.write()
      for _ in 0..<10_000 {
        try settle()
        while !toServer.isEmpty || !toClient.isEmpty {
          if !toServer.isEmpty { toClient += server.receive(toServer.removeFirst()) }
          if !toClient.isEmpty { client.send(toClient.removeFirst()) }
          try settle()
        }
        if isConnected, client.core.queue.entries.isEmpty { break }
        client.advance(by: .milliseconds(500))
      }
      try check()
      try #require(client.core.queue.entries.isEmpty, "seed \(seed)")
      var effects: [String] = []
      for room in Self.rooms {
        let model = try #require(server.rooms[room])
        let document = try #require(client.core.document(of: room))
        try #require(document.state == model.state && document.pending == [], "seed \(seed)")
        effects += model.effects
      }
      try #require(Set(effects).count == effects.count, "nothing twice; seed \(seed)")
      try #require(Set(effects).isDisjoint(with: refused.union(rejected)), "seed \(seed)")
      try #require(accepted.subtracting(refused).isSubset(of: effects), "nothing lost; seed \(seed)")
      try #require(Set(effects).isSubset(of: accepted), "nothing out of nowhere; seed \(seed)")
      try #require(try QueueLog.read(client.file).records.count < 5000)
      try #require(try CoreUnderTest(file: client.file).core.queue.entries.isEmpty, "seed \(seed)")
    }
  }
}
