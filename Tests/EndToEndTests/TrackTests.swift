import Foundation
import JSON
import Rooms
import TestSupport
import Testing

/// Ways to a place through the program, whose clocks the test moves. `HomeTests` has the rules, and more ways.
@Suite("Tracks through the program")
struct TrackTests {
  private static func tracks() throws -> [Track] {
    let generated = Walk.kinds.map { $0(1) }.filter { $0.losses == ["noContact"] && $0.name.hasPrefix("a tunnel") }
    return try generated + RecordedTracks.all().filter { $0.name.hasSuffix("a loop") }
  }

  @Test("LOC-6, LOC-17, LOC-25, R-019: over sockets a receiver is told of losses, returns and the arrival, once each")
  func replay() async throws {
    let tracks = try Self.tracks()
    #expect(!tracks.isEmpty)
    for track in tracks { try await replay(track) }
  }

  private func replay(_ track: Track) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "hearth-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let clock = try SteeredClock()
    let server = try await ServerProcess.start(data: folder, through: clock.command)
    let ana = try await ClockTests.signUp("Ana", at: server.port)
    let bo = try await ClockTests.signUp("Bo", at: server.port)
    try await ana.letIn([bo], to: try await ana.makeHousehold())
    let place: JSON = [
      "lat": number(track.lat), "lon": number(track.lon), "r": number(track.radius), "label": "home",
    ]
    let room = try await ana.share(with: [bo], ["place": place])
    let me = try await bo.watch("me")
    _ = try await bo.watch(room)
    let start = Instant.now
    func moment(_ seconds: Double) -> Instant { start + .milliseconds(Int64(seconds * 1000)) }

    var passed = 0
    var lastTaken: Double?
    for upload in track.uploads {
      try await clock.pass(seconds: Int(upload.at) - passed) {
        try await ana.client.fence()
        try await bo.client.fence()
      }
      passed = Int(upload.at)
      let fixes = upload.fixes.map { fix in
        EndToEndTests.fix(
          number(track.lat(of: fix.north)), number(track.lon(of: fix.east)), at: moment(fix.fixTime),
          accuracy: number(fix.accuracy))
      }
      let parameters: [String: JSON] = ["sentAt": moment(upload.sentAt).json, "fixes": .array(fixes)]
      let count = try await ana.call("positions.report", parameters)["shares"]
      // The report that tells an arrival ends the share, which takes no other.
      if count == 0 { break }
      #expect(count == 1, "\(track): one share")
      lastTaken = upload.at
    }
    let late = try await ana.call("positions.report", ["sentAt": moment(Double(passed)).json])
    #expect(late["shares"] == 0, "\(track): the arrival has ended the share")
    let told = try #require(lastTaken, "\(track): is taken")
    let truth = try #require(track.arrivedAt)
    #expect(truth - 10...truth + 60 ~= told, "\(track): is told at \(told), and was there at \(truth)")
    try await me.follow { $0["inbox"]?.object?.values.contains { $0["kind"] == "arrived" } == true }
    let inbox = me["inbox"].values
    #expect(inbox.count { $0["kind"] == "arrived" } == 1)
    #expect(inbox.filter { $0["kind"] == "lost" }.compactMap { $0["cause"]?.string } == track.losses)
    #expect(inbox.count { $0["kind"] == "back" } == track.returnCount)
    await server.stop()
  }

  private func number(_ value: Double) -> JSON { JSON.Number(value).map(JSON.number) ?? .null }
}
