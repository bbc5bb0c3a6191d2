import JSON
import Simulation
import Testing

/// Sockets that die without a word, while their client goes on over another one.
@Suite("Dark sockets")
struct DarkSocketTests {
  @Test("R-009: a client whose sockets go dark, one after another, stays online, and its newest socket works")
  func onlineThroughout() throws {
    let observer = Visit()
    defer { observer.end() }
    observer.answersPings = true
    let room = try observer.makeHouseholdOfTwo()
    try #require(observer.call("room.subscribe", in: room) != nil)
    let bo = Visit(beside: observer)
    bo.answersPings = true
    let me = try #require(observer.person(1).string)
    func arrive() throws {
      bo.signIn(as: 1)
      try #require(bo.call("room.subscribe", in: room) != nil)
    }
    try arrive()
    observer.wait(.seconds(5))
    func changes() -> [JSON] { observer.livePatches.compactMap { $0["presence"]?[me] } }
    #expect(changes().last?["online"] == true)
    let before = changes().count

    for number in 1...10 {
      bo.goDark()
      try arrive()
      // The next one goes dark while the server still waits for the one before.
      let isLong = number.isMultiple(of: 2)
      for _ in 0..<(isLong ? 10 : 1) {
        bo.wait(.seconds(isLong ? 30 : 10))
        try #require(bo.call("notes.add", in: room, ["text": "still here"]) != nil, "\(number)")
      }
    }
    #expect(!changes().dropFirst(before).contains { $0["online"] != true && $0["online"] != nil }, "\(changes())")
    #expect(bo.violation == nil && observer.violation == nil)
    // When the last one goes dark, too, the person is shown as gone.
    bo.goDark()
    bo.wait(.seconds(200))
    #expect(changes().last?["online"] == .null)
  }
}
