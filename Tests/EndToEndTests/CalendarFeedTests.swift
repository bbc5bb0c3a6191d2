import JSON
import Rooms
import Testing

@testable import HearthCommand

/// The calendar of a member, as a program has it that subscribes to its link.
@Suite("Calendars by link")
struct CalendarFeedTests {
  /// A day from today on, in UTC.
  private static func day(_ number: Int) -> String {
    String((Instant.now + .seconds(86_400 * number)).description.prefix(10))
  }

  private static func link(of member: Member, in room: String) async throws -> String {
    try #require(try await member.call("calendar.link", in: room)["path"]?.string)
  }

  @Test("CHO-27: a calendar program gets one person's events, chores and tasks by a secret link, until it is revoked")
  func subscribed() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo")
    let (ana, bo) = (members[0], members[1])
    try await bo.call("events.add", in: room, ["title": "House party", "start": .string(Self.day(10) + "T20:00")])
    let bath: JSON = ["name": "Bath", "date": .string(Self.day(3)), "people": [.string(ana.id)]]
    try await ana.call("chores.add", in: room, ["chore": bath])
    try await ana.call("rota.set", in: room, ["tasks": [["name": "Kitchen"], ["name": "Stairs"]]])
    let (hers, his) = (try await Self.link(of: ana, in: room), try await Self.link(of: bo, in: room))

    // No token: the link is all that it takes.
    let caller = HTTPCaller(port: server.port)
    let answer = try await caller.send("", method: "GET", path: hers)
    #expect(answer.status == 200 && answer.headers["content-type"] == "text/calendar; charset=utf-8")
    #expect(answer.headers["cache-control"] == "private, no-cache")
    for line in ["SUMMARY:House party", "SUMMARY:Bath", "SUMMARY:Kitchen", "TZID:Europe/Berlin", "END:VCALENDAR"] {
      #expect(answer.body.contains(line + "\r\n"), "\(line)")
    }
    let other = try await caller.send("", method: "GET", path: his)
    #expect(other.body.contains("SUMMARY:House party") && !other.body.contains("SUMMARY:Bath"))

    // It comes again only when it has changed.
    let tag = try #require(answer.headers["etag"])
    let same = try await caller.send("", method: "GET", path: hers, ["If-None-Match": tag])
    #expect(same.status == 304 && same.body.isEmpty && same.headers["etag"] == tag)
    let head = try await caller.send("", method: "HEAD", path: hers)
    #expect(head.status == 200 && head.headers["etag"] == tag)
    #expect(head.headers["content-length"] == "\(answer.body.utf8.count)")
    try await bo.call("events.add", in: room, ["title": "Concert", "start": .string(Self.day(20))])
    let changed = try await caller.send("", method: "GET", path: hers, ["If-None-Match": tag])
    #expect(changed.status == 200 && changed.body.contains("SUMMARY:Concert\r\n"))
    #expect(try await caller.send("", method: "POST", path: hers).status == 405)

    // It outlives a restart, and is revoked at once.
    try await server.restart()
    let again = HTTPCaller(port: server.port)
    #expect(try await again.send("", method: "GET", path: hers).status == 200)
    let anaAgain = try await ana.again(on: server)
    #expect(try await anaAgain.call("calendar.show", in: room)["linkedAt"] != nil)
    try await anaAgain.call("calendar.unlink", in: room)
    let gone = try await again.send("", method: "GET", path: hers)
    #expect(gone.status == 404)
    #expect(try await again.send("", method: "GET", path: his).status == 200)

    // The answer is the same in whatever way a link is wrong.
    let secret = String(his.dropFirst("/calendar/".count).dropLast(".ics".count))
    for path in [
      "/calendar/\(secret)", "/calendar/\(secret)A.ics", "/calendar/\(secret.dropLast()).ics", "/calendar/.ics",
      "/calendar/", "/calendar/\(String(repeating: "A", count: 43)).ics",
      "/calendar/\(String(repeating: "A", count: 100)).ics", "/export/\(secret)",
    ] {
      let answer = try await again.send("", method: "GET", path: path)
      #expect(answer.status == 404 && answer.body == gone.body && answer.headers == gone.headers, "\(path)")
    }
  }

  @Test("CHO-27, HH-10, HH-11: a link ends when its owner leaves, and every link when the household is dismissed")
  func ended() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo", "Cy")
    var links: [String] = []
    for member in members { links.append(try await Self.link(of: member, in: room)) }
    let caller = HTTPCaller(port: server.port)
    func statuses() async throws -> [Int] {
      var found: [Int] = []
      for link in links { found.append(try await caller.send("", method: "GET", path: link).status) }
      return found
    }
    #expect(try await statuses() == [200, 200, 200])
    try await members[1].call("members.leave", in: room)
    #expect(try await statuses() == [200, 404, 200])
    try await members[0].call("auth.confirm", ["password": .string(TestServer.password)])
    try await members[0].call("households.dismiss", in: room)
    #expect(try await statuses() == [404, 404, 404])
  }

  @Test("CHO-27, SYN-3: a call for a link that is sent again has no second effect and gets the same link")
  func again() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana")
    let caller = server.caller(members[0])
    let first = try await caller.call(
      "calendar.link", ["room": .string(room)], headers: ["Idempotency-Key": "my-calendar"])
    let second = try await caller.call(
      "calendar.link", ["room": .string(room)], headers: ["Idempotency-Key": "my-calendar"])
    #expect(first == second && first["path"]?.string != nil)
    let path = try #require(first["path"]?.string)
    #expect(try await HTTPCaller(port: server.port).send("", method: "GET", path: path).status == 200)
  }
}
