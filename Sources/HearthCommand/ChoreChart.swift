import HearthClient
import JSON
import Rooms

/// How often each member has done each chore in a time, as a bar graph for a terminal or as a table (STA-1, STA-2).
struct ChoreChart {
  struct Row: Equatable {
    var id: String
    var name: String
    var done: Int
    var points: Int
    /// `3 × Dishes`, the most frequent first.
    var chores: [String]
  }

  /// One's own row first, then those who have done most.
  let rows: [Row]
  private let countsPoints: Bool

  /// - Parameters:
  ///   - counts: The answer to `chores.statistics`.
  ///   - household: The state of the household, which has the names.
  ///   - countsPoints: Whether bars show points in place of completions.
  init(_ counts: JSON, household: JSON, me: ID<Person>?, countsPoints: Bool = false) {
    self.countsPoints = countsPoints
    let members = household["members"]?.object ?? [:]
    let former = household["former"]?.object ?? [:]
    let people = counts["people"]?.object ?? [:]
    let tasks = counts["tasks"]?.object ?? [:]
    let own = me?.description
    rows = Set(members.keys).union(people.keys).map { id in
      let row = people[id]
      let name = (members[id] ?? former[id])?["name"]?.string
      let done = (row?["tasks"]?.object ?? [:]).map { task, count in
        (name: tasks[task]?["name"]?.string ?? "a chore without a name", count: count.int ?? 0)
      }
      return Row(
        id: id, name: id == own ? "you" : Self.line(name ?? "a former member"), done: row?["done"]?.int ?? 0,
        points: row?["points"]?.int ?? 0,
        chores: done.sorted { ($1.count, $0.name) < ($0.count, $1.name) }
          .map { "\($0.count) × \(Self.line($0.name))" })
    }.sorted { left, right in
      if (left.id == own) != (right.id == own) { return left.id == own }
      let counts = [left, right].map { countsPoints ? $0.points : $0.done }
      return counts[0] == counts[1] ? (left.name, left.id) < (right.name, right.id) : counts[0] > counts[1]
    }
  }

  /// A text of others on one line, without what a terminal obeys.
  private static func line(_ text: String) -> String { printable(text.replacing("\n", with: " ")) }

  // MARK: people

  private func count(of row: Row) -> Int { countsPoints ? row.points : row.done }

  /// A table without bars, for a pipe.
  var table: String {
    var table = TextTable(["WHO", countsPoints ? "POINTS" : "DONE", "CHORES"], numbers: [1])
    for row in rows { table.add(row.name, "\(count(of: row))", row.chores.joined(separator: ", ")) }
    return table.text
  }

  /// Bars over the whole width of a terminal; beneath each the chores, on as many lines as they need.
  func graph(columns: Int) -> String {
    let names = min(rows.map(\.name.columnCount).max() ?? 0, max(3, columns / 3))
    let numbers = rows.map { "\(count(of: $0))".count }.max() ?? 0
    let room = max(1, columns - names - numbers - 4)
    let most = rows.map(count).max() ?? 0
    return rows.flatMap { row -> [String] in
      let name = row.name.truncated(toColumns: names)
      let label = name + String(repeating: " ", count: names - name.columnCount)
      let bar = most == 0 ? "" : Self.bar(8 * room * count(of: row) / most)
      let parts = [label, bar, "\(count(of: row))"].filter { !$0.isEmpty }
      let indent = String(repeating: " ", count: names + 2)
      return [parts.joined(separator: "  ")]
        + Self.wrapped(row.chores, columns: max(1, columns - names - 2)).map { indent + $0 }
    }.joined(separator: "\n")
  }

  /// A bar of so many eighths of a column; something is never nothing.
  private static func bar(_ eighths: Int) -> String {
    let rest = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8]
    return String(repeating: "█", count: eighths / 8) + rest
  }

  /// Parts with commas between them, on lines of at most so many columns.
  private static func wrapped(_ parts: [String], columns: Int) -> [String] {
    var lines: [String] = []
    for (index, part) in parts.enumerated() {
      let text = index == parts.count - 1 ? part : part + ","
      if let last = lines.last, last.columnCount + 1 + text.columnCount <= columns {
        lines[lines.count - 1] = "\(last) \(text)"
      } else {
        lines.append(text.truncated(toColumns: columns))
      }
    }
    return lines
  }

  // MARK: programs

  /// An object for each person.
  var objects: [JSON] {
    rows.map { row in
      [
        "person": .string(row.id), "name": .string(row.name), "done": .number(JSON.Number(row.done)),
        "points": .number(JSON.Number(row.points)), "chores": .array(row.chores.map { .string($0) }),
      ]
    }
  }
}
