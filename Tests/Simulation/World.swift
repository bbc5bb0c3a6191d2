import Crypto
import HearthClient
import Home
import JSON
import Platform
import Rooms
import Server
import TestSupport

/// A whole server with its disk, network and people, on one thread and one clock, determined by a seed.
public final class World {
  public let seed: UInt64
  let timeline = Timeline()
  var random: SeededGenerator
  let operations: Operations
  private(set) var disk: SimulatedDisk!
  private(set) var people: [SimulatedPerson] = []
  private(set) var clients: [SimulatedClient] = []
  private(set) var server: SimulatedServer?
  /// The step after which the process crashes, if planned.
  var crashesBehind: Step?
  private var lastLink = 0
  /// The offset of the wall clock from its regular time.
  var wallOffset = Duration.zero { didSet { latestOffset = max(latestOffset, wallOffset) } }
  private var latestOffset = Duration.zero
  /// The first violation found.
  public private(set) var violation: String?
  /// The injected faults, with their counts.
  public private(set) var faults: [Fault: Int] = [:]
  /// A hash of all sent bytes.
  public private(set) var trace: UInt64 = 0xCBF2_9CE4_8422_2325
  let latitude: Int?
  var consents = Consents()
  var logins = Logins()
  /// Whether workers hash passwords. Otherwise the server reports that it is busy: a hash takes a third of a second,
  /// and a visit may ask for any number of them.
  private(set) var computesHashes = false
  /// The number of the server's loops, and how long they hold live values, if that is not drawn.
  var loopCount: Int?
  var gatherLive: Duration?
  /// The messages that each phone received.
  private(set) var heard: [Int: [Heard]] = [:]
  /// How often a phone received another person's position.
  public internal(set) var positionCount = 0
  public var eventCount: Int { timeline.count }
  public var entryCount: Int { disk.journal.entryCount }

  private static let start = Instant(milliseconds: 1_795_000_000_000)
  /// The speed of the wall clock.
  private var wallRate = 1.0
  var wallTime: Instant { Self.start + timeline.now * wallRate + wallOffset }

  /// - Parameters:
  ///   - operations: draws calls, and counts them over several worlds.
  ///   - lie: a fault of the disk that must be detected.
  ///   - latitude: the base of all reported positions, for `Noninterference`; `nil` for any. All messages to phones are
  ///     then kept in `heard`.
  public init(seed: UInt64, operations: Operations, lie: DiskLie? = nil, latitude: Int? = nil) {
    self.seed = seed
    self.operations = operations
    self.latitude = latitude
    random = SeededGenerator(seed: seed)
    disk = SimulatedDisk(self)
    disk.lie = lie
  }

  func violate(_ invariant: String, _ what: String) {
    if violation == nil { violation = "\(invariant): \(what) (after \(timeline.now))" }
  }

  func note(_ fault: Fault) {
    faults[fault, default: 0] += 1
    tell { fault.rawValue }
  }

  /// Receives a description of each step, for debugging.
  public var teller: ((String) -> Void)?

  func tell(_ what: () -> String) {
    if let teller { teller("\(timeline.now) \(what())") }
  }

  struct Heard {
    var at: Duration
    var text: [UInt8]
    /// The rooms that the message is about.
    var rooms: Set<String>
  }

  func note(_ text: [UInt8], about rooms: Set<String>, heardBy client: SimulatedClient) {
    guard latitude != nil else { return }
    heard[client.number, default: []].append(Heard(at: timeline.now, text: text, rooms: rooms))
  }

  /// All existing households.
  var households: [String] {
    disk.content.rooms.keys.compactMap { if case .household(let id) = $0 { id.description } else { nil } }
  }

  /// Rooms that several people may be members of, by names that are the same for all of them.
  var sharedRooms: [String] {
    disk.content.rooms.keys.compactMap {
      switch $0 {
      case .household, .share: $0.text
      case .person, .corner: nil
      }
    }.sorted()
  }

  /// All sessions of a person.
  func sessions(of person: SimulatedPerson) -> Set<String> {
    Set(disk.content.sessions.values.filter { $0.person == person.id }.map(\.id.description))
  }

  // MARK: network

  func pieces(of bytes: [UInt8]) -> [[UInt8]] {
    guard bytes.count > 1, random.chance(20) else { return [bytes] }
    let cut = random.number(1...bytes.count - 1)
    return [Array(bytes[..<cut]), Array(bytes[cut...])]
  }

