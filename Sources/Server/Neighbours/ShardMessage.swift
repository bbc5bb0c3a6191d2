import Crypto
import Home
import Platform
import Rooms

/// A message from one shard to another: values only, no rooms, sessions or streams.
enum ShardMessage: Sendable {
  // Connections.
  case call(ForwardedCall)
  /// A connection is closed, or says hello again: its guest leaves.
  case dismiss(SessionKey)
  case relay(RelayBatch, from: Int)
  /// The connection behind a guest has sent so many relayed bytes.
  case taken(Int, by: SessionKey)
  case pause(Bool, connection: UInt64, by: Int)
  /// A connection watches so many rooms less.
  case unwatched(Int32, connection: UInt64)
  /// A newer connection of its client has taken the place of one, if that still belongs to the session.
  case replaced(connection: UInt64, session: ID<Rooms.Session>)

  // Rooms.
  case deliver(StoredMessage)
  /// The room that was to answer a call cannot.
  case refuse(CallKey, of: RoomID, Refusal)
  /// A share is over, whose positions may have passed through the memory of any shard.
  case shareEnded
  /// The room that a message was for is over.
  case over(StoredMessage)

  // Accounts.
  case arrived(host: String)
  case settled(host: String)
  /// The same by way of a trusted proxy, where connections cannot be refused before they are accepted.
  case arrivedByProxy(host: String, SessionKey)
  case expel(connection: UInt64)
  case loggedIn(ID<Person>, from: String)
  case attempted(AccountDesk.Attempt, AccountDesk.AttemptEnd)
  case claim(ID<Person>, Seated)
  case unseat(ID<Person>, SessionKey)
  case deviceUsed(ID<Rooms.Session>, by: ID<Person>)
  case mirrorAccount(of: ID<Person>)
  /// The directory has something to deliver to a person.
  case serveDeliveries

  // Questions.
  case ask(ShardQuestion, from: Int, ticket: UInt64)
  case answer(ShardAnswer, ticket: UInt64)
}

/// A question of one shard to another.
enum ShardQuestion: Sendable {
  /// How long an attempt has to wait; otherwise it counts: `.wait`.
  case attempt(AccountDesk.Attempt)
  /// Whether a connection gets one of its person's places: `.seating`.
  case seat(ID<Person>, Seated)
  /// The connections of sessions that are to end: `.places`.
  case places(of: ID<Person>, toEnd: Set<ID<Rooms.Session>>)
  /// Close a connection of a session that has ended: `.done`.
  case end(Seated, reason: String)
  /// The names of a person's rooms: `.rooms`.
  case rooms(of: ID<Person>)
  /// The name of a person: `.name`.
  case name(of: ID<Person>)
  /// Take a report to a share: `.taken`.
  case report(Report, of: ID<Person>, ID<Rooms.Session>?, to: ID<Share>)
  /// A document of a household for the owner of a secret: `.linked`.
  case linked(LinkedDocument, secretHash: [UInt8], of: RoomID)
  /// Why the shard should get no work: `.trouble`.
  case trouble
  /// The shard's counters: `.reading`.
  case reading
  /// A provider's keys, for a token whose header names one of them: `.providerKeys`.
  case providerKeys(of: String, id: String?, SignatureAlgorithm)
  /// The connections of a person: `.places`.
  case connected(ID<Person>)
  /// Rooms in memory behind one, in their order, at most so many: `.loaded`.
  case loaded(after: RoomID?, limit: Int)
}

enum ShardAnswer: Sendable {
  case wait(Duration?)
  case seating(Crowds.Seating)
  case places([Seated])
  case done
  case rooms([String]?)
  case name(String)
  case taken(TakenReport?)
  case linked([UInt8]?)
  case trouble(String?)
  case reading(Shard.Reading)
  case providerKeys(WebKeys?)
  case loaded([LoadedRoom])
}

/// A call that a connection of another shard makes for a room of this one.
struct ForwardedCall: Sendable {
  let text: [UInt8]
  let key: SessionKey
  /// With the first call of a connection.
  let visitor: Visitor?
  /// Of a call in a batch: under which its answer goes back.
  let ticket: UInt64?
  let watchesEnough: Bool
}

