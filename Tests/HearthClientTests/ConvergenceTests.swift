import Foundation
import JSON
import Rooms
import TestSupport
import Testing

@testable import HearthClient

/// SYN-3, SYN-11: whatever happens in whatever order, a change that was accepted takes effect once, or its refusal is
/// told, and what is shown becomes what the server has.
@Suite("Convergence")
struct ConvergenceTests {
  static let runs = ProcessInfo.processInfo.environment["HEARTH_CLIENT_RUNS"].flatMap { Int($0) } ?? 12

  @Test("changes, other people's changes, lost messages, torn files, killed clients: all ends well")
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
    // A play in which nothing goes wrong shows nothing.
    #expect(sums.refusedForNow > 0 && sums.repeated > 0 && sums.kills > 0 && sums.torn > 0, "\(sums)")
    print("\(Self.runs) plays: \(sums)")
  }

  /// One client, one server, and what is between them.
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

    static let rooms = [Script.house, "household/0a000000-0000-4000-8000-000000000001", "me"]
    let seed: UInt64
    var random: SeededGenerator
    var server: ModelServer
    var script: Script
    /// Sent and not received, each way.
    var toServer: [JSON] = []
    var toClient: [JSON] = []
    var isConnected = false
    var nextID = 0
    /// Ids of changes that the client has promised to carry out, or may have: those of a crash while writing.
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
      script = try Script(seed: seed)
      try begin()
    }

    private func begin() throws {
      for room in Self.rooms { try script.run { try $0.follow(room, kept: script.kept[room]) } }
      script.run { $0.start() }
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
      case 17, 18: script.advance(by: .milliseconds(draw(3000)))
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
      script.isDiskSlow = draw(6) == 0
      script.isDiskFull = draw(20) == 0
      try script.run { core in
        let result = try core.change(
          "put", ["id": .string(id), "key": .string(key), "value": value], room: room, patch: ["n": [key: value]],
          wall: Said.at)
        ids[result.id] = id
        return result.outputs
      }
      script.isDiskFull = false
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
      for _ in 0..<(1 + draw(4)) where isConnected && !toClient.isEmpty { script.say(toClient.removeFirst()) }
    }

    /// What is on its way to the server may still get there; what it says to that never arrives.
    private func disconnect() {
      guard isConnected else { return }
      for _ in 0..<draw(toServer.count + 1) { _ = server.receive(toServer.removeFirst()) }
      hangUp()
      script.end(.lost)
    }

    private func hangUp() {
      isConnected = false
      toServer = []
      toClient = []
      server.disconnect()
    }

    /// The process ends at once, perhaps in the middle of writing a line, and another one begins.
    private func kill() throws {
      kills += 1
      if isConnected { for _ in 0..<draw(toServer.count + 1) { _ = server.receive(toServer.removeFirst()) } }
      hangUp()
      var file = script.file
      if script.wantsStore {
        let line = script.takeUnwrittenLine()
        let written = draw(line.count + 1)
        if written > 0, written < line.count { torn += 1 }
        file += line.prefix(written)
      }
      take(script.take())
      let before = script
      script = try Script(file: file, kept: before.kept, seed: random.next())
      script.now = before.now
      // Changes have other names in the new process; by their parameters they are the same.
      ids = [:]
      for entry in script.core.queue.entries {
        let id = entry.change.parameters["id"]?.string ?? ""
        ids[entry.change.id] = id
        accepted.insert(id)
        // That it was refused had not been written yet: the server says so again.
        refused.remove(id)
      }
      try begin()
    }

    /// Carries out what the client wants of the network.
    private func settle() throws {
      while true {
        let outputs = script.take()
        take(outputs)
        guard outputs.contains(where: { $0 == .connect || $0 == .disconnect }) else { break }
        if outputs.contains(.disconnect) { hangUp() }
        if outputs.contains(.connect) {
          isConnected = true
          script.open()
        }
      }
      let calls = try script.takeCalls()
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

    /// What the client knows of a room is what that once was, with its own changes on top.
    private func check() throws {
      for room in Self.rooms {
        guard let document = script.core.document(of: room) else { continue }
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

    /// Nothing goes wrong any more: everything arrives.
    func finish() throws {
      script.isDiskSlow = false
      script.write()
      for _ in 0..<10_000 {
        try settle()
        while !toServer.isEmpty || !toClient.isEmpty {
          if !toServer.isEmpty { toClient += server.receive(toServer.removeFirst()) }
          if !toClient.isEmpty { script.say(toClient.removeFirst()) }
          try settle()
        }
        if isConnected, script.core.queue.entries.isEmpty { break }
        script.advance(by: .milliseconds(500))
      }
      try check()
      try #require(script.core.queue.entries.isEmpty, "seed \(seed)")
      var effects: [String] = []
      for room in Self.rooms {
        let model = try #require(server.rooms[room])
        let document = try #require(script.core.document(of: room))
        try #require(document.state == model.state && document.pending == [], "seed \(seed)")
        effects += model.effects
      }
      try #require(Set(effects).count == effects.count, "nothing twice; seed \(seed)")
      try #require(Set(effects).isDisjoint(with: refused.union(rejected)), "seed \(seed)")
      try #require(accepted.subtracting(refused).isSubset(of: effects), "nothing lost; seed \(seed)")
      try #require(Set(effects).isSubset(of: accepted), "nothing out of nowhere; seed \(seed)")
      try #require(try QueueLog.read(script.file).records.count < 5000)
      try #require(try Script(file: script.file).core.queue.entries.isEmpty, "seed \(seed)")
    }
  }
}
