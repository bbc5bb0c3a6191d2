import Foundation
import JSON
import Rooms
import Testing

@testable import HearthClient

/// SYN-2, SYN-3, SYN-10, SYN-11: the scripts of the browser's client library are played to this client too.
///
/// `Tests/Web/unit/scripts_test.js` says what the steps mean. Where the two clients differ by nature, a script says
/// `only: "browser"`, and it is left out here.
@Suite("Scripts of both client libraries")
struct ScriptTests {
  struct Script: CustomTestStringConvertible, Sendable {
    var title: String
    var steps: [JSON]
    var isNew: Bool
    var changeLimit: Int?

    var testDescription: String { title }
  }

  private static let folder = URL(filePath: #filePath).appending(path: "../../Web/scripts").standardized

  /// Each script once for each of its cases.
  static let scripts = ["changes", "ownership", "reconnecting", "rooms"].flatMap { name in
    let text = try? String(contentsOf: folder.appending(path: "\(name).json"), encoding: .utf8)
    let scripts = text.flatMap { try? JSON.parse(named($0)).array } ?? []
    return scripts.filter { $0["only"] == nil }.flatMap(cases)
  }

  private static func cases(of script: JSON) -> [Script] {
    let cases = script["cases"]?.array ?? [[:]]
    return cases.map { members in
      Script(
        title: (script["title"]?.string ?? "") + (cases.count > 1 ? ": \(members)" : ""),
        steps: script["steps"]?.array?.map { fill($0, members) } ?? [], isNew: script["from"] == "new",
        changeLimit: script["queue"]?["changes"]?.int)
    }
  }

  /// Puts ids and times in the places of their names.
  private static func named(_ text: String) -> String {
    [
      "HOUSE": CoreUnderTest.house, "ANA": "\(Sample.ana)", "BO": "b0000000-0000-4000-8000-000000000001",
      "CLIENT": "\(CoreUnderTest.owner.client)", "NOW": "\(Sample.at)",
    ].reduce(text) { $0.replacing("\"\($1.key)\"", with: "\"\($1.value)\"") }
  }

  /// Puts the members of a case in the places of their names.
  private static func fill(_ value: JSON, _ members: JSON) -> JSON {
    switch value {
    case .string(let text) where text.hasPrefix("$"): members[String(text.dropFirst())] ?? .null
    case .array(let items): .array(items.map { fill($0, members) })
    case .object(let object): .object(object.mapValues { fill($0, members) })
    default: value
    }
  }

  @Test("a client does what the script says", arguments: scripts)
  func script(_ script: Script) throws {
    let replay = try Replay(script)
    for (index, step) in script.steps.enumerated() {
      try replay.carryOut(step, "step \(index + 1): \(step)")
      replay.look()
    }
  }

  @Test("all scripts are found")
  func found() { #expect(Self.scripts.count > 60, "\(Self.scripts.count)") }
}

/// A client that lives through a script.
private final class Replay {
  private var client: CoreUnderTest
  private var calls: [String: JSON] = [:]
  private var (outputs, settled, called): ([String], [String], [String]) = ([], [], [])

  init(_ script: ScriptTests.Script) throws {
    var limits = ChangeQueue.Limits()
    if let most = script.changeLimit { limits.changes = most }
    client = try CoreUnderTest(limits: limits)
    guard !script.isNew else { return }
    try client.connect()
    try client.follow()
    _ = client.take()
  }

  /// Notes what the client has put out.
  func look() {
    for output in client.take() {
      switch output {
      case .connect: outputs.append("connect")
      // To disconnect twice is to disconnect.
      case .disconnect where outputs.last != "disconnect": outputs.append("disconnect")
      case .wipe: outputs.append("wipe")
      case .room(_, .closed(let reason)): outputs.append("closed \(reason)")
      case .client(.answered): settled.append("ok")
      case .client(.refused(_, let error)): settled.append(error.word)
      case .called(_, .success): called.append("ok")
      case .called(_, .failure(let error)): called.append(error.word)
      default: break
      }
    }
  }

  func carryOut(_ step: JSON, _ place: String) throws {
    let words = step.object.map { Array($0.keys) } ?? []
    let verb = words.first { !Self.others.contains($0) } ?? words.first ?? ""
    guard let value = step[verb] else { throw ScriptError.noSuchStep(place) }
    if try !act(verb, value, step), try !check(verb, value, step, place) { throw ScriptError.noSuchStep(place) }
  }

  /// Words that stand beside a verb.
  private static let others: Set = ["as", "code", "data", "is", "kept", "reason", "result", "room", "token"]

  /// Something happens to the client.
  private func act(_ verb: String, _ value: JSON, _ step: JSON) throws -> Bool {
    switch verb {
    case "start": client.run { $0.start() }
    case "open": client.open()
    case "connect":
      client.run { $0.start() }
      client.open()
      try greet(value)
    case "greet": try greet(value)
    case "end":
      client.end(
        value["reason"] == "closed"
          ? .closedByServer(code: value["code"]?.int.map { UInt16($0) }, reason: "")
          : value["reason"] == "lost" ? .lost : .unreachable(.timedOut))
    case "say": client.send(value.merging(["jsonrpc": "2.0"]))
    case "patch":
      let parts = value.array ?? []
      client.patch(parts[2], from: parts[0].int ?? 0, version: parts[1].int ?? 0)
    case "answer": client.answer(try call(value), step["result"] ?? [:])
    case "refuse":
      client.refuse(
        try call(value), step["code"]?.int ?? 0, step["reason"]?.string ?? "", data: step["data"]?.object ?? [:])
    case "advance": client.advance(by: .milliseconds(value.int ?? 0))
    case "change": try change(value.array ?? [], step["is"]?.string)
    case "follow":
      let room = value.string ?? ""
      let kept = step["kept"].map {
        RoomSnapshot(
          epoch: $0["epoch"]?.string ?? "", version: Int64($0["version"]?.int ?? 0), state: $0["state"] ?? [:])
      }
      try client.run { try $0.follow(room, kept: kept ?? client.kept[room]) }
    case "unfollow": client.run { $0.unfollow(value.string ?? "") }
    case "ask":
      var parameters = value.array?.last?.object ?? [:]
      let room = parameters.removeValue(forKey: "room")?.string
      let method = value.array?.first?.string ?? ""
      do { try client.run { try $0.call(method, .object(parameters), room: room).outputs } } catch let error
        as ClientError
      {
        called.append(error.word)
      }
    case "disk": (client.isDiskSlow, client.isDiskFull) = (value == "slow", value == "full")
    case "write": client.write()
    case "reload":
      let next = try CoreUnderTest(token: value["token"]?.string ?? "", file: client.file, kept: client.kept)
      next.now = client.now
      client = next
    case "use": client.run { $0.use(token: value["token"]?.string ?? "") }
    case "woken": break
    default: return false
    }
    return true
  }

  private func greet(_ members: JSON) throws {
    let hello = try #require(try client.takeCalls().first { $0["method"] == "hello" })
    client.answer(hello, CoreUnderTest.greeting().merging(members))
  }

  private func call(_ name: JSON) throws -> JSON { try #require(calls[name.string ?? ""]) }

  private func change(_ parts: [JSON], _ refusal: String?) throws {
    var refused: String?
    let room = parts[2].string == "me" ? nil : parts[2].string
    let (method, patch) = (parts[0].string ?? "", parts[3] == .null ? nil : parts[3])
    let wall = Sample.at + client.now
    do {
      try client.run { try $0.change(method, parts[1], room: room, patch: patch, wall: wall).outputs }
    } catch let error as ClientError { refused = error.word }
    #expect(refused == refusal)
  }

  /// Something must be true of the client.
  private func check(_ verb: String, _ value: JSON, _ step: JSON, _ place: String) throws -> Bool {
    let words = value.array?.compactMap(\.string) ?? []
    switch verb {
    case "sent":
      let sent = try client.takeCalls()
      let wanted = value.array ?? []
      #expect(sent.map { $0["method"] } == wanted.map { $0["method"] }, "\(place)")
      #expect(sent.map { $0["params"] ?? [:] } == wanted.map { $0["params"] ?? [:] }, "\(place)")
      for (call, name) in zip(sent, wanted.map { $0["as"]?.string }) { if let name { calls[name] = call } }
    case "seqs":
      let sent = try client.takeCalls().filter { $0.seq != nil }
      #expect(sent.map { $0.seq } == value.array?.map(\.int), "\(place)")
      for call in sent { calls["#\(call.seq ?? 0)"] = call }
    case "outputs":
      #expect(outputs == words, "\(place)")
      outputs = []
    case "settled":
      #expect(settled == words, "\(place)")
      settled = []
    case "called":
      #expect(called == words, "\(place)")
      called = []
    case "phase": #expect(client.core.phase.word == value["name"]?.string, "\(place)")
    case "delay":
      guard case .waiting(let until) = client.core.phase else { throw ScriptError.noSuchStep("\(place): no delay") }
      let delay = until - client.now
      if let wanted = value["is"]?.int { #expect(delay == .milliseconds(wanted), "\(place)") }
      #expect(delay >= .milliseconds(value["atLeast"]?.int ?? 0), "\(place)")
      #expect(delay <= .milliseconds(value["atMost"]?.int ?? .max), "\(place)")
    case "notes": #expect(client.shown ?? .null == value, "\(place)")
    case "pending": #expect(client.document?.pending.count == value.int, "\(place)")
    case "status": #expect(client.document?.isCurrent == (value == "current"), "\(place)")
    case "onDisk":
      let records = try QueueLog.read(client.file).records
      let numbers = ChangeQueue(records, new: CoreUnderTest.owner, limits: .init()).entries.map { Int($0.number) }
      #expect(numbers == value.array?.compactMap(\.int), "\(place)")
    case "kept":
      #expect(client.kept.mapValues { JSON.number(.init(Int($0.version))) } == value.object, "\(place)")
    default: return false
    }
    return true
  }
}

private enum ScriptError: Error { case noSuchStep(String) }

extension JSON {
  /// This object with the members of another one.
  fileprivate func merging(_ other: JSON) -> JSON { .object((object ?? [:]).merging(other.object ?? [:]) { $1 }) }
}

extension ClientCore.Phase {
  fileprivate var word: String {
    switch self {
    case .idle: "idle"
    case .waiting: "waiting"
    case .connecting: "connecting"
    case .greeting: "greeting"
    case .ready: "ready"
    case .stopped: "stopped"
    }
  }
}

extension ClientError {
  /// The reason as the scripts call it.
  fileprivate var word: String {
    switch self {
    case .server(let error): error.reason
    case .sessionEnded("anotherPerson"): "anotherPerson"
    case .sessionEnded: "sessionEnded"
    case .outdated: "outdated"
    case .offline: "offline"
    case .lost: "lost"
    case .tooMuch: "tooMuch"
    case .closedByServer: "sessionEnded"
    default: "\(self)"
    }
  }
}
