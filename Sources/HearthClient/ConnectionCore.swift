public import JSON

/// The client's side of the protocol as a value: takes the server's messages and returns outputs to carry out.
///
/// It numbers calls, matches answers to them, and keeps each watched room at its newest version. A patch applies when
/// `from ≤ known < version`. A patch already known has no effect, and after a gap the room is subscribed to again. It
/// owns no socket, clock or random numbers. `limits` bounds the memory that a server can make it use.
public struct ConnectionCore: Sendable {
  /// Limits on what a server can make the client store, and on the messages to the server.
  public struct Limits: Sendable {
    /// The largest message from the server, in bytes.
    public var messageBytes = 4 << 20
    /// The largest message to the server, in bytes: a longer one would end the connection there.
    public var sentMessageBytes = 64 << 10
    /// The largest encoded size of one room's documents, in bytes.
    public var documentBytes = 8 << 20
    /// The deepest nesting of arrays and objects.
    public var depth = 40
    public var rooms = 128
    public var unansweredCalls = 1024

    public init() {}
  }

  /// The outputs that the caller must carry out, in order.
  public enum Output: Sendable, Equatable {
    /// Send this text message.
    case send([UInt8])
    /// The answer to the call of this number.
    case answered(Int, Result<JSON, ServerError>)
    case event(room: String, RoomEvent)
    /// The next event of the room contains every call of this client up to this number that had an effect.
    case confirmed(room: String, upTo: Int64)
    /// The room cannot be watched now. Its snapshot is kept; subscribe again later.
    case postponed(room: String, ServerError)
    /// The session is over; the server closes the connection next.
    case sessionEnded(reason: String)
    case leaving(reconnectAfter: Duration)
  }

  private struct Room {
    /// `nil` until the first answer to a subscription.
    var snapshot: RoomSnapshot?
    /// The call number of the newest subscription in flight.
    var subscribing: Int?
    /// Whether the server sends changes of the room on this connection.
    var isSubscribed = false
    /// An upper bound for the encoded size of the documents.
    var sizeBound = 0
  }

  private enum Purpose {
    case call, hello
    case subscribe(String)
  }

  public let limits: Limits
  private var lastNumber = 0
  private var unanswered: [Int: Purpose] = [:]
  private var rooms: [String: Room] = [:]

  public init(limits: Limits = Limits()) { self.limits = limits }

  /// The known state of a room.
  public func snapshot(of room: String) -> RoomSnapshot? { rooms[room]?.snapshot }

  /// The rooms that are watched, or will be when the server has answered.
  public var followedRooms: Set<String> { Set(rooms.keys) }

  // MARK: connections

  /// Starts with a new connection, without calls in flight. Rooms are kept and subscribed to again after `hello`.
  public mutating func reconnect() {
    unanswered = [:]
    for room in rooms.keys {
      rooms[room]?.subscribing = nil
      rooms[room]?.isSubscribed = false
    }
  }

  /// Whether the room's snapshot is the server's latest state and is being kept up to date.
  public func isCurrent(_ room: String) -> Bool { rooms[room]?.isSubscribed == true && rooms[room]?.subscribing == nil }

  /// Adds a room to subscribe to after the next `hello`, from its known snapshot.
  public mutating func expect(_ room: String, known: RoomSnapshot?) throws(ClientError) {
    guard rooms[room] == nil else { return }
    guard rooms.count < limits.rooms else { throw .tooMuch("rooms") }
    rooms[room] = Room()
    if let known { try keep(known, of: room, sizeBound: .max) }
  }

  /// Forgets a room that the server sends no changes of.
  public mutating func forget(_ room: String) { rooms[room] = nil }

  // MARK: calls

  /// Makes a call's message and the number of its answer.
  ///
  /// Throws `parametersNotAnObject` or `tooMuch`; there is nothing to send then.
  public mutating func call(
    _ method: String, _ parameters: JSON = [:], room: String? = nil, seq: Int64? = nil
  ) throws(ClientError) -> (number: Int, text: [UInt8]) {
    guard var members = parameters.object else { throw .parametersNotAnObject }
    if let room { members["room"] = .string(room) }
    if let seq { members["seq"] = .number(JSON.Number(Int(seq))) }
    return try call(method, .object(members), for: method == "hello" ? .hello : .call)
  }

  /// Makes a subscription to a room: for its whole state, or for the changes since the known version.
  public mutating func subscribe(to room: String) throws(ClientError) -> (number: Int, text: [UInt8]) {
    guard rooms[room] != nil || rooms.count < limits.rooms else { throw .tooMuch("rooms") }
    var parameters: [String: JSON] = ["room": .string(room)]
    if let known = rooms[room]?.snapshot {
      parameters["epoch"] = .string(known.epoch)
      parameters["version"] = .number(JSON.Number(Int(known.version)))
    }
    let call = try call("room.subscribe", .object(parameters), for: .subscribe(room))
    rooms[room, default: Room()].subscribing = call.number
    return call
  }

