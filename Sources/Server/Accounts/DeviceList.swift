import Home
import Platform
import Rooms

/// Keeps the lists of devices in people's own rooms in line with the directory.
final class DeviceList {
  private let link: ShardLink
  private var shard: Shard { link.shard }
  /// People whose devices are being looked up; `true` if that has to be done once more.
  private var looks: [ID<Person>: Bool] = [:]

  init(_ link: ShardLink) { self.link = link }

  /// Brings a person's list of devices in line with the directory, on the shard of the person's room.
  func list(of person: ID<Person>) {
    shard.neighbours.send(.listDevices(of: person), to: shard.shards.home(of: person))
  }

  /// Notes that a device is in use, on the shard of its person's room.
  func noteUse(of device: ID<Rooms.Session>, by person: ID<Person>) {
    shard.neighbours.send(.deviceUsed(device, by: person), to: shard.shards.home(of: person))
  }

  /// Compares the list if it does not show a device as used lately. If the server stopped before it updated the list,
  /// this repairs it: a room that was loaded since has not been compared.
  func compareIfOutdated(_ device: ID<Rooms.Session>, of person: ID<Person>) {
    shard.rooms.withSeat(.person(person)) { [unowned self] seat in
      guard let me = seat.room, !me.isEnded else { return }
      if seat.listsDevices, HomeRooms.lists(device: device, usedAt: shard.loop.now, in: me) { return }
      compare(of: person)
    }
  }

  /// One look at a time: a change meanwhile makes another necessary, and an older answer never comes second.
  func compare(of person: ID<Person>) {
    let isLooking = looks[person] != nil
    looks[person] = isLooking
    if isLooking { return }
    shard.services.directory.sessions(
      of: person,
      reply: Reply(on: shard.loop.poster) { [unowned self] result in
        let isOutdated = looks.removeValue(forKey: person) == true
        if isOutdated { return compare(of: person) }
        guard case .success(let sessions) = result else { return }
        write(sessions, of: person)
      })
  }

  private func write(_ sessions: [SessionRecord], of person: ID<Person>) {
    let alive = sessions.filter { !shard.accounts.isExpired($0) }
    let devices = Dictionary(alive.map { ($0.id, HomeRooms.ListedDevice($0)) }, uniquingKeysWith: { $1 })
    shard.rooms.withSeat(.person(person)) { [unowned self] seat in
      guard let me = seat.room, !me.isEnded else { return }
      seat.listsDevices = true
      let now = max(shard.loop.now, me.changedAt)
      if HomeRooms.keep(devices: devices, in: me, turn: Turn(now: now)) { shard.commits.noteChange(of: seat, by: nil) }
    }
  }
}
