import Testing

@testable import Rooms

@Suite("SYN-3 receipts")
struct ReceiptsTests {
  let client = ID<Client>(high: 4, low: 4)
  func call(_ number: Int64) -> CallKey { CallKey(person: ana, client: client, number: number) }
  let answer = Receipts.Answer.given(Array("\"result\":{}".utf8))

  @Test("the number of a call is new, repeated, reused or skipped")
  func findings() {
    var receipts = Receipts()
    #expect(receipts.find(call(3), hash: 1) == .new)
    receipts.add(call(3), hash: 1, at: time, answer: answer, answered: 0)
    #expect(receipts.find(call(3), hash: 1) == .repeated(Array("\"result\":{}".utf8)))
    #expect(receipts.find(call(3), hash: 2) == .reused)
    #expect(receipts.find(call(2), hash: 1) == .skipped)
    #expect(receipts.find(call(4), hash: 1) == .new)
    #expect(receipts.mark(person: ana, client: client) == 3)
  }

  @Test("SYN-3: a number up to `answered` is forgotten, never skipped")
  func answered() {
    var receipts = Receipts()
    for number in Int64(1)...5 { receipts.add(call(number), hash: 1, at: time, answer: answer, answered: number - 2) }
    #expect(receipts.find(call(3), hash: 1) == .forgotten, "it took effect, so nobody may send it under a new number")
    #expect(receipts.find(call(5), hash: 1) == .repeated(Array("\"result\":{}".utf8)))
  }

  @Test("at most 64 receipts of a client are kept", arguments: [63, 64, 65])
  func limit(count: Int) {
    var receipts = Receipts()
    for number in 1...count { receipts.add(call(Int64(number)), hash: 1, at: time, answer: answer, answered: 0) }
    let first = receipts.find(call(1), hash: 1)
    // A forgotten call must not pass for one without effect.
    #expect(first == (count <= 64 ? .repeated(Array("\"result\":{}".utf8)) : .forgotten))
    receipts.add(call(200), hash: 1, at: time, answer: answer, answered: 10)
    #expect(receipts.find(call(100), hash: 1) == .skipped && receipts.find(call(10), hash: 1) == .forgotten)
  }

  @Test("with more clients than may be connected, the receipts of the least recently used one are forgotten")
  func clients() throws {
    for (wanted, limit) in [(1, UInt64(16)), (16, 16), (40, 40)] {
      let room = makeBoard()
      room.remember(clientsPerPerson: wanted)
      func call(_ client: UInt64, _ number: Int64) -> CallKey {
        CallKey(person: ana, client: ID(high: 0, low: client), number: number)
      }
      for client in 1...limit + 1 {
        room.remember(call(client, 5), hash: 1, at: time + .seconds(Int(client)), answer: answer, answered: 0)
      }
      _ = room.sealed()
      let again = makeBoard()
      again.remember(clientsPerPerson: wanted)
      try again.restore(snapshot: room.snapshot(at: time).body, entries: [], live: nil, random: [], due: nil)
      for room in [room, again] {
        #expect(room.find(call(1, 5), hash: 1) == .forgotten, "it is not carried out again")
        #expect(room.find(call(1, 6), hash: 1) == .new)
        #expect(room.find(call(2, 5), hash: 1) == .repeated(Array("\"result\":{}".utf8)))
        #expect(room.find(call(2, 4), hash: 1) == .skipped)
        // A client that comes back is remembered again, except for its forgotten calls.
        room.remember(call(1, 7), hash: 1, at: time + .seconds(100), answer: answer, answered: 0)
        #expect(room.find(call(1, 7), hash: 1) == .repeated(Array("\"result\":{}".utf8)))
        #expect(room.find(call(1, 5), hash: 1) == .forgotten && room.find(call(1, 6), hash: 1) == .skipped)
        #expect(room.find(call(2, 5), hash: 1) == .forgotten, "that one's have made way for it")
      }
    }
  }

  @Test("SYN-3: the highest numbers of at most 256 clients of a person are kept")
  func marks() {
    var receipts = Receipts()
    func call(_ client: Int) -> CallKey { CallKey(person: ana, client: ID(high: 0, low: UInt64(client)), number: 1) }
    for client in 1...256 {
      receipts.add(call(client), hash: 1, at: time + .seconds(client), answer: answer, answered: 0)
    }
    #expect(receipts.find(call(1), hash: 1) == .forgotten)
    receipts.add(call(257), hash: 1, at: time + .seconds(257), answer: answer, answered: 0)
    #expect(receipts.find(call(1), hash: 1) == .new && receipts.find(call(2), hash: 1) == .forgotten)
  }

  @Test("SYN-3: at most 256 keys of a person are kept, independently of the clients")
  func keys() {
    var receipts = Receipts()
    func call(key number: Int) -> CallKey {
      CallKey(person: ana, client: ID(idempotencyKey: "key \(number)"), number: 1)
    }
    receipts.add(self.call(1), hash: 1, at: time, answer: answer, answered: 0)
    for number in 1...256 {
      receipts.add(call(key: number), hash: 1, at: time + .seconds(number), answer: answer, answered: 0)
    }
    #expect(receipts.find(call(key: 1), hash: 1) != .new && receipts.find(self.call(1), hash: 1) != .new)
    receipts.add(call(key: 257), hash: 1, at: time + .seconds(257), answer: answer, answered: 0)
    #expect(receipts.find(call(key: 1), hash: 1) == .new && receipts.find(call(key: 2), hash: 1) != .new)
    #expect(receipts.find(self.call(1), hash: 1) != .new)
    #expect(!self.call(1).client.isIdempotencyKey && call(key: 1).client.isIdempotencyKey)
  }

  @Test("a receipt is kept for 30 days")
  func age() {
    var receipts = Receipts()
    receipts.add(call(1), hash: 1, at: time, answer: answer, answered: 0)
    receipts.expire(at: time + .seconds(30 * 24 * 3600 - 1))
    #expect(receipts.find(call(1), hash: 1) != .new)
    receipts.add(call(2), hash: 1, at: time + .seconds(24 * 3600), answer: answer, answered: 0)
    receipts.expire(at: time + .seconds(30 * 24 * 3600))
    #expect(receipts.find(call(1), hash: 1) == .forgotten && receipts.find(call(2), hash: 1) != .forgotten)
    receipts.expire(at: time + .seconds(31 * 24 * 3600))
    #expect(receipts.find(call(1), hash: 1) == .new)
  }

  @Test("a pending call is completed once")
  func pending() {
    var receipts = Receipts()
    receipts.add(call(1), hash: 1, at: time, answer: .pending, answered: 0)
    #expect(receipts.find(call(1), hash: 1) == .pending)
    let completed = [receipts.complete(call(1), with: [1]), receipts.complete(call(1), with: [2])]
    #expect(completed == [true, false])
    #expect(receipts.find(call(1), hash: 1) == .repeated([1]))
  }
}
