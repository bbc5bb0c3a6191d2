import JSON
import Platform
import Rooms

/// The way to the other shards: a connection's calls go where the room lives, and what that says comes back.
///
/// There a session stands for the connection, a guest, which rooms treat like any other: its stream leads here.
final class Neighbours {
  private unowned let shard: Shard
  private let loop: any Loop
  private let shards: Shards
  private let index: Int
  /// Sessions that stand for connections of other shards.
  private var guests: [SessionKey: Session] = [:]
  /// What leaves for connections of other shards at the end of the batch.
  private var relays: [Int: RelayBatch] = [:]

  init(_ shard: Shard) {
    self.shard = shard
    loop = shard.loop
    shards = shard.shards
    index = shard.index
  }

  /// Nothing waits to leave for another shard.
  var isSettled: Bool { relays.isEmpty }

  /// A connection's name for other shards.
  func key(of session: Session) -> SessionKey { SessionKey(shard: index, number: session.number) }

  // MARK: to other shards

  /// Lets another shard do something; at once where it is this one.
  func tell(_ index: Int, _ work: @escaping @Sendable (Shard) -> Void) {
    if index == self.index { work(shard) } else { shards.post(to: index, work) }
  }

  /// Asks another shard, and goes on with its answer: at once where it is this one.
  func ask<Answer: Sendable>(
    _ index: Int, _ question: @escaping @Sendable (Shard) -> Answer, then done: @escaping (Answer) -> Void
  ) {
    if index == self.index { return done(question(shard)) }
    let reply = Reply(on: loop.poster, done)
    shards.post(to: index) { reply(question($0)) }
  }

  /// Looks into a room wherever it lives.
  func look<Answer: Sendable>(
    into room: RoomID, _ question: @escaping @Sendable (Seat) -> Answer, then done: @escaping (Answer) -> Void
  ) {
    let home = shards.home(of: room)
    if home == index { return shard.rooms.withSeat(room) { done(question($0)) } }
    let reply = Reply(on: loop.poster, done)
    shards.post(to: home) { shard in shard.rooms.withSeat(room) { reply(question($0)) } }
  }

  // MARK: calls for rooms elsewhere

  /// The shard that a call is for, unless it is this one or something is wrong with the call. What is refused in clear
  /// text is refused here.
  func elsewhere(_ entry: MethodEntry?, _ parameters: View, _ session: Session) -> Int? {
    guard shards.count > 1, session.origin == nil, let person = session.person,
      !shard.isRefusedInClear(entry, parameters, session)
    else { return nil }
    var room: RoomID?
    switch entry?.server?.place ?? .room {
    case .connection: return nil
    case .me: room = .person(person)
    case .room:
      if let named = parameters[key: "room"] {
        room = named.room(of: person)
      } else if entry?.isOfPersonOnly == true {
        room = .person(person)
      }
    }
    guard let home = room.map({ shards.home(of: $0) }), home != index else { return nil }
    return home
  }

  /// Sends a call to the shard of its room. The first one to a shard says whose it is.
  func forward(_ message: View, to home: Int, from session: Session, batch: CallBatch?, isSubscribing: Bool) {
    let abroad = session.abroad ?? Abroad()
    session.abroad = abroad
    var visitor: Visitor?
    if abroad.shards.insert(home).inserted, let person = session.person, let peer = session.stream?.peer {
      visitor = Visitor(
        person: person, client: session.client, answerKey: session.answerKey, isDeflating: session.isDeflating,
        peer: peer)
    }
    if isSubscribing { session.watchCount += 1 }
    let isFull = session.watchCount > WireLimits.subscriptions
    let ticket = batch.map { abroad.ticket(for: $0) }
    shards.post(to: home) { [key = key(of: session), text = message.copied, visitor] in
      $0.neighbours.receive(text, from: key, visitor, ticket: ticket, watchesEnough: isFull)
    }
  }

  private func receive(
    _ text: [UInt8], from key: SessionKey, _ visitor: Visitor?, ticket: UInt64?, watchesEnough: Bool
  ) {
    if let visitor { welcome(visitor, key) }
    guard let guest = guests[key] else { return }
    guest.watchesEnough = watchesEnough
    guard let ticket else { return shard.receive(text.span, from: guest) }
    let batch = CallBatch(count: 1) { [unowned self] answers, _ in
      (guests[key]?.stream as? RelayStream)?.send(answers.first ?? [], ticket: ticket)
    }
    if guest.isHeld { guest.queue(text, of: batch) } else { shard.receive(text.span, of: batch, from: guest) }
  }

