import JSON
import Rooms
import Testing

@testable import HearthCommand

@Suite("Board and recent activity")
struct BoardTests {
  @Test("NTE-1, S0.22: all members see a note, now and later, and all but its author are notified")
  func add() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo", "Cy")
    let home = try await members[1].watch(room)
    let inboxes = [try await members[1].watch("me"), try await members[2].watch("me")]
    let own = try await members[0].watch("me")
    let answer = try await members[0].call(
      "notes.add", in: room, ["text": "Milk is out\n🥛", "colour": "yellow", "place": ["x": 0.25, "y": 1]])
    let id = try #require(answer["id"]?.string)
    try await home.follow { $0["notes"]?[id] != nil }
    let note = try #require(home["notes"][id])
    #expect(note["text"] == "Milk is out\n🥛" && note["colour"] == "yellow" && note["author"]?.string == members[0].id)
    #expect(note["place"] == ["x": 0.25, "y": 1])
    let life = try #require(Instant(note["expiresAt"])) - (try #require(Instant(note["at"])))
    #expect(life == .seconds(7 * 86_400), "a note without an expiry stays for a week")
    for inbox in inboxes {
      try await inbox.follow { $0["inbox"]?.object?.values.contains { $0["ref"]?.string == id } == true }
      #expect(inbox["inbox"].values.first { $0["ref"]?.string == id }?["kind"] == "note")
    }
    #expect(try await members[2].watch(room)["notes"][id] == note)
    try await members[0].client.fence()
    #expect(!own["inbox"].values.contains { $0["ref"]?.string == id }, "the author is not notified")
  }

  @Test("NTE-1: each limit of a note is held on both sides")
  func limits() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana")
    let ana = members[0]
    let rows: [(parameters: [String: JSON], bad: [String])] = [
      (["text": .string(String(repeating: "🥛", count: 1999))], []),
      (["text": .string(String(repeating: "🥛", count: 2000))], []),
      (["text": .string(String(repeating: "🥛", count: 2001))], ["text"]),
      (["text": ""], ["text"]), (["text": " \n"], ["text"]), (["text": "a\u{7}b"], ["text"]), ([:], ["text"]),
      (["text": "x", "colour": "mauve", "place": ["x": 1.01, "y": -0.1]], ["colour", "place.x", "place.y"]),
      (["text": "x", "place": ["x": 1]], ["place.y"]),
      (["text": "x", "expiresAt": "tomorrow"], ["expiresAt"]),
      (["text": "x", "expiresAt": (.now + .seconds(30)).json], ["expiresAt"]),
      (["text": "x", "expiresAt": (.now + .seconds(600)).json], []),
      (["text": "x", "expiresAt": (.now + .seconds(365 * 86_400)).json], []),
      (["text": "x", "expiresAt": (.now + .seconds(366 * 86_400)).json], ["expiresAt"]),
      (["text": "x", "expiresAt": (.now + .seconds(600)).json, "keep": true], ["keep"]),
      (["text": "x", "keep": true], []),
      (["text": "x", "author": .string(ana.id)], ["author"]),
    ]
    for row in rows {
      if row.bad.isEmpty {
        try await ana.call("notes.add", in: room, row.parameters)
      } else {
        let refusal = try await ana.refusal("notes.add", in: room, row.parameters)
        #expect(refusal.fields?.object?.keys.sorted() == row.bad, "\(row.bad): \(refusal)")
      }
    }
    let home = try await ana.watch(room)
    #expect(home["notes"].count == rows.count { $0.bad.isEmpty })
    #expect(home["notes"].values.contains { $0["expiresAt"] == nil })
  }

  @Test("NTE-1: a board holds two hundred notes and refuses one more")
  func twoHundred() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana")
    for start in stride(from: 0, to: 200, by: 50) {
      for id in start..<start + 50 { members[0].post("notes.add", in: room, ["text": "\(id)"], id: 1000 + id) }
      for id in start..<start + 50 {
        #expect(try await members[0].client.next { $0["id"]?.int == 1000 + id }["result"] != nil)
      }
    }
    let refusal = try await members[0].refusal("notes.add", in: room, ["text": "one more"])
    #expect(refusal.code == 6 && refusal.reason == "notes")
    let home = try await members[0].watch(room)
    #expect(home["notes"].count == 200)
    try await members[0].call("notes.remove", in: room, ["id": .string(try #require(home["notes"].keys.first))])
    try await members[0].call("notes.add", in: room, ["text": "one more"])
  }

  @Test("NTE-1, R-NOTIFY: a member who muted notes is not notified, and read notifications are marked")
  func muted() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo")
    let me = try await members[1].watch("me")
    try await members[0].call("notes.add", in: room, ["text": "one"])
    try await me.follow { $0["inbox"]?.object?.values.contains { $0["kind"] == "note" } == true }
    try await members[1].call("inbox.read", ["all": true])
    try await me.follow { $0["inbox"]?.object?.values.allSatisfy { $0["readAt"] != nil } == true }
    let count = me["inbox"].count
    try await members[1].call("settings.edit", ["muted": ["note": true]])
    try await members[0].call("notes.add", in: room, ["text": "two"])
    try await members[1].call("settings.edit", ["muted": ["note": false]])
    try await members[0].call("notes.add", in: room, ["text": "three"])
    try await me.follow { $0["inbox"]?.object?.count ?? 0 > count }
    #expect(me["inbox"].count == count + 1)
    let refusal = try await members[1].refusal("settings.edit", ["muted": ["share": true, "ended": true]])
    #expect(
      refusal.fields?.object?.keys.sorted() == ["muted.ended", "muted.share"], "safety notifications cannot be muted")
  }

  @Test("ACT-1: an event leaves the history after a year, not before")
  func year() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo")
    func events(after days: Int) async throws -> () async throws -> Int {
      try await server.restart { $0.wrap = { LaterStore($0, after: .seconds(days * 24 * 3600)) } }
      let ana = try await members[0].again(on: server)
      return { try await ana.call("activity.list", in: room)["items"]?.array?.count ?? -1 }
    }
    #expect(try await events(after: 364)() == 2)
    let later = try await events(after: 366)
    // A round of pruning begins with the server.
    let deadline = ContinuousClock.now + .seconds(20)
    while try await later() > 0 { try #require(ContinuousClock.now < deadline, "the history still has events") }
  }

  @Test("NTE-3, S0.22: a note expires for all members within a second and cannot be restored")
  func timer() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo")
    let ends = Instant.now + .seconds(120)
    let note = try await members[0].call("notes.add", in: room, ["text": "for two minutes", "expiresAt": ends.json])
    try await members[0].call("notes.add", in: room, ["text": "for longer"])
    // The server restarts twelve seconds before the expiry.
    var passed = Duration.zero
    try await server.restart { options in
      passed = ends - .now - .seconds(12)
      options.wrap = { [passed] in LaterStore($0, after: passed) }
    }
    let ana = try await members[0].again(on: server)
    let bo = try await members[1].again(on: server)
    for copy in [try await ana.watch(room), try await bo.watch(room)] {
      #expect(copy["notes"].count == 2)
      try await copy.follow { $0["notes"]?.object?.count == 1 }
      let gone = try #require(copy.patches.last { $0["patch"]?["notes"] != nil })
      let delay = try #require(Instant(gone["at"])) - (ends - passed)
      #expect(delay >= .zero && delay < .seconds(1))
      #expect(gone["by"] == nil, "the expiry has no author")
    }
    let id = try #require(note["id"])
    #expect(try await ana.refusal("notes.edit", in: room, ["id": id, "text": "still here"]).reason == "gone")
    #expect(try await ana.refusal("notes.restore", in: room, ["id": id]).reason == "gone")
    let again: [String: JSON] = ["id": id, "text": "back again"]
    #expect(try await ana.refusal("notes.add", in: room, again).reason == "exists")
  }

  @Test("NTE-4, S0.22: a note is removed for all members, by its author or the host only")
  func remove() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Host", "Author", "Other")
    let home = try await members[2].watch(room)
    let first = try #require(try await members[1].call("notes.add", in: room, ["text": "one"])["id"])
    let second = try #require(try await members[1].call("notes.add", in: room, ["text": "two"])["id"])
    try await home.follow { $0["notes"]?.object?.count == 2 }
    #expect(try await members[2].refusal("notes.remove", in: room, ["id": first]).code == 2)
    #expect(try await members[2].refusal("notes.edit", in: room, ["id": first, "text": "mine"]).code == 2)
    try await members[1].call("notes.remove", in: room, ["id": first])
    try await members[0].call("notes.remove", in: room, ["id": second])
    try await home.follow { $0["notes"] == nil }
    #expect(try await members[1].refusal("notes.remove", in: room, ["id": first]).reason == "gone")
    #expect(try await members[0].refusal("notes.remove", in: room, ["id": .string(newID())]).reason == "gone")
  }

  @Test("NTE-4, R-DEL: a removed note can be restored for ten minutes, with a new id that refers to the old one")
  func restore() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo")
    let home = try await members[1].watch(room)
    let id = try #require(try await members[0].call("notes.add", in: room, ["text": "keep me"])["id"])
    try await members[0].call("notes.remove", in: room, ["id": id])
    let new: JSON = .string(newID())
    try await members[0].call("notes.restore", in: room, ["id": id, "newId": new])
    try await home.follow { $0["notes"]?[new.string ?? ""] != nil }
    #expect(home["notes"][new.string ?? ""]?["was"] == id && home["notes"].count == 1)
    #expect(try await members[0].refusal("notes.restore", in: room, ["id": id]).reason == "gone")
    // Ids are never reused.
    #expect(try await members[0].refusal("notes.add", in: room, ["id": id, "text": "x"]).reason == "exists")

    try await members[0].call("notes.remove", in: room, ["id": new])
    try await server.restart { $0.wrap = { LaterStore($0, after: .seconds(600)) } }
    let ana = try await members[0].again(on: server)
    #expect(try await ana.refusal("notes.restore", in: room, ["id": new]).reason == "gone")
  }

  @Test("NTE-5: an edit changes only the given fields, and the last writer of a field wins")
  func edit() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Host", "Author")
    let home = try await members[0].watch(room)
    let id = try #require(
      try await members[1].call("notes.add", in: room, ["text": "one", "colour": "red", "place": ["x": 0, "y": 0]])[
        "id"])
    // Host and author edit different fields concurrently: both edits take effect.
    members[0].post("notes.edit", in: room, ["id": id, "text": "two"], id: 900)
    members[1].post("notes.edit", in: room, ["id": id, "place": ["x": 0.5, "y": 0.5], "colour": .null], id: 900)
    for member in members { #expect(try await member.client.next { $0["id"] == 900 }["result"] != nil) }
    try await home.follow {
      let note = $0["notes"]?[id.string ?? ""]
      return note?["text"] == "two" && note?["place"]?["x"] == 0.5
    }
    let note = try #require(home["notes"][id.string ?? ""])
    #expect(note["colour"] == nil && note["author"]?.string == members[1].id && note["editedAt"] != nil)
    let refusal = try await members[0].refusal("notes.edit", in: room, ["id": id, "text": .null, "place": .null])
    #expect(refusal.fields?.object?.keys.sorted() == ["place", "text"])
    try await members[1].call("notes.edit", in: room, ["id": id, "expiresAt": .null])
    try await home.follow { $0["notes"]?[id.string ?? ""]?["expiresAt"] == nil }
  }

  // MARK: activity

  @Test("ACT-1, S0.23: the state has the last thirty events, and older ones are paged, each once")
  func activity() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo")
    let home = try await members[1].watch(room)
    for number in 1...45 {
      members[number % 2].post("notes.add", in: room, ["text": "\(number)"], id: 1000 + number)
    }
    for number in 1...45 { _ = try await members[number % 2].client.next { $0["id"]?.int == 1000 + number } }
    // Founding, joining, and 45 notes.
    try await home.follow { $0["activity"]?.object?.values.contains { $0["n"] == 47 } == true }
    #expect(home["activity"].values.compactMap { $0["n"]?.int }.sorted() == Array(18...47))
    #expect(home["activity"].values.allSatisfy { $0["kind"] != nil && $0["actorName"] != nil && $0["at"] != nil })

    for limit in [1, 20, 47, 100] {
      var seen: [Int] = []
      var times: [String] = []
      var parameters: [String: JSON] = ["limit": .number(JSON.Number(limit))]
      while true {
        let page = try await members[0].call("activity.list", in: room, parameters)
        let items = try #require(page["items"]?.array)
        #expect(items.count <= limit)
        seen += items.compactMap { $0["n"]?.int }
        times += items.compactMap { $0["at"]?.string }
        guard let next = page["next"] else { break }
        parameters["before"] = next
      }
      #expect(seen.sorted() == Array(1...47), "each event once, in pages of \(limit)")
      #expect(times == times.sorted(by: >), "newest first")
    }
    for bad in [["limit": 0], ["limit": 101], ["before": "nonsense"], ["page": 1]] as [[String: JSON]] {
      #expect(try await members[0].refusal("activity.list", in: room, bad).fields?.object?.count == 1)
    }
    // A restart loses none of them.
    try await server.restart()
    let ana = try await members[0].again(on: server)
    #expect(try await ana.call("activity.list", in: room, ["limit": 100])["items"]?.array?.count == 47)
  }

  @Test("ACT-3: changes to a personal list, a share or an invitation cause no activity in the household")
  func privateThings() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo")
    let cy = try await server.member("Cy")
    let before = try await members[1].watch(room)
    try await members[0].call("groceries.add", in: room + "/mine", ["name": "A present for Bo"])
    let share = try await members[0].share(with: members[1])
    try await members[0].report(fix(52.123, 4.321))
    try await members[0].call("invitations.send", in: room, ["email": .string(cy.email)])
    try await members[0].call("joinCodes.create", in: room)
    let after = try await members[1].watch(room)
    #expect(after.state["activity"] == before.state["activity"])
    #expect(!after.state.text.contains("present") && !after.state.text.contains(share.dropFirst(6)))
  }
}
