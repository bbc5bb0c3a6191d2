import JSON
import Rooms
import TestSupport

/// A minimal model of the server for one client: rooms with versions, patches and receipts.
///
/// `put {id, key, value}` sets a value. It is refused for good if the value is `no`, and sometimes temporarily.
struct ModelServer {
  struct Room {
    var version: Int64 = 0
    var states: [JSON] = [[:]]
    /// The member `"result"` or `"error"` by number, with the call that it answers.
    var receipts: [Int64: (call: String, answer: JSON)] = [:]
    var mark: Int64 = 0
    /// Ids of calls in the order in which they took effect.
    var effects: [String] = []
    var isWatched = false

    var state: JSON { states[states.count - 1] }
  }

  var rooms: [String: Room]
  var random: SeededGenerator
  private(set) var refusedForNow = 0
  private(set) var repeated = 0

  init(rooms: [String], seed: UInt64) {
    self.rooms = Dictionary(uniqueKeysWithValues: rooms.map { ($0, Room()) })
    random = SeededGenerator(seed: seed)
  }

  mutating func disconnect() { for name in rooms.keys { rooms[name]?.isWatched = false } }

  /// Returns the server's messages in response to one message.
  mutating func receive(_ message: JSON) -> [JSON] {
    let parameters = message["params"] ?? [:]
    let name = parameters["room"]?.string ?? ""
    func reply(_ member: (String, JSON)) -> JSON {
      .object(["jsonrpc": "2.0", "id": message["id"] ?? .null, member.0: member.1])
    }
    switch message["method"]?.string {
    case "hello": return [reply(("result", CoreUnderTest.greeting(rooms: rooms.keys.sorted().map(JSON.string))))]
    case "room.subscribe": return [reply(("result", subscribe(name, parameters)))]
    case "put":
      let (told, answer) = put(name, parameters)
      return told + [reply(answer)]
    default: return [reply(("error", ["code": -32601, "message": "?", "data": [:]]))]
    }
  }

  private mutating func subscribe(_ name: String, _ parameters: JSON) -> JSON {
    guard var room = rooms[name] else { return [:] }
    room.isWatched = true
    rooms[name] = room
    var result: [String: JSON] = [
      "room": .string(name), "epoch": "e", "version": .number(.init(Int(room.version))), "live": [:],
      "seq": .number(.init(Int(room.mark))),
    ]
    // Sometimes the server no longer has the patches since this version.
    if parameters["epoch"] == "e", let version = parameters["version"]?.int, random.next() % 4 != 0 {
      result["from"] = .number(.init(version))
      result["patch"] = MergePatch.diff(from: room.states[version], to: room.state) ?? [:]
    } else {
      result["state"] = room.state
      result["reason"] = "tooOld"
    }
    return .object(result)
  }

  private mutating func put(_ name: String, _ parameters: JSON) -> ([JSON], (String, JSON)) {
    guard var room = rooms[name], let number = parameters["seq"]?.int.map(Int64.init) else {
      return ([], ("error", Self.refusal(3, "room")))
    }
    if let answered = parameters["answered"]?.int {
      room.receipts = room.receipts.filter { $0.key > answered }
      rooms[name] = room
    }
    let call = "\(parameters["id"]?.string ?? "") \(parameters["value"]?.text ?? "")"
    if let receipt = room.receipts[number] {
      repeated += 1
      guard receipt.call == call else { return ([], ("error", Self.refusal(4, "reused"))) }
      return ([], receipt.answer["error"].map { ("error", $0) } ?? ("result", receipt.answer["result"] ?? [:]))
    }
    if number <= room.mark { return ([], ("error", Self.refusal(4, "skipped"))) }
    if random.next() % 12 == 0 {
      refusedForNow += 1
      let delay = Int(random.next() % 3000)
      return ([], ("error", Self.refusal(7, "busy", retryAfter: delay)))
    }
    let isRefused = parameters["value"] == "no"
    var told: [JSON] = []
    let answer: (String, JSON)
    if isRefused {
      answer = ("error", Self.refusal(2, "forbidden"))
    } else {
      told = change(&room, name, ["n": [parameters["key"]?.string ?? "": parameters["value"] ?? .null]])
      room.effects.append(parameters["id"]?.string ?? "")
      answer = ("result", ["version": .number(.init(Int(room.version)))])
    }
    room.mark = number
    room.receipts[number] = (call, .object([answer.0: answer.1]))
    while room.receipts.count > 64, let oldest = room.receipts.keys.min() { room.receipts[oldest] = nil }
    rooms[name] = room
    return (told, answer)
  }

  /// Applies a change of another client.
  mutating func otherChange(in name: String, _ patch: JSON) -> [JSON] {
    guard var room = rooms[name] else { return [] }
    defer { rooms[name] = room }
    return change(&room, name, patch)
  }

  private func change(_ room: inout Room, _ name: String, _ patch: JSON) -> [JSON] {
    room.states.append(MergePatch.apply(patch, to: room.state))
    room.version += 1
    guard room.isWatched else { return [] }
    return [
      [
        "jsonrpc": "2.0", "method": "room.patch",
        "params": [
          "room": .string(name), "from": .number(.init(Int(room.version) - 1)),
          "version": .number(.init(Int(room.version))), "at": .string("\(Sample.at)"), "patch": patch,
        ],
      ]
    ]
  }

  private static func refusal(_ code: Int, _ reason: String, retryAfter: Int? = nil) -> JSON {
    var data: [String: JSON] = ["reason": .string(reason)]
    if let retryAfter {
      data["temporary"] = true
      data["retryAfter"] = .number(.init(retryAfter))
    }
    return ["code": .number(.init(code)), "message": "No.", "data": .object(data)]
  }
}