  private func welcome(_ visitor: Visitor, _ key: SessionKey) {
    let guest = shard.connections.add { [shard] in
      Session(shard: shard, now: shard.loop.uptime, number: $0, origin: key)
    }
    guest.stream = RelayStream(self, origin: key, peer: visitor.peer)
    guest.phase = .guest
    guest.person = visitor.person
    guest.client = visitor.client
    guest.answerKey = visitor.answerKey
    guest.isDeflating = visitor.isDeflating
    guests[key] = guest
  }

  /// Dismisses the guests of a session on other shards: it is closed, or says hello again.
  func dismissGuests(of session: Session) {
    for shard in session.abroad?.shards ?? [] {
      shards.post(to: shard) { [key = key(of: session)] in $0.neighbours.dismiss(key) }
    }
    session.abroad = nil
  }

  private func dismiss(_ key: SessionKey) {
    guard let guest = guests.removeValue(forKey: key) else { return }
    // The connection may live on, under another name: nobody else would let it go on reading.
    guest.stream?.isReadingPaused = false
    guest.closed(.peer)
  }

  // MARK: back to the connection

  /// Takes something for a connection of another shard; it leaves at the end of the batch.
  func relay(_ kind: RelayBatch.Kind, _ bytes: Span<UInt8>, to origin: SessionKey) {
    relays[origin.shard, default: RelayBatch()].append(kind, bytes, to: origin.number)
    loop.wantBatchEnd()
  }

  func flushRelays() {
    guard !relays.isEmpty else { return }
    for (target, batch) in relays {
      shards.post(to: target) { [index] in $0.neighbours.take(batch, from: index) }
    }
    relays.removeAll(keepingCapacity: true)
  }

  private func take(_ batch: RelayBatch, from source: Int) {
    for piece in batch.pieces {
      guard let session = shard.connections[piece.connection], session.isOpen, let stream = session.stream else {
        continue
      }
      let bytes = batch.bytes.span.extracting(piece.range)
      switch piece.kind {
      case .frame: stream.send(bytes)
      case .answer(let ticket): session.abroad?.batches.removeValue(forKey: ticket)?.add(bytes.copied)
      case .close:
        stream.close()
        session.phase = .closing
        shard.connections.leaveRooms(session)
      case .abort: stream.abort()
      }
      session.abroad?.owed[source, default: 0] += piece.range.count
      acknowledge(session, atLeast: shard.configuration.unsentLimit / 4)
    }
  }

  /// Tells other shards how much of theirs has left, so that they may send more; not while the client is slow.
  func acknowledge(_ session: Session, atLeast least: Int) {
    guard let abroad = session.abroad else { return }
    if shard.connections.isFull(session) { return shard.connections.noteFull(session) }
    for (source, count) in abroad.owed where count >= max(1, least) {
      abroad.owed[source] = 0
      shards.post(to: source) { [key = key(of: session)] in
        $0.neighbours.noteTaken(count, by: key)
      }
    }
  }

  /// Lets the connection behind a guest pause, or go on.
  func pause(_ isPaused: Bool, _ origin: SessionKey) {
    tell(origin.shard) { [index] in $0.connections[origin.number]?.pause(isPaused, by: index) }
  }

  private func noteTaken(_ count: Int, by key: SessionKey) {
    guard let guest = guests[key], let stream = guest.stream as? RelayStream else { return }
    stream.taken(count)
    if !shard.connections.isFull(guest) { guest.writable() }
  }

  /// A session watches a room less.
  func noteUnwatched(_ session: Session, _ count: Int32 = 1) {
    if let origin = session.origin {
      shards.post(to: origin.shard) { $0.connections[origin.number]?.watchCount -= count }
    } else {
      session.watchCount -= count
    }
  }
}

/// The person and client of a connection, as its own shard tells others.
private struct Visitor: Sendable {
  let person: ID<Person>
  let client: ID<Client>
  let answerKey: AnswerKey?
  let isDeflating: Bool
  let peer: PeerAddress
}

/// A connection's state on other shards.
final class Abroad {
  /// The shards that have a guest for it.
  var shards: Set<Int> = []
  /// Bytes that came from each and have not been reported as taken.
  var owed: [Int: Int] = [:]
  /// Shards that have asked this one to pause reading.
  var pausing: Set<Int> = []
  /// Batches that wait for an answer from elsewhere.
  var batches: [UInt64: CallBatch] = [:]
  private var lastTicket: UInt64 = 0

  func ticket(for batch: CallBatch) -> UInt64 {
    lastTicket += 1
    batches[lastTicket] = batch
    return lastTicket
  }
}
