import JSON
import Simulation
import Testing

extension Visit {
  /// Creates a household of the person who is signed in, and returns its room.
  func makeHousehold() throws -> String {
    let home: JSON = ["name": "Home", "timeZone": "Europe/Berlin", "currency": "EUR"]
    return "household/\(try #require(call("households.create", in: "me", home)?["household"]?.string))"
  }

  /// Creates a household of the first person, who is then signed in, and lets the second one join it.
  func makeHouseholdOfTwo() throws -> String {
    signIn()
    let room = try makeHousehold()
    let code = try #require(call("joinCodes.create", in: room)?["code"])
    signIn(as: 1)
    try #require(call("households.join", in: "me", ["code": code]) != nil)
    signIn()
    return room
  }

  /// Shares the position of the person who is signed in with the second one, and returns the share's room.
  func share(for time: Duration) throws -> String {
    let start: JSON = ["receivers": [person(1)], "until": moment(in: time)]
    return "share/\(try #require(call("shares.start", in: "me", start)?["id"]?.string))"
  }

  /// Reports one fix of now, which the person's only share takes.
  func reportFix() throws {
    let now = moment(in: .zero)
    let fix: JSON = ["lat": 52.5, "lon": 13.4, "accuracy": 8, "fixTime": now]
    #expect(try #require(call("positions.report", ["sentAt": now, "fixes": [fix]]))["shares"] == 1)
  }
}
