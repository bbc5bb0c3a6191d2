import Home
import Platform
import Rooms

/// Presence (HH-17): a person is online while a connection of theirs watches the household.
///
/// Members see at once that a person comes, and a minute later that they have gone, if they are not back. They are told
/// at most one change a minute of each person, however often a phone loses its connection.
final class PresenceWatch {
  /// When members were last told of each person.
  var told: [ID<Person>: Duration] = [:]
  /// When to compare each person again.
  var due: [ID<Person>: Duration] = [:]
  var timer: (any LoopTimer)?
  /// People who were online when the room was last in memory and have not come back since: when they left is unknown.
  var missing: Set<ID<Person>> = []
}

extension Shard {
  /// A person has begun to watch a room, or no longer does.
  func notePresence(of person: ID<Person>?, in seat: Seat) {
    guard let person, case .household = seat.id, let room = seat.room, let online = HomeRooms.online(in: room) else {
      return
    }
    let isThere = seat.isWatched(by: person)
    if isThere { seat.presence.missing.remove(person) }
    guard isThere != online.contains(person) else {
      seat.presence.due[person] = nil
      return
    }
    let interval = configuration.presenceInterval
    var next = seat.presence.told[person].map { $0 + interval } ?? .zero
    if !isThere { next = max(next, loop.uptime + interval) }
    if next <= loop.uptime { return tellPresence(of: [person], in: seat, room) }
    guard seat.presence.due[person] == nil else { return }
    seat.presence.due[person] = next
    scheduleLook(at: seat)
  }

  /// Compares what a household shows with its watchers, when somebody may be shown again.
  func comparePresence(in seat: Seat) {
    guard case .household = seat.id, let room = seat.room, HomeRooms.online(in: room) != nil else { return }
    for person in Set(seat.subscriptions.compactMap(\.session.person)) { notePresence(of: person, in: seat) }
  }

  /// Gives the people whom a household that was just loaded shows as online a minute to come back: its members lost
  /// their connections when the server stopped.
  func awaitPresence(in seat: Seat) {
    guard case .household = seat.id, let room = seat.room, let online = HomeRooms.online(in: room) else { return }
    for person in online where !seat.isWatched(by: person) {
      seat.presence.missing.insert(person)
      if seat.presence.due[person] == nil {
        seat.presence.due[person] = loop.uptime + configuration.presenceInterval
      }
    }
    if !online.isEmpty { scheduleLook(at: seat) }
    comparePresence(in: seat)
  }

  private func tellPresence(of people: [ID<Person>], in seat: Seat, _ room: Room, isLate: Bool = false) {
    if people.isEmpty || room.isEnded { return }
    let presence = Dictionary(people.map { ($0, seat.isWatched(by: $0)) }, uniquingKeysWith: { $1 })
    HomeRooms.note(presence: presence, isLate: isLate, in: room, turn: Turn(now: loop.now))
    if !isLate { for person in people { seat.presence.told[person] = loop.uptime } }
    teller.live.note(seat)
  }

  private func scheduleLook(at seat: Seat) {
    guard seat.presence.timer == nil, let next = seat.presence.due.values.min() else { return }
    seat.presence.timer = loop.schedule(after: max(.zero, next - loop.uptime)) { [unowned self, weak seat] in
      guard let seat else { return }
      seat.presence.timer = nil
      lookForPresence(at: seat)
    }
  }

  private func lookForPresence(at seat: Seat) {
    guard rooms.holds(seat), let room = seat.room, let online = HomeRooms.online(in: room) else { return }
    let now = loop.uptime
    let due = seat.presence.due.filter { $0.value <= now }.map(\.key)
    for person in due { seat.presence.due[person] = nil }
    seat.presence.told = seat.presence.told.filter { now - $0.value < configuration.presenceInterval }
    let changed = due.filter { seat.isWatched(by: $0) != online.contains($0) }
    tellPresence(of: changed.filter { !seat.presence.missing.contains($0) }, in: seat, room)
    tellPresence(of: changed.filter(seat.presence.missing.contains).sorted(), in: seat, room, isLate: true)
    seat.presence.missing.subtract(due)
    scheduleLook(at: seat)
  }
}

extension Seat {
  fileprivate func isWatched(by person: ID<Person>) -> Bool {
    subscriptions.contains { $0.session.person == person }
  }
}
