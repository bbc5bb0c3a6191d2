import HearthClient
import JSON
import Rooms
import Server
import WebSocket

/// A person's phone: connects and disconnects, watches all rooms of its owner, makes random calls, sends unanswered
/// calls again, and checks every message.
///
/// It shares the handling of documents with `HearthClient`, but has its own queue.
final class SimulatedClient: LinkClient {
  /// A call without an answer.
  private struct Pending {
    var operation: Operation
    /// When the call was first made.
    let since: Duration
    var seq: Int
    /// The call number on this connection, if it was sent.
    var call: Int?
    var notBefore = Duration.zero
    /// The earlier refusal, if the call is sent again to check that it is repeated.
    var refusal: ServerError?
  }

  enum Phase { case away, upgrading, greeting, ready }

  unowned let world: World
  let person: SimulatedPerson
  let number: Int
  let id: String
  private(set) var credentials: Credentials
  private(set) var phase = Phase.away
  private var link: SimulatedLink?
  private var head: [UInt8] = []
  private var receiver = SimulatedClient.receiver()
  private(set) var core = ConnectionCore()
  private var pending: [Pending] = []
  private var lastSeq = 0
  /// The call number of hello or of the login.
  private var introduction: Int?
  /// Rooms that are temporarily unavailable, and when to retry.
  private var postponed: [String: Duration] = [:]
  private var heardAt = Duration.zero
  /// When the kernel took the bytes that are being handled.
  private(set) var sentAt = Duration.zero
  /// When the server composed the message that the client is handling.
  private(set) var composedAt = Duration.zero
  /// When the last message about each room arrived.
  private(set) var toldAt: [String: Duration] = [:]
  /// When the position of each share, or its age, was told last.
  private var agedAt: [String: Duration] = [:]
  /// The time since which, or from which on, the connection is undisturbed.
  private var undisturbedSince = Duration.zero
  /// Whether the phone should be connected.
  private(set) var isWanted = false
  private var opened = 0
  /// Households whose leaving was answered on this connection, and when. Nothing of them may arrive any longer, unless
  /// the owner asks to join again.
  private var left: [String: Duration] = [:]

  init(_ world: World, _ person: SimulatedPerson, number: Int, _ credentials: Credentials) {
    self.world = world
    self.person = person
    self.number = number
    self.credentials = credentials
    id = world.random.id()
  }

  /// The calls without an answer, as text for people.
  var waiting: [String] { pending.map { "\($0.operation.method) as \($0.seq)" } }

  // MARK: connecting and disconnecting

  func come() {
    isWanted = true
    guard phase == .away else { return }
    guard let link = world.connect(self) else { return comeLater() }
    opened += 1
    self.link = link
    phase = .upgrading
    heardAt = world.timeline.now
    head = []
    left = [:]
    receiver = Self.receiver()
    core.reconnect()
    for index in pending.indices { pending[index].call = nil }
    link.send(Self.upgrade(offering: subprotocols))
    watchSilence()
  }

  /// Takes what a server sends: documents and descriptions are larger than what clients may send.
  static func receiver() -> Receiver {
    Receiver(role: .client, limits: Limits(framePayloadBytes: 4 << 20, messageBytes: 4 << 20))
  }

  private func comeLater(after least: Duration = .zero) {
    phase = .away
    link = nil
    guard isWanted else { return }
    world.timeline.after(least + world.random.time(upTo: .seconds(3))) { [weak self] in
      if let self, isWanted { come() }
    }
  }

  /// Reconnects when nothing has arrived for 45 s: the server counts as dead.
  private func watchSilence() {
    let connection = opened
    let limit = Duration.seconds(45)
    let left = limit - (world.timeline.now - heardAt)
    world.timeline.after(max(.seconds(1), min(.seconds(20), left))) { [weak self] in
      guard let self, phase != .away, opened == connection else { return }
      if world.timeline.now - heardAt >= limit, link?.isStalled == false {
        link?.cut(clientNotices: false, serverNotices: false)
        return comeLater()
      }
      checkRooms()
      watchSilence()
    }
  }

