import JSON
import Rooms
import Testing

@testable import HearthClient

/// A client's core with a simulated clock and disk, and a server that the test plays.
final class CoreUnderTest {
  private(set) var core: ClientCore
  var now = Duration.zero
  /// The content of the queue's file.
  private(set) var file: [UInt8] = []
  /// The stored rooms.
  private(set) var kept: [String: RoomSnapshot] = [:]
  /// Outputs of the core that the test has not taken yet, except those that this type carries out.
  private var outputs: [ClientCore.Output] = []
  private var texts: [[UInt8]] = []
  /// Whether writes wait until `write` is called.
  var isDiskSlow = false
  var isDiskFull = false
  private(set) var wantsStore = false
  private(set) var wantsSave = false

  static let owner = QueueOwner(client: ServerConnectionTests.installation)
  static let house = "household/9f000000-0000-4000-8000-000000000001"

  init(
    token: String = "t", file: [UInt8] = [], kept: [String: RoomSnapshot] = [:], seed: UInt64 = 1,
    limits: ChangeQueue.Limits = .init(), _ change: (inout ClientCore.Settings) -> Void = { _ in }
  ) throws {
    var settings = ClientCore.Settings(token: token, app: "test")
    change(&settings)
    let records = try QueueLog.read(file).records
    core = ClientCore(settings, queue: ChangeQueue(records, new: Self.owner, limits: limits), seed: seed)
    self.file = core.queue.wholeFile
    self.kept = kept
    _ = core.takeRecords()
  }

  // MARK: driving

  func run(_ body: (inout ClientCore) throws -> [ClientCore.Output]) rethrows { carryOut(try body(&core)) }

  private func carryOut(_ outputs: [ClientCore.Output]) {
    for output in outputs {
      switch output {
      case .send(let text): texts.append(text)
      case .store: wantsStore = true
      case .save: wantsSave = true
      case .wipe:
        kept = [:]
        file = core.queue.wholeFile
        self.outputs.append(output)
      case .forget(let room):
        kept[room] = nil
        self.outputs.append(output)
      case .keepOnly(let rooms): kept = kept.filter { rooms.contains($0.key) }
      case .disconnect:
        texts = []
        self.outputs.append(output)
      default: self.outputs.append(output)
      }
    }
    if !isDiskSlow { write() }
  }

  /// Carries out pending writes.
  func write() {
    if wantsSave {
      wantsSave = false
      for (room, snapshot) in core.takeDirty() { kept[room] = snapshot }
      carryOut(core.saved(at: now))
    }
    guard wantsStore else { return }
    wantsStore = false
    let records = core.takeRecords()
    guard !records.isEmpty else { return }
    if isDiskFull { return carryOut(core.notStored(FileError(name: "queue", reason: .system(28)), at: now)) }
    file += QueueLog.line(records)
    carryOut(core.stored(at: now))
  }

  /// The line that would be written next.
  func takeUnwrittenLine() -> [UInt8] { QueueLog.line(core.takeRecords()) }

  /// Takes the outputs since the last call.
  func take() -> [ClientCore.Output] { exchange(&outputs, with: []) }

  /// Takes the calls sent since the last call.
  func takeCalls() throws -> [JSON] { try exchange(&texts, with: []).map { try JSON.parse($0) } }

  var events: [ClientEvent] {
    outputs.compactMap { if case .client(let event) = $0 { event } else { nil } }
  }

  func advance(by time: Duration) {
    let end = now + time
    while let deadline = core.deadline, deadline <= end {
      now = max(now, deadline)
      run { $0.tick(now) }
    }
    now = end
  }

  /// Ends the connection.
  func end(_ error: ClientError) {
    texts = []
    run { $0.ended(error, at: now) }
  }

  // MARK: the server's part

  func send(_ message: JSON) { run { $0.received(message.bytes, at: now) } }

  func answer(_ call: JSON, _ result: JSON) {
    send(["jsonrpc": "2.0", "id": call["id"] ?? .null, "result": result])
  }

  func refuse(_ call: JSON, _ code: Int, _ reason: String, retryAfter: Int? = nil, temporary: Bool? = nil) {
    var data: [String: JSON] = [:]
    if temporary ?? (retryAfter != nil) { data["temporary"] = true }
    data["retryAfter"] = retryAfter.map { .number(.init($0)) }
    refuse(call, code, reason, data: data)
  }

  func refuse(_ call: JSON, _ code: Int, _ reason: String, data: [String: JSON]) {
    let data = data.merging(["reason": .string(reason)]) { $1 }
    send([
      "jsonrpc": "2.0", "id": call["id"] ?? .null,
      "error": ["code": .number(.init(code)), "message": "No.", "data": .object(data)],
    ])
  }

  func open() { run { $0.opened(at: now, wall: Sample.at + now) } }

  static func greeting(_ me: ID<Person> = Sample.ana, rooms: [JSON] = [.string(house)]) -> JSON {
    [
      "me": .string("\(me)"), "session": "5e000000-0000-4000-8000-000000000001", "now": .string("\(Sample.at)"),
      "heartbeat": 25000, "limits": [:], "rooms": .array(rooms),
    ]
  }

  /// Connects and answers hello for `me`.
  func connect(me: ID<Person> = Sample.ana) throws {
    run { $0.start() }
    open()
    let hello = try #require(try takeCalls().first { $0["method"] == "hello" })
    answer(hello, Self.greeting(me))
  }

  /// A connected client that follows the house at version 1.
  static func following(_ change: (inout ClientCore.Settings) -> Void = { _ in }) throws -> CoreUnderTest {
    let client = try CoreUnderTest(change)
    try client.connect()
    try client.follow()
    _ = client.take()
    return client
  }

  func follow(_ state: JSON = ["notes": ["a": "x"]], version: Int = 1) throws {
    try run { try $0.follow(Self.house, kept: nil) }
    let call = try #require(try takeCalls().last)
    answer(call, Self.state(state, version: version))
  }

  static func state(_ state: JSON, version: Int, seq: Int = 0, epoch: String = "k3", reason: String = "new") -> JSON {
    [
      "room": .string(house), "epoch": .string(epoch), "version": .number(.init(version)), "state": state,
      "reason": .string(reason), "live": [:], "seq": .number(.init(seq)),
    ]
  }

  static func missed(_ patch: JSON, from: Int, version: Int, seq: Int = 0) -> JSON {
    [
      "room": .string(house), "epoch": "k3", "version": .number(.init(version)), "from": .number(.init(from)),
      "patch": patch, "live": [:], "seq": .number(.init(seq)),
    ]
  }

  func patch(_ patch: JSON, from: Int, version: Int) {
    send([
      "jsonrpc": "2.0", "method": "room.patch",
      "params": [
        "room": .string(Self.house), "from": .number(.init(from)), "version": .number(.init(version)),
        "at": .string("\(Sample.at)"), "patch": patch,
      ],
    ])
  }

  // MARK: the application's part

  @discardableResult
  func change(_ text: String, key: String = "b", room: String? = house, method: String = "notes.add") throws -> Int64 {
    var id: Int64 = 0
    try run { core in
      let result = try core.change(
        method, ["text": .string(text)], room: room, patch: ["notes": [key: .string(text)]], wall: Sample.at + now)
      id = result.id
      return result.outputs
    }
    return id
  }

  var document: RoomDocument? { core.document(of: Self.house) }
  var shown: JSON? { document?.state["notes"] }
}

extension JSON {
  var seq: Int? { self["params"]?["seq"]?.int }
}
