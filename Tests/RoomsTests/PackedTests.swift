import JSON
import Testing

@testable import Rooms

extension Int: Packable {
  public static var none: Int { .min }
}

@Suite("Packed")
struct PackedTests {
  private struct Visit: Equatable {
    @Packed var by: ID<Person>? = nil
    @Packed var at: Instant? = nil
  }

  @Test("a packed value may be absent or any value, and takes no more bytes than the value")
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

  private struct Wide: Record {
    var at: Instant?
    var size: Int?
    static func fields(_ field: inout some FieldVisitor<Self>) {
      field("at", \.at)
      field("size", \.size, 1...9)
    }
  }

  private struct Narrow: Record {
    @Packed var at: Instant? = nil
    @Packed var size: Int? = nil
    static func fields(_ field: inout some FieldVisitor<Self>) {
      field("at", \._at)
      field("size", \._size, 1...9)
    }
  }

  /// The value, its problems, and the patches to each of `others` with their results.
  private func uses<Row: Record>(of text: String, _ others: [String], as: Row.Type) throws -> [String] {
    let (tape, problems) = (Tape(), Problems())
    guard let row = Row.read(try tape.parse(Array(text.utf8).span), problems) else {
      return problems.list.map { "\($0.path): \($0.text)" }
    }
    let writer = Writer()
    row.write(to: writer)
    for other in others {
      guard let other = Row.read(try tape.parse(Array(other.utf8).span), problems) else { continue }
      let change = Writer()
      other.writeChange(from: row, to: change)
      var merged = row
      merged.merge(try tape.parse(change.bytes().span), problems)
      #expect(merged == other)
      writer.raw(change.bytes().span)
    }
    #expect(problems.count == 0)
    return [String(decoding: writer.bytes(), as: UTF8.self)]
  }

  @Test("a packed field is read, limited, written, changed, merged and described like an optional one")
  func fields() throws {
    let right = [
      "{}", #"{"at":null}"#, #"{"size":1}"#, #"{"size":9,"at":"2026-05-01T09:00:00Z"}"#,
      #"{"at":"2026-05-01T09:00:01Z"}"#,
    ]
    for text in right + [#"{"size":10}"#, #"{"size":0}"#, #"{"size":"1","at":1}"#, #"{"at":"yesterday"}"#] {
      #expect(try uses(of: text, right, as: Narrow.self) == uses(of: text, right, as: Wide.self))
    }
    #expect(try uses(of: #"{"size":10}"#, [], as: Narrow.self) == ["size: must be 1 to 9"])
    #expect(Narrow.schema(nil) == Wide.schema(nil))
  }

  @Test("the id that stands for none is refused as an id")
  func none() throws {
    let (tape, problems) = (Tape(), Problems())
    let view = try tape.parse(Array(#""\#(ID<Person>.none)""#.utf8).span)
    #expect(ID<Person>.read(view, problems) == nil && problems.list.count == 1)
  }
}