  /// Checks that something arrives for each watched room at least once per heartbeat (SYN-6), plus transmission time,
  /// and likewise for each position (LOC-7).
  ///
  /// Nothing overtakes the answers that a slow link has not taken yet, so silence ends where they begin to wait.
  private func checkRooms() {
    guard phase == .ready, let link, !link.isCut else { return }
    for room in core.followedRooms.sorted() {
      guard let told = toldAt[room] else { continue }
      let silence = link.stream.waitingSince - max(told, undisturbedSince)
      if silence > Configuration().heartbeat + .seconds(14) {
        world.violate("SYN-6", "client \(number) received nothing of \(room) for \(silence)")
      }
      guard let aged = agedAt[room] else { continue }
      let age = link.stream.waitingSince - max(aged, undisturbedSince)
      if age > Configuration().heartbeat + .seconds(14) {
        world.violate("LOC-7", "client \(number) received neither position nor age in \(room) for \(age)")
      }
    }
  }

  /// Records that the connection is disturbed for this time, so that SYN-6 does not apply.
  func disturb(for time: Duration) { undisturbedSince = max(undisturbedSince, world.timeline.now + time) }

  /// Disconnects, with or without a close.
  func go(inOrder: Bool, stays: Bool = false) {
    isWanted = stays
    if inOrder { link?.close() } else { link?.cut(clientNotices: false, serverNotices: world.random.chance(50)) }
    comeLater()
  }

  func clog(for time: Duration) {
    link?.clog(for: time)
    disturb(for: time)
  }

  func stall(for time: Duration) {
    link?.isStalled = true
    disturb(for: time)
    let stalled = link
    world.timeline.after(time) { stalled?.isStalled = false }
  }

  /// Forgets all rooms, as a new installation would, and requests them again.
  func forgetRooms() {
    for room in core.followedRooms { core.forget(room) }
    try? core.expect("me", known: nil)
  }

  /// Subscribes to a room of which its owner is not a member. Until that is refused, the phone makes calls there, too.
  ///
  /// - Returns: whether there is such a room.
  func pry() -> Bool {
    let others = world.sharedRooms.filter { !core.followedRooms.contains($0) }
    guard phase == .ready, let room = world.random.pick(others) else { return false }
    subscribe(room)
    return true
  }

  func ended(_ link: SimulatedLink) {
    guard link === self.link else { return }
    comeLater()
  }

  // MARK: receiving

  func received(_ bytes: [UInt8], on link: SimulatedLink) {
    guard link === self.link else { return }
    heardAt = world.timeline.now
    sentAt = link.sentAt
    var rest = bytes
    if phase == .upgrading {
      head += bytes
      guard let end = head.range(of: Array("\r\n\r\n".utf8)) else { return }
      guard head.starts(with: Array("HTTP/1.1 101".utf8)) else {
        // The server is stopping, or has too many unauthenticated connections.
        link.close()
        return comeLater(after: .seconds(1))
      }
      let field = head.range(of: Array("\r\nSec-WebSocket-Protocol: ".utf8))
      let selected = field.map { String(decoding: head[$0.upperBound...].prefix { $0 != 0x0D }, as: UTF8.self) }
      if selected != (subprotocols.contains("hearth.v1") ? "hearth.v1" : nil) {
        world.violate("RFC 6455", "of \(subprotocols) the server selected \(selected ?? "none")")
      }
      rest = Array(head[end.upperBound...])
      phase = .greeting
      introduce()
    }
    var texts: [(text: [UInt8], composedAt: Duration)] = []
    var closing = false
    do {
      var composed = link.composed[...]
      _ = Composed.take(bytes.count - rest.count, from: &composed)
      for part in composed {
        var piece = Array(rest.prefix(part.count))
        rest.removeFirst(part.count)
        var span = piece.mutableSpan
        try receiver.receive(&span) { event, payload in
          switch event {
          case .text: texts.append((payload.withUnsafeBufferPointer { Array($0) }, part.at))
          case .ping: link.send(Frame.encode(.pong, payload, mask: Self.mask))
          case .close: closing = true
          case .binary, .pong: break
          }
        }
      }
    } catch {
      return world.violate("WS", "client \(number) received an invalid frame: \(error)")
    }
    for (text, composedAt) in texts where link === self.link {
      self.composedAt = composedAt
      heard(text)
    }
    if closing, link === self.link {
      link.close()
      comeLater()
    }
  }

