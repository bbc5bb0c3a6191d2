import Rooms

/// The days of a household: they follow its own clocks, wherever its members are.
extension HouseholdState {
  /// The household's clocks.
  var zone: ZoneTime { ZoneTime(info.facts.value.timeZone) }

  /// Whether a member is away on a day: then they take no part in what the household does.
  func isAway(_ person: ID<Person>, on day: LocalDay) -> Bool {
    guard let away = membership.members[person]?.away else { return false }
    return away.from <= day && day <= away.to
  }

  /// The member who takes the turns of another one who is away on a day (HH-12), if there is one who is there.
  func standIn(for person: ID<Person>, on day: LocalDay) -> ID<Person>? {
    guard isAway(person, on: day) else { return nil }
    let guest = membership.members.keys { $0.guestOf == person }.min()
    let chosen = membership.members[person]?.away?.delegate ?? guest
    return chosen.flatMap { membership.members.contains($0) && !isAway($0, on: day) ? $0 : nil }
  }
}
