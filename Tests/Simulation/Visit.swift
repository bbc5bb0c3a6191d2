import HearthClient
import JSON
import Rooms
import WebSocket

/// A small world without faults, and one connection to its server that sends arbitrary bytes.
///
/// Several visits may share a world.
public final class Visit: LinkClient {
  /// The id of a household that the visiting person may create.
  public static let household = "00000000-0000-8000-8000-0000000000aa"

  private let world: World
  private var link: SimulatedLink?
  /// Connections that were left without a word.
  private var dark: [SimulatedLink] = []
  private var receiver = SimulatedClient.receiver()
  private var head: [UInt8] = []
  private var isUpgraded = false
  private var core = ConnectionCore()
  /// The result of the last call, if it succeeded.
  private var answer: JSON?

  /// Whether the server has closed the connection.
  public private(set) var isClosed = false
  /// The code of the server's close frame, once it has come.
  public private(set) var closeCode: UInt16?
  /// Whether the visitor answers pings, as clients must.
  public var answersPings = false
  /// The number of received ticks, and the newest.
  public private(set) var tickCount = 0
  public private(set) var lastTick: JSON?
  /// The changes of live documents that have come, oldest first.
  public private(set) var livePatches: [JSON] = []
  /// The first violation that the world or the visit found.
  public private(set) var violation: String?

  /// - Parameters:
  ///   - loopCount: the number of the server's loops.
  ///   - gatherLive: how long they hold live values.
  public init(loops loopCount: Int? = nil, holdingLive gatherLive: Duration? = nil) {
    world = World(seed: 1, operations: Operations(description: [:]))
    world.loopCount = loopCount
    world.gatherLive = gatherLive
    world.begin(peopleCount: 2)
    wait(.seconds(1))
  }

  /// Visits the same world as another one, which ends it.
  public init(beside other: Visit) { world = other.world }

  /// Ends the world.
  public func end() {
    world.end()
    link = nil
  }

  public func wait(_ time: Duration) {
    world.timeline.run(until: world.timeline.now + time)
    note(world.violation)
  }

  /// Whether the disk has no space left.
  public var isDiskFull: Bool {
    get { world.disk.isFull }
    set { world.disk.isFull = newValue }
  }

  /// The number of events in the world so far.
  public var eventCount: Int { world.eventCount }

  /// Sets the machine's wall clock forth, or back.
  public func setClock(by step: Duration) { world.wallOffset += step }

  /// Kills the server and starts it again after some time; the connection is gone.
  public func restartServer(after time: Duration = .zero) {
    world.endProcess()
    wait(time)
    world.startServer()
    wait(.seconds(1))
  }

  /// The id of a person of this world.
  public func person(_ index: Int) -> JSON { .string("\(world.people[index].id)") }

  /// The server's time after `time`, as JSON.
  public func moment(in time: Duration) -> JSON { .string("\(world.wallTime + time)") }

  private func note(_ what: String?) {
    if violation == nil { violation = what }
  }

  // MARK: the connection

  /// Opens another connection without sending anything.
  public func connect() {
    link?.close()
    receiver = SimulatedClient.receiver()
    (head, isUpgraded, isClosed, closeCode) = ([], false, false, nil)
    core = ConnectionCore()
    link = world.connect(self)
    if link == nil { note("the server accepts no connections") }
  }

  public func send(_ bytes: [UInt8]) { link?.send(bytes) }

  /// Neither reads nor writes on the connection any longer. The server is not told.
  public func goDark() {
    guard let link else { return }
    link.isStalled = true
    dark.append(link)
    self.link = nil
  }

  /// Whether the visitor has stopped reading.
  public var isDeaf: Bool {
    get { link?.isStalled == true }
    set { link?.isStalled = newValue }
  }

  /// The bytes for the visitor that wait in the server until the kernel takes them.
  public var unsentByteCount: Int { link?.stream.unsentByteCount ?? 0 }

  /// Sends a text message.
  public func say(_ text: [UInt8]) { send(Frame.encode(.text, text.span, mask: SimulatedClient.mask)) }

  /// Opens a WebSocket connection.
  private func open() {
    connect()
    send(SimulatedClient.upgrade(offering: ["hearth.v1"]))
    wait(.seconds(1))
  }