  /// Forgets a room and ignores its further messages.
  public mutating func unsubscribe(from room: String) throws(ClientError) -> (number: Int, text: [UInt8]) {
    rooms[room] = nil
    return try call("room.unsubscribe", ["room": .string(room)], for: .call)
  }

  mutating func resubscribe(to room: String) throws(ClientError) -> [Output] {
    guard rooms[room] != nil, rooms[room]?.subscribing == nil else { return [] }
    return [.send(try subscribe(to: room).text)]
  }

  private mutating func call(
    _ method: String, _ parameters: JSON, for purpose: Purpose
  ) throws(ClientError) -> (number: Int, text: [UInt8]) {
    guard unanswered.count < limits.unansweredCalls else { throw .tooMuch("unansweredCalls") }
    let number = lastNumber + 1
    let message: JSON = [
      "jsonrpc": "2.0", "id": .number(JSON.Number(number)), "method": .string(method), "params": parameters,
    ]
    let text = message.bytes
    guard text.count <= limits.sentMessageBytes else { throw .tooMuch("sentMessageBytes") }
    lastNumber = number
    unanswered[number] = purpose
    return (number, text)
  }

  // MARK: messages

  /// Takes one message from the server.
  ///
  /// Throws `malformed` or `tooMuch` if the server violates the protocol; the connection must not be used afterwards.
  public mutating func receive(_ text: [UInt8]) throws(ClientError) -> [Output] {
    let message: JSON
    do throws(JSONError) {
      message = try JSON.parse(text, depthLimit: limits.depth, byteLimit: limits.messageBytes)
    } catch .tooLong {
      throw .tooMuch("messageBytes")
    } catch {
      throw .malformed("\(error)")
    }
    guard message["jsonrpc"]?.string == "2.0" else { throw .malformed("not JSON-RPC 2.0") }
    if let method = message["method"]?.string {
      return try notified(method, AnswerReader(message["params"] ?? [:], of: method), text.count)
    }
    guard let number = message["id"]?.int, let purpose = unanswered.removeValue(forKey: number) else {
      throw .malformed("an answer without a call: \(message["error"]?["message"]?.string ?? "")")
    }
    switch (message["result"], message["error"]) {
    case (let result?, nil): return try answered(number, purpose, result, text.count)
    case (nil, let error?): return refused(number, purpose, try Self.serverError(AnswerReader(error, of: "an error")))
    default: throw .malformed("an answer needs either a result or an error")
    }
  }

  private static func serverError(_ members: AnswerReader) throws(ClientError) -> ServerError {
    let data = try members.objectIfPresent("data") ?? [:]
    return ServerError(
      code: Int(try members.integer("code")), message: try members.string("message"),
      reason: data["reason"]?.string ?? "", data: data)
  }

  private mutating func answered(
    _ number: Int, _ purpose: Purpose, _ result: JSON, _ size: Int
  ) throws(ClientError) -> [Output] {
    var outputs: [Output] = []
    switch purpose {
    case .call: break
    case .hello:
      // `hello` ended the connection's subscriptions, since the person may be another one.
      for room in rooms.keys.sorted() where rooms[room]?.snapshot != nil || rooms[room]?.subscribing == nil {
        rooms[room]?.subscribing = nil
        outputs += try resubscribe(to: room)
      }
    case .subscribe(let room):
      guard rooms[room] != nil else { break }
      outputs += try subscribed(to: room, number, AnswerReader(result, of: "room.subscribe"), size)
    }
    return outputs + [.answered(number, .success(result))]
  }

  private mutating func refused(_ number: Int, _ purpose: Purpose, _ error: ServerError) -> [Output] {
    let answer = Output.answered(number, .failure(error))
    guard case .subscribe(let room) = purpose, rooms[room]?.subscribing == number else { return [answer] }
    if error.isTemporary {
      rooms[room]?.subscribing = nil
      return [.postponed(room: room, error), answer]
    }
    rooms[room] = nil
    return [.event(room: room, .closed(reason: error.reason)), answer]
  }

  private mutating func notified(
    _ method: String, _ parameters: AnswerReader, _ size: Int
  ) throws(ClientError) -> [Output] {
    switch method {
    case "room.patch": try patched(parameters, size)
    case "room.live": try livePatched(parameters, size)
    case "room.tick": try ticked(parameters)
    case "room.closed": try closed(parameters)
    case "session.ended": [.sessionEnded(reason: try parameters.string("reason"))]
    case "server.leaving":
      [.leaving(reconnectAfter: .milliseconds(try parameters.integer("reconnectAfter")))]
    default: []  // Ignore notifications of later versions of the protocol.
    }
  }
}

// MARK: rooms

