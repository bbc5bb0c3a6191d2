import JSON
import Testing

@testable import HearthCommand
@testable import Server

/// A server to which calls arrive faster than it handles them.
@Suite("Backlog")
struct BacklogTests {
  @Test(
    "a commit does not wait for others up to a load of a half, and waits as long as allowed from a load of four fifths"
  )
  func waiting() {
    var configuration = Configuration()
    configuration.gather = .milliseconds(100)
    for load in [0, 0.3, 0.5] { #expect(configuration.gathering(atLoad: load) == .zero) }
    let between = configuration.gathering(atLoad: 0.65)
    #expect(between > .milliseconds(49) && between < .milliseconds(51))
    for load in [0.8, 1] {
      #expect(abs((configuration.gathering(atLoad: load) - .milliseconds(100)) / .nanoseconds(1)) < 1)
    }
    configuration.gather = .zero
    #expect(configuration.gathering(atLoad: 1) == .zero)
    configuration.gatherLive = .milliseconds(50)
    #expect(configuration.liveGathering(atLoad: 0.5) == .zero)
    #expect(abs((configuration.liveGathering(atLoad: 1) - .milliseconds(50)) / .nanoseconds(1)) < 1)
  }

  @Test(
    "SYN-4: under backlog, changes wait to share a commit and a patch, up to a limit",
    arguments: [Duration.seconds(60), .zero])
  func gathering(limit: Duration) async throws {
    let brake = Brake()
    let server = try await TestServer.start {
      $0.loopCount = 1
      $0.loop.eventsPerBatch = 1
      $0.configuration.gather = .zero
      $0.configuration.gatherLimit = limit
      $0.wrap = { BrakingStore($0, brake) }
    }
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo", "Cem")
    let stranger = try await server.member("Dee")
    let before = try await members[0].watch(room).version
    for member in members { member.client.forget() }
    brake.pull()
    stranger.post("room.subscribe", in: "household/\(newID())", id: 900)
    await brake.stopped()
    for member in members {
      member.post("notes.add", in: room, ["text": "all at once"], id: 901)
      await member.client.flush()
    }
    brake.release()
    var froms = [before]
    while let from = froms.last, from < before + 3 {
      let patch = try await members[0].client.notification("room.patch")
      #expect(patch["from"]?.int == from)
      froms.append(try #require(patch["version"]?.int))
    }
    #expect((froms == [before, before + 3]) == (limit > .zero), "\(froms)")
    for member in members { _ = try await member.client.next { $0["id"] == 901 && $0["result"] != nil } }
  }
}
