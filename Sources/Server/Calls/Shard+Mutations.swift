import Crypto
import Home
import JSON
import Platform
import Rooms

/// From a method's name to the rule that carries it out.
extension Shard {
  /// Carries out a call of the method called `name`, which is `entry` if there is one.
  func perform(_ entry: MethodEntry?, called name: View, _ parameters: View, _ caller: Caller) {
    if isRefusedInClear(entry, parameters, caller.session) { return refuse(caller, .clearText) }
    if let method = entry?.server {
      if method.needsPerson, caller.session.person == nil { return refuse(caller, .unauthorized) }
      return method.run(self, parameters, caller)
    }
    // The server's owner is told at once, everybody else when they have said who they are.
    if entry == nil, caller.session.isAdmin { return refuse(caller, .noMethod(name)) }
    guard let person = caller.session.person else { return refuse(caller, .unauthorized) }
    guard let entry else { return refuse(caller, .noMethod(name)) }
    guard let (room, method) = target(of: parameters, person, entry, caller) else { return }
    if let seat = rooms.loadedSeat(room) { return carryOut(method, parameters, seat, caller) }
    // The view dies with its message: what has to wait keeps the bytes.
    carryOut(method, copied: parameters.copied, in: room, caller) {}
  }

  /// Whether a call is refused because positions are never sent over a connection in clear text (LOC-31).
  func isRefusedInClear(_ entry: MethodEntry?, _ parameters: View, _ session: Session) -> Bool {
    guard session.isInClear, let person = session.person else { return false }
    if entry?.needsEncryption == true { return true }
    return parameters[key: "room"]?.room(of: person).map { methods.needsEncryption($0) } ?? false
  }

  /// The room that a call is for, the one it names or `me` where there is no other, and the method of such rooms.
  private func target(
    of parameters: View, _ person: ID<Person>, _ entry: MethodEntry, _ caller: Caller
  ) -> (room: RoomID, method: Method)? {
    guard let named = parameters[key: "room"] else {
      if entry.isOfPersonOnly { return (.person(person), entry.methods[0]) }
      refuse(caller, [("room", "missing")], parameters, entry.only)
      return nil
    }
    guard let room = named.room(of: person) else {
      refuse(caller, [("room", "must be the name of a room")], parameters, entry.only)
      return nil
    }
    guard let method = entry[RoomKindName(room)] else {
      let kinds = entry.kinds.map(\.rawValue).sorted().joined(separator: " or ")
      refuse(caller, [("room", "must be a room of the kind: \(kinds)")], parameters, entry.only)
      return nil
    }
    return (room, method)
  }

  private typealias BadField = (name: String, text: String)

  /// Refuses a call for bad fields of the protocol, and names the bad fields of its method, too (ACC-2).
  ///
  /// `method` is `nil` if rooms of several kinds have a method of that name.
  private func refuse(_ caller: Caller, _ known: [BadField], _ parameters: View, _ method: Method?) {
    let refusal = work.problems.lend { problems in
      for (field, text) in known { problems.note(field, text) }
      // Otherwise `read` would call them unknown fields.
      for reserved in ["seq", "answered"] { _ = parameters[key: reserved] }
      _ = method?.read(parameters, problems)
      return Refusal.invalid(problems)
    }
    refuse(caller, refusal)
  }

  /// The number that a call carries, and up to which number its client has all answers.
  private func number(
    of parameters: View, _ method: Method, _ caller: Caller
  ) -> (seq: Int64?, answered: Int64)? {
    let client = caller.session.client
    let (seq, answered) = (parameters[key: "seq"], parameters[key: "answered"])
    if client.isIdempotencyKey, seq == nil, answered == nil { return (1, 0) }
    var problems: [BadField] = []
    let number = Int64(seq?.int ?? 0)
    if client.isIdempotencyKey {
      problems.append(("seq", "cannot stand beside an Idempotency-Key"))
    } else if client == ID(), seq != nil {
      let text = "needs a client: named in hello, or by the header Hearth-Client"
      problems.append(("seq", text))
    } else if seq != nil, !(1..<WireLimits.clientNumber).contains(number) {
      problems.append(("seq", "must be a whole number from 1 on"))
    }
    let known = answered.map { Int64($0.int ?? -1) } ?? 0
    if known < 0 || problems.isEmpty && known >= max(number, 1) {
      problems.append(("answered", "must be a whole number below seq"))
    }
    guard problems.isEmpty else {
      refuse(caller, problems, parameters, method)
      return nil
    }
    return (seq == nil ? nil : number, known)
  }

  // MARK: mutations and questions

  /// Carries out a call whose parameters had to wait, in the room as it is then: it may have been reloaded.
  func carryOut(
    _ method: Method, copied parameters: [UInt8], in id: RoomID, _ caller: Caller, fetched: [Need: Fetched] = [:],
    done: @escaping () -> Void
  ) {
    rooms.withSeat(id) { [unowned self] seat in
      if let view = work.parsePending(parameters.span) {
        // Reserved names are marked as read on this tape too.
        _ = view[key: "room"]
        carryOut(method, view, seat, caller, fetched: fetched)
      }
      done()
    }
  }

