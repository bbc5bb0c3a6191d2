import Foundation
import JSON
import TestSupport
import Testing

@testable import loadtest

@Suite("Load test: a server that has just started")
struct ColdScenarioTests {
  private static func people(_ households: [String]) -> [Person] {
    households.enumerated().map { Person(token: "", id: "\($0.offset)", household: $0.element) }
  }

  @Test("each household is watched at its own time, and its latency counts from then to the answer")
  func pace() throws {
    let generator = try Generator(TargetOptions.parse([]))
    let scenario = ColdScenario(generator, Self.people(["a", "b", "c"]))
    let connections = generator.connections.compactMap { $0 as? Connection }
    func watched() -> [Int] { connections.map(\.rooms.count) }
    #expect(scenario.turn(at: generator.now) == .max)
    #expect(watched() == [1, 1, 1], "only the own rooms are watched before the start")

    let start = generator.now - 5_000_000_000
    scenario.begin(at: start, rate: 1)
    #expect(scenario.turn(at: start) == start + 1_000_000_000)
    #expect(watched() == [2, 1, 1])
    #expect(scenario.turn(at: start + 3_000_000_000) == .max)
    #expect(watched() == [2, 2, 2])

    let tape = Tape()
    let answer = try tape.parse(Array("{}".utf8).span)
    scenario.subscribed(connections[1], 0, answer)
    #expect(scenario.latency.count == 0, "the person's own room does not count")
    scenario.subscribed(connections[1], 1, answer)
    #expect((scenario.latency.count, scenario.latency.largest) == (1, 4_000_000_000))
  }

  @Test("one person per household is chosen, from households all over the file")
  func spread() throws {
    let people = Self.people((0..<10).flatMap { ["\($0)", "\($0)"] })
    #expect(try Person.oneOfEach(people, count: 3).map(\.id) == ["0", "6", "12"])
    #expect(try Person.oneOfEach(people, count: 10).map(\.id) == stride(from: 0, to: 20, by: 2).map { "\($0)" })
    #expect(throws: (any Error).self) { try Person.oneOfEach(people, count: 11) }
  }

  @Test("the kernel's start time of a process is correct to 10 ms")
  func start() throws {
    let before = System.nanosecondsSinceBoot
    let process = try ChildProcess(["/bin/sleep", "60"])
    defer { process.send(SIGKILL) }
    let after = System.nanosecondsSinceBoot
    let figures = try #require(ServerFigures(of: process.id))
    #expect(figures.startedAt >= before - 20_000_000 && figures.startedAt <= after)
  }

  @Test("a wait for a connection notices whether a server is listening")
  func listening() throws {
    #expect(throws: SystemError.self) {
      // The port of the discard service, which normally has no listener.
      System.close(try System.connect(to: "127.0.0.1", port: 9, waits: true))
    }
  }
}