/// The person, client and log-in of a connection, as its own shard tells others.
struct Visitor: Sendable {
  let person: ID<Person>
  let client: ID<Client>
  let device: ID<Rooms.Session>?
  let answerKey: AnswerKey?
  let isDeflating: Bool
  let peer: PeerAddress
  let proxied: Proxied?
}

/// The outcome of a report in one share.
struct TakenReport: Sendable {
  let share: ID<Share>
  let isAlreadyInside: Bool
  /// When the phone should report again.
  let interval: Duration
}

extension Shard {
  /// Does what another shard, or this one, asks for.
  func receive(_ message: ShardMessage) {
    switch message {
    case .call(let call): neighbours.receive(call)
    case .dismiss(let key): neighbours.dismiss(key)
    case .relay(let batch, let source): neighbours.take(batch, from: source)
    case .taken(let count, let key): neighbours.noteTaken(count, by: key)
    case .pause(let isPaused, let number, let source): connections[number]?.pause(isPaused, by: source)
    case .unwatched(let count, let number): connections[number]?.watchCount -= count
    case .replaced(let number, let session): accounts.replace(number, of: session)
    case .deliver(let message): rooms.outbox.deliver(message)
    case .refuse(let call, let room, let refusal): rooms.outbox.complete(call, of: room, with: refusal)
    case .shareEnded: wipeSoon()
    case .over(let message): rooms.outbox.noteOver(message)
    case .arrived(let host): accounts.noteArrival(from: host)
    case .settled(let host): accounts.noteSettled(from: host)
    case .arrivedByProxy(let host, let key): accounts.noteArrival(byProxy: key, from: host)
    case .expel(let number): accounts.expel(number)
    case .loggedIn(let person, let network): accounts.noteLogIn(of: person, from: network)
    case .attempted(let attempt, let end): accounts.note(end, of: attempt)
    case .claim(let person, let seated): accounts.claim(person, seated)
    case .unseat(let person, let key): accounts.crowds.unseat(person, key)
    case .deviceUsed(let device, let person): accounts.mirror.compareIfOutdated(device, of: person)
    case .mirrorAccount(let person): accounts.mirror.compare(of: person)
    case .serveDeliveries: deliveries.serve()
    case .ask(let question, let source, let ticket):
      answer(question) { [unowned self] in neighbours.send(.answer($0, ticket: ticket), to: source) }
    case .answer(let answer, let ticket): neighbours.take(answer, ticket: ticket)
    }
  }

  func answer(_ question: ShardQuestion, _ done: @escaping (ShardAnswer) -> Void) {
    switch question {
    case .attempt(let attempt): done(.wait(accounts.wait(for: attempt)))
    case .seat(let person, let seated):
      done(.seating(accounts.crowds.seat(person, seated, limit: configuration.connectionsPerPerson)))
    case .places(let person, let sessions):
      done(.places(accounts.crowds.places(of: person, toEnd: sessions, at: loop.uptime)))
    case .end(let place, let reason):
      accounts.end(place, reason: reason)
      done(.done)
    case .rooms(let person):
      rooms.withSeat(.person(person)) { seat in
        let me = seat.room.flatMap { $0.isEnded ? nil : $0 }
        done(.rooms(me.map { HomeRooms.rooms(of: $0).map(\.name) }))
      }
    case .name(let person):
      rooms.withSeat(.person(person)) { seat in done(.name(seat.room.flatMap { HomeRooms.name(of: $0) } ?? "")) }
    case .report(let report, let person, let device, let share):
      take(report, of: person, device, to: share) { done(.taken($0)) }
    case .linked(let document, let hash, let room):
      linked(document, secretHash: hash, of: room) { done(.linked($0)) }
    case .trouble: done(.trouble(trouble))
    case .reading: done(.reading(reading))
    case .providerKeys(let provider, let id, let algorithm):
      accounts.findKeys(of: provider, id, algorithm) { done(.providerKeys($0)) }
    case .connected(let person): done(.places(accounts.crowds.places(of: person)))
    case .loaded(let room, let limit): done(.loaded(rooms.loaded(after: room, limit: limit)))
    }
  }
}
