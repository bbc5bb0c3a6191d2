import Crypto
import Foundation
import HTTP
import JSON
import Platform
import Rooms
import TestSupport
import Testing
import Transport
import WebSocket

/// A refusal as on the wire.
struct WireError: Error, Equatable, CustomStringConvertible {
  let error: JSON
  var code: Int? { error["code"]?.int }
  var reason: String? { error["data"]?["reason"]?.string }
  var fields: JSON? { error["data"]?["fields"] }
  var description: String { error.text }
}

/// A minimal client that exposes all messages in order, except presence and ticks, which arrive at unpredictable times
/// and are hidden by default.
final class TestClient: @unchecked Sendable {
  // @unchecked: one task of a test uses a client, and received messages are behind a lock.
  private struct Arrived {
    var messages: [JSON] = []
    var closeCode: UInt16??
    var hearsPresence = false
    var hearsTicks = false
    /// The number of all received messages.
    var count = 0
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  /// The client's id in `hello`.
  var id = UUID().uuidString.lowercased()
  private var number = 0
  private let arrived = Locked(Arrived())
  private let wire: ClientWire
  static let patience = 30.0

  private init(wire: ClientWire) { self.wire = wire }

  static func connect(
    host: String = "127.0.0.1", port: UInt16, tls: TLSClient? = nil, headers: [String: String] = [:]
  ) async throws -> TestClient {
    let wire = try await ClientWire.open(host: host, port: port, tls: tls)
    let client = TestClient(wire: wire)
    try await wire.upgrade(headers: headers) { event in client.take(event) }
    return client
  }

  private func take(_ event: ClientWire.Event) {
    let waiting = arrived.withLock { arrived in
      arrived.count += 1
      switch event {
      case .message(let text):
        let message = (try? JSON.parse(text)) ?? .null
        let isHidden =
          !arrived.hearsPresence && message.isOfPresence || !arrived.hearsTicks && message["method"] == "room.tick"
        if !isHidden { arrived.messages.append(message) }
      case .closed(let code): if arrived.closeCode == nil { arrived.closeCode = .some(code) }
      }
      defer { arrived.waiting = [] }
      return arrived.waiting
    }
    for continuation in waiting { continuation.resume() }
  }

  // MARK: sending

  func send(_ text: String) { send([text]) }
  /// Sends messages as one piece.
  func send(_ texts: [String]) { wire.send(texts.flatMap { Frame.text($0, mask: 0x1234_5678) }) }
  func send(bytes: [UInt8]) { wire.send(bytes) }
  func flush() async { await wire.flush() }
  func drop() { wire.drop() }
  func pauseReading(_ isPaused: Bool) { wire.pauseReading(isPaused) }

  /// Calls a method and waits for its answer; throws a refusal.
  @discardableResult
  func call(_ method: String, _ parameters: [String: JSON] = [:]) async throws -> JSON {
    number += 1
    let id = number
    post(method, parameters, id: id)
    let answer = try await next { $0["id"]?.int == id }
    if let error = answer["error"] { throw WireError(error: error) }
    return try #require(answer["result"])
  }

  /// Sends a call without waiting.
  func post(_ method: String, _ parameters: [String: JSON], id: Int) {
    send(Self.message(method, parameters, id: id))
  }

  static func message(_ method: String, _ parameters: [String: JSON], id: Int) -> String {
    let message: JSON = .object([
      "jsonrpc": "2.0", "id": .number(JSON.Number(id)), "method": .string(method), "params": .object(parameters),
    ])
    return message.text
  }

  /// Makes a call that must be refused and returns the refusal.
  func refusal(_ method: String, _ parameters: [String: JSON] = [:]) async throws -> WireError {
    do {
      let result = try await call(method, parameters)
      throw Unexpected("\(method) was not refused: \(result.text)")
    } catch let error as WireError { return error }
  }

  // MARK: receiving

  /// Stops hiding messages about presence.
  func hearPresence() { arrived.withLock { $0.hearsPresence = true } }

  /// Stops hiding ticks.
  func hearTicks() { arrived.withLock { $0.hearsTicks = true } }

  /// The next message that `isWanted` accepts; other messages stay in the queue.
  func next(_ isWanted: (JSON) -> Bool = { _ in true }) async throws -> JSON {
    let deadline = Date().addingTimeInterval(Self.patience)
    while true {
      let (found, isClosed, count) = arrived.withLock { arrived -> (JSON?, Bool, Int) in
        let found = arrived.messages.firstIndex(where: isWanted).map { arrived.messages.remove(at: $0) }
        return (found, arrived.closeCode != nil, arrived.count)
      }
      if let found { return found }
      if isClosed { throw Unexpected("closed while waiting, with \(String(describing: closeCodeNow))") }
      if Date() > deadline { throw Unexpected("no such message arrived; there are \(messagesNow.map(\.text))") }
      await wait(until: deadline, unlessCountIsNot: count)
    }
  }

  /// The next notification of a method.
  func notification(_ method: String, where isWanted: (JSON) -> Bool = { _ in true }) async throws -> JSON {
    if method == "room.tick" { hearTicks() }
    let message = try await next { $0["method"]?.string == method && isWanted($0["params"] ?? .null) }
    let parameters = try #require(message["params"])
    let problems = SchemaCheck.problems(ofNotification: method, parameters)
    #expect(problems.isEmpty)
    return parameters
  }

  /// The code of the close frame; within, `nil` for a close without one.
  func closeCode() async throws -> UInt16? {
    let deadline = Date().addingTimeInterval(Self.patience)
    while true {
      let (closed, count) = arrived.withLock { ($0.closeCode, $0.count) }
      if let code = closed { return code }
      if Date() > deadline { throw Unexpected("the connection was not closed; there are \(messagesNow.map(\.text))") }
      await wait(until: deadline, unlessCountIsNot: count)
    }
  }

  /// Waits until everything that the server has sent so far has arrived, using that it answers in order.
  func fence() async throws {
    let refusal = try await refusal("no.suchMethod")
    #expect(refusal.code == -32601 || refusal.code == 1)
  }

  /// Removes received messages.
  func forget(where isUnwanted: (JSON) -> Bool = { _ in true }) {
    arrived.withLock { arrived in arrived.messages.removeAll(where: isUnwanted) }
  }

  var messagesNow: [JSON] { arrived.withLock { $0.messages } }
  private var closeCodeNow: UInt16?? { arrived.withLock { $0.closeCode } }

  /// Sleeps until a message arrives; returns at once if one has arrived since the count was taken.
  private func wait(until deadline: Date, unlessCountIsNot count: Int) async {
    let timer = Task {
      try? await Task.sleep(for: .seconds(max(0, deadline.timeIntervalSinceNow)))
      self.wake()
    }
    await withCheckedContinuation { continuation in
      let isNew = arrived.withLock { arrived in
        if arrived.count == count { arrived.waiting.append(continuation) }
        return arrived.count != count
      }
      if isNew { continuation.resume() }
    }
    timer.cancel()
  }

  private func wake() {
    let waiting = arrived.withLock { arrived in
      arrived.count += 1
      defer { arrived.waiting = [] }
      return arrived.waiting
    }
    for continuation in waiting { continuation.resume() }
  }
}

extension JSON {
  /// Whether the message is only about presence.
  fileprivate var isOfPresence: Bool {
    self["method"] == "room.live" && self["params"]?["patch"]?.object?.keys.elementsEqual(["presence"]) == true
  }
}
