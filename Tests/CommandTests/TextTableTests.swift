import Testing

@testable import HearthCommand

@Suite("Tables and widths in a terminal")
struct TextTableTests {
  @Test(
    "wide characters take two columns, and marks none",
    arguments: [
      ("", 0), ("abc", 3), ("Zoë", 3), ("Zoe\u{308}", 3), ("日本", 4), ("한국", 4), ("🍎", 2), ("👩‍👧", 2), ("🇳🇱", 2),
      ("❤️", 2), ("❤", 1), ("\u{200B}", 0), ("ｘ", 2), ("…", 1),
    ])
  func widths(text: String, count: Int) { #expect(text.columnCount == count, "\(text)") }

  @Test(
    "a text is cut off between characters, and the ellipsis is within the limit",
    arguments: [
      ("abc", 3, "abc"), ("abcd", 3, "ab…"), ("日本語", 6, "日本語"), ("日本語", 5, "日本…"), ("日本語", 4, "日…"),
      ("👩‍👧👩‍👧", 3, "👩‍👧…"), ("ab", 1, "…"), ("ab", 0, ""),
    ])
  func truncated(text: String, limit: Int, result: String) {
    #expect(text.truncated(toColumns: limit) == result)
  }

  @Test("columns are aligned, numbers to the right, and no text of others reaches the terminal as it is")
  func table() {
    var table = TextTable(["NAME", "SIZE", "X"], numbers: [1])
    table.add("日本", "7", "")
    table.add("Ana\u{1B}[2J\n", "1200", "y")
    let text = """
      NAME           SIZE  X
      日本              7
      Ana\\u001b[2J   1200  y
      """
    #expect(table.text == text)
  }

  @Test("durations and sizes have the units in which people think")
  func units() {
    let seconds = [5, 65, 3 * 3600 + 120, 90_000 * 3]
    #expect(seconds.map { AdminStatistics.duration($0) } == ["5 s", "1 min 5 s", "3 h 2 min", "3 d 3 h"])
    let bytes = [999, 1000, 999_999, 1_250_000, 7_000_000_000]
    #expect(bytes.map { AdminStatistics.size($0) } == ["999 B", "1.0 KB", "999.9 KB", "1.2 MB", "7.0 GB"])
  }
}
