import Testing

@testable import loadtest

@Suite("Load test: content checker")
struct ContentCheckerTests {
  @Test("a growing value must increase, must have been sent, and must end at the last answer")
  func growing() {
    var checker = ContentChecker(.growing, watcherCount: 2)
    for number in 1...3 { checker.send("a", number) }
    checker.see("a", 1, by: 0)
    checker.see("a", 3, by: 0)
    checker.see("a", 2, by: 1)
    checker.answer("a", 3)
    #expect(checker.wrongCount == 0)
    #expect(checker.staleCount(of: 0) == 0)
    #expect(checker.staleCount(of: 1) == 1)
    checker.see("a", 2, by: 0)
    #expect(checker.wrongCount == 1, "an older value after a newer one")
    checker.see("a", 4, by: 1)
    #expect(checker.wrongCount == 2, "a value that was never sent")
    checker.see("unknown", 4, by: 1)
    #expect(checker.wrongCount == 2)
  }

  @Test("a value that toggles must end as in the last answer")
  func toAndFro() {
    var checker = ContentChecker(.toAndFro, watcherCount: 1)
    for value in [1, 0] {
      checker.send("a", value)
      checker.answer("a", value)
      #expect(checker.staleCount(of: 0) == 1)
      checker.see("a", value, by: 0)
      #expect(checker.staleCount(of: 0) == 0)
    }
    #expect(checker.wrongCount == 0)
  }

  @Test("a value that never changes must be as it was sent")
  func fixed() {
    var checker = ContentChecker(.fixed, watcherCount: 1)
    checker.send("a", 7)
    checker.answer("a", 7)
    checker.see("a", 7, by: 0)
    #expect(checker.wrongCount == 0)
    checker.see("a", 8, by: 0)
    #expect(checker.wrongCount == 1)
    checker.forget("a")
    checker.see("a", 9, by: 0)
    #expect(checker.wrongCount == 1)
  }

  @Test(
    "timestamps are parsed as the server writes them",
    arguments: [
      ("1970-01-01T00:00:00.000Z", 0), ("2026-05-01T09:00:00.250Z", 1_777_626_000_250),
      ("2024-02-29T23:59:59.999Z", 1_709_251_199_999), ("2000-03-01T00:00:00.000Z", 951_868_800_000),
    ])
  func timestamps(text: String, milliseconds: Int64) {
    #expect(loadtest.milliseconds(ofTimestamp: Array(text.utf8).span) == milliseconds)
    #expect(timestamp(milliseconds) == text)
  }

  @Test(
    "a malformed timestamp is rejected",
    arguments: ["", "2026-05-01T09:00:00Z", "2026-05-01 09:00:00.250Z", "2026-05-01T09:00:00.25xZ"])
  func noTimestamp(text: String) {
    #expect(loadtest.milliseconds(ofTimestamp: Array(text.utf8).span) == nil)
  }
}
