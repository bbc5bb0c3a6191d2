import Home
import JSON
import Platform
import Rooms

/// Commit, then tell: nothing leaves a room before what it contains is on disk (SYN-4, DESIGN §1).
///
/// Rooms that have changed go to the store together, one batch at a time; behind each, its groups are told.
final class CommitPipeline {
  private let link: ShardLink
  private var shard: Shard { link.shard }
  private let loop: any Loop
  private let configuration: Configuration
  private let services: Services
  private let teller: RoomTeller
  let snapshots: Snapshots

  private var changed: [Seat] = []
  /// When the first of `changed` was.
  private var changedSince = Duration.zero
  private var flying: [Seat] = []
  /// The patches of all that is being committed, each behind room for a frame's header.
  private var patches = Writer(capacity: 4096)
  /// They are overwritten once they are told.
  private var wipesPatches = false
  /// For a room's entry in the log.
  private let entry = Writer(capacity: 4096)
  private var spareGroups = SpareGroups()
  private var isCommitting = false
  private var handedOverAt: Duration?
  private var gatherTimer: (any LoopTimer)?
  /// When a commit failed last.
  private(set) var failedAt: Duration?

  init(_ link: ShardLink, _ teller: RoomTeller) {
    self.link = link
    self.teller = teller
    loop = link.loop
    configuration = link.configuration
    services = link.services
    snapshots = Snapshots(link)
  }

  /// Nothing waits for the disk.
  var isSettled: Bool { changed.isEmpty && !isCommitting }

  // MARK: changes

  /// The group that collects the changes applied now.
  func openGroup(of seat: Seat) -> CommitGroup {
    if let group = seat.open { return group }
    let group = spareGroups.take()
    seat.open = group
    markChanged(seat)
    return group
  }

  func markChanged(_ seat: Seat) {
    guard !seat.isChanged else { return }
    seat.isChanged = true
    if changed.isEmpty { changedSince = loop.uptime }
    changed.append(seat)
    loop.wantBatchEnd()
  }

  /// A rule has changed the room; `person` is the caller, `nil` if the room acted by itself.
  func noteChange(of seat: Seat, by person: ID<Person>?) {
    openGroup(of: seat).note(person)
    if seat.room?.isLiveTouched == true { teller.live.note(seat) }
  }

  // MARK: hand over

  /// Hands over all changed rooms in one batch, if the last batch is done and long enough ago, and if no further events
  /// are at hand whose changes could join it.
  func handOver() {
    guard !isCommitting, !changed.isEmpty else { return }
    if loop.hasBacklog, loop.uptime - changedSince < configuration.gatherLimit { return loop.wantBatchEnd() }
    let gathering = configuration.gathering(atLoad: loop.load)
    if let last = handedOverAt, loop.uptime - last < gathering {
      if gatherTimer == nil {
        gatherTimer = loop.schedule(after: gathering - (loop.uptime - last)) { [unowned self] in
          gatherTimer = nil
          handedOverAt = nil
          loop.wantBatchEnd()
        }
      }
      return
    }
    handedOverAt = loop.uptime
    swap(&flying, &changed)
    var commits: [RoomCommit] = []
    commits.reserveCapacity(flying.count)
    for seat in flying {
      seat.isChanged = false
      if let commit = seal(seat) { commits.append(commit) }
    }
    if commits.isEmpty { return tellAll() }
    isCommitting = true
    commit(commits)
  }

  /// Hands over a batch. If rooms of it lost their race, they are reloaded and the others are handed over again.
  private func commit(_ commits: [RoomCommit]) {
    let begun = loop.uptime
    services.store.commit(
      commits,
      reply: Reply(on: loop.poster) { [unowned self] result in
        if case .failure(.conflict(let lost)) = result {
          let others = commits.filter { !lost.contains($0.room) }
          if !others.isEmpty, others.count < commits.count {
            fail(.conflict(lost)) { lost.contains($0.id) }
            return commit(others)
          }
        }
        isCommitting = false
        switch result {
        case .success:
          failedAt = nil
          let shard = shard
          shard.counters.commits += 1
          shard.counters.commitRooms.observe(Double(commits.count))
          shard.counters.commitSeconds.observe(loop.uptime - begun)
          tellAll()
        case .failure(let error): fail(error) { _ in true }
        }
        loop.wantBatchEnd()
      })
  }