  /// Connects a client; `nil` while the server accepts no connections.
  func connect(_ client: any LinkClient) -> SimulatedLink? {
    guard let server, let loop = server.nextLoop() else { return nil }
    lastLink += 1
    let link = SimulatedLink(
      self, number: lastLink, client: client, loop: loop, delay: isCalm ? .milliseconds(20) : linkDelay,
      capacity: random.chance(20) ? 4096 : 65_536)
    server.accept(link, on: loop)
    return link
  }

  private var linkDelay = Duration.milliseconds(100)

  func sent(_ bytes: [UInt8], on link: SimulatedLink) {
    for byte in bytes { trace = (trace ^ UInt64(byte)) &* 0x100_0000_01B3 }
    trace = (trace ^ UInt64(link.number)) &* 0x100_0000_01B3
  }

  // MARK: a run

  private(set) var isCalm = false

  /// Runs the world for a few minutes or half an hour and returns the first violation.
  ///
  /// For the same work, short worlds find faults after crashes ten times as often as long ones, and faults that need
  /// actions of several people a fifth as often. So each sort gets half of the work.
  public func run() -> String? {
    begin()
    let isLong = random.chance(17)
    let end = Duration.seconds(random.number(isLong ? 300...1800 : 60...300))
    planFaults(isLong ? 1...8 : 1...4, until: end)
    for client in clients { live(client) }
    timeline.run(until: end) { violation == nil }
    if violation == nil { settle() }
    self.end()
    return violation
  }

  private func begin() {
    computesHashes = true
    linkDelay = .milliseconds(random.pick([2, 50, 400, 3000]) ?? 50)
    disk.latency = .milliseconds(random.pick([1, 5, 60]) ?? 1)
    if random.chance(30) {
      wallRate = 0.95 + Double(random.number(0...100)) / 1000
      note(.clockDrifts)
    }
    begin(peopleCount: random.number(2...4))
  }

  /// Adds people with phones that are off, and starts a server.
  func begin(peopleCount: Int) {
    for number in 0..<peopleCount { addPerson(number) }
    startServer()
  }

  func end() {
    server?.die()
    server = nil
    timeline.clear()
  }

  /// Ends the process at once; writes that were not flushed are lost.
  func endProcess() {
    server?.die()
    server = nil
    disk.crash()
  }

  /// Ends the process at once and starts another one.
  func restart() {
    endProcess()
    startServer()
  }

  func startLater() {
    timeline.after(random.time(upTo: .seconds(8))) { [weak self] in
      guard let self, server == nil else { return }
      startServer()
    }
  }

  /// Stops the server in order, as after SIGTERM, and starts it again later.
  func stop() {
    guard let server else { return }
    note(.stop)
    server.leave { [weak self] in
      guard let self, self.server === server else { return }
      server.die()
      self.server = nil
      startLater()
    }
  }

  private func addPerson(_ number: Int) {
    guard let kind = HomeRooms.kinds.first(where: { $0.name == .me }) else { return }
    let id = ID<Person>(high: 0x1000_0000_0000_8000 | UInt64(number), low: 1 << 63 | UInt64(number + 1))
    let person = SimulatedPerson(number: number, id: id)
    people.append(person)
    var sessions: [SessionRecord] = []
    for _ in 0..<random.number(1...3) {
      let token = Base64.url.encode(random.bytes(32))
      sessions.append(
        SessionRecord(
          id: ID(high: 0x5E00_0000_0000_8000 | UInt64(clients.count), low: 1 << 63), person: id,
          tokenHash: SHA256.hash(Array(token.utf8)), name: "Phone", createdAt: wallTime, lastUsedAt: wallTime))
      let login = Credentials.Login(session: sessions.last?.id.description ?? "", token: token)
      clients.append(SimulatedClient(self, person, number: clients.count, Credentials(login: login)))
    }
    let room = kind.make(.person(id))
    room.open(random: random.bytes(16), key: random.bytes(32))
    try? HomeRooms.openPerson(
      room, name: "Person \(number)", birthday: nil,
      account: HomeRooms.KnownAccount(email: person.email, isVerified: true, hasPassword: true),
      turn: Turn(caller: id, now: wallTime))
    let commit = RoomCommit(of: room.seal(at: wallTime, by: id, to: Writer()), room, isNew: true)
    // The lowest cost, since no attacker guesses passwords here.
    let hash = Scrypt.Cost(logN: 1, r: 1, p: 1).flatMap {
      try? PasswordHash.make(password: Array(SimulatedPerson.password.utf8), salt: random.bytes(16), cost: $0)
    }
    disk.seed(
      Account(
        person: id, email: person.email, verifiedAt: wallTime, passwordHash: hash?.text, createdAt: wallTime),
      room: commit,
      sessions: sessions)
  }

