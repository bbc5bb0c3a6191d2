import JSON
import Rooms
import Testing

@testable import Server

@Suite("Cache of encoded states")
struct StateCacheTests {
  private func room(_ name: String) throws -> Room {
    let room = MethodTable().makeRoom(.household(ID(high: 1, low: 1)), Configuration())
    let body =
      #"{"version":3,"at":"2026-05-01T09:00:00Z","state":{"household":{"name":"\#(name)"}},"#
      + #""hidden":{},"receipts":[]}"#
    try room.restore(snapshot: Array(body.utf8), entries: [], live: nil, random: [], due: nil)
    return room
  }

  @Test("a reloaded room does not use the cached state of its former instance, even at the same version")
  func identity() throws {
    let cache = StateCache()
    let first = try room("Here")
    let state = cache.state(of: first)
    #expect(cache.state(of: first) == state)
    let second = try room("There")
    #expect(try JSON.parse(state)["household"]?["name"] == "Here")
    #expect(try JSON.parse(cache.state(of: second))["household"]?["name"] == "There")
    #expect(cache.state(of: first) == state)
  }
}
