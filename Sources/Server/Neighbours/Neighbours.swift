import JSON
import Platform
import Rooms

/// The way to the other shards: a connection's calls go where the room lives, and what that says comes back.
///
/// There a session stands for the connection, a guest, which rooms treat like any other: its stream leads here.
final class Neighbours {
  private let link: ShardLink
  private var shard: Shard { link.shard }
  private let loop: any Loop
  private let shards: Shards
  private let index: Int
  /// Sessions that stand for connections of other shards.
  private var guests: [SessionKey: Session] = [:]
  /// Frames for connections of other shards; they leave at the end of the batch.
  private var relays: [Int: RelayBatch] = [:]
  /// Goes on with the answers of other shards, by the tickets of the questions.
  private var asked: [UInt64: (ShardAnswer) -> Void] = [:]
  private var lastTicket: UInt64 = 0

  init(_ link: ShardLink) {
    self.link = link
    loop = link.loop
    shards = link.shards
    index = link.index
  }

  /// Nothing waits to leave for another shard.
  var isSettled: Bool { relays.isEmpty }

  /// A connection's name for other shards.
  func key(of session: Session) -> SessionKey { SessionKey(shard: index, number: session.number) }

  // MARK: messages and questions

  /// Sends a message to a shard; it takes effect at once if that is this one.
  func send(_ message: ShardMessage, to index: Int) {
    if index == self.index { shard.receive(message) } else { shards.send(message, to: index) }
  }

  /// Sends a message to every shard.
  func broadcast(_ message: ShardMessage) { for index in 0..<shard.shards.count { send(message, to: index) } }

  /// Asks a shard, and goes on with its answer: at once if it is this one.
  func ask(_ question: ShardQuestion, of index: Int, then done: @escaping (ShardAnswer) -> Void) {
    if index == self.index { return shard.answer(question, done) }
    lastTicket += 1
    asked[lastTicket] = done
    shards.send(.ask(question, from: self.index, ticket: lastTicket), to: index)
  }

  /// Asks every shard the same, one after another.
  func askAll(_ question: ShardQuestion, then done: @escaping ([ShardAnswer]) -> Void) {
    ask(question, from: 0, [], then: done)
  }

  private func ask(
    _ question: ShardQuestion, from index: Int, _ answers: [ShardAnswer], then done: @escaping ([ShardAnswer]) -> Void
  ) {
    guard index < shards.count else { return done(answers) }
    ask(question, of: index) { [unowned self] in ask(question, from: index + 1, answers + [$0], then: done) }
  }

  /// Takes the answer to a question of this shard.
  func take(_ answer: ShardAnswer, ticket: UInt64) { asked.removeValue(forKey: ticket)?(answer) }

  // MARK: calls for rooms elsewhere

  /// The shard that a call is for, unless it is this one or something is wrong with the call. Calls that are refused in
  /// clear text are refused here.
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
        person: person, client: session.client, device: session.device, answerKey: session.answerKey,
        isDeflating: session.isDeflating, peer: peer, proxied: session.proxied)
    }
    if isSubscribing { session.watchCount += 1 }
    let isFull = session.watchCount > WireLimits.subscriptions
    let ticket = batch.map { abroad.ticket(for: $0) }
    let call = ForwardedCall(
      text: message.copied, key: key(of: session), visitor: visitor, ticket: ticket, watchesEnough: isFull)
    shards.send(.call(call), to: home)
  }

  /// Carries out a call of a connection of another shard.
  func receive(_ call: ForwardedCall) {
    let key = call.key
    if let visitor = call.visitor { welcome(visitor, key) }
    guard let guest = guests[key] else { return }
    guest.watchesEnough = call.watchesEnough
    guard let ticket = call.ticket else { return shard.receive(call.text.span, from: guest) }
    let batch = CallBatch(count: 1) { [unowned self] answers, _ in
      (guests[key]?.stream as? RelayStream)?.send(answers.first ?? [], ticket: ticket)
    }
    if guest.isHeld { guest.queue(call.text, of: batch) } else { shard.receive(call.text.span, of: batch, from: guest) }
  }

  private func welcome(_ visitor: Visitor, _ key: SessionKey) {
    let guest = shard.connections.add { [shard] in
      Session(shard: shard, now: shard.loop.uptime, number: $0, origin: key)
    }
    guest.stream = RelayStream(self, origin: key, peer: visitor.peer)
    guest.isInClear = visitor.peer.isInClear
    guest.phase = .guest(visitor.device)
    guest.person = visitor.person
    guest.client = visitor.client
    guest.answerKey = visitor.answerKey
    guest.isDeflating = visitor.isDeflating
    guest.proxied = visitor.proxied
    guests[key] = guest
  }

  /// Dismisses the guests of a session on other shards: it is closed, or says hello again.
  func dismissGuests(of session: Session) {
    for shard in session.abroad?.shards ?? [] { shards.send(.dismiss(key(of: session)), to: shard) }
    session.abroad = nil
  }

  func dismiss(_ key: SessionKey) {
    guard let guest = guests.removeValue(forKey: key) else { return }
    // The connection may go on as another person's: nothing else would let it read again.
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
    for (target, batch) in relays { shards.send(.relay(batch, from: index), to: target) }
    relays.removeAll(keepingCapacity: true)
  }

  func take(_ batch: RelayBatch, from source: Int) {
    for piece in batch.pieces {
      guard let session = shard.connections[piece.connection], session.isOpen, let stream = session.stream else {
        continue
      }
      let bytes = batch.bytes.span.extracting(piece.range)
      switch piece.kind {
      case .frame: stream.send(bytes)
      case .answer(let ticket): session.abroad?.batches.removeValue(forKey: ticket)?.add(bytes.copied)
      case .close(let lingering):
        stream.close(lingering: lingering)
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
      shards.send(.taken(count, by: key(of: session)), to: source)
    }
  }

  /// Lets the connection behind a guest pause, or go on.
  func pause(_ isPaused: Bool, _ origin: SessionKey) {
    send(.pause(isPaused, connection: origin.number, by: index), to: origin.shard)
  }

  /// Notes that relayed bytes of a guest have left.
  func noteTaken(_ count: Int, by key: SessionKey) {
    guard let guest = guests[key], let stream = guest.stream as? RelayStream else { return }
    stream.taken(count)
    if !shard.connections.isFull(guest) { guest.writable() }
  }

  /// A session watches a room less.
  func noteUnwatched(_ session: Session, _ count: Int32 = 1) {
    if let origin = session.origin {
      shards.send(.unwatched(count, connection: origin.number), to: origin.shard)
    } else {
      session.watchCount -= count
    }
  }
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
