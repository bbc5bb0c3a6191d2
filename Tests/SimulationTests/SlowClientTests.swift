import JSON
import Simulation
import Testing

/// Clients that read nothing for a while.
@Suite("Slow clients")
struct SlowClientTests {
  @Test("I11, SYN-5: a live document is not added to a merged patch that has filled the connection, and comes later")
  func liveAfterMergedPatch() throws {
    let writer = Visit(loops: 1)
    defer { writer.end() }
    writer.answersPings = true
    let household = try writer.makeHouseholdOfTwo()
    let reader = Visit(beside: writer)
    reader.answersPings = true
    reader.signIn(as: 1)
    try #require(reader.call("room.subscribe", in: household) != nil)
    let before = reader.livePatches.count

    reader.isDeaf = true
    let long = JSON.string(String(repeating: "🐑", count: 1500))
    for _ in 1...25 {
      try #require(writer.call("notes.add", in: household, ["text": long], within: .milliseconds(500)) != nil)
    }
    // The writer begins to watch, and is shown as online: the live document changes, too.
    try #require(writer.call("room.subscribe", in: household) != nil)
    #expect(reader.unsentByteCount > 2_000)
    reader.isDeaf = false
    reader.wait(.seconds(5))
    let me = try #require(writer.person(0).string)
    #expect(reader.livePatches.dropFirst(before).last?["presence"]?[me]?["online"] == true)
    #expect(writer.violation == nil && reader.violation == nil)
  }
}
