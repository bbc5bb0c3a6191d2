import JSON
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

  @Test("of more rows than are kept, those with the least value make way, and then those with the least key")
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

  @Test("a row that somebody had begun to change when he threw is changed, is told, and can be undone")
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
}
