import JSON
import Simulation
import Testing

/// Positions that a busy server holds, to send several of them together.
@Suite("Held positions")
struct HeldPositionTests {
  @Test("LOC-7: a heartbeat that was owed to a slow client reports no position that has not been sent")
  func owedHeartbeat() throws {
    let sharer = Visit(loops: 1, holdingLive: .seconds(3600))
    defer { sharer.end() }
    sharer.answersPings = true
    let household = try sharer.makeHouseholdOfTwo()
    let share = try sharer.share(for: .seconds(20 * 60))
    try sharer.reportFix()
    let receiver = Visit(beside: sharer)
    receiver.answersPings = true
    receiver.signIn(as: 1)
    try #require(receiver.call("room.subscribe", in: household) != nil)
    let first = receiver.call("room.subscribe", in: share)?["live"]?["position"]?["at"]
    try #require(first != nil)

    // While the client reads nothing and much waits for it, a heartbeat is owed.
    receiver.isDeaf = true
    let long = JSON.string(String(repeating: "🐑", count: 1500))
    for _ in 1...25 {
      try #require(sharer.call("notes.add", in: household, ["text": long], within: .milliseconds(500)) != nil)
    }
    receiver.wait(.seconds(30))
    #expect(receiver.unsentByteCount > 2_000)
    try sharer.reportFix()
    receiver.isDeaf = false
    receiver.wait(.seconds(1))
    #expect(receiver.tickCount == 1)
    #expect(!receiver.livePatches.contains { $0["position"] != nil }, "The new position is still held.")
    #expect(receiver.lastTick?["live"]?[share]?["at"] ?? first == first)
    #expect(sharer.violation == nil && receiver.violation == nil)
  }
}
