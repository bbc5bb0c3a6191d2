import JSON
import Testing

@testable import HearthCommand

@Suite("Use cases: rewards")
struct RewardUseCaseTests {
  @Test("STA-6: points of chores buy rewards, never more than there are, and a slip is taken back")
  func rewards() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo")
    let (ana, bo) = (members[0], members[1])
    let phone = try await ana.watch(room)
    // Ana turns points on, and says what they are worth.
    try await ana.call("households.update", in: room, ["points": true])
    let film = try #require(try await ana.call("rewards.add", in: room, ["name": "Choose the film", "cost": 30])["id"])
    // Bo does the windows.
    let chore = try await bo.call("chores.add", in: room, ["chore": ["name": "Windows", "points": 50]])
    try await bo.call("chores.complete", in: room, ["id": try #require(chore["occurrence"])])
    try await phone.follow { $0["points"]?[bo.id] == ["earned": 50, "spent": 0] }
    // Ana reads what Bo has chosen; for a second film there is not enough.
    let redeemed = try await bo.call("rewards.redeem", in: room, ["reward": film, "cost": 30])
    #expect(redeemed["left"] == 20)
    let inbox = try await ana.watch("me")
    try await inbox.follow { me in
      (me["inbox"]?.object ?? [:]).values.contains {
        $0["kind"] == "rewardRedeemed" && $0["name"] == "Choose the film" && $0["actorName"] == "Bo"
      }
    }
    let refused = try await bo.refusal("rewards.redeem", in: room, ["reward": film])
    #expect(refused.reason == "tooFewPoints" && refused.error["data"]?["left"] == 20)
    #expect(try await ana.call("rewards.history", in: room)["items"]?[0]?["points"] == -30)
    // It was a slip: all points are there again, and the history does not have it.
    try await bo.call("rewards.undo", in: room, ["id": try #require(redeemed["id"])])
    try await phone.follow { $0["points"]?[bo.id] == ["earned": 50, "spent": 0] }
    #expect(try await ana.call("rewards.history", in: room)["items"] == [])
  }
}
