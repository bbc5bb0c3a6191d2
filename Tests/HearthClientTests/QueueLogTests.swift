import JSON
import Rooms
import Testing

@testable import HearthClient

/// SYN-11: what a crash leaves of the queue's file is read as far as it is whole, and never as anything else.
@Suite("Queue file")
struct QueueLogTests {
  static let records: [[QueueRecord]] = [
    [.owner(QueueOwner(client: ServerConnectionTests.installation, person: Said.ana, tokenHash: "h"), next: 7)],
    [
      .asked(
        QueuedChange(id: 7, method: "notes.add", parameters: ["text": "Zeile\nzwei é"], room: "me", patch: ["a": 1]),
        number: 7, at: Said.at),
      .asked(QueuedChange(id: 8, method: "m", parameters: [:], room: nil), number: 8, at: Said.at),
    ],
    [.renumbered(from: 7, to: 9)], [.done(8)],
  ]

  @Test("is read as it was written")
  func roundTrip() throws {
    let file = Self.records.flatMap(QueueLog.line)
    let (records, isTorn) = try QueueLog.read(file)
    #expect(records == Array(Self.records.joined()) && !isTorn)
    let queue = ChangeQueue(records, new: Script.owner)
    #expect(queue.owner == QueueOwner(client: ServerConnectionTests.installation, person: Said.ana, tokenHash: "h"))
    #expect(queue.next == 10)
    #expect(queue.entries.map(\.number) == [9])
    #expect(queue.entries.map(\.change.id) == [7])
    let again = try QueueLog.read(queue.wholeFile).records
    #expect(ChangeQueue(again, new: Script.owner).entries.map(\.number) == [9])
  }

  @Test("torn at any byte it has the whole lines before that, and no others")
  func torn() throws {
    let lines = Self.records.map(QueueLog.line)
    let file = Array(lines.joined())
    for length in 0...file.count {
      var wholeLines = 0
      var end = 0
      while wholeLines < lines.count, end + lines[wholeLines].count <= length {
        end += lines[wholeLines].count
        wholeLines += 1
      }
      let (records, isTorn) = try QueueLog.read(Array(file.prefix(length)))
      #expect(records == Array(Self.records.prefix(wholeLines).joined()))
      #expect(isTorn == (end != length))
    }
  }

  @Test("a last line of which blocks never came to the disk is cut, as one that is short")
  func zeros() throws {
    var file = Self.records.flatMap(QueueLog.line)
    for index in (file.count - 12)..<(file.count - 4) { file[index] = 0 }
    let (records, isTorn) = try QueueLog.read(file)
    #expect(records == Array(Self.records.dropLast().joined()) && isTorn)
  }

  @Test("any change of a byte before the last line is noticed, and refused rather than guessed at")
  func damaged() throws {
    let lines = Self.records.map(QueueLog.line)
    let file = Array(lines.joined())
    let error = FileError(name: "queue", reason: .damaged)
    for index in 0..<(file.count - lines[3].count - lines[2].count) {
      var changed = file
      changed[index] ^= 0x21
      #expect(throws: error) { try QueueLog.read(changed) }
    }
  }
}
