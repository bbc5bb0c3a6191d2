import Testing

@testable import loadtest

@Suite("Load test: relay checker")
struct RelayCheckerTests {
  @Test("a message is complete when all receivers have it, in any order")
  func complete() {
    var checker = RelayChecker(receivers: 2, senders: 2)
    func receive(_ number: Int, from sender: Int, by receiver: Int) -> Bool {
      checker.receive(number, from: sender, by: receiver)
    }
    let numbers = [checker.send(from: 0), checker.send(from: 0), checker.send(from: 1)]
    #expect(numbers == [1, 2, 1])
    #expect(checker.underwayCount == 6)
    #expect(!receive(1, from: 0, by: 0))
    #expect(!receive(2, from: 0, by: 0))
    #expect(receive(1, from: 0, by: 1))
    #expect(receive(2, from: 0, by: 1))
    #expect(!receive(1, from: 1, by: 1))
    #expect(receive(1, from: 1, by: 0))
    #expect(checker.underwayCount == 0)
    #expect(checker.missingCount + checker.twiceCount + checker.disorderCount + checker.strangeCount == 0)
  }

  @Test("messages that are missing, repeated, late or never sent are counted")
  func faults() {
    var checker = RelayChecker(receivers: 1, senders: 1)
    func receive(_ number: Int, from sender: Int = 0) -> Bool { checker.receive(number, from: sender, by: 0) }
    for _ in 1...5 { _ = checker.send(from: 0) }
    #expect(receive(1))
    #expect(!receive(1))
    #expect(checker.twiceCount == 1)
    #expect(receive(4))
    #expect(checker.missingCount == 2)
    #expect(!receive(3))
    #expect(checker.disorderCount == 1)
    #expect(!receive(6), "not sent yet")
    #expect(!receive(1, from: 1), "no such sender")
    #expect(checker.strangeCount == 2)
    #expect(checker.underwayCount == 1)
  }
}

@Suite("Load test: relay messages")
struct RelayMessageTests {
  @Test("a message has the requested length and identifies itself", arguments: [64, 200])
  func text(length: Int) {
    let message = RelayMessage(sender: 0, number: 1_234_567, due: 9_876_543_210_123)
    let text = message.encoded(length: length)
    #expect(text.count == length)
    #expect(RelayMessage(text.span) == message)
  }

  @Test(
    "a malformed message is rejected",
    arguments: ["", "1 2 3", "1 2 x ", "1  2 3 ", "-1 2 3 ", "1 2 99999999999999999999 "])
  func noMessage(text: String) {
    #expect(RelayMessage(Array(text.utf8).span) == nil)
  }
}
