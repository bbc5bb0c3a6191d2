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
    #expect(edit(["quietFrom": "22:00"]) == ["quietTo"])
    #expect(edit(["quietTo": "22:00"]) == ["quietFrom"])
    #expect(edit(["quietFrom": "22:00", "quietTo": "22:00"]) == nil)
    #expect(edit(["quietFrom": "23:00"]) == nil)
    #expect(edit(["quietFrom": .null]) == ["quietFrom"])
  }
}
