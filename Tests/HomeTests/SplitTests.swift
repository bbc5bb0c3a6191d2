import Foundation
import JSON
import Rooms
import Testing

@testable import Home

/// R-SPLIT: how an amount is divided, and who then owes whom.
@Suite("Splits")
struct SplitTests {
  private static let people = (0..<6).map { ID<Person>(high: 1, low: UInt64($0)) }
  private static let bill = ID<Thing>(high: 0, low: 1)

  private func person(_ number: Int) -> ID<Person> { Self.people[number] }

  /// The parts in the order of the participants.
  private func parts(_ split: Split, of total: Int64, bill: ID<Thing> = bill) throws -> [Int64] {
    try split.parts(of: total, bill: bill).sorted { $0.key < $1.key }.map(\.value)
  }

  @Test("10,000 drawn bills are divided as another implementation divides them", arguments: 0..<100)
  func drawn(block: Int) throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/splits.json")
    let digests = try JSON.parse(try String(contentsOf: file, encoding: .utf8)).array
    var (draws, digest) = (Draws(seed: 77 + block), Digest())
    for _ in 0..<100 {
      let (bill, total, split) = draws.bill(among: Self.people)
      let parts = try parts(split, of: total, bill: bill)
      #expect(parts.reduce(0, +) == total)
      for part in parts { digest.add(part) }
    }
    #expect(digest.text == digests?[block].string, "see Fixtures/splits.py")
  }

  @Test("R-038, BIL-2: parts add up, and the units that are left over are not always the same person's")
  func leftOver() throws {
    var counts = [Int64](repeating: 0, count: 3)
    for number in 0..<300 {
      let parts = try parts(.equal(Set(Self.people.prefix(3))), of: 100, bill: ID(high: 7, low: UInt64(number)))
      #expect(parts.sorted() == [33, 33, 34])
      for index in 0..<3 { counts[index] += parts[index] - 33 }
    }
    for count in counts { #expect((70...130).contains(count), "\(counts)") }
    let mine = Split.shares([person(0): 1, person(1): 999])
    #expect(try parts(mine, of: .max).reduce(0, +) == .max)
    #expect(try parts(mine, of: -.max).reduce(0, +) == -.max)
    #expect(try parts(mine, of: 0) == [0, 0])
  }

  @Test("a split that does not add up says by how much, and none divides among nobody")
  func refused() throws {
    let (one, two) = (person(0), person(1))
    for (split, total, problem) in [
      (Split.exact([one: 400, two: 500]), 1000, Split.Problem.offBy(100)),
      (.exact([one: 700, two: 500]), 1000, .offBy(-200)),
      (.percent([one: 5000, two: 4999]), 1000, .offBy(1)),
      (.percent([one: 10_100, two: -100]), 1000, .sharesOutOfRange),
      (.shares([one: 0]), 1000, .sharesOutOfRange), (.shares([one: 1001]), 1000, .sharesOutOfRange),
      (.adjusted([one: 600, two: 401]), 1000, .adjustmentsAboveTotal),
      (.equal([]), 1000, .nobody), (.itemised([]), 1000, .nobody),
      (.itemised([.init(amount: 5, split: .equal([one])), .init(amount: 5, split: .equal([]))]), 1000, .nobody),
      (.itemised([.init(amount: 5, split: .itemised([.init(amount: 5, split: .equal([one]))]))]), 1000, .itemOfItems),
      (.itemised([.init(amount: 5, split: .exact([one: 4]))]), 5, .offBy(1)),
    ] as [(Split, Int64, Split.Problem)] {
      #expect(throws: problem, "\(split)") { try split.parts(of: total, bill: Self.bill) }
    }
  }

  @Test("what a bill has beyond its items follows them, and a discount too")
  func items() throws {
    let (one, two, three) = (person(0), person(1), person(2))
    let pizza = Split.Item(amount: 3000, split: .equal([one, two, three]))
    let wine = Split.Item(amount: 2000, split: .equal([three]))
    #expect(try parts(.itemised([pizza, wine]), of: 5500) == [1100, 1100, 3300])
    #expect(try parts(.itemised([pizza, wine]), of: 4500) == [900, 900, 2700])
    #expect(try parts(.itemised([.init(amount: 0, split: .equal([one, two]))]), of: 300) == [150, 150])
    #expect(try parts(.adjusted([one: 200, two: 0, three: -100]), of: 1000) == [500, 300, 200])
  }

  @Test("debts go from debtors to creditors in the order of their ids, and settle everybody")
  func debts() throws {
    let (a, b, c, d) = (person(0), person(1), person(2), person(3))
    let debts = Debt.between(paid: [b: 600, d: 400], parts: [a: 250, b: 250, c: 250, d: 250])
    #expect(
      debts == [
        Debt(from: a, to: b, amount: 250), Debt(from: c, to: b, amount: 100), Debt(from: c, to: d, amount: 150),
      ])
    #expect(Debt.between(paid: [a: 5], parts: [a: 5]) == [])
  }
}

extension Draws {
  fileprivate mutating func bill(among people: [ID<Person>]) -> (ID<Thing>, total: Int64, Split) {
    let number = below(1 << 31)
    var total = below(1 << 20)
    total *= 1 + below(1 << 11)
    if below(5) == 0 { total = -total }
    let bill = ID<Thing>(high: 0, low: UInt64(number))
    guard below(4) == 0 else { return (bill, Int64(total), split(of: total, people)) }
    let count = 1 + below(4)
    let items = (0..<count).map { _ in
      let amount = below(abs(total) / 3 + 2)
      return Split.Item(amount: Int64(amount), split: split(of: amount, people))
    }
    return (bill, Int64(total), .itemised(items))
  }

  private mutating func split(of total: Int, _ all: [ID<Person>]) -> Split {
    let kind = below(5)
    let mask = 1 + below(1 << all.count - 1)
    let people = all.indices.filter { mask >> $0 & 1 == 1 }.map { all[$0] }
    func each(_ values: [Int]) -> [(ID<Person>, Int)] { Array(zip(people, values)) }
    switch kind {
    case 0: return .equal(Set(people))
    case 1: return .shares(Dictionary(uniqueKeysWithValues: each(people.map { _ in 1 + below(1000) })))
    case 2:
      let points = people.dropLast().map { _ in below(10_000 / people.count + 1) }
      return .percent(Dictionary(uniqueKeysWithValues: each(points + [10_000 - points.reduce(0, +)])))
    case 3:
      let amounts = people.dropLast().map { _ in below(abs(total) / people.count + 1) * (total < 0 ? -1 : 1) }
      let all = each(amounts + [total - amounts.reduce(0, +)])
      return .exact(Dictionary(uniqueKeysWithValues: all.map { ($0, Int64($1)) }))
    default:
      let amounts = people.map { _ in below(abs(total) / people.count + 1) - below(50) }
      return .adjusted(Dictionary(uniqueKeysWithValues: each(amounts).map { ($0, Int64($1)) }))
    }
  }
}