extension ConnectionCore {
  private mutating func subscribed(
    to name: String, _ number: Int, _ result: AnswerReader, _ size: Int
  ) throws(ClientError) -> [Output] {
    let epoch = try result.string("epoch")
    let version = try result.integer("version")
    let live = try result.object("live")
    if rooms[name]?.subscribing == number { rooms[name]?.subscribing = nil }
    rooms[name]?.isSubscribed = true
    let mark = try result.integerIfPresent("seq") ?? 0
    let confirmed = mark > 0 ? [Output.confirmed(room: name, upTo: mark)] : []

    if let state = try result.objectIfPresent("state") {
      let snapshot = RoomSnapshot(epoch: epoch, version: version, state: state, live: live)
      try keep(snapshot, of: name, sizeBound: size)
      return confirmed + [.event(room: name, .state(snapshot, reason: try result.string("reason")))]
    }
    let from = try result.integer("from")
    let patch = try result.object("patch")
    guard var known = rooms[name]?.snapshot, known.epoch == epoch, from <= known.version else {
      throw .malformed("a patch from a version that was not requested")
    }
    var events: [RoomEvent] = []
    if version > known.version {
      known.state = MergePatch.apply(patch, to: known.state)
      known.version = version
      events.append(.patch(RoomPatch(from: from, version: version, at: nil, by: nil, patch: patch)))
    }
    if let change = MergePatch.diff(from: known.live, to: live) {
      known.live = live
      events.append(.live(at: nil, patch: change))
    }
    try keep(known, of: name, adding: size)
    return confirmed + events.map { .event(room: name, $0) }
  }

  private mutating func patched(_ parameters: AnswerReader, _ size: Int) throws(ClientError) -> [Output] {
    let name = try parameters.string("room")
    let from = try parameters.integer("from")
    let version = try parameters.integer("version")
    guard from < version else { throw .malformed("a patch to an earlier version") }
    let change = RoomPatch(
      from: from, version: version, at: try parameters.instant("at"), by: try parameters.idIfPresent("by"),
      patch: try parameters.object("patch"))
    guard var known = rooms[name]?.snapshot, version > known.version else { return [] }
    guard from <= known.version else { return try resubscribe(to: name) }
    known.state = MergePatch.apply(change.patch, to: known.state)
    known.version = version
    try keep(known, of: name, adding: size)
    return [.event(room: name, .patch(change))]
  }

  private mutating func livePatched(_ parameters: AnswerReader, _ size: Int) throws(ClientError) -> [Output] {
    let name = try parameters.string("room")
    let at = try parameters.instant("at")
    let patch = try parameters.object("patch")
    guard var known = rooms[name]?.snapshot else { return [] }
    known.live = MergePatch.apply(patch, to: known.live)
    try keep(known, of: name, adding: size)
    return [.event(room: name, .live(at: at, patch: patch))]
  }

  private mutating func ticked(_ parameters: AnswerReader) throws(ClientError) -> [Output] {
    let at = try parameters.instant("at")
    let versions = try AnswerReader(parameters.object("rooms"), of: "room.tick")
    let live = try parameters.objectIfPresent("live")
    var outputs: [Output] = []
    for name in versions.names.sorted() {
      let version = try versions.integer(name)
      guard let known = rooms[name]?.snapshot else { continue }
      var times: LiveTimes?
      if let said = live?[name] {
        let members = try AnswerReader(said, of: "room.tick")
        times = LiveTimes(at: try members.instantIfPresent("at"), link: try members.instantIfPresent("link"))
      }
      outputs.append(.event(room: name, .tick(at: at, version: version, live: times)))
      if version > known.version { outputs += try resubscribe(to: name) }
    }
    return outputs
  }

  private mutating func closed(_ parameters: AnswerReader) throws(ClientError) -> [Output] {
    let name = try parameters.string("room")
    let reason = try parameters.string("reason")
    guard rooms[name] != nil else { return [] }
    // The client is too far behind for single changes: subscribe again, which brings the whole state.
    if reason == "tooFarBehind" { return try resubscribe(to: name) }
    rooms[name] = nil
    return [.event(room: name, .closed(reason: reason))]
  }

  /// Stores a room's documents after applying a message of `added` bytes.
  private mutating func keep(_ snapshot: RoomSnapshot, of name: String, adding added: Int) throws(ClientError) {
    try keep(snapshot, of: name, sizeBound: (rooms[name]?.sizeBound ?? 0) + added)
  }

  /// Stores a room's documents. Encodes them to measure their size only when the sum of message sizes passes the limit.
  private mutating func keep(_ snapshot: RoomSnapshot, of name: String, sizeBound: Int) throws(ClientError) {
    var bound = sizeBound
    if bound > limits.documentBytes {
      bound = snapshot.state.bytes.count + snapshot.live.bytes.count
      guard bound <= limits.documentBytes else { throw .tooMuch("documentBytes") }
    }
    rooms[name]?.snapshot = snapshot
    rooms[name]?.sizeBound = bound
  }
}
