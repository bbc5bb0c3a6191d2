public import JSON

/// The content of one commit of a room: bytes for the log, effects for the store and for other rooms.
public struct SealedRoom {
  public var from: Int64
  public var version: Int64
  /// The range of `room.patch`'s parameters in the writer that was passed to `seal`; empty if there is no patch.
  public var parameters: Range<Int>
  public var entry: [UInt8]
  public var due: Instant??
  public var history: [HistoryRecord]
  public var messages: [OutgoingMessage]
  public var taken: [TakenMessage]
  public var secrets: [SecretChange]
  public var deliveries: [Delivery]
  /// Older patches that are no longer in memory (SYN-9).
  public var segments: [Segment]
  public var completions: [(call: CallKey, answer: [UInt8])]
  public var expelled: [(person: ID<Person>, reason: String)]
  public var ending: String?
}

extension Room {
  /// Seals everything since the last seal as one commit.
  ///
  /// Appends the parameters of `room.patch` to `writer`, to be sent as soon as the commit is on disk. The same bytes go
  /// to the log and into the ring. `scratch` is overwritten with the log entry.
  public func seal(
    at now: Instant, by person: ID<Person>?, to writer: Writer, entry scratch: Writer = Writer()
  ) -> SealedRoom {
    let from = sealedVersion
    numberMessages()
    let completions = completeCalls()
    let parameters = version > from ? writeParameters(from: from, at: now, by: person, to: writer) : 0..<0
    let entry = writeEntry(from: from, at: now, parameters: parameters, of: writer, in: scratch)
    let due = nextDue
    let sealed = SealedRoom(
      from: from, version: version, parameters: parameters, entry: entry,
      due: due == progress.storedDue ? nil : .some(due), history: effects.lists.history, messages: outgoing,
      taken: takenSinceSeal, secrets: effects.lists.secrets,
      deliveries: effects.lists.deliveries, segments: outgrown, completions: completions,
      expelled: effects.lists.expelled.map { ($0.person, $0.reason) }, ending: effects.lists.ending)
    progress.storedDue = due
    progress.sealedVersion = version
    progress.entriesSinceSnapshot += 1
    progress.bytesSinceSnapshot += entry.count
    progress.size += parameters.count
    progress.unmeasured = 0
    outgrown = []
    outgoing.removeAll(keepingCapacity: outgoing.capacity <= 16)
    takenSinceSeal.removeAll(keepingCapacity: takenSinceSeal.capacity <= 16)
    effects.lists.clear()
    return sealed
  }

  private func writeParameters(from: Int64, at now: Instant, by person: ID<Person>?, to writer: Writer) -> Range<Int> {
    let start = writer.count
    writer.openObject()
    writer.key("room")
    writer.string(name)
    writer.key("from")
    writer.int(Int(from))
    writer.key("version")
    writer.int(Int(version))
    writer.key("at")
    now.write(to: writer)
    if let person {
      writer.key("by")
      person.write(to: writer)
    }
    writer.key("patch")
    let patchStart = writer.count
    sealParts(.shown, to: writer)
    let old = writer.withSpan(from: patchStart) { ring.append(from: from, version: version, at: now, $0) }
    if let old { outgrown.append(old) }
    writer.closeObject()
    return start..<writer.count
  }

  /// Writes the log entry: the parameters of the patch, then the parts that clients do not see.
  private func writeEntry(
    from: Int64, at now: Instant, parameters: Range<Int>, of writer: Writer, in entry: Writer
  ) -> [UInt8] {
    entry.clear()
    entry.openObject()
    if parameters.isEmpty {
      entry.key("from")
      entry.int(Int(from))
      entry.key("version")
      entry.int(Int(version))
      entry.key("at")
      now.write(to: entry)
    } else {
      // Only the members, without braces: more members follow.
      entry.value(writer, from: parameters.lowerBound + 1, to: parameters.upperBound - 1)
    }
    entry.key("hidden")
    sealParts(.hidden, to: entry)
    entry.key("receipts")
    receipts.seal(to: entry)
    entry.closeObject()
    return entry.bytes()
  }

  private func numberMessages() {
    for message in effects.lists.messages {
      let number = (numbers.sent[message.target]?.number ?? 0) + 1
      numbers.sent[message.target] = MessageNumbers.Count(number: number)
      outgoing.append(OutgoingMessage(target: message.target, number: Int64(number), body: message.body))
    }
  }

  private func completeCalls() -> [(call: CallKey, answer: [UInt8])] {
    effects.lists.completions.compactMap { completion in
      let writer = Writer(capacity: 256)
      switch completion.outcome {
      case .success(let members):
        writer.key("result")
        writer.openObject()
        writer.key("version")
        writer.int(Int(version))
        if !members.isEmpty { writer.value(members) }
        writer.closeObject()
      case .failure(let refusal):
        writer.key("error")
        refusal.write(to: writer)
      }
      let answer = writer.bytes()
      return receipts.complete(completion.call, with: answer) ? (completion.call, answer) : nil
    }
  }

  // MARK: calls

  /// Sets how many clients of each person keep receipts: at least all that may be connected.
  public func remember(clientsPerPerson count: Int) {
    receipts.clientsPerPerson = max(count, Receipts.leastClientsPerPerson)
  }

  public func mark(of person: ID<Person>, _ client: ID<Client>) -> Int64 {
    receipts.mark(person: person, client: client)
  }

  public func find(_ call: CallKey, hash: UInt64) -> Receipts.Finding { receipts.find(call, hash: hash) }

  /// Remembers the answer to a call; it is logged with the next commit.
  public func remember(_ call: CallKey, hash: UInt64, at now: Instant, answer: Receipts.Answer, answered: Int64) {
    receipts.add(call, hash: hash, at: now, answer: answer, answered: answered)
  }

