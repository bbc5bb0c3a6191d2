import JSON
import Rooms
import Testing

@testable import HearthClient

/// SYN-11: after a crash the queue's file is read up to its last whole line, and nothing else is read from it.
@Suite("Queue file")
struct QueueLogTests {
  static let records: [[QueueRecord]] = [
    [.owner(QueueOwner(client: ServerConnectionTests.installation, person: Sample.ana, tokenHash: "h"), next: 7)],
    [
      .asked(
        QueuedChange(id: 7, method: "notes.add", parameters: ["text": "Zeile\nzwei é"], room: "me", patch: ["a": 1]),
        number: 7, at: Sample.at),
      .asked(QueuedChange(id: 8, method: "m", parameters: [:], room: nil), number: 8, at: Sample.at),
    ],
    [.renumbered(from: 7, to: 9)], [.done(8)],
  ]

  @Test("a queue file is read back as it was written")
  func roundTrip() throws {
    let file = Self.records.flatMap(QueueLog.line)
    let (records, isTorn) = try QueueLog.read(file)
    #expect(records == Array(Self.records.joined()) && !isTorn)
    let queue = ChangeQueue(records, new: CoreUnderTest.owner)
    #expect(queue.owner == QueueOwner(client: ServerConnectionTests.installation, person: Sample.ana, tokenHash: "h"))
    #expect(queue.next == 10)
    #expect(queue.entries.map(\.number) == [9])
    #expect(queue.entries.map(\.change.id) == [7])
    let again = try QueueLog.read(queue.wholeFile).records
    #expect(ChangeQueue(again, new: CoreUnderTest.owner).entries.map(\.number) == [9])
  }

  @Test("a file torn at any byte has the whole lines before that byte and no others")
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

  @Test("a last line whose blocks never reached the disk is cut off")
  func zeros() throws {
    var file = Self.records.flatMap(QueueLog.line)
    for index in (file.count - 12)..<(file.count - 4) { file[index] = 0 }
    let (records, isTorn) = try QueueLog.read(file)
    #expect(records == Array(Self.records.dropLast().joined()) && isTorn)
  }

  @Test("a changed byte before the last line is detected, and the file is rejected")
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
