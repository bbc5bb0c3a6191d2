import JSON

/// A member's connection to Hearth: hello, subscriptions, then the calls of the scenario.
final class Connection: WebSocketConnection {
  let person: Person
  /// The id of the client, which stays the same over reconnections.
  let client = randomUUID()
  /// The names of the rooms to watch.
  private(set) var rooms: [String]
  private var roomNames: [[UInt8]]
  /// The number of outstanding answers: to the scenario's calls before the load, and to hello and subscriptions.
  private var awaited = 0
  /// The version of each room according to answers and patches so far, and its epoch.
  var positions: [Int]
  private var epochs: [String]

  init(_ number: Int, _ person: Person, rooms: [String], _ generator: Generator) {
    self.person = person
    self.rooms = rooms
    roomNames = rooms.map { Array($0.utf8) }
    positions = Array(repeating: 0, count: rooms.count)
    epochs = Array(repeating: "", count: rooms.count)
    super.init(number, generator, path: "/sync", subprotocols: ["hearth.v1"])
  }

  override var isSettled: Bool { isReady && awaited == 0 }

  /// The index of the room that a frame is about.
  func index(of room: View?) -> Int? {
    room?.withBytes { name in
      roomNames.firstIndex { own in
        own.count == name.count && own.indices.allSatisfy { own[$0] == name[$0] }
      }
    }
  }

  // MARK: opening

  override func opened() {
    call("hello", id: "hello") { writer in
      writer.key("token")
      writer.string(person.token)
      writer.key("client")
      writer.string(client)
    }
    for index in rooms.indices { subscribe(index) }
  }

  override func renew() {
    super.renew()
    awaited = 0
  }

  override func wasReadied() { generator.scenario?.ready(self) }
  override func wasLost(_ reason: String) -> Bool { generator.scenario?.lost(self, reason) == true }

  /// Starts to watch one more room.
  func watch(_ room: String) {
    rooms.append(room)
    roomNames.append(Array(room.utf8))
    positions.append(0)
    epochs.append("")
    subscribe(rooms.count - 1)
  }

  private func subscribe(_ index: Int) {
    call("room.subscribe", id: "room\(index)") { writer in
      writer.key("room")
      writer.string(rooms[index])
      guard !epochs[index].isEmpty else { return }
      writer.key("epoch")
      writer.string(epochs[index])
      writer.key("version")
      writer.int(positions[index])
    }
  }

  /// Takes the answer to a call with a text id, which comes before the load.
  private func takeAnswer(_ id: String, _ message: View) {
    if let error = message[key: "error"], generator.scenario?.mayFail(id, error) != true {
      return generator.lose(self, "\(id) was refused: \(JSON(error).text)")
    }
    if id.hasPrefix("room"), let index = Int(id.dropFirst(4)), rooms.indices.contains(index) {
      guard let result = message[key: "result"], let version = result[key: "version"]?.int,
        let epoch = result[key: "epoch"]?.string
      else { return generator.lose(self, "an answer to subscribing is not complete") }
      positions[index] = version
      epochs[index] = epoch
      generator.scenario?.subscribed(self, index, result)
    } else {
      generator.scenario?.answered(self, id, message)
    }
    awaited -= 1
    guard awaited == 0, !isReady else { return }
    becomeReady()
  }

  // MARK: receiving

  override func received(_ text: Span<UInt8>) {
    guard let message = try? generator.tape.parse(text) else { return generator.lose(self, "a message is not JSON") }
    if let id = message[key: "id"]?.string {
      takeAnswer(id, message)
    } else {
      generator.scenario?.received(message, self)
    }
  }

  // MARK: sending

  /// Makes a call before the load, whose answer the connection takes itself.
  func call(_ method: StaticString, id: String, _ parameters: (Writer) -> Void) {
    awaited += 1
    let writer = generator.writer
    writer.clear()
    writer.openObject()
    writer.key("jsonrpc")
    writer.string("2.0")
    writer.key("id")
    writer.string(id)
    writer.key("method")
    writer.string(method)
    writer.key("params")
    writer.openObject()
    parameters(writer)
    writer.closeObject()
    writer.closeObject()
    send(message: writer)
  }

  func send(message writer: Writer) {
    writer.withSpan { send(message: $0) }
  }
}