  /// A constant mask: no attacker chooses the bytes of these messages.
  static let mask: UInt32 = 0x5A17_C3E9

  /// The protocol versions of the app: some apps are outdated, some know later versions.
  private var subprotocols: [String] {
    switch number % 5 {
    case 3: ["hearth.v0"]
    case 4: ["hearth.v2", "hearth.v1"]
    default: ["hearth.v1"]
    }
  }

  static func upgrade(offering subprotocols: [String]) -> [UInt8] {
    Array(
      """
      GET /sync HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
      Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
      Sec-WebSocket-Protocol: \(subprotocols.joined(separator: ", "))\r\n\r\n
      """.utf8)
  }

  private func send(_ text: [UInt8]) {
    world.tell { "client \(number) of person \(person.number) sends \(String(decoding: text, as: UTF8.self))" }
    link?.send(Frame.encode(.text, text.span, mask: Self.mask))
  }

  private func heard(_ text: [UInt8]) {
    world.tell { "client \(number) of person \(person.number) receives \(String(decoding: text, as: UTF8.self))" }
    world.check(text, isFor: person, left: left, client: number)
    world.checkPositions(in: text, heardBy: self)
    if phase == .ready, !text.starts(with: Array(#"{"jsonrpc":"2.0","method":"session.ended""#.utf8)) { noteTold() }
    let outputs: [ConnectionCore.Output]
    do {
      outputs = try core.receive(text)
    } catch {
      let beginning = String(decoding: text.prefix(300), as: UTF8.self)
      return world.violate("protocol", "client \(number): \(error) in \(beginning)")
    }
    world.note(text, about: rooms(of: outputs), heardBy: self)
    let isPatch = text.starts(with: Array(#"{"jsonrpc":"2.0","method":"room.patch""#.utf8))
    for output in outputs {
      if case .send = output, isPatch {
        world.violate("I7", "client \(number) detected a gap: \(String(decoding: text.prefix(200), as: UTF8.self))")
      }
      handle(output)
    }
  }

  private func rooms(of outputs: [ConnectionCore.Output]) -> Set<String> {
    Set(
      outputs.compactMap { output in
        switch output {
        case .event(let room, _): room
        case .answered(let call, _): pending.first { $0.call == call }?.operation.room
        default: nil
        }
      })
  }

  private func handle(_ output: ConnectionCore.Output) {
    switch output {
    case .send(let text): send(text)
    case .answered(let call, let result):
      if call == introduction { return introduced(result) }
      answered(call, result)
    case .confirmed: break
    case .postponed(let room, let error): postpone(room, error.retryAfter ?? .seconds(1))
    case .event(let room, let event): happened(room, event)
    case .sessionEnded(let reason): loggedOut(reason)
    case .leaving(let delay):
      link?.close()
      comeLater(after: delay)
    }
  }

  // MARK: sessions

  /// Sends hello or logs in.
  private func introduce() {
    let (method, parameters) = credentials.introduction(of: id, person, &world.random)
    let call = try? core.call(method, parameters)
    introduction = call?.number
    if let call { send(call.text) }
  }

  private func introduced(_ result: Result<JSON, ServerError>) {
    introduction = nil
    switch result {
    case .success(let answer) where credentials.login == nil:
      credentials.loggedIn(answer)
      introduce()
    case .success where credentials.isUnwelcome:
      world.violate("SES", "hello of client \(number) succeeded with a dead token")
    case .success:
      noteTold()
      phase = .ready
      disturb(for: .zero)
      if !core.followedRooms.contains("me") { subscribe("me") }
      sendPending()
    case .failure(let error) where error.isTemporary: go(inOrder: true, stays: true)
    case .failure(let error) where error.reason == "token": loggedOut(error.reason)
    case .failure(let error): world.violate("SES", "client \(number) could not sign in: \(error.message)")
    }
  }

  private func loggedOut(_ reason: String) {
    guard let login = credentials.login, !credentials.isUnwelcome else { return }
    if !world.logins.mayHaveEnded(login.session) {
      world.violate("SES", "client \(number) was logged out unexpectedly: \(reason)")
    }
    credentials.loggedOut()
    for room in core.followedRooms { core.forget(room) }
  }

  /// Checks that a session receives nothing after its end was reported to any client (I9).
  private func noteTold() {
    if let login = credentials.login, world.logins.told(login.session, at: sentAt) {
      world.violate("I9", "client \(number) received a message after its session had ended")
    }
  }

  private func noteEnded(by operation: Operation) {
    var ended = operation.ends
    if let own = credentials.login?.session {
      if operation.method == "auth.logOut" { ended = [own] }
      if operation.isSweep { ended.remove(own) }
    }
    for session in ended.sorted() {
      guard let late = world.logins.ended(session, at: sentAt) else { continue }
      world.violate("I9", "session \(session) received a message at \(late), after its end at \(sentAt)")
    }
  }

  private func subscribe(_ room: String) {
    guard phase == .ready, let call = try? core.subscribe(to: room) else { return }
    (toldAt[room], agedAt[room]) = (nil, nil)
    send(call.text)
  }

  private func postpone(_ room: String, _ delay: Duration) {
    let connection = opened
    world.timeline.after(delay) { [weak self] in
      guard let self, opened == connection, phase == .ready, core.followedRooms.contains(room) else { return }
      subscribe(room)
    }
  }

  private func happened(_ room: String, _ event: RoomEvent) {
    toldAt[room] = world.timeline.now
    if tellsAge(event) { agedAt[room] = world.timeline.now }
    // A crash may lose the first position.
    if core.snapshot(of: room)?.live["position"] == nil { agedAt[room] = nil }
    switch event {
    case .state, .patch:
      guard let snapshot = core.snapshot(of: room) else { return }
      var isWhole = false
      if case .state = event { isWhole = true }
      world.saw(snapshot, of: room, isWhole: isWhole, by: self)
      if room == "me" { follow(snapshot.state) }
    case .closed(let reason):
      if room == "me" { world.violate("SYN", "client \(number) lost its own room: \(reason)") }
    case .tick(_, _, let times): compare(times, with: room)
    default: break
    }
  }

  /// Whether an event has a position or its age.
  private func tellsAge(_ event: RoomEvent) -> Bool {
    switch event {
    case .state: true
    // Without a time it is in the answer to subscribing again, and so is the position.
    case .patch(let patch): patch.at == nil
    case .live(let at, let patch): at == nil || patch["position"] != nil
    case .tick(_, _, let times): times?.at != nil
    case .pending, .closed: false
    }
  }

  /// Checks that a tick has the time of the last received position (LOC-7).
  private func compare(_ times: LiveTimes?, with room: String) {
    guard let at = times?.at, let snapshot = core.snapshot(of: room) else { return }
    let told = snapshot.live["position"]?["at"]?.string.flatMap { Instant($0) }
    if told != at { world.violate("LOC-7", "a tick to client \(number) has the time of another position in \(room)") }
  }

  /// Subscribes to all rooms of the person.
  private func follow(_ me: JSON) {
    person.me = me
    var wanted: [String] = []
    for household in (me["households"]?.object ?? [:]).keys.sorted() {
      wanted += ["household/\(household)", "household/\(household)/mine"]
    }
    wanted += (me["shares"]?.object ?? [:]).keys.sorted().map { "share/\($0)" }
    for room in wanted where !core.followedRooms.contains(room) { subscribe(room) }
  }

  // MARK: calling

  /// Makes a random call.
  func act() {
    guard pending.count < 20, let operation = world.operations.draw(for: self) else { return }
    lastSeq += 1
    pending.append(Pending(operation: operation, since: world.timeline.now, seq: lastSeq))
    person.willCall(operation, at: world.timeline.now)
    world.consents.note(operation, by: person.id.description)
    world.logins.mayEnd(operation.ends)
    if operation.isSweep { world.logins.beginSweep(of: person.id) }
    sendPending()
  }

  private func sendPending() {
    guard phase == .ready else { return }
    for index in pending.indices where pending[index].call == nil && pending[index].notBefore <= world.timeline.now {
      let waiting = pending[index]
      var parameters = waiting.operation.parameters
      if waiting.operation.isMutation {
        parameters["answered"] = .number(JSON.Number((pending.map(\.seq).min() ?? 1) - 1))
      }
      let call = try? core.call(
        waiting.operation.method, .object(parameters), room: waiting.operation.room,
        seq: waiting.operation.isMutation ? Int64(waiting.seq) : nil)
      guard let call else { return }
      pending[index].call = call.number
      if waiting.operation.method == "auth.logOut", let own = credentials.login { world.logins.mayEnd([own.session]) }
      send(call.text)
    }
  }

  private func answered(_ call: Int, _ result: Result<JSON, ServerError>) {
    guard let index = pending.firstIndex(where: { $0.call == call }) else { return }
    let waiting = pending[index]
    world.operations.note(waiting.operation, result)
    if let refusal = waiting.refusal { checkAgain(waiting, refusal, result) }
    switch result {
    case .success(let answer):
      pending.remove(at: index)
      let key = Journal.Call(person: person.id.description, client: id, number: waiting.seq)
      world.acknowledged(key, waiting.operation, answer, by: self)
      // If the answer is a repetition, the person may have joined again since.
      if waiting.operation.method == "members.leave", let room = waiting.operation.room, person.askedAt < waiting.since
      {
        left[room] = sentAt
      }
      person.wasSettled(waiting.operation, at: world.timeline.now)
      person.wasAnswered(waiting.operation, answer)
      noteEnded(by: waiting.operation)
      if waiting.operation.isSweep { world.logins.endSweep(of: person.id) }
    // A household's limit on attempts lasts too long to wait for.
    case .failure(let error) where (error.isTemporary || error.reason == "skipped") && error.reason != "attempts":
      // The call had no effect and gets a new number.
      var again = pending.remove(at: index)
      lastSeq += 1
      again.seq = lastSeq
      again.call = nil
      again.refusal = nil
      let delay = error.retryAfter ?? .milliseconds(500)
      again.notBefore = world.timeline.now + delay
      pending.append(again)
      world.timeline.after(delay) { [weak self] in self?.sendPending() }
    case .failure(let error)
    where waiting.refusal == nil && isRemembered(error, of: waiting) && world.random.chance(20):
      pending[index].refusal = error
      pending[index].call = nil
      let delay = world.random.time(upTo: .seconds(20))
      pending[index].notBefore = world.timeline.now + delay
      world.timeline.after(delay) { [weak self] in self?.sendPending() }
    case .failure(let error):
      pending.remove(at: index)
      person.wasSettled(waiting.operation, at: world.timeline.now)
      if waiting.operation.isSweep { world.logins.endSweep(of: person.id) }
      if error.reason == "gone", let code = waiting.operation.parameters["code"]?.string {
        for person in world.people { person.forget(code: code) }
      }
      if error.reason == "reused" {
        world.violate("I2", "client \(number) was told that number \(waiting.seq) belongs to another call")
      }
    }
  }

  // MARK: refusals

  /// Whether the server repeats this error (protocol.md: invalid parameters and temporary errors are not remembered).
  private func isRemembered(_ error: ServerError, of call: Pending) -> Bool {
    call.operation.isMutation && ![-32602, 1, 3, 5, 7].contains(error.code)
  }

  /// Checks that a refused call is refused again with the same error (I5), unless its owner left the room or it is
  /// temporary.
  private func checkAgain(_ call: Pending, _ refusal: ServerError, _ result: Result<JSON, ServerError>) {
    if case .failure(let error) = result {
      if error.code == refusal.code, error.reason == refusal.reason { return }
      if error.isTemporary || error.code == 3 && error.reason == "room" { return }
    }
    world.violate(
      "I5", "client \(number) was refused \(call.operation.method) as \(call.seq): \(refusal); then it got \(result)")
  }
}