  /// Turns what has been applied into one commit; `nil` if there is nothing to store, only something to tell.
  private func seal(_ seat: Seat) -> RoomCommit? {
    let group = seat.open ?? spareGroups.take()
    seat.open = nil
    seat.flying = group
    // A room that has ended leaves its seat. Answers that still wait in the group are delivered all the same.
    guard let room = seat.room, !seat.isGone else { return nil }
    var commit: RoomCommit?
    if room.hasUnsealedChanges {
      let isNew = room.sealedVersion == 0 && room.entriesSinceSnapshot == 0
      let before = patches.mark
      patches.skip(FrameCodec.headerSpace)
      let start = patches.count
      patches.raw("{\"jsonrpc\":\"2.0\",\"method\":\"room.patch\",\"params\":")
      entry.clear()
      let sealed = room.seal(at: loop.now, by: group.author, to: patches, entry: entry)
      patches.raw("}")
      if sealed.parameters.isEmpty { patches.rollback(to: before) } else { group.patch = start..<patches.count }
      group.sealed = sealed
      commit = RoomCommit(of: sealed, room, isNew: isNew)
      // Nobody would deliver it.
      if !sealed.deliveries.isEmpty, services.mail == nil { commit?.deliveries = [] }
      let leavesSoon = seat.isPassing && shard.rooms.isCrowded
      if leavesSoon || room.isSnapshotDue(afterEntries: configuration.entriesPerSnapshot) {
        let snapshot = room.snapshot(at: loop.now)
        commit?.add(snapshot)
        // If the commit fails, the room is reloaded.
        room.noteStored(snapshot.segment)
        seat.unsnapshottedSince = nil
      } else if seat.unsnapshottedSince == nil {
        seat.unsnapshottedSince = loop.uptime
      }
    }
    for resume in group.resumes { resume.freeze(room, of: seat) }
    return commit
  }

  // MARK: tell

  private func tellAll() {
    for seat in flying {
      if let group = seat.flying, let room = seat.room {
        teller.tell(group, of: seat, room, patches)
        spareGroups.give(group)
      }
      loop.flushIfMany()
    }
    flying.removeAll(keepingCapacity: true)
    forgetPatches()
  }

  /// Forgets the patches; after an unusually large batch the memory is freed, too.
  private func forgetPatches() {
    if patches.count > Self.keptPatchBytes { patches = Writer(capacity: 4096) } else { patches.clear() }
    if exchange(&wipesPatches, with: false) { patches.wipe() }
  }

  private static let keptPatchBytes = 4 << 20

  /// Overwrites the working memory: patches once they are told.
  func wipe() {
    entry.wipe()
    if flying.isEmpty { patches.wipe() } else { wipesPatches = true }
  }

  // MARK: failure

  /// Gives up the changes of those rooms of a commit that failed. No client has been told of them.
  private func fail(_ error: StoreError, where hasFailed: (Seat) -> Bool) {
    let failed = flying.filter(hasFailed)
    services.log(.error, "commit.failed", ["rooms": .number(failed.count), "why": "\(error)"])
    failedAt = loop.uptime
    shard.counters.noteFailure(error)
    // Rooms that are reloaded continue from what has been told.
    teller.live.tellNow()
    for seat in failed {
      let groups = [seat.flying, seat.open].compactMap(\.self)
      seat.flying = nil
      seat.open = nil
      seat.isChanged = false
      seat.dueTimer?.cancel()
      seat.dueNotBefore = loop.uptime + .seconds(1)
      services.log(.warning, "room.dropped", ["room": "\(seat.id.text)"])
      // Changes that may be on disk all the same are neither done nor refused: the callers resume and call again.
      if case .failed = error { abandon(groups, seat) } else { refuse(groups, seat) }
    }
    changed.removeAll { !$0.isChanged }
    flying.removeAll(where: hasFailed)
    if flying.isEmpty { forgetPatches() }
    shard.rooms.outbox.planRedelivery()
  }

  /// Refuses all calls of groups of which nothing is on disk, for want of space perhaps, and reloads the room. Its
  /// watchers notice nothing.
  private func refuse(_ groups: [CommitGroup], _ seat: Seat) {
    let refusal = shard.errorMember(.unavailable)
    for group in groups {
      for (caller, _) in group.answers { shard.deliver(caller, member: refusal) }
      for resume in group.resumes { resume.fail(refusal, of: seat) }
      for call in group.pendingCalls {
        for caller in shard.waiters.take(call) { shard.deliver(caller, member: refusal) }
      }
      for follower in group.followers { follower(false) }
    }
    if let room = seat.room {
      seat.live = teller.live.kept(of: room)
      seat.positionTimes = HomeRooms.lastPositionTimes(of: room)
    }
    seat.room = nil
    shard.rooms.load(seat)
  }

  private func abandon(_ groups: [CommitGroup], _ seat: Seat) {
    for group in groups {
      for (caller, _) in group.answers { caller.session.interrupt() }
      for resume in group.resumes { resume.session.interrupt() }
      for call in group.pendingCalls {
        for caller in shard.waiters.take(call) { caller.session.interrupt() }
      }
      for follower in group.followers { follower(false) }
    }
    for subscription in seat.subscriptions { subscription.session.interrupt() }
    shard.rooms.forget(seat)
  }
}
