import JSON
import Testing

/// A client's copy of a room: the initial state with every patch checked and applied in order.
final class RoomCopy {
  let room: String
  let client: TestClient
  /// The answer to the subscription.
  let answer: JSON
  private(set) var state: JSON
  private(set) var version: Int
  let epoch: String
  /// The parameters of all patches, in order.
  private(set) var patches: [JSON] = []

  convenience init(of room: String, by client: TestClient) async throws {
    let answer = try await client.call("room.subscribe", ["room": .string(room)])
    try self.init(of: room, by: client, as: answer)
  }

  /// Makes a copy from the answer to an earlier subscription.
  init(of room: String, by client: TestClient, as answer: JSON) throws {
    self.room = room
    self.client = client
    self.answer = answer
    state = try #require(answer["state"])
    version = try #require(answer["version"]?.int)
    epoch = try #require(answer["epoch"]?.string)
    checkDescribed()
    let problems = answer["live"].map { SchemaCheck.problems(of: $0, "live", inRoom: room) } ?? []
    #expect(problems.isEmpty, "\(room)")
    let reached = version
    // Patches of an earlier subscription are already in the state.
    client.forget {
      $0["method"] == "room.patch" && $0["params"]?["room"]?.string == room
        && $0["params"]?["version"]?.int ?? 0 <= reached
    }
  }

  /// Receives patches until the state is as wanted; none if it already is.
  @discardableResult
  func follow(until isReached: (JSON) -> Bool) async throws -> JSON {
    while !isReached(state) { try await takeNext() }
    return state
  }

  /// Receives patches up to a version.
  @discardableResult
  func follow(to version: Int) async throws -> JSON {
    while self.version < version { try await takeNext() }
    return state
  }

  private func takeNext() async throws {
    let room = room
    let patch = try await client.notification("room.patch") { $0["room"]?.string == room }
    let from = try #require(patch["from"]?.int)
    let next = try #require(patch["version"]?.int)
    #expect(from == version)
    #expect(next > version, "patches follow one another without gap or overlap")
    state = MergePatch.apply(try #require(patch["patch"]), to: state).withoutEmptyMaps
    version = next
    patches.append(patch)
    checkDescribed()
  }

  /// NFR-3: the state is as `rpc.discover` describes it.
  private func checkDescribed() {
    let problems = SchemaCheck.problems(of: state, "state", inRoom: room)
    #expect(problems.isEmpty, "\(room)")
  }

  /// The parameters of a returning client's subscription.
  var place: [String: JSON] { ["epoch": .string(epoch), "version": .number(JSON.Number(version))] }

  subscript(_ table: String) -> [String: JSON] { state[table]?.object ?? [:] }
}

extension JSON {
  /// The value without empty maps: a map is emptied key by key, and an empty one counts as absent (protocol.md).
  var withoutEmptyMaps: JSON {
    guard case .object(let members) = self else { return self }
    return .object(members.mapValues(\.withoutEmptyMaps).filter { $0.value != [:] })
  }
}
