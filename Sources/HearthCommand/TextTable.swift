/// A table for a terminal: columns are aligned, and numbers stand at the right.
struct TextTable {
  private let heads: [String]
  private let rightAligned: Set<Int>
  private(set) var rows: [[String]] = []

  /// - Parameter numbers: the columns that hold numbers.
  init(_ heads: [String], numbers: Set<Int> = []) {
    self.heads = heads
    rightAligned = numbers
  }

  /// Adds a row. Texts of other people lose everything that a terminal obeys.
  mutating func add(_ cells: String...) { rows.append(cells.map { printable($0.replacing("\n", with: " ")) }) }

  /// The lines, without blanks at their ends.
  var text: String {
    let all = [heads] + rows
    let widths = heads.indices.map { column in all.map { $0[column].columnCount }.max() ?? 0 }
    return all.map { row in
      let cells = row.enumerated().map { column, cell in
        let blanks = String(repeating: " ", count: widths[column] - cell.columnCount)
        return rightAligned.contains(column) ? blanks + cell : cell + blanks
      }
      let line = cells.joined(separator: "  ")
      return String(line.reversed().drop { $0 == " " }.reversed())
    }.joined(separator: "\n")
  }
}
