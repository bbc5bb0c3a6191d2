import HearthClient
import JSON
import Rooms

/// The invariants that are checked at every step (RELIABILITY B: I1 to I12).
extension World {
  /// A marker in texts of a household, which identifies them wherever they appear.
  static func marker(of room: String) -> String? {
    guard room.hasPrefix("household/"), !room.hasSuffix("/mine") else { return nil }
    return "h!" + room.dropFirst(10).prefix(8) + "!"
  }

  /// Checks that nothing of a household reaches a person who never asked to join it, or who has left it (I8, I9).
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
        violate("I8", "client \(client) received data of \(short), of which its owner was never a member")
      }
    }
    for (room, since) in left where person.askingCount == 0 && person.askedAt < since {
      let beginning = #"{"jsonrpc":"2.0","method":"room.patch","params":{"room":"\#(room)""#
      if text.starts(with: Array(beginning.utf8)) {
        violate("I9", "client \(client) received a patch of \(room) after it had left")
      }
    }
  }

  /// Checks that a position is sent only to persons with whom it is shared at that moment (F7).
  ///
  /// The moment is that at which the server composes the message. If the client does not read, the message may wait
  /// behind others until long after the share is over, and tells a position of before.
  func checkPositions(in text: [UInt8], heardBy client: SimulatedClient) {
    let beginning = Array(#""lat":"#.utf8)
    var start = 0
    while let range = text.range(of: beginning, from: start) {
      start = range.upperBound
      let decimals = text[start...].prefix { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "}") }
        .drop { $0 != UInt8(ascii: ".") }
      // Only reported positions have five decimals; places have fewer.
      guard decimals.count == 6, let last = decimals.last else { continue }
      guard let sharer = people.first(where: { $0.mark == Int(last) - 48 }), sharer !== client.person else { continue }
      positionCount += 1
      let receiver = client.person.id.description
      if !disk.journal.audiences.maySee(receiver, where: sharer.id.description, at: client.composedAt) {
        let beginning = String(decoding: text.prefix(300), as: UTF8.self)
        violate("F7", "client \(client.number) received the position of person \(sharer.number): \(beginning)")
      }
    }
  }

  /// Checks that a client's document equals the log, and was on disk before it was sent (I4, I6, I12).
  ///
  /// - Parameter isWhole: whether the server has just sent the whole state.
  func saw(_ snapshot: RoomSnapshot, of room: String, isWhole: Bool, by client: SimulatedClient) {
    guard let id = RoomID(name: room, caller: client.person.id) else { return violate("I6", "unknown room \(room)") }
    let journal = disk.journal
    if case .share = id, !journal.audiences.was(client.person.id.description, in: id) {
      violate("F7", "client \(client.number) received \(room), of which its owner was never a member")
    }
    guard !journal.wasErased(id) else { return }
    guard let moment = journal.moment(of: id, snapshot.version) else {
      return violate("I12", "client \(client.number) received \(room) at \(snapshot.version), which is not on disk")
    }
    if moment.at > client.sentAt {
      violate("I12", "client \(client.number) received \(room) at \(snapshot.version) before it was on disk")
    }
    checkBooks(in: snapshot.state, of: room)
    // Sample patches: comparing takes longer than everything else, and a wrong document stays wrong.
    guard isWhole || random.chance(10) else { return }
    if moment.state.withoutEmptyMaps != snapshot.state.withoutEmptyMaps {
      let difference = MergePatch.diff(from: moment.state, to: snapshot.state) ?? [:]
      violate("I6", "client \(client.number) has a wrong \(room) at \(snapshot.version): \(difference.text)")
    }
  }

  /// Checks that the balances of each currency add up to 0, and to what the debts come to (R-MONEY, BIL-23).
  private func checkBooks(in state: JSON, of room: String) {
    guard let balances = state["balances"]?.object else { return }
    var owed: [String: [String: Int]] = [:]
    for debt in (state["debts"]?.object ?? [:]).values {
      let (currency, amount) = (debt["currency"]?.string ?? "", debt["amount"]?.int ?? 0)
      owed[currency, default: [:]][debt["from"]?.string ?? "", default: 0] -= amount
      owed[currency, default: [:]][debt["to"]?.string ?? "", default: 0] += amount
    }
    for (currency, row) in balances {
      let people = (row["people"]?.object ?? [:]).compactMapValues(\.int)
      let nets = (owed[currency] ?? [:]).filter { $0.value != 0 }
      if people.values.reduce(0, +) != 0 || people != nets {
        violate("R-MONEY", "the books of \(room) do not add up: \(people) for \(nets)")
      }
    }
  }

  /// Checks that an answered call has its receipt on disk, with this answer (I1, I2, I12).
  func acknowledged(_ call: Journal.Call, _ operation: Operation, _ answer: JSON, by client: SimulatedClient) {
    guard operation.isMutation else { return }
    if Consents.takesOut(operation), let room = operation.room.flatMap({ RoomID(name: $0, caller: client.person.id) }),
      let version = disk.journal.versions[room],
      disk.journal.moment(of: room, version)?.state["receivers"]?[client.person.id.description] != nil
    {
      violate("F7", "client \(client.number) left \(room.text), of which its owner is a receiver as before")
    }
    guard let receipt = disk.journal.receipts[call] else {
      return violate("I1", "\(operation.method) was acknowledged to client \(client.number) but is not on disk")
    }
    if receipt.at > client.sentAt {
      violate("I12", "\(operation.method) was acknowledged to client \(client.number) before it was on disk")
    }
    // An answer that contains a secret is sealed on disk.
    guard let written = receipt.answer, written["result"] != nil || written["error"] != nil else { return }
    if written["result"] != answer {
      violate("I2", "\(operation.method) was answered \(answer.text), but \(written.text) is on disk")
    }
  }
}

extension JSON {
  /// The document without empty maps, in rows too, which count as absent (protocol.md).
  var withoutEmptyMaps: JSON {
    guard let object else { return self }
    return .object(object.mapValues(\.withoutEmptyMaps).filter { $0.value != [:] })
  }
}