  private func carryOut(
    _ method: Method, _ parameters: View, _ seat: Seat, _ caller: Caller, fetched: [Need: Fetched] = [:]
  ) {
    guard let person = caller.session.person else { return refuse(caller, .unauthorized) }
    guard let room = seat.room, room.isOpen(to: person) else { return refuse(caller, .noRoom(seat)) }
    switch method.kind {
    case .mutation: mutate(method, parameters, by: person, seat, room, caller, fetched)
    case .question: ask(method, parameters, by: person, seat, room, caller, fetched)
    }
  }

  /// Answers a question. The answer may tell of what is not on disk yet, so it leaves behind the commit of that.
  private func ask(
    _ method: Method, _ parameters: View, by person: ID<Person>, _ seat: Seat, _ room: Room, _ caller: Caller,
    _ fetched: [Need: Fetched]
  ) {
    if fetchesNeeds(of: method, parameters, by: person, seat, caller, fetched, call: nil) { return }
    var turn = Turn(
      caller: person, client: caller.session.client, session: caller.session.device, now: time(in: seat))
    turn.fetched = fetched
    switch run(method, parameters, turn, in: room) {
    case .done(let result): answer(caller, behind: seat, member: result)
    case .invalid(let refusal): refuse(caller, refusal)
    case .refused(let refusal): refuse(caller, behind: seat, refusal)
    }
  }

  /// The outcome of a method, which no longer needs the writers that it was made with.
  private enum Run {
    case done(result: [UInt8])
    case invalid(Refusal)
    case refused(Refusal)
  }

  private func run(_ method: Method, _ parameters: View, _ turn: Turn, in room: Room) -> Run {
    work.members.lend { members in
      work.problems.lend { problems in
        switch method.run(room, parameters, turn, problems, members) {
        case .done where method.isAnsweredLater: return .done(result: [])
        case .done:
          return .done(result: resultMember(version: method.kind == .mutation ? room.version : nil, members))
        case .invalid: return .invalid(.invalid(problems))
        case .refused(let refusal): return .refused(refusal)
        }
      }
    }
  }

  /// Begins to fetch what a call needs, if it needs anything that is not fetched yet: it is carried out later then.
  private func fetchesNeeds(
    of method: Method, _ parameters: View, by person: ID<Person>, _ seat: Seat, _ caller: Caller,
    _ fetched: [Need: Fetched], call: CallKey?
  ) -> Bool {
    guard method.hasNeeds, fetched.isEmpty else { return false }
    guard let record = read(for: caller, { method.read(parameters, $0) }) else { return true }
    let needs = method.needs(record, person)
    if needs.isEmpty { return false }
    fetch(needs, for: method, parameters, seat, caller, call)
    return true
  }

  private func mutate(
    _ method: Method, _ parameters: View, by person: ID<Person>, _ seat: Seat, _ room: Room, _ caller: Caller,
    _ fetched: [Need: Fetched]
  ) {
    guard let (seq, answered) = number(of: parameters, method, caller) else { return }
    var call: CallKey?
    if let seq { call = CallKey(person: person, client: caller.session.client, number: seq) }
    let hash = seq == nil ? 0 : digest(method, parameters)
    if let call, !isNew(call, hash, seat, room, caller) { return }
    let numbered = call
    if call == nil, method.isAnsweredLater {
      // As good as a key that nobody knows.
      call = CallKey(person: person, client: ID(idempotencyKey: Hex.encode(services.randomness.bytes(16))), number: 1)
    }
    if fetchesNeeds(of: method, parameters, by: person, seat, caller, fetched, call: numbered) { return }
    let like = call ?? CallKey(person: person, client: caller.session.client, number: 0)
    if unansweredCalls(like: like, of: method, in: seat) >= WireLimits.unanswered {
      let text = "This client waits for \(WireLimits.unanswered) answers in this room already."
      return refuse(caller, Refusal(.rateLimited, "unanswered", text).temporary(after: .milliseconds(100)))
    }
    var turn = Turn(
      caller: person, client: caller.session.client, session: caller.session.device, now: time(in: seat), call: call)
    turn.fetched = fetched
    if method.makesSecret { turn.secret = services.randomness.bytes(32) }
    switch run(method, parameters, turn, in: room) {
    case .invalid(let refusal): refuse(caller, refusal)
    case .refused(let refusal):
      guard seq != nil, refusal.isRemembered else { return refuse(caller, behind: seat, refusal) }
      let answer = errorMember(refusal)
      remember(call, hash, .given(answer), answered, in: seat, room)
      commits.openGroup(of: seat).answer(caller, answer)
    case .done(let result):
      commits.noteChange(of: seat, by: person)
      if method.isAnsweredLater, let call {
        waiters.add(caller, for: call)
        remember(call, hash, .pending, answered, in: seat, room)
        commits.openGroup(of: seat).pendingCalls.append(call)
      } else {
        if seq != nil {
          let kept = method.makesSecret ? caller.session.sealed(result, services.randomness) : result
          remember(call, hash, .given(kept), answered, in: seat, room)
        }
        commits.openGroup(of: seat).answer(caller, result)
      }
    }
  }