  /// Calls a method. Returns its result, or `nil` if it is refused or takes longer than `time`.
  public func call(
    _ method: String, in room: String? = nil, _ parameters: JSON = [:], within time: Duration = .seconds(1)
  ) -> JSON? {
    begin(method, in: room, parameters)
    wait(time)
    return answer
  }

  /// Sends a call and does not wait for its answer.
  public func begin(_ method: String, in room: String? = nil, _ parameters: JSON = [:]) {
    answer = nil
    if let call = try? core.call(method, parameters, room: room) { say(call.text) }
  }

  /// Opens a connection and signs in on it as a person of this world.
  public func signIn(as index: Int = 0) {
    open()
    let client = world.clients.first { $0.person.number == index }
    let hello: JSON = [
      "client": .string("00000000-0000-8000-8000-0000000000\(String(0xCC + index, radix: 16))"),
      "token": .string(client?.credentials.login?.token ?? ""),
    ]
    if call("hello", hello) == nil { note("hello failed") }
  }

  /// The server's description of its methods, for drawing operations; `nil` if the call fails.
  public static func describe() -> JSON? {
    let visit = Visit()
    defer { visit.end() }
    visit.open()
    return visit.call("rpc.discover", within: .seconds(30))
  }

  func received(_ bytes: [UInt8], on link: SimulatedLink) {
    guard link === self.link else { return }
    var rest = bytes
    if !isUpgraded {
      head += bytes
      guard let end = head.range(of: Array("\r\n\r\n".utf8)) else { return }
      isUpgraded = head.starts(with: Array("HTTP/1.1 101".utf8))
      rest = Array(head[end.upperBound...])
      head = []
    }
    guard isUpgraded else { return }
    var texts: [[UInt8]] = []
    var span = rest.mutableSpan
    do {
      try receiver.receive(&span) { event, payload in
        switch event {
        case .text: texts.append(payload.copied)
        case .ping where answersPings: send(Frame.encode(.pong, payload, mask: SimulatedClient.mask))
        case .close(let code): closeCode = code?.rawValue
        default: break
        }
      }
    } catch {
      note("the server sent an invalid frame: \(error)")
    }
    for text in texts { heard(text) }
  }

  func ended(_ link: SimulatedLink) {
    if link === self.link { isClosed = true }
  }

  private func heard(_ text: [UInt8]) {
    guard let message = try? JSON.parse(text, depthLimit: 64),
      (message.array ?? [message]).allSatisfy({ $0["jsonrpc"] == "2.0" })
    else { return note("the server sent \(String(decoding: text.prefix(200), as: UTF8.self))") }
    if message["method"] == "room.tick" {
      tickCount += 1
      lastTick = message["params"]
    }
    if message["method"] == "room.live", let patch = message["params"]?["patch"] { livePatches.append(patch) }
    guard let outputs = try? core.receive(text) else { return }
    for case .answered(_, .success(let result)) in outputs { answer = result }
  }

  // MARK: final checks

  /// Checks over a new connection that all of the person's rooms equal their logs.
  public func inspect() {
    signIn()
    let rooms = ["me", "household/\(Self.household)", "household/\(Self.household)/mine"]
    for room in rooms {
      if let call = try? core.subscribe(to: room) { say(call.text) }
    }
    wait(.seconds(2))
    for room in rooms {
      guard let snapshot = core.snapshot(of: room), let id = RoomID(name: room, caller: world.people[0].id) else {
        continue
      }
      guard let moment = world.disk.journal.moment(of: id, snapshot.version) else {
        note("\(room) was sent at \(snapshot.version), which is not on disk")
        continue
      }
      if moment.state.withoutEmptyMaps != snapshot.state.withoutEmptyMaps {
        let difference = MergePatch.diff(from: moment.state, to: snapshot.state) ?? [:]
        note("\(room) differs from its log: \(difference.text)")
      }
    }
    if core.snapshot(of: "me") == nil { note("the person's own room was not sent") }
  }

  /// Ends the server's process at once and starts another one.
  public func crash() {
    world.restart()
    wait(.seconds(2))
  }
}
