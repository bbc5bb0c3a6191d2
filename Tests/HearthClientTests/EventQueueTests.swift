import Testing

@testable import HearthClient

@Suite("Event queues")
struct EventQueueTests {
  static func tick(_ version: Int64) -> RoomEvent { .tick(at: Sample.at, version: version, live: nil) }

  static func snapshot(_ version: Int64) -> RoomSnapshot {
    RoomSnapshot(epoch: "e", version: version, state: ["n": .number(.init(Int(version)))])
  }

  @Test("events are read in order, then the queue ends")
  func order() async {
    let queue = EventQueue()
    for version in 0..<3 { queue.put(Self.tick(Int64(version)), snapshot: nil) }
    queue.finish()
    queue.put(Self.tick(9), snapshot: nil)
    var read: [RoomEvent] = []
    for await event in queue.stream { read.append(event) }
    #expect(read == [Self.tick(0), Self.tick(1), Self.tick(2)])
  }

  @Test("when there are too many events, the whole state replaces them", arguments: [3, 4, 5, 8])
  func overflow(count: Int64) async {
    let queue = EventQueue(limit: 4)
    for version in 0..<count { queue.put(Self.tick(version), snapshot: Self.snapshot(version)) }
    queue.finish()
    var read: [RoomEvent] = []
    for await event in queue.stream { read.append(event) }
    if count <= 4 {
      #expect(read == (0..<count).map(Self.tick))
    } else {
      // The fifth event is part of the state that replaces it and the first four.
      #expect(read == [.state(Self.snapshot(4), reason: "behind")] + (5..<count).map(Self.tick))
    }
  }

  @Test("a waiting reader is woken by an event, by the end, and by the cancellation of its task")
  func waiting() async {
    let queue = EventQueue()
    async let first = queue.next()
    queue.put(Self.tick(1), snapshot: nil)
    #expect(await first == Self.tick(1))
    async let second = queue.next()
    queue.finish()
    #expect(await second == nil)

    let other = EventQueue()
    let reader = Task { for await _ in other.stream {} }
    reader.cancel()
    await reader.value
  }
}
