import JSON

/// Shares of positions, and when each position came to whom.
///
/// A position says which report it is: its latitude is the report's number in units of the fifth decimal, which the
/// server keeps exactly.
final class PositionsScenario: Scenario {
  private final class SharedPosition {
    let id = randomUUID()
    let sharer: Person
    let connection: Connection
    var receivers: [Receiver] = []
    /// Moments at which the reports were sent or due, by number; reports are few enough to keep all.
    var sentAt: [Int64] = []
    var dueAt: Int64 = 0

    init(_ sharer: Person, _ connection: Connection) {
      self.sharer = sharer
      self.connection = connection
    }

    var room: String { "share/\(id)" }
  }

  private final class Receiver {
    let connection: Connection
    /// The newest report that came, and when.
    var report = -1
    var at: Int64 = 0

    init(_ connection: Connection) { self.connection = connection }
  }

  private let options: PositionsCommand
  private let generator: Generator
  private var shares: [SharedPosition] = []
  /// By the number of the connection.
  private var shareOf: [SharedPosition] = []
  private var receiverOf: [Receiver?] = []
  private var isSending = false
  private var next = 0

  private(set) var reports = 0
  private(set) var deliveries = 0
  /// Reports that the delivered positions stand for: several made in one moment become one position.
  private(set) var covered = 0
  private(set) var disorder = 0
  private(set) var latency = Histogram()
  private(set) var gaps = Histogram()
  private(set) var ages = Histogram()
  private(set) var refusals: [String: Int] = [:]

  init(_ options: PositionsCommand, _ generator: Generator, _ households: [[Person]]) {
    self.options = options
    self.generator = generator
    for household in households {
      let share = SharedPosition(household[0], generator.add(household[0], rooms: ["me"]))
      shareOf.append(share)
      receiverOf.append(nil)
      for person in household.dropFirst() {
        let receiver = Receiver(generator.add(person, rooms: ["me"]))
        share.receivers.append(receiver)
        shareOf.append(share)
        receiverOf.append(receiver)
      }
      shares.append(share)
    }
  }

  // MARK: the run

  /// Starts the shares and lets the receivers watch them.
  func prepare() throws {
    // Somebody shares at most five times at once, and what an earlier run has started ends by itself.
    let until = System.wallMilliseconds + 900_000 + Int64((options.seconds + 60) * 1000)
    for share in shares {
      share.connection.call("shares.start", id: "share") { writer in
        writer.key("seq")
        writer.int(1)
        writer.key("id")
        writer.string(share.id)
        writer.key("until")
        writer.string(timestamp(until))
        writer.key("receivers")
        writer.openArray()
        for receiver in share.receivers { writer.string(receiver.connection.person.id) }
        writer.closeArray()
      }
    }
    try settle { $0.connection }
    for share in shares {
      for receiver in share.receivers {
        receiver.connection.call("room.subscribe", id: "watch") { writer in
          writer.key("room")
          writer.string(share.room)
        }
      }
    }
    for index in 0..<options.receivers { try settle { $0.receivers[index].connection } }
  }

  private func settle(_ connection: (SharedPosition) -> Connection) throws {
    let deadline = System.nanoseconds + 60_000_000_000
    generator.run { shares.allSatisfy { connection($0).isSettled } || generator.now > deadline }
    guard generator.now <= deadline, generator.losses.isEmpty else {
      throw LoadError("the shares could not be prepared: \(generator.losses)")
    }
  }

  func measure() -> Usage.Sum {
    let start = System.nanoseconds
    for (index, share) in shares.enumerated() {
      share.dueAt = start + (options.saturate ? 0 : Int64(options.interval * 1e9) * Int64(index) / Int64(shares.count))
    }
    let usage = Usage(of: options.target.pid)
    isSending = true
    let end = start + Int64(options.seconds * 1e9)
    var nextLine = start + 5_000_000_000
    generator.run {
      if generator.now >= nextLine {
        nextLine += 5_000_000_000
        say("\(reports) reports, \(deliveries) positions delivered")
      }
      return generator.now >= end
    }
    isSending = false
    return usage.sum
  }

  private func report(_ share: SharedPosition, dueAt due: Int64) {
    guard share.connection.isOpen else { return }
    let number = share.sentAt.count
    share.sentAt.append(due)
    reports += 1
    let writer = generator.writer
    let now = timestamp(System.wallMilliseconds)
    writer.clear()
    writer.raw("{\"jsonrpc\":\"2.0\",\"id\":")
    writer.int(number)
    writer.raw(",\"method\":\"positions.report\",\"params\":{")
    writer.key("sentAt")
    writer.string(now)
    writer.raw(",\"fixes\":[{\"lat\":")
    writer.double(Double(number % 9_000_000) / 1e5)
    writer.raw(",\"lon\":4.3,\"accuracy\":8,\"battery\":80,\"fixTime\":")
    writer.string(now)
    writer.raw("}]}}")
    share.connection.send(message: writer)
  }

  // MARK: scenario

  func ready(_ connection: Connection) {}

  func turn(at now: Int64) -> Int64 {
    guard isSending else { return .max }
    if options.saturate {
      // The first of each; from then on answers call for the next.
      for share in shares where share.sentAt.isEmpty { report(share, dueAt: now) }
      return .max
    }
    // Shares are due in their order, again and again.
    while shares[next].dueAt <= now {
      report(shares[next], dueAt: shares[next].dueAt)
      shares[next].dueAt += Int64(options.interval * 1e9)
      next = (next + 1) % shares.count
    }
    return shares[next].dueAt
  }

  func received(_ message: View, _ connection: Connection) {
    let share = shareOf[connection.number]
    guard let parameters = message[key: "params"] else {
      if let error = message[key: "error"] {
        refusals[error[key: "data"]?[key: "reason"]?.string ?? "without a reason", default: 0] += 1
      }
      if isSending, options.saturate { report(share, dueAt: generator.now) }
      return
    }
    guard message[key: "method"]?.equals("room.live") == true, let receiver = receiverOf[connection.number],
      let latitude = parameters[key: "patch"]?[key: "position"]?[key: "lat"]?.double
    else { return }
    take(Int((latitude * 1e5).rounded()), share, receiver)
  }

  private func take(_ report: Int, _ share: SharedPosition, _ receiver: Receiver) {
    let now = generator.now
    guard share.sentAt.indices.contains(report), report > receiver.report else {
      disorder += 1
      return
    }
    deliveries += 1
    covered += report - receiver.report
    latency.record(now - share.sentAt[report])
    if receiver.report >= 0 {
      gaps.record(now - receiver.at)
      ages.record(now - share.sentAt[receiver.report])
    }
    receiver.report = report
    receiver.at = now
  }
}
