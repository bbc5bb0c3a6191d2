import JSON
import Server
import Testing
import WebSocket

@testable import HearthCommand

@Suite("JSON-RPC on the wire")
struct WireTests {
  /// Starts a server with a client that has said hello, and a household.
  private func ready() async throws -> (TestServer, TestClient, String) {
    let server = try await TestServer.start()
    let (room, members) = try await server.household("Ana")
    try await members[0].call("room.unsubscribe", in: room)
    return (server, members[0].client, room)
  }

  @Test("invalid JSON is answered with -32700 and an invalid request with -32600, both with id null")
  func malformed() async throws {
    let (server, client, _) = try await ready()
    defer { server.end() }
    for text in [#"{"jsonrpc":"2.0","#, "", "hello", #"{"a":1,"a":2}"#, "[1,]", "nul", "\u{FEFF}{}", "{}{}"] {
      client.send(text)
      let answer = try await client.next()
      #expect(answer["error"]?["code"] == -32700 && answer["id"] == .null, "\(text)")
      #expect(answer["jsonrpc"] == "2.0" && answer["error"]?["data"]?["reason"] == "parseError")
    }
    for text in [
      "1", "null", #""hello""#, "{}", #"{"method":"hello"}"#, #"{"jsonrpc":"1.0","id":1,"method":"hello"}"#,
      #"{"jsonrpc":"2.0","id":1}"#, #"{"jsonrpc":"2.0","id":1,"method":7}"#,
      #"{"jsonrpc":"2.0","id":1,"method":"hello","params":[1]}"#,
      #"{"jsonrpc":"2.0","id":1,"method":"x","params":null}"#,
      #"{"jsonrpc":"2.0","id":{},"method":"x"}"#, #"{"jsonrpc":"2.0","id":true,"method":"x"}"#,
    ].prefix(11) {
      client.send(text)
      let answer = try await client.next()
      #expect(answer["error"]?["code"] == -32600 && answer["id"] == .null, "\(text)")
    }
  }

  @Test("after twenty malformed messages the next one closes the connection with 4105", arguments: [true, false])
  func tooManyErrors(isJSON: Bool) async throws {
    let (server, client, _) = try await ready()
    defer { server.end() }
    for _ in 1...20 {
      client.send(isJSON ? "{}" : "{")
      #expect(try await client.next()["error"] != nil)
    }
    // Other errors do not count.
    try await client.fence()
    client.send(isJSON ? "{}" : "{")
    #expect(try await client.closeCode() == 4105)
  }