  /// Whether a numbered call has not been seen yet; otherwise it is answered here.
  private func isNew(_ call: CallKey, _ hash: UInt64, _ seat: Seat, _ room: Room, _ caller: Caller) -> Bool {
    switch room.find(call, hash: hash) {
    case .new: return true
    case .pending:
      waiters.add(caller, for: call)
    case .repeated(let kept):
      answer(caller, behind: seat, member: caller.session.opened(kept) ?? errorMember(.sealedAnswer))
    case .reused: refuse(caller, behind: seat, .reused)
    case .skipped: refuse(caller, behind: seat, .skipped)
    case .forgotten: refuse(caller, behind: seat, .forgotten)
    }
    return false
  }

  /// Calls of one client in one room that wait for the disk, or for another room.
  private func unansweredCalls(like call: CallKey, of method: Method, in seat: Seat) -> Int {
    let inRoom = seat.waitingAnswers(of: call)
    guard method.isAnsweredLater || seat.id == .person(call.person) else { return inRoom }
    return inRoom + waiters.count(like: call)
  }

  private func remember(
    _ call: CallKey?, _ hash: UInt64, _ answer: Receipts.Answer, _ answered: Int64, in seat: Seat, _ room: Room
  ) {
    guard let call else { return }
    room.remember(call, hash: hash, at: loop.now, answer: answer, answered: answered)
    commits.markChanged(seat)
  }

  /// `"result":{…}` with the members that the rule has written, and before them the version if there is one.
  private func resultMember(version: Int64?, _ members: Writer) -> [UInt8] {
    resultMember { writer in
      if let version {
        writer.key("version")
        writer.int(Int(version))
      }
      if members.count > 0 { writer.value(members) }
    }
  }

  /// A random UUID (RFC 9562 §5.4).
  func randomID<Of>() -> ID<Of> {
    var bytes = services.randomness.bytes(16)
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    return ID(bytes: bytes) ?? ID()
  }
}

extension Refusal {
  static var unauthorized: Refusal {
    Refusal(.unauthorized, "unauthorized", "Say hello with a token first.")
  }
  /// The same for a room that does not exist and for one that is not the caller's (LOC-23, HH-14).
  static var noRoom: Refusal { Refusal(.notFound, "room", "There is no such room here.") }
  /// For a seat without a room: what cannot be read now is not gone, and a client must not forget it.
  static func noRoom(_ seat: Seat) -> Refusal { seat.isUnreadable ? .unavailable : .noRoom }

  static func noMethod(_ name: View) -> Refusal {
    Refusal(.methodNotFound, "methodNotFound", "There is no method \((name.string ?? "").prefix(64)).")
  }

  static var clearText: Refusal {
    Refusal(.forbidden, "clearText", "Positions are shared over an encrypted connection only: connect by wss://.")
  }
  static var unavailable: Refusal {
    Refusal(.unavailable, "busy", "The server cannot do this at the moment.").temporary(after: .seconds(1))
  }
  static var reused: Refusal {
    Refusal(.conflict, "reused", "This number was used for another call: numbers are used once.")
  }
  static var skipped: Refusal {
    Refusal(
      .conflict, "skipped", "Later numbers were answered already, and this one had no effect: send it under a new one.")
  }
  static var forgotten: Refusal {
    Refusal(
      .conflict, "forgotten",
      "So many later numbers were answered that it is not known any more whether this one had an effect.")
  }
  static var sealedAnswer: Refusal {
    Refusal(.conflict, "sealed", "The answer holds a secret and can be repeated only to the session that asked.")
  }
}

/// A number for method and parameters, the same in whatever order the members come, without those that may differ
/// when the same call is sent again. A client that makes two of its own calls collide harms only itself.
private func digest(_ method: Method, _ parameters: View) -> UInt64 {
  var sum = method.nameDigest
  parameters.forEachMember { name, value in
    if name.equals("answered") { return }
    let start = name.withBytes { $0.digest() }
    sum &+= value.withBytes { $0.digest(start) }
  }
  return sum
}

extension View {
  /// The room that a value names; `nil` where it names none.
  func room(of caller: ID<Person>) -> RoomID? {
    guard kind == .string else { return nil }
    if hasEscapes { return string.flatMap { RoomID(name: $0, caller: caller) } }
    return withBytes { RoomID(name: $0, caller: caller) }
  }

  /// The value's text, to be kept after its message is gone.
  var copied: [UInt8] { withBytes { $0.copied } }
}

extension PeerAddress {
  var isInClear: Bool { !isLoopback && !isEncrypted }
}
