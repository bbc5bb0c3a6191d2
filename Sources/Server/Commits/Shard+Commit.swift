import JSON
import Platform
import Rooms
import WebSocket

/// Commit, then tell: nothing leaves a room before what it contains is on disk (SYN-4, DESIGN §1).
extension Shard {
  /// The group of what is applied now.
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

  /// A rule has changed the room; `person` is who called, `nil` where the room acted by itself.
  func noteChange(of seat: Seat, by person: ID<Person>?) {
    openGroup(of: seat).note(person)
    if seat.room?.isLiveTouched == true { noteLiveChange(of: seat) }
  }

  /// Hands over all changed rooms in one batch, if the last one is done and long enough ago, and if no more is at hand
  /// that could go with it.
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
    let (begun, count) = (loop.uptime, commits.count)
    services.store.commit(
      commits,
      reply: Reply(on: loop.poster) { [unowned self] result in
        isCommitting = false
        switch result {
        case .success:
          commitFailedAt = nil
          counters.commits += 1
          counters.commitRooms.observe(Double(count))
          counters.commitSeconds.observe(loop.uptime - begun)
          tellAll()
        case .failure(let error): fail(error)
        }
        loop.wantBatchEnd()
      })
  }

  /// Turns what has been applied into one commit; `nil` when there is nothing to keep, only something to tell.
  private func seal(_ seat: Seat) -> RoomCommit? {
    let group = seat.open ?? spareGroups.take()
    seat.open = nil
    seat.flying = group
    // A room that has ended leaves its seat. Answers that still wait in the group are delivered all the same.
    guard let room = seat.room, seats[seat.id] === seat else { return nil }
    var commit: RoomCommit?
    if room.hasUnsealedChanges {
      let isNew = room.sealedVersion == 0 && room.entriesSinceSnapshot == 0
      let before = patches.mark
      patches.skip(codec.headerSpace)
      let start = patches.count
      patches.raw("{\"jsonrpc\":\"2.0\",\"method\":\"room.patch\",\"params\":")
      let sealed = scratch.lend { room.seal(at: loop.now, by: group.author, to: patches, entry: $0) }
      patches.raw("}")
      if sealed.parameters.isEmpty { patches.rollback(to: before) } else { group.patch = start..<patches.count }
      group.sealed = sealed
      commit = RoomCommit(of: sealed, room, isNew: isNew)
      if room.isSnapshotDue(afterEntries: configuration.entriesPerSnapshot) {
        let snapshot = room.snapshot(at: loop.now)
        commit?.add(snapshot)
        // Should it fail, the room is loaded anew.
        room.noteStored(snapshot.segment)
        seat.unsnapshottedSince = nil
      } else if seat.unsnapshottedSince == nil {
        seat.unsnapshottedSince = loop.uptime
      }
    }
    for index in group.subscribers.indices {
      group.subscribers[index].answer = state(for: group.subscribers[index].call, room)
    }
    return commit
  }

  /// Snapshots rooms whose log has stood for a while, so that they do not hold the log.
  func snapshotOldRooms() {
    // The last round goes on.
    guard aging.isEmpty else { return }
    aging =
      seats.values.filter { seat in
        seat.unsnapshottedSince.map { loop.uptime - $0 >= configuration.snapshotAge } ?? false
      }[...]
    snapshotSome()
  }

  /// A few at a time: thousands may have grown old together, and everybody would wait for them.
  private func snapshotSome() {
    for seat in aging.prefix(Self.snapshotsPerTurn) where seats[seat.id] === seat { snapshot(seat) }
    aging = aging.dropFirst(Self.snapshotsPerTurn)
    if aging.isEmpty { return }
    loop.schedule(after: .milliseconds(10)) { [weak reference] in reference?.shard.snapshotSome() }
  }

  private static let snapshotsPerTurn = 16

  /// Snapshots a room of which nothing is on its way to the disk.
  func snapshot(_ seat: Seat) {
    guard let room = seat.room, seat.open == nil, seat.flying == nil, !room.hasUnsealedChanges else { return }
    var commit = RoomCommit(room: seat.id, expectedVersion: room.version, version: room.version)
    let snapshot = room.snapshot(at: loop.now)
    commit.add(snapshot)
    seat.unsnapshottedSince = nil
    services.store.commit(
      [commit],
      reply: Reply(on: loop.poster) { [unowned self] result in
        guard case .failure(let error) = result else { return room.noteStored(snapshot.segment) }
        services.log(.warning, "snapshot.failed", ["room": "\(seat.id.text)", "why": "\(error)"])
      })
  }

  // MARK: tell

  private func tellAll() {
    for (index, seat) in flying.enumerated() {
      prefetchWatchers(of: flying, from: index)
      tell(seat)
      loop.flushIfMany()
    }
    flying.removeAll(keepingCapacity: true)
    forgetPatches()
  }

  /// Behind an unusual batch the memory is given back, too.
  private func forgetPatches() {
    if patches.count > Self.keptPatchBytes { patches = Writer(capacity: 4096) } else { patches.clear() }
  }

  private static let keptPatchBytes = 4 << 20

  private func tell(_ seat: Seat) {
    guard let group = seat.flying, let room = seat.room else { return }
    tellHeld(of: seat)
    seat.flying = nil
    // Moved out: a copy retains a dozen lists.
    let sealed = group.sealed.take()
    if let sealed, !group.patch.isEmpty { tellPatch(group.patch, sealed, seat, room) }
    for (caller, member) in group.answers { deliver(caller, member: member, behind: seat) }
    for subscriber in group.subscribers { admit(subscriber, to: seat, room) }
    for follower in group.followers { follower(true) }
    // Who drained while the commit was on its way could not be led on then.
    for subscription in seat.subscriptions where subscription.session.isBehind { noteFull(subscription.session) }
    defer { spareGroups.give(group) }
    guard let sealed else { return }
    for completion in sealed.completions {
      for caller in waiters.removeValue(forKey: completion.call) ?? [] { deliver(caller, member: completion.answer) }
    }
    for message in sealed.messages { send(StoredMessage(source: seat.id, message: message)) }
    for (person, reason) in sealed.expelled {
      room.readmit(person)
      close(seat, reason: reason) { $0.session.person == person }
    }
    if let reason = sealed.ending {
      end(seat, reason: reason)
    } else if sealed.due != nil {
      scheduleDue(seat)
    }
  }

  private func tellPatch(_ patch: Range<Int>, _ sealed: SealedRoom, _ seat: Seat, _ room: Room) {
    let frame = codec.finish(patches, patch)
    var compressed: [UInt8]?
    var told = 0
    for subscription in seat.subscriptions where subscription.position < sealed.version {
      let session = subscription.session
      guard let person = session.person, !room.hasExpelled(person) else { continue }
      if subscription.isBehind {
        if !isFull(session) { sendMissed(subscription, room) }
        continue
      }
      guard !isFull(session), let stream = session.stream else {
        fallBehind(subscription)
        continue
      }
      if session.isDeflating, frame.count >= configuration.deflateThreshold {
        if compressed == nil { compressed = codec.compress(patches, patch) }
        if let compressed { stream.send(compressed.span) }
      } else {
        codec.send(patches, frame, to: stream)
      }
      counters.patches += 1
      counters.patchBytes += frame.count
      subscription.position = sealed.version
      subscription.toldAt = loop.uptime
      told += 1
      if told.isMultiple(of: Self.toldAtOnce) { loop.flushIfMany() }
    }
  }

  /// Watchers of one room who are told before the loop is asked to send. In smaller rooms answers leave with patches.
  static let toldAtOnce = 64

  /// Delivers an answer after the patch that it belongs to: at once, or with the merged patch of a client that is
  /// behind (SYN-5).
  private func deliver(_ caller: Caller, member: [UInt8], behind seat: Seat) {
    let session = caller.session
    if session.isBehind, let subscription = session.subscription(to: seat.id), subscription.isBehind {
      session.hold { [unowned self] in deliver(caller, member: member) }
    } else {
      deliver(caller, member: member)
    }
  }

  /// Tells those who watch a room that they do not any more.
  func close(_ seat: Seat, reason: String, where isOut: (Subscription) -> Bool) {
    for subscription in seat.subscriptions where isOut(subscription) {
      notify(subscription.session, "room.closed") { writer in
        writer.key("room")
        writer.string(seat.name)
        writer.key("reason")
        writer.string(reason)
      }
      subscription.session.subscriptions.removeAll { $0 === subscription }
      noteUnwatched(subscription.session)
    }
    let gone = seat.subscriptions.filter(isOut)
    seat.subscriptions.removeAll(where: isOut)
    for subscription in gone { notePresence(of: subscription.session.person, in: seat) }
  }

  /// A room is over: everybody in it is told, then nothing of it is kept.
  private func end(_ seat: Seat, reason: String) {
    close(seat, reason: reason) { _ in true }
    seat.dueTimer?.cancel()
    seats[seat.id] = nil
    erase(seat.id)
    // Loaded again behind the erasing, the room is not there.
    for message in seat.heldMessages { deliver(message) }
  }

  /// Removes all that is kept of a room that is over. What it has sent still arrives.
  func erase(_ room: RoomID) {
    services.store.erase(
      [room],
      reply: Reply(on: loop.poster) { [unowned self] result in
        guard case .failure(let error) = result else { return }
        services.log(.error, "erasing.failed", ["room": "\(room.text)", "why": "\(error)"])
      })
  }

  // MARK: failure

  /// A commit failed: nobody has been told of it.
  private func fail(_ error: StoreError) {
    services.log(.error, "commit.failed", ["rooms": .number(flying.count), "why": "\(error)"])
    commitFailedAt = loop.uptime
    counters.noteFailure(error)
    // Rooms that are loaded again go on from what has been told.
    tellLiveNow()
    for seat in flying {
      let groups = [seat.flying, seat.open].compactMap(\.self)
      seat.flying = nil
      seat.open = nil
      seat.isChanged = false
      seat.dueTimer?.cancel()
      seat.dueNotBefore = loop.uptime + .seconds(1)
      services.log(.warning, "room.dropped", ["room": "\(seat.id.text)"])
      // What may be on disk all the same is neither done nor refused: whoever asked comes back and asks again.
      if case .failed = error { abandon(groups, seat) } else { refuse(groups, seat) }
    }
    changed.removeAll { !$0.isChanged }
    flying.removeAll(keepingCapacity: true)
    forgetPatches()
    planRedelivery()
  }

  /// Nothing of it is on disk, for want of space perhaps: the callers may try again, and the room is loaded as it was.
  /// Who watches it notices nothing.
  private func refuse(_ groups: [CommitGroup], _ seat: Seat) {
    let refusal = errorMember(.unavailable)
    for group in groups {
      for (caller, _) in group.answers { deliver(caller, member: refusal) }
      for subscriber in group.subscribers {
        noteUnwatched(subscriber.call.caller.session)
        deliver(subscriber.call.caller, member: refusal)
      }
      for call in group.pendingCalls {
        for caller in waiters.removeValue(forKey: call) ?? [] { deliver(caller, member: refusal) }
      }
      for follower in group.followers { follower(false) }
    }
    if let room = seat.room { seat.live = kept(of: room) }
    seat.room = nil
    load(seat)
  }

  private func abandon(_ groups: [CommitGroup], _ seat: Seat) {
    for group in groups {
      for (caller, _) in group.answers { interrupt(caller.session) }
      for subscriber in group.subscribers { interrupt(subscriber.call.caller.session) }
      for call in group.pendingCalls {
        for caller in waiters.removeValue(forKey: call) ?? [] { interrupt(caller.session) }
      }
      for follower in group.followers { follower(false) }
    }
    for subscription in seat.subscriptions { interrupt(subscription.session) }
    seats[seat.id] = nil
  }

  func interrupt(_ session: Session) { session.close(.overloaded, "come back and resume") }
}