  @Test("an id may be a string, a number or null, and is returned as it was written")
  func ids() async throws {
    let (server, client, _) = try await ready()
    defer { server.end() }
    for id in [
      "1", "-1", "1.50", "1e3", #""a""#, #""é\n\"""#, #""\u0041""#, "null",
      "\"" + String(repeating: "i", count: 126) + "\"",
    ] + (1...20).map({ "\"" + "abcdefghijklmnopqrst".prefix($0) + "\"" }) {
      client.send(#"{"jsonrpc":"2.0","id":\#(id),"method":"no.suchMethod"}"#)
      let answer = try await client.next()
      let expected = try JSON.parse(id)
      #expect(answer["id"] == expected, "\(id)")
      #expect(answer["error"]?["code"] == -32601)
    }
    client.send(#"{"jsonrpc":"2.0","id":"\#(String(repeating: "i", count: 127))","method":"no.suchMethod"}"#)
    #expect(try await client.next()["error"]?["code"] == -32600)
  }

  @Test("a notification takes effect and gets no answer, not even an error")
  func notifications() async throws {
    let (server, client, room) = try await ready()
    defer { server.end() }
    client.send(
      #"{"jsonrpc":"2.0","method":"notes.add","params":{"room":"\#(room)","text":"no answer wanted"}}"#)
    client.send(#"{"jsonrpc":"2.0","method":"notes.add","params":{"room":"\#(room)","text":""}}"#)
    client.send(#"{"jsonrpc":"2.0","method":"no.suchMethod"}"#)
    try await client.fence()
    let state = try await client.call("room.subscribe", ["room": .string(room)])
    #expect(client.messagesNow.isEmpty)
    #expect(state["state"]?["notes"]?.object?.count == 1)
  }

  @Test("an unknown method, an unknown field and an invalid room name are each reported")
  func unknown() async throws {
    let (server, client, room) = try await ready()
    defer { server.end() }
    let method = try await client.refusal("notes.burn", ["room": .string(room)])
    #expect(method.code == -32601 && method.reason == "methodNotFound")
    let field = try await client.refusal(
      "notes.add", ["room": .string(room), "text": "x", "color": "red", "__proto__": [:]])
    #expect(field.code == -32602 && field.fields?.object?.keys.sorted() == ["__proto__", "color"])
    let missing = try await client.refusal("notes.add", ["text": "x"])
    #expect(missing.fields?.object?.keys.sorted() == ["room"])
    let id = newID()
    for name: JSON in [
      "", "kitchen", "household", "household/", .string("household/\(id)/"), .string("household/\(id)/yours"),
      .string("household/\(id)/mine/x"), .string("Household/\(id)"), .string("household/{\(id)}"),
      .string("household/\(id.dropLast())"), "household/7", "share/", .string("share/\(id)/mine"), "me/", 7, .null,
      [:],
      .string(String(repeating: "m", count: 129)),
    ] {
      for method in ["notes.add", "room.subscribe", "room.unsubscribe", "activity.list"] {
        let refusal = try await client.refusal(
          method, method == "notes.add" ? ["room": name, "text": "x"] : ["room": name])
        #expect(refusal.code == -32602, "\(method) \(name.text)")
        #expect(refusal.fields?.object?.keys.sorted() == ["room"], "\(method) \(name.text)")
      }
    }
    // A room of another kind than the method needs.
    let kind = try await client.refusal("notes.add", ["room": "me", "text": "x"])
    #expect(kind.code == -32602 && kind.fields?["room"]?.string?.contains("household") == true)
  }

  // MARK: batches

  @Test("the calls of a batch are answered together, each with its id, and an empty batch is refused")
  func batches() async throws {
    let (server, client, _) = try await ready()
    defer { server.end() }
    for count in [1, 3] {
      let calls = (1...count).map { "{\"jsonrpc\":\"2.0\",\"id\":\($0),\"method\":\"no.suchMethod\"}" }
      client.send("[\(calls.joined(separator: ","))]")
      let answers = try #require(try await client.next().array)
      #expect(answers.compactMap { $0["id"]?.int }.sorted() == Array(1...count))
    }
    client.send("[]")
    let answer = try await client.next()
    #expect(answer["error"]?["code"] == -32600 && answer["id"] == .null)
  }

  @Test("a batch of calls, notifications and invalid requests gets an answer for each that needs one")
  func mixedBatch() async throws {
    let (server, client, room) = try await ready()
    defer { server.end() }
    let add = { (id: String, text: String) in
      "{\"jsonrpc\":\"2.0\",\(id)\"method\":\"notes.add\",\"params\":{\"room\":\"\(room)\",\"text\":\"\(text)\"}}"
    }
    client.send(
      "[\(add("\"id\":1,", "one")),\(add("", "two")),7,\(add("\"id\":\"x\",", "")),\(add("\"id\":2,", "three"))]")
    let answers = try #require(try await client.next().array)
    #expect(answers.count == 4)
    let one = answers.first { $0["id"] == 1 }
    let three = answers.first { $0["id"] == 2 }
    #expect(try #require(one?["result"]?["version"]?.int) + 2 == three?["result"]?["version"]?.int)
    #expect(answers.first { $0["id"] == "x" }?["error"]?["code"] == -32602)
    #expect(answers.first { $0["id"] == .null }?["error"]?["code"] == -32600)
    // A batch of notifications only gets no answer.
    client.send("[\(add("", "four")),\(add("", "five"))]")
    try await client.fence()
    let state = try await client.call("room.subscribe", ["room": .string(room)])
    #expect(client.messagesNow.isEmpty)
    #expect(state["state"]?["notes"]?.object?.count == 5)
  }

  @Test("the calls of a batch run in order, even after a slow one")
  func batchOrder() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana")
    let client = try await server.connect()
    let invitation: JSON = ["household": Member.household(room), "email": "bo@example.org"]
    let calls: [JSON] = [
      call(1, "hello", ["token": .string(members[0].token), "client": .string(newID())]),
      call(2, "invitations.send", invitation), call(3, "invitations.send", invitation),
      call(4, "notes.add", ["room": .string(room), "text": "behind two looks into the directory"]),
      call(5, "room.subscribe", ["room": .string(room)]),
    ]
    client.send(JSON.array(calls).text)
    client.send(call(6, "notes.add", ["room": .string(room), "text": "behind the batch"]).text)
    let answers = try #require(try await client.next { $0.array != nil }.array)
    #expect(answers.count == 5, "\(answers.map(\.text))")
    #expect(answers.first { $0["id"] == 2 }?["result"]?["id"] != nil)
    #expect(answers.first { $0["id"] == 3 }?["error"]?["data"]?["reason"] == "alreadyInvited")
    #expect(answers.first { $0["id"] == 4 }?["result"]?["version"] != nil)
    let state = answers.first { $0["id"] == 5 }?["result"]
    #expect(state?["state"]?["notes"]?.object?.count ?? 0 >= 1)
    #expect(try await client.next { $0["id"] == 6 }["result"] != nil)
  }

  @Test("an id of any length is read behind a batch that another loop carries on")
  func longIDBehindBatch() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    // Some of the households live on another loop than the connection.
    for _ in 1...6 {
      let (room, members) = try await server.household("Ana")
      let session = try #require(try await members[0].hello()["session"]?.string)
      let calls: [JSON] = [
        call(1, "devices.rename", ["id": .string(session), "name": "Kitchen"]),
        call(2, "notes.add", ["room": .string(room), "text": "on the household's loop"]),
      ]
      let client = members[0].client
      client.send(JSON.array(calls).text)
      client.send(call(.string(String(repeating: "x", count: 6000)), "no.such", [:]).text)
      let refusal = try await client.next { $0["id"] == .null }
      #expect(refusal["error"]?["code"] == -32600)
      let answers = try #require(try await client.next { $0.array != nil }.array)
      #expect(answers.count == 2 && answers.allSatisfy { $0["result"] != nil }, "\(answers.map(\.text))")
    }
  }

  @Test("the answers of a batch wait for the disk together")
  func batchWaits() async throws {
    let gate = Gate()
    let server = try await TestServer.start { $0.wrap = { gate.wrap($0) } }
    defer { server.end() }
    let (room, members) = try await server.household("Ana")
    try await members[0].call("room.unsubscribe", in: room)
    gate.hold(room)
    let add = call(1, "notes.add", ["room": .string(room), "text": "x"])
    members[0].client.send(JSON.array([add, call(2, "no.suchMethod", [:])]).text)
    await gate.holdsOne()
    // If the second call waits for the first, everything after the batch waits, too.
    try await Task.sleep(for: .milliseconds(100))
    #expect(members[0].client.messagesNow.isEmpty)
    gate.release()
    #expect(try await members[0].client.next().array?.count == 2)
  }

  // MARK: frames

  @Test("a binary message closes the connection with 1003")
  func binary() async throws {
    let (server, client, _) = try await ready()
    defer { server.end() }
    client.send(bytes: Frame.encode(.binary, Array("{}".utf8).span, mask: 5))
    #expect(try await client.closeCode() == 1003)
  }

  @Test("text that is not UTF-8 closes with 1007, and an unmasked frame with 1002")
  func brokenFrames() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    for (bytes, code) in [
      (Frame.encode(.text, [0xC3, 0x28].span, mask: 5), 1007), (Frame.text("{}"), 1002),
      ([0x83, 0x80, 0, 0, 0, 0], 1002),
    ] as [([UInt8], UInt16)] {
      let client = try await server.connect()
      client.send(bytes: bytes)
      #expect(try await client.closeCode() == code)
    }
  }

  @Test("R-003: a message may have 64 KiB, or 4 KiB before hello; a larger one closes with 1009")
  func size() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let ana = try await server.member("Ana")
    let stranger = try await server.connect()
    for (client, limit, code) in [(ana.client, 64 * 1024, -32601), (stranger, 4096, 1)] {
      for (size, isTaken) in [(limit - 1, true), (limit, true), (limit + 1, false)] {
        let text = #"{"jsonrpc":"2.0","id":1,"method":"no.suchMethod"}"#
        client.send(text + String(repeating: " ", count: size - text.utf8.count))
        if isTaken {
          #expect(try await client.next()["error"]?["code"]?.int == code, "\(size)")
        } else {
          #expect(try await client.closeCode() == 1009, "\(size)")
        }
      }
    }
  }

  @Test("a client's close is answered")
  func close() async throws {
    let (server, client, _) = try await ready()
    defer { server.end() }
    client.send(bytes: Frame.close(.normal, mask: 9))
    #expect(try await client.closeCode() == 1000)
  }
}
