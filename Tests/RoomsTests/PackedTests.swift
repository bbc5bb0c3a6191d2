import JSON
import Testing

@testable import Rooms

@Suite("Packed")
struct PackedTests {
  private struct Visit: Equatable {
    @Packed var by: ID<Person>? = nil
    @Packed var at: Instant? = nil
  }

  @Test("tells absence from every value there can be, in no more bytes than the value takes")
  func values() {
    var visit = Visit()
    #expect(visit.by == nil && visit.at == nil)
    for at in [Instant(), Instant(milliseconds: -1), Instant(milliseconds: .min), Instant(milliseconds: .max)] {
      visit.at = at
      #expect(visit.at == at)
    }
    visit.by = ID()
    #expect(visit.by == ID() && visit != Visit())
    visit.by = nil
    visit.at = nil
    #expect(visit == Visit(by: nil, at: nil))
    #expect(MemoryLayout<Visit>.stride == 24)
  }

  @Test("nothing can be named by the id that stands for none")
  func none() throws {
    let (tape, problems) = (Tape(), Problems())
    let view = try tape.parse(Array(#""\#(ID<Person>.none)""#.utf8).span)
    #expect(ID<Person>.read(view, problems) == nil && problems.list.count == 1)
  }
}
