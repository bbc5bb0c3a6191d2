import Foundation
import JSON
import Rooms
import Testing

/// Shares whose people, phones and servers go away in the middle.
@Suite("Interrupted shares")
struct InterruptedShareTests {
  @Test("LOC-20, LOC-35, ACC-6: a sharer who logs out in the middle goes on from another device; a receiver, too")
  func loggedOut() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (_, members) = try await server.household("Ana", "Bo")
    let (ana, bo) = (members[0], members[1])
    let tablet = try await ana.logIn(on: server).0
    let walk = try await ana.share(with: bo)
    try await ana.report(fix(52, 4))
    let map = try await bo.watch(walk)
    #expect(map.answer["live"]?["position"]?["lat"] == 52)
    try await ana.call("auth.logOut")
    #expect(try await ana.client.closeCode() == 4102)
    // The last position stays, and the share is the person's, not the phone's.
    #expect(try await bo.watch(walk).answer["live"]?["position"]?["lat"] == 52)
    #expect(try await tablet.refusal("positions.report", ["sentAt": Instant.now.json]).reason == "otherDevice")
    try await tablet.call("shares.takeOver")
    #expect(try await tablet.report(fix(52.1, 4))["shares"] == 1)
    _ = try await bo.client.notification("room.live") { $0["patch"]?["position"]?["lat"] == 52.1 }

    try await bo.call("auth.logOut")
    #expect(try await bo.client.closeCode() == 4102)
    try await tablet.report(fix(52.2, 4))
    let later = try await bo.logIn(on: server).0
    #expect(try await later.watch(walk).answer["live"]?["position"]?["lat"] == 52.2)
  }

  @Test("LOC-14, ACC-9: a driver who deletes their account is no longer expected, and another friend may drive")
  func driverDeleted() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (_, members) = try await server.household("Ana", "Bo", "Cy")
    let (ana, bo, cy) = (members[0], members[1], members[2])
    let walk = try await ana.share(with: bo, cy)
    let map = try await ana.watch(walk)
    try await ana.call("pickup.ready", in: walk)
    try await bo.call("pickup.accept", in: walk, ["minutes": 10])
    try await map.follow { $0["pickup"]?["byName"] == "Bo" }
    try await bo.call("auth.confirm", ["password": .string(TestServer.password)])
    try await bo.call("auth.deleteAccount")
    try await map.follow { $0["pickup"]?["state"] == "requested" }
    #expect(map["receivers"].keys.sorted() == [cy.id] && !map.state.text.contains("Bo"))
    try await cy.call("pickup.accept", in: walk, ["minutes": 5])
    try await map.follow { $0["pickup"]?["byName"] == "Cy" }
    let bell = try await ana.watch("me")
    try await bell.follow { !$0.text.contains("\"Bo\"") }
  }

  @Test("LOC-34, ACC-9: with the sharer's account their share is over, once, and nobody learns a position from it")
  func sharerDeleted() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (_, members) = try await server.household("Ana", "Bo")
    let (ana, bo) = (members[0], members[1])
    let walk = try await ana.share(with: bo)
    try await ana.report(fix(52, 4))
    let (bell, map) = (try await bo.watch("me"), try await bo.watch(walk))
    #expect(map.answer["live"]?["position"] != nil)
    try await ana.call("auth.confirm", ["password": .string(TestServer.password)])
    try await ana.call("auth.deleteAccount")
    #expect(try await bo.client.notification("room.closed") { $0["room"]?.string == walk }["reason"] == "ended")
    try await bell.follow { $0["shares"] == nil || $0["shares"]?.object?.isEmpty == true }
    let ends = bell["inbox"].values.filter { $0["reason"] != nil }
    #expect(ends.map { $0["reason"] } == ["deleted"] && ends.first?["actorName"] == nil)
    #expect(try await bo.refusal("room.subscribe", in: walk).code == 3)
  }

  @Test("LOC-26: pick-ups, requests to stop and requests for a position are the same after a kill")
  func killed() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "hearth-interrupted-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let first = try await TestServer.start(in: folder)
    let (_, members) = try await first.household("Ana", "Bo", "Cy")
    await first.stop()

    let process = try await ServerProcess.start(data: folder)
    var (ana, bo, cy) = (members[0], members[1], members[2])
    (ana, bo) = (try await ana.again(at: process.port), try await bo.again(at: process.port))
    cy = try await cy.again(at: process.port)
    let walk = try await ana.share(
      with: [bo, cy],
      ["until": (Instant.now + .seconds(3600)).json, "silence": "confirms", "trail": true])
    try await ana.call("pickup.ready", in: walk)
    try await bo.call("pickup.accept", in: walk, ["minutes": 20])
    try await ana.call("shares.stop", in: walk)
    try await cy.call("shares.answerStop", in: walk, ["confirm": false])
    try await cy.call("shares.ask", ["person": .string(bo.id)])
    let before = try await ana.watch(walk).state
    await process.kill()

    let server = try await TestServer.start(in: folder)
    defer { server.end() }
    (ana, bo, cy) = (try await ana.again(on: server), try await bo.again(on: server), try await cy.again(on: server))
    let map = try await ana.watch(walk)
    for part in ["pickup", "stopRequest", "receivers", "share"] { #expect(map.state[part] == before[part], "\(part)") }
    #expect(before["pickup"]?["by"]?.string == bo.id && before["receivers"]?[cy.id]?["deniedAt"] != nil)
    let bell = try await bo.watch("me")
    try await bell.follow { $0["asks"]?[cy.id] != nil }
    #expect(try await cy.refusal("shares.ask", ["person": .string(bo.id)]).reason == "asked")
    try await bo.call("shares.answerStop", in: walk, ["confirm": true])
    try await map.follow { $0["formerReceivers"]?[bo.id]?["state"] == "confirmed" && $0["pickup"]?["by"] == nil }
  }

  @Test("LOC-7, SYN-2: a receiver who comes out of a tunnel has what was missed at once, and the age of the position")
  func tunnel() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (_, members) = try await server.household("Ana", "Bo", "Cy")
    let (ana, bo, cy) = (members[0], members[1], members[2])
    let walk = try await ana.share(with: bo, cy)
    try await ana.report(fix(52, 4))
    let map = try await bo.watch(walk)
    bo.client.drop()
    try await ana.report(fix(52.1, 4))
    try await ana.call("pickup.ready", in: walk)
    try await cy.call("pickup.accept", in: walk, ["minutes": 7])
    let back = try await bo.again(on: server)
    let answer = try await back.client.call("room.subscribe", ["room": .string(walk)].merging(map.place) { $1 })
    #expect(answer["state"] == nil && answer["patch"]?["pickup"]?["byName"] == "Cy")
    #expect(answer["live"]?["position"]?["lat"] == 52.1 && answer["live"]?["position"]?["at"] != nil)
  }
}
