import Testing

@testable import loadtest

@Suite("Load test: receivers that come and go")
struct TurnoverTests {
  /// A sharer, a slow reader and two other receivers, all ready.
  private let generator: Generator
  private let connections: [Connection]
  private let turnover: Turnover

  init() throws {
    let options = try ReceiversCommand.parse(
      ["--people", "none", "--shares", "1", "--slow-readers", "1", "--reconnects-per-second", "1", "--away", "0"])
    let generator = try Generator(options.target)
    let people = (0..<4).map { Person(token: "", id: "\($0)", household: "a") }
    self.generator = generator
    connections = people.map { generator.add($0, rooms: ["me"]) }
    turnover = Turnover(options, generator, connections, receivers: Array(connections.dropFirst()))
    for connection in connections { connection.becomeReady() }
  }

  @Test("LOC-7: the loss of a slow reader is explained, and that of no other connection that nobody has closed")
  func losses() {
    for (index, isExplained) in [false, true, false, false].enumerated() {
      #expect(turnover.lost(connections[index]) == isExplained)
    }
    #expect((turnover.closedCount, turnover.refusedCount) == (1, 0))
    // Tries to come back may fail, and end with the answer to the last subscription.
    #expect(turnover.lost(connections[1]))
    turnover.ready(connections[1])
    turnover.ready(connections[2])
    #expect((turnover.closedCount, turnover.refusedCount, turnover.back.count) == (1, 1, 1))
  }

  @Test("SYN-2: one receiver a second drops, is not there, and comes back; sharers and slow readers stay")
  func drops() {
    let start = generator.now
    turnover.begin(at: start)
    var left: [Int] = []
    for second in 0..<4 { _ = turnover.turn(at: start + Int64(second) * 1_000_000_000) { left.append($0.number) } }
    #expect(Set(left) == [2, 3] && left.count == 2 && turnover.dropCount == 2, "a receiver that is away cannot drop")
    #expect(turnover.awayCount == 2)
    for connection in connections[2...] {
      let isWaiting = if case .waiting = connection.phase { true } else { false }
      #expect(isWaiting, "both are on their way back")
    }
    turnover.end()
    connections[2].becomeReady()
    turnover.ready(connections[2])
    for second in 4..<8 { _ = turnover.turn(at: start + Int64(second) * 1_000_000_000) { left.append($0.number) } }
    #expect(left.count == 2 && turnover.awayCount == 1 && turnover.back.count == 1)
  }
}
