import Home
import Platform
import Rooms

/// Keeps the devices and the account in people's own rooms in line with the directory.
final class AccountMirror {
  private let link: ShardLink
  private var shard: Shard { link.shard }
  /// People who are being looked up; `true` if that has to be done once more.
  private var looks: [ID<Person>: Bool] = [:]

  init(_ link: ShardLink) { self.link = link }

  /// Brings what a person sees in line with the directory, on the shard of the person's room.
  func update(of person: ID<Person>) {
    shard.neighbours.send(.mirrorAccount(of: person), to: shard.shards.home(of: person))
  }

  /// Notes that a device is in use, on the shard of its person's room.
  func noteUse(of device: ID<Rooms.Session>, by person: ID<Person>) {
    shard.neighbours.send(.deviceUsed(device, by: person), to: shard.shards.home(of: person))
  }

  /// Compares a person's room if it does not show a device as used lately. If the server stopped before it updated the
  /// room, this repairs it: a room that was loaded since has not been compared.
  func compareIfOutdated(_ device: ID<Rooms.Session>, of person: ID<Person>) {
    shard.rooms.withSeat(.person(person)) { [unowned self] seat in
      guard let me = seat.room, !me.isEnded else { return }
      if seat.isMirrored, HomeRooms.lists(device: device, usedAt: shard.loop.now, in: me) { return }
      compare(of: person)
    }
  }

  /// One look at a time: a change meanwhile makes another necessary, and an older answer never comes second.
  func compare(of person: ID<Person>) {
    let isLooking = looks[person] != nil
    looks[person] = isLooking
    if isLooking { return }
    let directory = shard.services.directory
    let poster = shard.loop.poster
    directory.sessions(
      of: person,
      reply: Reply(on: poster) { [unowned self] sessions in
        directory.account(
          by: .person(person),
          reply: Reply(on: poster) { [unowned self] account in
            findInvitations(to: try? account.get()) { [unowned self] rooms in
              let isOutdated = looks.removeValue(forKey: person) == true
              if isOutdated { return compare(of: person) }
              guard case .success(let sessions) = sessions, case .success(let account) = account else { return }
              write(sessions, account, awaitedBy: rooms, of: person)
            }
          })
      })
  }

  /// The households that have invited the address of an account, if it is its owner's (HH-4).
  private func findInvitations(to account: Account?, _ done: @escaping ([RoomID]) -> Void) {
    guard let account, let email = account.email, !isLimited(account) else { return done([]) }
    shard.services.store.rooms(
      secret: Letter.awaiting(email), limit: Self.awaited,
      reply: Reply(on: shard.loop.poster) { rooms in done((try? rooms.get()) ?? []) })
  }

  /// Households that are asked at a time for invitations.
  private static let awaited = 100

  /// The server sends mail, and the address is not verified (SEC-9).
  private func isLimited(_ account: Account) -> Bool {
    shard.services.mail != nil && account.verifiedAt == nil && (account.email ?? account.pendingEmail) != nil
  }

  /// An account as its owner sees it.
  func known(_ account: Account) -> HomeRooms.KnownAccount {
    HomeRooms.KnownAccount(
      email: account.email, pending: account.pendingEmail, isVerified: account.verifiedAt != nil,
      hasPassword: account.passwordHash != nil, hasPIN: account.pinHash != nil, isLimited: isLimited(account))
  }

  private func write(
    _ sessions: [SessionRecord], _ account: Account?, awaitedBy rooms: [RoomID], of person: ID<Person>
  ) {
    let alive = sessions.filter { !shard.accounts.isExpired($0) }
    let devices = Dictionary(alive.map { ($0.id, HomeRooms.ListedDevice($0)) }, uniquingKeysWith: { $1 })
    let known = account.map { self.known($0) }
    shard.rooms.withSeat(.person(person)) { [unowned self] seat in
      guard let me = seat.room, !me.isEnded else { return }
      seat.isMirrored = true
      let turn = Turn(now: max(shard.loop.now, me.changedAt))
      var hasChanged = HomeRooms.keep(devices: devices, in: me, turn: turn)
      if let known, HomeRooms.keep(known, awaitedBy: rooms, in: me, turn: turn) { hasChanged = true }
      if hasChanged { shard.commits.noteChange(of: seat, by: nil) }
    }
  }
}
