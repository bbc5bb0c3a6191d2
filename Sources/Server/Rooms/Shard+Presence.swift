import Home
import Platform
import Rooms

/// Presence (HH-17): a person is online while a connection of theirs watches the household.
///
/// Members see at once that a person comes, and a minute later that they have gone, if they are not back: however often
/// a phone loses its connection, they are told at most once a minute that its owner came and went.
final class PresenceWatch {
  /// When to tell of each person who has gone.
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
    if isThere {
      seat.presence.due[person] = nil
      return tellPresence(of: [person: loop.now], in: seat, room)
    }
    guard seat.presence.due[person] == nil else { return }
    seat.presence.due[person] = loop.uptime + configuration.presenceInterval
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

  /// Tells of people with the time at which they were last seen, or with `nil` if nobody knows it.
  private func tellPresence(of people: [ID<Person>: Instant?], in seat: Seat, _ room: Room) {
    if people.isEmpty || room.isEnded { return }
    for (person, seenAt) in people.sorted(by: { $0.key < $1.key }) {
      let isOnline = seat.isWatched(by: person)
      HomeRooms.note(person, isOnline: isOnline, seenAt: seenAt, in: room, turn: Turn(now: loop.now))
    }
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
    let due = seat.presence.due.filter { $0.value <= now }
    var gone: [ID<Person>: Instant?] = [:]
    for (person, time) in due {
      seat.presence.due[person] = nil
      let isMissing = seat.presence.missing.remove(person) != nil
      if seat.isWatched(by: person) == online.contains(person) { continue }
      gone[person] = isMissing ? .some(nil) : loop.now - (now - time + configuration.presenceInterval)
    }
    tellPresence(of: gone, in: seat, room)
    scheduleLook(at: seat)
  }
}

extension Seat {
  fileprivate func isWatched(by person: ID<Person>) -> Bool {
    subscriptions.contains { $0.session.person == person }
  }
}
