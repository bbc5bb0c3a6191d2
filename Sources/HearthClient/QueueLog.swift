internal import Crypto
internal import JSON
internal import Rooms

/// A record in the queue's file, in order of time.
enum QueueRecord: Equatable {
  /// The owner of the queue: first in the file, and again after a change.
  case owner(QueueOwner, next: Int64)
  /// A change was queued under this number at this time.
  case asked(QueuedChange, number: Int64, at: Instant)
  /// A change got a new number, and comes after all others.
  case renumbered(from: Int64, to: Int64)
  /// A change has its final answer.
  case done(Int64)
}

/// The owner of the changes in a queue.
struct QueueOwner: Equatable {
  var client: ID<Client>
  /// `nil` until the server has identified the person.
  var person: ID<Person>?
  /// The hash of the token last used; an equal token means the same person.
  var tokenHash: String?
}

/// The format of the queue's file: lines of a checksum and a JSON array of records.
///
/// Each line is written and flushed as a whole, before the next one is begun. So only the last line can be torn by a
/// crash. Nothing in it has been shown or sent, and it is cut off. Any other unreadable line means that the file is
/// damaged.
enum QueueLog {
  static let file = "queue"
  private static let version = 1

  /// Encodes records as one line.
  static func line(_ records: [QueueRecord]) -> [UInt8] {
    let text = JSON.array(records.map(json)).bytes
    return Array(checksum(text[...]).utf8) + [UInt8(ascii: " ")] + text + [UInt8(ascii: "\n")]
  }

  private static func checksum(_ text: ArraySlice<UInt8>) -> String {
    Base64.url.encode(Array(SHA256.hash(Array(text)).prefix(9)))
  }

  /// Returns all readable records, and whether a torn line was cut off.
  static func read(_ bytes: [UInt8]) throws(FileError) -> (records: [QueueRecord], isTorn: Bool) {
    var records: [QueueRecord] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      let end = rest.firstIndex(of: UInt8(ascii: "\n"))
      let isLast = end == nil || end == rest.indices.last
      let line = rest[..<(end ?? rest.endIndex)]
      rest = rest[(end.map { $0 + 1 } ?? rest.endIndex)...]
      if end != nil, let found = read(line: line) {
        records += found
      } else if isLast {
        return (records, true)
      } else {
        throw FileError(name: file, reason: .damaged)
      }
    }
    return (records, false)
  }

  private static func read(line: ArraySlice<UInt8>) -> [QueueRecord]? {
    guard let blank = line.firstIndex(of: UInt8(ascii: " ")) else { return nil }
    let text = line[(blank + 1)...]
    guard checksum(text).utf8.elementsEqual(line[..<blank]),
      let items = (try? JSON.parse(Array(text), depthLimit: 64))?.array
    else { return nil }
    var records: [QueueRecord] = []
    for item in items {
      guard let record = record(item) else { return nil }
      records.append(record)
    }
    return records
  }

  private static func json(_ record: QueueRecord) -> JSON {
    switch record {
    case .owner(let owner, let next):
      var members: [String: JSON] = [
        "hearth": .number(.init(version)), "client": .string(owner.client.description), "next": number(next),
      ]
      members["person"] = owner.person.map { .string($0.description) }
      members["token"] = owner.tokenHash.map(JSON.string)
      return .object(members)
    case .asked(let change, let seq, let at):
      var members: [String: JSON] = [
        "seq": number(seq), "method": .string(change.method), "params": change.parameters, "at": .string("\(at)"),
      ]
      members["room"] = change.room.map(JSON.string)
      members["patch"] = change.patch
      return .object(members)
    case .renumbered(let old, let new): return ["renumbered": number(old), "to": number(new)]
    case .done(let seq): return ["done": number(seq)]
    }
  }

  private static func number(_ value: Int64) -> JSON { .number(JSON.Number(Int(value))) }

  private static func record(_ item: JSON) -> QueueRecord? {
    func integer(_ name: String) -> Int64? { item[name]?.int.map(Int64.init) }
    if item["hearth"]?.int == version, let client = item["client"]?.string.flatMap({ ID<Client>($0) }),
      let next = integer("next")
    {
      let person = item["person"]?.string.flatMap { ID<Person>($0) }
      return .owner(QueueOwner(client: client, person: person, tokenHash: item["token"]?.string), next: next)
    }
    if let seq = integer("seq"), let method = item["method"]?.string, let parameters = item["params"],
      parameters.object != nil, let at = item["at"]?.string.flatMap({ Instant($0) })
    {
      let change = QueuedChange(
        id: seq, method: method, parameters: parameters, room: item["room"]?.string, patch: item["patch"])
      return .asked(change, number: seq, at: at)
    }
    if let old = integer("renumbered"), let new = integer("to") { return .renumbered(from: old, to: new) }
    return integer("done").map { .done($0) }
  }
}
