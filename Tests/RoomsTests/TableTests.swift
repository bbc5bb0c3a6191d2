import JSON
import TestSupport
import Testing

@testable import Rooms

@Suite("Table")
struct TableTests {
  private func id(_ number: UInt64) -> ID<Paper> { ID(high: 0, low: number) }

  private func sealed(_ table: inout Table<ID<Paper>, Paper>) -> String {
    let writer = Writer()
    writer.openObject()
    table.seal("papers", to: writer)
    writer.closeObject()
    return String(decoding: writer.bytes(), as: UTF8.self)
  }

  @Test("a full table drops the rows with the least value, and of equal ones those with the least key")
  func keep() {
    var table = Table<ID<Paper>, Paper>()
    for (number, size) in [(1, 5), (2, 3), (3, 9), (4, 3), (5, 4)] as [(UInt64, Int)] {
      table[id(number)] = Paper(text: "\(number)", size: size)
    }
    _ = sealed(&table)
    table.keep(5) { $0.size ?? 0 }
    #expect(table.count == 5 && !table.isTouched)
    table.keep(4) { $0.size ?? 0 }
    #expect(Set(table.keys) == [id(1), id(3), id(4), id(5)])
    #expect(sealed(&table) == #"{"papers":{"\#(id(2))":null}}"#)
    table.begin()
    table.keep(1) { $0.size ?? 0 }
    #expect(Array(table.keys) == [id(3)])
    table.rollBack()
    #expect(table.count == 4)
  }

  @Test("a row whose change ended with an error is changed and in the patch, and can be rolled back")
  func thrown() {
    struct Stop: Error {}
    func begin(_ paper: inout Paper?) throws {
      paper?.text = "half"
      throw Stop()
    }
    var table = Table<ID<Paper>, Paper>()
    table[id(1)] = Paper(text: "whole")
    _ = sealed(&table)
    table.begin()
    #expect(throws: Stop.self) { try begin(&table[id(1)]) }
    #expect(table[id(1)]?.text == "half" && table.isTouchedByMutation)
    table.rollBack()
    #expect(table[id(1)]?.text == "whole")
    try? begin(&table[id(1)])
    #expect(sealed(&table) == #"{"papers":{"\#(id(1))":{"text":"half"}}}"#)
  }

  @Test("a table equals a sorted dictionary under random changes and roll-backs")
  func model() {
    var generator = SeededGenerator(seed: 20)
    for _ in 0..<50 {
      var table = Table<ID<Paper>, Paper>()
      var model: [ID<Paper>: Paper] = [:]
      for step in 0..<60 {
        if step.isMultiple(of: 7) { table.begin() }
        let before = model
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
          let key = id(.random(in: 0..<24, using: &generator))
          let row = Bool.random(using: &generator) ? Paper(text: "\(step)") : nil
          table[key] = row
          model[key] = row
        }
        if step % 7 == 6 {
          table.begin()
        } else if step.isMultiple(of: 7), Bool.random(using: &generator) {
          table.rollBack()
          model = before
        }
        #expect(Array(table.keys) == model.keys.sorted())
        #expect(table.count == model.count && (0..<24).allSatisfy { table[id($0)] == model[id($0)] })
        #expect((0..<24).allSatisfy { table.contains(id($0)) == (model[id($0)] != nil) })
      }
    }
  }

  @Test("a table merges a patch whose keys are not sorted")
  func merging() throws {
    var table = Table<ID<Paper>, Paper>()
    let (tape, problems) = (Tape(), Problems())
    for text in [
      #"{"\#(id(3))":{"text":"c"},"\#(id(1))":{"text":"a"},"\#(id(2))":{"text":"b"}}"#,
      #"{"\#(id(2))":null,"\#(id(0))":{"text":"z"},"\#(id(3))":{"text":"d"},"\#(id(9))":null}"#,
    ] { table.merge(try tape.parse(Array(text.utf8).span), problems) }
    #expect(problems.list.isEmpty)
    #expect(table.map(\.key) == [id(0), id(1), id(3)] && table.map(\.value.text) == ["z", "a", "d"])
  }

  @Test("a table merges many rows at once as it would one after the other", arguments: 0..<20 as Range<UInt64>)
  func mergingMany(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var (atOnce, oneByOne) = (Table<ID<Paper>, Paper>(), Table<ID<Paper>, Paper>())
    let (tape, problems) = (Tape(), Problems())
    for _ in 0..<6 {
      let count = Int.random(in: 0...30, using: &generator)
      let changes = (0..<40 as Range<UInt64>).shuffled(using: &generator).prefix(count)
        .map { number in
          let row = ["null", #"{"text":"\#(number)"}"#, #"{"size":\#(number)}"#].randomElement(using: &generator) ?? ""
          return "\"\(id(number))\":\(row)"
        }
      atOnce.merge(try tape.parse(Array("{\(changes.joined(separator: ","))}".utf8).span), problems)
      for change in changes { oneByOne.merge(try tape.parse(Array("{\(change)}".utf8).span), problems) }
      #expect(Array(atOnce.keys) == Array(oneByOne.keys) && atOnce.keys.elementsEqual(atOnce.keys.sorted()))
      #expect(atOnce.values.elementsEqual(oneByOne.values) && problems.list.isEmpty)
    }
  }

  @Test("rows that are removed together are in the patch, and can be rolled back")
  func removingMany() {
    var table = Table<ID<Paper>, Paper>()
    for number in 0..<30 as Range<UInt64> { table[id(number)] = Paper(text: "\(number)", size: Int(number)) }
    _ = sealed(&table)
    table.begin()
    table.removeAll { _, paper in paper.size == 100 }
    #expect(!table.isTouched)
    table.removeAll { key, paper in paper.size ?? 0 > 1 && key != id(20) }
    #expect(Array(table.keys) == [id(0), id(1), id(20)] && table.isTouchedByMutation)
    table.rollBack()
    #expect(table.count == 30 && table.keys.elementsEqual((0..<30).map { id($0) }))
    table.removeAll { _, paper in paper.size == 7 }
    #expect(sealed(&table) == #"{"papers":{"\#(id(7))":null}}"#)
  }
}
