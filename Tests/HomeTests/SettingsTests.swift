import JSON
import Rooms
import Testing

@testable import Home

@Suite("Settings")
struct SettingsTests {
  let world = World()

  @Test("ACC-11, ACC-12, REM-4: settings are kept for all devices, and each can be changed and cleared by itself")
  func editing() throws {
    let ana = try world.signUp("Ana")
    try world.call(
      ana, "settings.edit",
      [
        "timeZone": "Asia/Kolkata", "hour": "07:30", "quietFrom": "22:00", "quietTo": "06:45", "boardColour": "blue",
        "seen": ["chores": true, "board.notes": true], "client": "{\"theme\":\"dark\"}",
      ])
    var settings = PersonSettings()
    settings.timeZone = "Asia/Kolkata"
    settings.hour = "07:30"
    settings.quietFrom = "22:00"
    settings.quietTo = "06:45"
    settings.boardColour = .blue
    settings.seen = [try #require(TabName("chores")): true, try #require(TabName("board.notes")): true]
    settings.client = "{\"theme\":\"dark\"}"
    #expect(try world.me(ana).settings.settings.value == settings)
    try world.call(ana, "settings.edit", ["seen": ["chores": false], "client": .null, "hour": .null])
    settings.seen = [try #require(TabName("board.notes")): true]
    settings.client = nil
    settings.hour = nil
    #expect(try world.me(ana).settings.settings.value == settings)
    try world.call(ana, "settings.edit", ["quietFrom": .null, "quietTo": .null])
    #expect(try world.me(ana).settings.settings.value.quietFrom == nil)
  }

  @Test("ACC-12, REM-4, ACC-2: every bad setting is named at once, and nothing changes")
  func badSettings() throws {
    let ana = try world.signUp("Ana")
    let found = refusal {
      try world.call(
        ana, "settings.edit",
        [
          "timeZone": "GMT+3", "hour": "24:00", "quietFrom": "7:00", "boardColour": "beige", "seen": ["a b": true],
          "muted": ["login": true], "client": 7,
        ])
    }
    let bad: Set = ["timeZone", "hour", "quietFrom", "boardColour", "seen.a b", "client"]
    #expect(bad.isSubset(of: found?.fields.map(\.path) ?? []), "\(String(describing: found))")
    #expect(try world.me(ana).settings.settings.value == PersonSettings())
  }

  @Test("REM-4: quiet hours have a beginning and an end")
  func quietHours() throws {
    let ana = try world.signUp("Ana")
    func edit(_ change: JSON) -> [String]? {
      refusal { try world.call(ana, "settings.edit", change) }?.fields.map(\.path)
    }
    #expect(edit(["quietFrom": "22:00", "quietTo": "22:00"]) == ["timeZone"])
    #expect(edit(["timeZone": "Europe/Berlin"]) == nil)
    #expect(edit(["quietFrom": "22:00"]) == ["quietTo"])
    #expect(edit(["quietTo": "22:00"]) == ["quietFrom"])
    #expect(edit(["quietFrom": "22:00", "quietTo": "22:00"]) == nil)
    #expect(edit(["quietFrom": "23:00"]) == nil)
    #expect(edit(["quietFrom": .null]) == ["quietFrom"] && edit(["timeZone": .null]) == ["timeZone"])
  }

  /// The end of quiet hours in Berlin, by its clocks, at a moment by its clocks.
  private func quietEnd(_ day: String, _ time: String, from: String, to: String) throws -> String? {
    let zone = ZoneTime("Europe/Berlin")
    let hours = QuietHours(from: LocalTime(text: from).minute, to: LocalTime(text: to).minute, zone: zone)
    return hours.end(at: try local(day, time)).map { end in
      let (day, minute) = zone.local(end)
      return "\(day.text) \(LocalTime(minute: minute).text)"
    }
  }

  @Test("R-043: quiet hours are by the person's clocks in summer and winter, over midnight, and in nights of changes")
  func quietEnds() throws {
    for (day, time, end) in [
      ("2027-01-15", "23:00", "2027-01-16 07:00"), ("2027-07-15", "23:00", "2027-07-16 07:00"),
      ("2027-03-27", "23:00", "2027-03-28 07:00"), ("2027-10-30", "23:00", "2027-10-31 07:00"),
      ("2027-10-31", "02:30", "2027-10-31 07:00"), ("2027-07-16", "06:59", "2027-07-16 07:00"),
      ("2027-07-16", "07:00", nil), ("2027-07-16", "21:59", nil), ("2027-07-16", "22:00", "2027-07-17 07:00"),
    ] {
      #expect(try quietEnd(day, time, from: "22:00", to: "07:00") == end, "\(day) \(time)")
    }
    // All day but for a minute; none; an afternoon.
    #expect(try quietEnd("2027-07-16", "01:58", from: "02:00", to: "01:59") == "2027-07-16 01:59")
    #expect(try quietEnd("2027-07-16", "01:59", from: "02:00", to: "01:59") == nil)
    #expect(try quietEnd("2027-07-16", "02:00", from: "02:00", to: "01:59") == "2027-07-17 01:59")
    for time in ["02:00", "14:00"] { #expect(try quietEnd("2027-07-16", time, from: "02:00", to: "02:00") == nil) }
    #expect(try quietEnd("2027-07-16", "13:30", from: "13:00", to: "14:00") == "2027-07-16 14:00")
  }

  @Test(
    "R-043, REM-4, CHO-15: in quiet hours a notification is there at once, and says until when; an urgent one does not")
  func quietNotifications() throws {
    let house = try ChoreWorld("Ana", "Ben")
    try house.world.call(
      house.people[1], "settings.edit", ["timeZone": "America/New_York", "quietFrom": "22:00", "quietTo": "07:00"])
    /// The end of the quiet hours of the newest notification of a new chore.
    func quietUntil(_ more: [String: JSON] = [:]) throws -> Instant? {
      try house.add(.object((["name": "Bins"] as [String: JSON]).merging(more) { $1 }))
      let all = try house.world.me(house.people[1]).inbox.notifications.values.filter { $0.kind == .choreAdded }
      return all.max { $0.at < $1.at }?.quietUntil
    }
    try house.go(to: "2027-07-15", "21:00", in: "America/New_York")
    #expect(try quietUntil() == nil)
    try house.go(to: "2027-07-15", "23:00", in: "America/New_York")
    #expect(try quietUntil() == local("2027-07-16", "07:00", in: "America/New_York"))
    house.world.advance(.seconds(1))
    #expect(try quietUntil(["urgent": true]) == nil)
    // In another zone it is no longer night.
    try house.world.call(house.people[1], "settings.edit", ["timeZone": "Europe/Berlin"])
    try house.go(to: "2027-07-16", "08:00")
    #expect(try quietUntil() == nil)
  }
}