  /// Answers a call that waits for a room that no longer exists.
  public func refuse(_ call: CallKey, _ refusal: Refusal) {
    effects.lists.completions.append(Effects.Completion(call: call, outcome: .failure(refusal)))
  }

  /// Lets an expelled person in again: the commit is on disk, and the person has been told.
  public func readmit(_ person: ID<Person>) { expelled.remove(person) }

  // MARK: creating, keeping and loading

  /// Makes a new room: `random` is 16 bytes, `key` 32.
  public func open(random: [UInt8], key: [UInt8]) {
    self.random = random
    let digits = Array("0123456789abcdef".utf8)
    let text = key.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    numbers.key.value.text = String(decoding: text, as: UTF8.self)
    numbers.keyBytes = text
  }

  /// Whether the log since the last snapshot has so many entries, or takes so long to replay, that a snapshot is due. A
  /// large room waits longer, since each snapshot writes all of it.
  public func isSnapshotDue(afterEntries limit: Int) -> Bool {
    progress.entriesSinceSnapshot >= limit
      || progress.bytesSinceSnapshot >= max(Self.replayedBytes, 2 * progress.snapshotSize)
  }

  /// The whole room at its sealed version for the store, and the changes that the store has only in its log. Call it
  /// only if nothing is unsealed.
  public func snapshot(at now: Instant) -> (body: [UInt8], segment: Segment?) {
    receipts.expire(at: now)
    let writer = Writer(capacity: max(4096, progress.size + 1024))
    writer.openObject()
    writer.key("version")
    writer.int(Int(version))
    writer.key("at")
    changedAt.write(to: writer)
    writer.key("state")
    let start = writer.count
    writeState(to: writer)
    progress.size = writer.count - start
    writer.key("hidden")
    writeHidden(to: writer)
    writer.key("receipts")
    receipts.writeState(to: writer)
    writer.closeObject()
    progress.entriesSinceSnapshot = 0
    progress.bytesSinceSnapshot = 0
    progress.snapshotSize = writer.count
    return (writer.bytes(), ring.unstored(at: now))
  }

  /// Notes that the store has the changes that came with a snapshot, or that the room is given up.
  public func noteStored(_ segment: Segment?) {
    if let segment { ring.noteStored(to: segment.version) }
  }

  /// Restores the room from a snapshot, log entries and live values.
  ///
  /// Patches are merged; no rule runs, so a new release reads old history as it was written.
  /// - Parameter segmentVersion: the version that the store's segments lead to. Memory then holds only the changes
  ///   after it.
  public func restore(
    snapshot: [UInt8]?, entries: [[UInt8]], segmentVersion: Int64 = 0, live: [UInt8]?,
    random: [UInt8], due: Instant?
  ) throws(RoomDamage) {
    // Rooms write no key twice.
    let tape = Tape(depthLimit: 64, nodeLimit: 4_000_000, byteLimit: 64 << 20, comparesKeys: false)
    let problems = Problems()
    self.random = random
    progress.storedDue = due
    ring = Ring(storedVersion: segmentVersion)
    if let snapshot {
      let view = try Self.parse(snapshot, tape)
      guard let version = view[key: "version"]?.int, let state = view[key: "state"], let hidden = view[key: "hidden"],
        let rows = view[key: "receipts"]
      else { throw RoomDamage(what: "snapshot") }
      progress.version = Int64(version)
      progress.changedAt = Instant.read(view[key: "at"], problems) ?? Instant()
      mergeParts(state, .shown, problems)
      mergeParts(hidden, .hidden, problems)
      receipts.merge(rows, problems)
      progress.size = snapshot.count
      progress.snapshotSize = snapshot.count
    }
    for entry in entries { try replay(entry, behind: segmentVersion, tape, problems) }
    progress.sealedVersion = version
    progress.entriesSinceSnapshot = entries.count
    progress.bytesSinceSnapshot = entries.reduce(0) { $0 + $1.count }
    if let live { mergeParts(try Self.parse(live, tape), .kept, problems) }
    guard problems.isEmpty else { throw RoomDamage(what: problems.list.map(\.text).joined(separator: "; ")) }
    restored()
  }

  private func replay(
    _ bytes: [UInt8], behind segmentVersion: Int64, _ tape: Tape, _ problems: Problems
  ) throws(RoomDamage) {
    let entry = try Self.parse(bytes, tape)
    guard let from = entry[key: "from"]?.int, let version = entry[key: "version"]?.int, Int64(from) == self.version,
      version >= from
    else { throw RoomDamage(what: "entry behind version \(self.version)") }
    if let patch = entry[key: "patch"] {
      mergeParts(patch, .shown, problems)
      patch.withBytes { body in
        // The store already has earlier patches: they were sent there when they were new.
        if version > segmentVersion { _ = ring.append(from: Int64(from), version: Int64(version), at: changedAt, body) }
        progress.size += body.count
      }
    }
    if let hidden = entry[key: "hidden"] { mergeParts(hidden, .hidden, problems) }
    if let rows = entry[key: "receipts"] { receipts.merge(rows, problems) }
    if let at = Instant.read(entry[key: "at"], problems) { progress.changedAt = max(changedAt, at) }
    progress.version = Int64(version)
  }

  private static func parse(_ bytes: [UInt8], _ tape: Tape) throws(RoomDamage) -> View {
    do throws(JSONError) { return try tape.parse(bytes.span) } catch { throw RoomDamage(what: "\(error)") }
  }
}

/// Damage that makes a stored room unreadable. The text is for logs only.
public struct RoomDamage: Error, Equatable, Sendable {
  public var what: String
}
