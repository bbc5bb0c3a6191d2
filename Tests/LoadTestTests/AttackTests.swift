import Testing

@testable import loadtest

@Suite("Load test: attacks")
struct AttackTests {
  static let kinds = Attack.Kind.allCases

  @Test("the pieces of a script add up to the whole script in order", arguments: [1, 2, 3, 4, 5, 6, 7, 100])
  func pieces(step: Int) {
    let script = Attack.Script(first: [9], rest: [1, 2, 3, 4, 5, 6], step: step, times: 2)
    let sent = (0..<script.count).flatMap { Array(script.piece($0)) }
    #expect(sent == [1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6])
    #expect((0..<script.count).allSatisfy { script.piece($0).count <= step })
    #expect(Attack.Script(first: [9]).count == 0)
  }

  @Test("every kind of attack but one sends something and expects an end", arguments: kinds)
  func variants(kind: Attack.Kind) throws {
    let attack = try AttackSettings().attack(kind)
    #expect(!attack.variants.isEmpty)
    for variant in attack.variants {
      let script = variant.personalScript?("e1000000-0000-4000-8000-000000000001") ?? variant.script
      #expect((script.first.isEmpty && script.count == 0) == (kind == .visits), "\(variant.name)")
      #expect((variant.ending == .admitted) == (kind == .visits), "\(variant.name)")
      #expect(variant.ending != .none || kind == .cheapCalls, "\(variant.name)")
      guard let deadline = variant.deadline, variant.isPatient, script.pause > 0 else { continue }
      let seconds = Double(script.count) * script.pause
      #expect(seconds > deadline, "\(variant.name) would be complete after \(seconds) s")
    }
    #expect(Set(attack.variants.map(\.name)).count == attack.variants.count)
  }

  @Test("an attack's deadlines are those of the settings")
  func deadlines() throws {
    let settings = AttackSettings(helloTimeout: 2, messageTimeout: 3, stallLimit: 4, dribble: 1)
    #expect(try settings.attack(.headers).longestDeadline == 2)
    #expect(try settings.attack(.fragments).longestDeadline == 3)
    #expect(try settings.attack(.fragments).variants.allSatisfy { $0.script.pause == 1 })
    #expect(try settings.attack(.pings).longestDeadline == nil)
  }

  @Test("an attack by a member names a household of that member")
  func household() throws {
    let id = "e1000000-0000-4000-8000-000000000001"
    let variant = try AttackSettings().attack(.calls).variants[0]
    let script = try #require(variant.personalScript?(id))
    // Frames are masked with 1, which leaves three of four bytes unchanged.
    let bytes = script.first.dropFirst(8).enumerated().map { $0.offset % 4 == 3 ? $0.element ^ 1 : $0.element }
    #expect(String(decoding: bytes, as: UTF8.self).contains("\"household/\(id)\""))
  }
}

@Suite("Load test: results of attacks")
struct AttackFiguresTests {
  private let slow = Attack.Variant(
    name: "slow", entry: .secured, script: Attack.Script(), ending: .dropped, deadline: 10)
  private let quick = Attack.Variant(name: "quick", entry: .member, script: Attack.Script(), ending: .closed(1009))

  @Test("attackers that are ended as expected and in time break no limit")
  func kept() {
    var figures = AttackFigures(.headers)
    for seconds in [10, 10.4, 11.0] { figures.add(.dropped, after: seconds, of: slow) }
    figures.add(.closed(1009), after: 0.2, of: quick)
    #expect(figures.broken.isEmpty)
    #expect(figures.spread?.least == 0.2 && figures.spread?.most == 11)
    #expect(figures.endingText == "3 dropped, 1 closed with 1009")
  }

  @Test(
    "an end that is wrong, late or early, and an attacker that could not start or never existed, are each reported",
    arguments: [
      (Attack.Ending.none, 20.0), (.closed(1008), 10.5), (.dropped, 11.5), (.dropped, 9.5),
    ])
  func broken(ending: Attack.Ending, seconds: Double) {
    var figures = AttackFigures(.headers)
    #expect(!figures.broken.isEmpty)
    figures.add(.dropped, after: 10.5, of: slow)
    #expect(figures.broken.isEmpty)
    figures.add(ending, after: seconds, of: slow)
    #expect(!figures.broken.isEmpty)
  }

  @Test("an attacker that could not start is reported; an impatient one may be ended at once")
  func others() {
    var figures = AttackFigures(.unread)
    var impatient = slow
    impatient.isPatient = false
    figures.add(.dropped, after: 1, of: impatient)
    #expect(figures.broken.isEmpty)
    figures.add(failure: "refused")
    #expect(figures.broken.count == 1)
  }

  @Test("honest clients may wait 50 ms or a fifth longer than alone, and memory is bounded per attacker")
  func limits() {
    let limits = AttackLimits()
    func waits(_ before: Double, _ during: Double, _ hello: Double = 1) -> Int {
      limits.waits(deliveryBefore: before, deliveryDuring: during, handshakeDuring: hello).count
    }
    #expect(waits(2, 50) == 0 && waits(2, 50.1) == 1)
    #expect(waits(100, 120) == 0 && waits(100, 120.1) == 1)
    #expect(waits(2, 2, 200) == 0 && waits(2, 2, 200.1) == 1)
    let bound = Int64(100 * 65_536 + (16 << 20))
    #expect(limits.overgrown(.bomb, growth: bound, attackers: 100).isEmpty)
    #expect(limits.overgrown(.bomb, growth: bound + 1, attackers: 100).count == 1)
  }

  @Test("E9: attackers leave few descriptors behind, and those that only connect leave a hundredth of memory or 4 MB")
  func leftBehind() {
    func left(_ kind: Attack.Kind, memory: Int64, _ growth: Int64, descriptors: Int = 0) -> Int {
      AttackLimits().leftBehind(
        kind, before: AttackRound.Footprint(memory: memory, descriptors: 20),
        after: AttackRound.Footprint(memory: memory + growth, descriptors: 20 + descriptors)
      ).count
    }
    #expect(left(.visits, memory: 50 << 20, 4 << 20) == 0 && left(.visits, memory: 50 << 20, (4 << 20) + 1) == 1)
    #expect(left(.visits, memory: 500 << 20, 5 << 20) == 0 && left(.visits, memory: 500 << 20, 6 << 20) == 1)
    #expect(left(.bomb, memory: 50 << 20, 8 << 20) == 0)
    #expect(left(.bomb, memory: 1, 0, descriptors: 16) == 0 && left(.bomb, memory: 1, 0, descriptors: 17) == 1)
    #expect(left(.bomb, memory: 1, 0, descriptors: -1) == 0)
  }
}