  /// Starts using a phone, until the world is calm.
  private func live(_ client: SimulatedClient) {
    timeline.after(random.time(upTo: .seconds(20))) { client.come() }
    actLater(client)
  }

  private func actLater(_ client: SimulatedClient) {
    timeline.after(random.time(upTo: .seconds(random.pick([2, 10, 60]) ?? 10))) { [weak self] in
      guard let self, !isCalm else { return }
      switch random.number(1...100) {
      case 1...2:
        note(.clientGoes)
        client.go(inOrder: true)
        timeline.after(random.time(upTo: .seconds(120))) { client.come() }
      case 3...4:
        note(.clientVanishes)
        client.go(inOrder: false, stays: true)
      case 5:
        note(.clientStalls)
        client.stall(for: random.time(upTo: .seconds(90)))
      case 6:
        note(.clientForgets)
        client.forgetRooms()
        client.go(inOrder: true, stays: true)
      case 7: if client.pry() { note(.clientPries) }
      default: for _ in 0..<(random.chance(10) ? 5 : 1) { client.act() }
      }
      actLater(client)
    }
  }

  func startServer() {
    let count = random.number(1...3)
    server = SimulatedServer(self, loopCount: loopCount ?? count)
  }

  // MARK: mail

  /// The causes of mails that arrived, or were refused for good.
  private var deliveredCauses: Set<String> = []

  func note(_ outcome: MailOutcome, of mail: Mail) {
    if case .deferred = outcome { return }
    deliveredCauses.insert(mail.id)
  }

  /// Checks that a delivery which the server gives up has arrived, was refused, or is of no use (B5).
  func checkDelivered(_ stored: StoredDelivery) {
    let latest = Self.start + timeline.now * wallRate + latestOffset
    if deliveredCauses.contains(stored.delivery.cause) || stored.delivery.until <= latest { return }
    violate("B5", "the delivery \(stored.delivery.cause) was given up")
  }

  // MARK: the end

  /// Stops all faults and checks that all clients converge to the same state (B4).
  private func settle() {
    isCalm = true
    disk.isFull = false
    if disk.willFail { crash() }
    disk.latency = .milliseconds(2)
    // Wait until a crash or stop in progress is over.
    timeline.run(until: timeline.now + .seconds(12)) { violation == nil }
    for client in clients {
      client.stall(for: .zero)
      client.come()
    }
    guard wait(upTo: .seconds(60)) else {
      return violate("B4", "after a quiet minute: \(unsettled ?? "")")
    }
    for client in clients {
      client.forgetRooms()
      client.go(inOrder: true, stays: true)
    }
    guard wait(upTo: .seconds(60)) else {
      return violate("B4", "after requesting everything again: \(unsettled ?? "")")
    }
    timeline.run(until: timeline.now + .seconds(60)) { violation == nil }
    // Where the wall clock runs fast, a timer of a minute fires up to a few seconds late by it.
    if let late = disk.content.deliveries.first(where: { $0.due + .seconds(5) < wallTime }) {
      violate("B5", "the delivery \(late.delivery.cause) is due and does not leave")
    }
    for client in clients {
      for room in client.core.followedRooms.sorted() where timeline.now - (client.toldAt[room] ?? .zero) > .seconds(60)
      {
        violate("SYN-6", "client \(client.number) received nothing of \(room) for a minute")
      }
    }
  }

  /// Waits until the world is settled, and returns whether it is within `limit`, or already has a violation.
  private func wait(upTo limit: Duration) -> Bool {
    let end = timeline.now + limit
    while violation == nil, timeline.now < end {
      timeline.run(until: timeline.now + .seconds(1)) { violation == nil }
      if unsettled == nil { return true }
    }
    return violation != nil
  }

  /// The first difference between the world and a settled state.
  private var unsettled: String? {
    if let message = disk.content.messages.first {
      return "a message from \(message.stored.source.text) to \(message.stored.message.target.text) was not delivered"
    }
    for client in clients {
      if client.phase != .ready { return "client \(client.number) is \(client.phase)" }
      if !client.waiting.isEmpty { return "client \(client.number) has unanswered calls: \(client.waiting)" }
      for room in client.core.followedRooms.sorted() {
        guard let id = RoomID(name: room, caller: client.person.id) else { return "client \(client.number): \(room)" }
        let known = client.core.snapshot(of: room)?.version
        let version = disk.journal.versions[id]
        if known != version || !client.core.isCurrent(room) {
          return "client \(client.number) has \(room) at \(known ?? -1) instead of \(version ?? -1)"
        }
      }
    }
    return nil
  }
}
