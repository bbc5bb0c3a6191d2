import Dispatch
import JSON
import Platform
import Rooms
import Server
import Testing

@testable import hearth

/// A server that is behind: calls are at hand faster than it handles them.
@Suite("Backlog")
struct BacklogTests {
  @Test(
    "SYN-4: while more is at hand, changes wait for it to share a commit and a patch, up to a limit",
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

/// Stops the loop itself, once it asks for a room.
private final class Brake: Sendable {
  private let isOn = Locked(false)
  private let stops = AsyncStream.makeStream(of: Void.self)
  private let isReleased = DispatchSemaphore(value: 0)

  func pull() { isOn.withLock { $0 = true } }

  /// Returns once the loop stands.
  func stopped() async { for await _ in stops.stream { return } }

  func release() { isReleased.signal() }

  func stop() {
    guard isOn.withLock({ exchange(&$0, with: false) }) else { return }
    stops.continuation.yield()
    isReleased.wait()
  }
}

private final class BrakingStore: StoreInFront, @unchecked Sendable {
  private let brake: Brake

  init(_ store: any RoomStore, _ brake: Brake) {
    self.brake = brake
    super.init(store)
  }

  override func load(_ room: RoomID, reply: Reply<Result<StoredRoom?, StoreError>>) {
    brake.stop()
    store.load(room, reply: reply)
  }
}
