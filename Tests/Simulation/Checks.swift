import HearthClient
import JSON
import Rooms

/// What must hold at every step (RELIABILITY B: I1 to I12).
extension World {
  /// A mark in texts of a household, by which they are known wherever they turn up.
  static func marker(of room: String) -> String? {
    guard room.hasPrefix("household/"), !room.hasSuffix("/mine") else { return nil }
    return "h!" + room.dropFirst(10).prefix(8) + "!"
  }

  /// Nothing of a household reaches anybody who has never asked to be let in, or who has left (I8, I9).
  func check(_ text: [UInt8], isFor person: SimulatedPerson, left: [String: Duration], client: Int) {
    let mark = Array("h!".utf8)
    var known: Set<String> = []
    var start = 0
    while let range = text.range(of: mark, from: start) {
      start = range.upperBound
      guard start + 8 < text.count, text[start + 8] == UInt8(ascii: "!") else { continue }
      let short = String(decoding: text[start..<start + 8], as: UTF8.self)
      guard known.insert(short).inserted else { continue }
      if !person.households.contains(where: { $0.hasPrefix(short) }) {
        violate("I8", "client \(client) was told of \(short), where its owner never was")
      }
    }
    for (room, since) in left where person.askingCount == 0 && person.askedAt < since {
      let beginning = #"{"jsonrpc":"2.0","method":"room.patch","params":{"room":"\#(room)""#
      if text.starts(with: Array(beginning.utf8)) {
        violate("I9", "client \(client) was told of \(room) after it had left")
      }
    }
  }

  /// Where somebody is, nobody hears but those with whom he shares it at that moment (F7).
  func checkPositions(in text: [UInt8], heardBy client: SimulatedClient) {
    let beginning = Array(#""lat":"#.utf8)
    var start = 0
    while let range = text.range(of: beginning, from: start) {
      start = range.upperBound
      let decimals = text[start...].prefix { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "}") }
        .drop { $0 != UInt8(ascii: ".") }
      // Without five of them it is no report's: a place, say.
      guard decimals.count == 6, let last = decimals.last else { continue }
      guard let sharer = people.first(where: { $0.mark == Int(last) - 48 }), sharer !== client.person else { continue }
      positionCount += 1
      let receiver = client.person.id.description
      if !disk.journal.audiences.maySee(receiver, where: sharer.id.description, at: client.sentAt) {
        let beginning = String(decoding: text.prefix(300), as: UTF8.self)
        violate("F7", "client \(client.number) was told where person \(sharer.number) is: \(beginning)")
      }
    }
  }

  /// What a phone shows is what the log says, and was on disk before it was sent (I4, I6, I12).
  ///
  /// - Parameter isWhole: whether the server has sent all of it just now.
  func saw(_ snapshot: RoomSnapshot, of room: String, isWhole: Bool, by client: SimulatedClient) {
    guard let id = RoomID(name: room, caller: client.person.id) else { return violate("I6", "there is no \(room)") }
    let journal = disk.journal
    if case .share = id, !journal.audiences.was(client.person.id.description, in: id) {
      violate("F7", "client \(client.number) is shown \(room), where its owner never was")
    }
    guard !journal.wasErased(id) else { return }
    guard let moment = journal.moment(of: id, snapshot.version) else {
      return violate("I12", "client \(client.number) was told of \(room) at \(snapshot.version), which is not on disk")
    }
    if moment.at > client.sentAt {
      violate("I12", "client \(client.number) was told of \(room) at \(snapshot.version) before it was on disk")
    }
    // To compare takes longer than all else; what is wrong once stays wrong.
    guard isWhole || random.chance(10) else { return }
    if moment.state.withoutEmptyTables != snapshot.state.withoutEmptyTables {
      let difference = MergePatch.diff(from: moment.state, to: snapshot.state) ?? [:]
      violate("I6", "client \(client.number) shows another \(room) at \(snapshot.version): \(difference.text)")
    }
  }

  /// A call that was answered has left its mark on disk, with this answer (I1, I2, I12).
  func acknowledged(_ call: Journal.Call, _ operation: Operation, _ answer: JSON, by client: SimulatedClient) {
    guard operation.isMutation else { return }
    guard let receipt = disk.journal.receipts[call] else {
      return violate("I1", "\(operation.method) was acknowledged to client \(client.number), and is not on disk")
    }
    if receipt.at > client.sentAt {
      violate("I12", "\(operation.method) was acknowledged to client \(client.number) before it was on disk")
    }
    // An answer with a secret in it is sealed.
    guard let written = receipt.answer, written["result"] != nil || written["error"] != nil else { return }
    if written["result"] != answer {
      violate("I2", "\(operation.method) was answered \(answer.text), but \(written.text) is on disk")
    }
  }
}

extension JSON {
  /// An empty table and none are the same (protocol.md).
  var withoutEmptyTables: JSON { .object((object ?? [:]).filter { $0.value != [:] }) }
}
