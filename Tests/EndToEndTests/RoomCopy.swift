import JSON
import Testing

/// A room as one client knows it: the state it was given, and every patch since, checked and merged in order.
final class RoomCopy {
  let room: String
  let client: TestClient
  /// The first answer.
  let answer: JSON
  private(set) var state: JSON
  private(set) var version: Int
  let epoch: String
  /// The parameters of each patch, in order.
  private(set) var patches: [JSON] = []

  convenience init(of room: String, by client: TestClient) async throws {
    let answer = try await client.call("room.subscribe", ["room": .string(room)])
    try self.init(of: room, by: client, as: answer)
  }

  /// From the answer to a subscription that was made before.
  init(of room: String, by client: TestClient, as answer: JSON) throws {
    self.room = room
    self.client = client
    self.answer = answer
    state = try #require(answer["state"])
    version = try #require(answer["version"]?.int)
    epoch = try #require(answer["epoch"]?.string)
    let reached = version
    // What an earlier subscription was told is in the state.
    client.forget {
      $0["method"] == "room.patch" && $0["params"]?["room"]?.string == room
        && $0["params"]?["version"]?.int ?? 0 <= reached
    }
  }

  /// Takes patches until the state is as wanted; none if it is already.
  @discardableResult
  func follow(until isReached: (JSON) -> Bool) async throws -> JSON {
    while !isReached(state) { try await takeNext() }
    return state
  }

  /// Takes patches up to a version.
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
  }

  subscript(_ table: String) -> [String: JSON] { state[table]?.object ?? [:] }
}

extension JSON {
  /// Maps are emptied key by key, and an empty one is the same as none (protocol.md).
  var withoutEmptyMaps: JSON {
    guard case .object(let members) = self else { return self }
    return .object(members.mapValues(\.withoutEmptyMaps).filter { $0.value != [:] })
  }
}
