/// Rooms of a relay: some members send, and all receive every message, including the sender.
final class RelayScenario: LoadScenario, RelayListener {
  private final class Room {
    var checker: RelayChecker
    let members: [RelayConnection]

    init(_ members: [RelayConnection], callers: Int) {
      self.members = members
      checker = RelayChecker(receivers: members.count, senders: callers)
    }
  }

  let generator: Generator
  private let rate: Double?
  private let inFlight: Int
  private let textLength: Int
  private var rooms: [Room] = []
  /// By connection number, from the first connection on.
  private var placeOf: [(room: Room, member: Int)] = []
  private let firstNumber: Int
  /// The numbers of the sending connections.
  private var callers: [Int] = []

  let record = LoadRecord()

  private var isSending = false
  /// The due times of messages, if there is a rate.
  private var pace: Pace?

  init(_ options: RelayCommand, _ generator: Generator) {
    self.generator = generator
    // Options are looked up on every access, so copy them.
    (rate, inFlight, textLength) = (options.rate, options.inFlight, options.text)
    firstNumber = generator.connections.count
    for number in 0..<options.rooms {
      let members = (0..<options.members).map { _ in
        let connection = RelayConnection(generator, room: number, self)
        generator.add(connection)
        return connection
      }
      let room = Room(members, callers: options.callers)
      rooms.append(room)
      for member in members.indices { placeOf.append((room, member)) }
    }
    // First one caller of every room, then the second of every room, so that successive messages are in different
    // rooms.
    callers = (0..<options.callers).flatMap { index in rooms.map { $0.members[index].number } }
  }

  // MARK: the run

  func start() {
    isSending = true
    let startedAt = System.nanoseconds
    pace = rate.map { Pace(from: startedAt, rate: $0) }
    guard pace == nil else { return }
    for caller in callers {
      for _ in 0..<inFlight { send(from: caller, dueAt: startedAt) }
    }
  }

  func stop() { isSending = false }

  func drain(seconds: Double) {
    let end = System.nanoseconds + Int64(seconds * 1e9)
    generator.run { underwayCount == 0 || !generator.losses.isEmpty || generator.now >= end }
  }

  private func sum(_ count: (RelayChecker) -> Int) -> Int { rooms.reduce(0) { $0 + count($1.checker) } }
  private var underwayCount: Int { sum(\.underwayCount) }
  var missingCount: Int { sum(\.missingCount) + underwayCount }
  var twiceCount: Int { sum(\.twiceCount) }
  var disorderCount: Int { sum(\.disorderCount) }
  /// Messages that were never sent, or were altered.
  private(set) var wrongCount = 0
  var strangeCount: Int { wrongCount + sum(\.strangeCount) }

  private func send(from caller: Int, dueAt due: Int64) {
    let connection = generator.connections[caller]
    guard connection.isOpen else { return }
    let (room, member) = placeOf[caller - firstNumber]
    let message = RelayMessage(sender: caller, number: room.checker.send(from: member), due: due)
    connection.send(message: message.encoded(length: textLength).span)
    record.tally.sent += 1
  }

  // MARK: scenario

  func turn(at now: Int64) -> Int64 {
    guard isSending else { return .max }
    while let number = pace?.count, let due = pace?.take(at: now) {
      send(from: callers[number % callers.count], dueAt: due)
    }
    return pace?.due ?? .max
  }

  func received(_ text: Span<UInt8>, _ connection: RelayConnection) {
    let (room, member) = placeOf[connection.number - firstNumber]
    guard let message = RelayMessage(text), text.count == textLength,
      placeOf.indices.contains(message.sender - firstNumber), placeOf[message.sender - firstNumber].room === room
    else {
      wrongCount += 1
      return
    }
    let sender = placeOf[message.sender - firstNumber].member
    let latency = generator.arrivedAt - message.due
    record.tally.deliveries += 1
    record.tally.patches += 1
    record.deliveryLatency.record(latency)
    if room.checker.receive(message.number, from: sender, by: member) { record.lastDeliveryLatency.record(latency) }
    guard message.sender == connection.number else { return }
    record.tally.answers += 1
    record.answerLatency.record(latency)
    if isSending, rate == nil { send(from: connection.number, dueAt: generator.now) }
  }
}
