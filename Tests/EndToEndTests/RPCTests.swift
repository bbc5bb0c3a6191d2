import HTTP
import JSON
import Platform
import Rooms
import Testing

@testable import HearthCommand
@testable import Server

/// NFR-3: every method by HTTP, with the same promises as on a WebSocket.
@Suite("POST /rpc")
struct RPCTests {
  @Test("NFR-3: a call by POST takes effect, reaches watching clients, and is answered when it is on disk")
  func call() async throws {
    let gate = Gate()
    let server = try await TestServer.start { $0.wrap = { gate.wrap($0) } }
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo")
    let ana = server.caller(members[0])
    let copy = try await members[1].watch(room)
    gate.hold(room)
    async let posted = ana.call("notes.add", ["room": .string(room), "text": "by post"])
    await gate.holdsOne()
    #expect(members[1].client.messagesNow.isEmpty)
    gate.release()
    let answer = try await posted
    try await copy.follow { $0["notes"]?.object?.count == 1 }
    #expect(answer["version"]?.int == copy.version && answer["id"]?.string == copy["notes"].keys.first)
    // Rooms of every kind, on any loop.
    try await ana.call("groceries.add", ["room": .string(room + "/mine"), "name": "Tea"])
    try await ana.call("settings.edit", ["muted": ["note": true]])
    let made = try await ana.call(
      "households.create", ["name": "Two", "timeZone": "UTC", "currency": "EUR"])
    #expect(made["household"] != nil)
    #expect(try await ana.call("activity.list", ["room": .string(room)])["items"]?.array?.isEmpty == false)
    _ = try await members[0].share(with: members[1])
    #expect(try await ana.call("positions.report", ["sentAt": Instant.now.json])["shares"] == 1)
    #expect(try await ana.refusal("notes.add", ["room": .string(room), "text": ""]).code == -32602)
    #expect(try await ana.refusal("no.suchMethod").code == -32601)
  }

  @Test("LOC-35: all reports of one log-in are of one device, whatever header a request has, and no others are")
  func reporter() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (_, members) = try await server.household("Ana", "Bo")
    _ = try await members[0].share(with: members[1])
    let (tablet, session) = try await members[0].logIn(on: server, device: "Tablet")
    let (phone, other) = (server.caller(members[0]), server.caller(tablet))
    let all: [[String: String]] = [
      [:], ["Idempotency-Key": "one"], ["Idempotency-Key": "two"], ["Hearth-Client": newID()],
    ]
    let report: [String: JSON] = ["sentAt": Instant.now.json]
    for headers in all { #expect(try await phone.call("positions.report", report, headers: headers)["shares"] == 1) }
    #expect(try await members[0].report()["shares"] == 1)
    for headers in all {
      #expect(try await other.refusal("positions.report", report, headers: headers).reason == "otherDevice")
    }
    try await other.call("shares.takeOver", headers: ["Idempotency-Key": "three"])
    #expect(try await tablet.report()["shares"] == 1)
    #expect(try await phone.refusal("positions.report", report).reason == "otherDevice")
    let me = try await members[0].watch("me")
    #expect(me["reporter"]["session"]?.string == session && me["reporter"]["client"] == nil)
  }

  @Test("SYN-3: with Hearth-Client and seq, POST acts as the same client as on a WebSocket, which stays open")
  func sameClient() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana")
    let ana = members[0]
    let post = server.caller(ana)
    let header = ["Hearth-Client": ana.client.id]
    let add: [String: JSON] = ["room": .string(room), "seq": 1, "text": "once"]
    let first = try await ana.client.call("notes.add", add)
    #expect(try await post.call("notes.add", add, headers: header) == first)
    let reused = try await post.refusal("notes.add", add.merging(["text": "other"]) { $1 }, headers: header)
    #expect(reused.reason == "reused")
    let second = try await post.call(
      "notes.add", ["room": .string(room), "seq": 2, "text": "two"], headers: header)
    #expect(try await ana.call("notes.add", in: room, ["seq": 2, "text": "two"]) == second)
    // Another client has its own numbers.
    try await post.call("notes.add", add, headers: ["Hearth-Client": newID()])
    let copy = try await ana.watch(room)
    #expect(copy["notes"].count == 3 && copy.answer["seq"] == 2)
    // Without a client, a number has no meaning.
    #expect(try await post.refusal("notes.add", add).fields?["seq"] != nil)
    #expect(try await post.send("{}", ["Hearth-Client": "me"]).status == 400)
    #expect(try await post.send("{}", ["Hearth-Client": "00000000-0000-0000-0000-000000000000"]).status == 400)
  }

  @Test("SYN-3: a repeated call with an Idempotency-Key has one effect and one answer, for 256 keys per person")
  func keys() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo")
    let (ana, bo) = (server.caller(members[0]), server.caller(members[1]))
    let add: [String: JSON] = ["room": .string(room), "text": "once"]
    let key = ["Idempotency-Key": String(repeating: "k", count: 64)]
    let first = try await ana.call("notes.add", add, headers: key)
    #expect(try await ana.call("notes.add", add, headers: key) == first)
    #expect(try await bo.call("notes.add", add, headers: key) != first, "each person has separate keys")
    let reused = try await ana.refusal("notes.add", add.merging(["text": "other"]) { $1 }, headers: key)
    #expect(reused.reason == "reused")
    #expect(try await ana.refusal("notes.add", add.merging(["seq": 1]) { $1 }, headers: key).fields?["seq"] != nil)
    for bad in ["", String(repeating: "k", count: 65), "two words", "é"] {
      let answer = try await ana.send(HTTPCaller.message("notes.add", add), ["Idempotency-Key": bad])
      #expect(answer.status == 400, "\(bad)")
    }
    let batch = "[\(HTTPCaller.message("notes.add", add))]"
    #expect(try await ana.send(batch, key).status == 400)
    // A call across rooms, and after a restart.
    let create: [String: JSON] = ["name": "Two", "timeZone": "UTC", "currency": "EUR"]
    let made = try await ana.call("households.create", create, headers: ["Idempotency-Key": "make"])
    try await server.restart()
    let later = server.caller(members[0])
    #expect(try await later.call("households.create", create, headers: ["Idempotency-Key": "make"]) == made)
    #expect(try await later.call("notes.add", add, headers: key) == first)
  }

  @Test("a batch by POST is answered together, and notifications are answered with 204")
  func batches() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana")
    let ana = server.caller(members[0])
    let add = HTTPCaller.message("notes.add", ["room": .string(room), "text": "x"], id: "a")
    let invite = HTTPCaller.message(
      "invitations.send", ["household": Member.household(room), "email": "bo@example.org"], id: "b")
    let other = HTTPCaller.message("groceries.add", ["room": .string(room + "/mine"), "name": "Tea"], id: "c")
    let silent = #"{"jsonrpc":"2.0","method":"notes.add","params":{"room":"\#(room)","text":"silent"}}"#
    let answer = try await ana.send("[\(add),\(silent),7,\(invite),\(other)]")
    #expect(answer.status == 200 && answer.json?.array?.count == 4, "\(answer.body)")
    #expect(answer.json?.array?.count { $0["result"] != nil } == 3)
    let quiet = try await ana.send(silent)
    #expect(quiet.status == 204 && quiet.body.isEmpty && quiet.headers["content-length"] == nil)
    #expect(try await members[0].watch(room)["notes"].count == 3)
    for (count, status) in [(0, 400), (1, 200), (16, 200), (17, 400)] {
      let calls = Array(repeating: HTTPCaller.message("no.such"), count: count)
      #expect(try await ana.send("[\(calls.joined(separator: ","))]").status == status, "\(count)")
    }
    for (body, reason) in [("{", "parseError"), ("7", "invalidRequest"), ("", "parseError")] {
      let refused = try await ana.send(body)
      #expect(refused.status == 400 && refused.reason == reason && refused.json?["id"] == .null, "\(body)")
    }
  }

  @Test("SEC-1: a call by POST without a valid token is refused")
  func tokens() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana")
    let message = HTTPCaller.message("notes.add", ["room": .string(room), "text": "x"])
    let stranger = server.caller()
    for authorization in [nil, "Bearer", "Bearer \(newID())", "Basic YTpi", "Bearer a b"] as [String?] {
      let answer = try await stranger.send(message, ["Authorization": authorization])
      #expect(answer.status == 401 && answer.error?["code"] == 1, "\(authorization ?? "none")")
      #expect(answer.headers["www-authenticate"]?.hasPrefix("Bearer ") == true)
      #expect(answer.headers["set-cookie"] == nil)
    }
    let twice = HTTPCaller(port: server.port, token: members[0].token, headers: ["Authorization: Bearer x"])
    #expect(try await twice.send(message).status == 401)
    // Methods that need no token need none here, either.
    let person = try await stranger.call(
      "auth.signUp", ["email": "cleo@example.org", "password": "correct horse", "name": "Cleo"])
    let login: [String: JSON] = ["email": "cleo@example.org", "password": "correct horse"]
    #expect(try await stranger.call("auth.logIn", login)["me"] == person["me"])
    #expect(try await stranger.call("rpc.discover")["openrpc"] != nil)
    let mixed = "[\(HTTPCaller.message("rpc.discover")),\(message)]"
    #expect(try await stranger.send(mixed).status == 401)
    // Logging out ends the token here and on WebSockets, but not for the rest of its batch.
    let ana = server.caller(members[0])
    let last = try await ana.send("[\(HTTPCaller.message("auth.logOut")),\(HTTPCaller.message("auth.logIn", login))]")
    #expect(last.status == 200 && last.json?.array?.allSatisfy { $0["result"] != nil } == true)
    #expect(try await members[0].client.closeCode() == 4102)
    #expect(try await ana.send(message).status == 401)
  }

  @Test("ACC-6: a batch by POST goes on after its log-out, however long that takes")
  func longBatch() async throws {
    let server = try await TestServer.start { $0.configuration.heartbeat = .seconds(1) }
    defer { server.end() }
    let stranger = HTTPCaller(port: server.port)
    let account: [String: JSON] = ["email": "ana@example.org", "password": "correct horse"]
    let person = try await stranger.call("auth.signUp", account.merging(["name": "Ana"]) { $1 })
    let ana = HTTPCaller(port: server.port, token: try #require(person["token"]?.string))
    // A heartbeat passes while the password is hashed, again and again.
    let calls = [HTTPCaller.message("auth.logOut")] + (1...5).map { _ in HTTPCaller.message("auth.logIn", account) }
    let answer = try await ana.send("[\(calls.joined(separator: ","))]")
    #expect(answer.status == 200 && answer.json?.array?.allSatisfy { $0["result"] != nil } == true, "\(answer)")
  }

  @Test("methods that need a WebSocket are refused by POST with that reason")
  func needsSocket() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana")
    let ana = server.caller(members[0])
    for (method, parameters) in [
      ("hello", ["client": .string(newID())]), ("room.subscribe", ["room": .string(room)]),
      ("room.unsubscribe", ["room": .string(room)]),
    ] as [(String, [String: JSON])] {
      let refusal = try await ana.refusal(method, parameters)
      #expect(refusal.code == -32600 && refusal.reason == "needsSocket", "\(method)")
    }
  }

  @Test("an invalid POST is answered with a status and a JSON error")
  func badRequests() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let member = try await server.member("Ana")
    let ana = server.caller(member)
    let body = HTTPCaller.message("no.such")
    let rows: [(Int, String, [String: String?])] = [
      (405, "GET", ["Content-Length": nil]), (405, "PUT", [:]), (411, "POST", ["Content-Length": nil]),
      (415, "POST", ["Content-Type": "text/plain"]), (415, "POST", ["Content-Type": nil]),
      (415, "POST", ["Content-Type": "application/jsonp"]), (415, "POST", ["Content-Encoding": "gzip"]),
      (417, "POST", ["Expect": "miracles"]),
      (200, "POST", ["Content-Type": "Application/JSON; charset=utf-8"]),
    ]
    for (status, method, changes) in rows {
      let answer = try await ana.send(body, method: method, changes)
      #expect(answer.status == status, "\(method) \(changes) \(answer.body)")
      #expect(answer.headers["content-type"] == "application/json" && answer.error != nil)
      if status == 405 { #expect(answer.headers["allow"] == "POST, OPTIONS") }
    }
    #expect(try await ana.send("", path: "/rpc/").status == 404)
  }

  @Test("R-005: malformed HTTP gets a status and an error object where the path is that of calls, else a sentence")
  func malformedHTTP() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let member = try await server.member("Ana")
    let ana = server.caller(member)
    let rows: [(Int, HTTPError, String)] = [
      (400, .ambiguousLength, "Content-Length: 5, 5"), (400, .malformedHeader, "X : y"),
      (400, .invalidHost, "Host: b"), (501, .unsupportedTransferEncoding, "Transfer-Encoding: gzip"),
      (431, .headTooLarge(8192), "X: \(String(repeating: "x", count: 9000))"), (400, .obsoleteFolding, " folded"),
      (431, .tooManyHeaders(64), Array(repeating: "X: y", count: 64).joined(separator: "\r\n")),
    ]
    for (status, error, line) in rows {
      func refused(_ method: String, _ path: String, after first: String = "") async throws -> HTTPAnswer {
        let text = "\(first)\(method) \(path) HTTP/1.1\r\nHost: a\r\n\(line)\r\n\r\n"
        let answers = try HTTPAnswer.all(in: try await HTTPExchange.send(text, to: server.port))
        #expect(answers.count == (first.isEmpty ? 1 : 2))
        let last = try #require(answers.last)
        #expect(last.status == status && last.headers["connection"] == "close", "\(line.prefix(40)) \(last)")
        return last
      }
      let before = ana.request(HTTPCaller.message("no.such"), ["Connection": nil])
      for answer in try await [refused("POST", "/rpc?x"), refused("POST", "/rpc", after: before)] {
        #expect(answer.headers["content-type"] == "application/json" && answer.json?["id"] == .null)
        #expect(answer.error?["code"] == -32600 && answer.reason == "http")
        #expect(answer.error?["message"]?.string == error.explanation)
      }
      for answer in try await [refused("GET", "/healthz"), refused("GET", "/sync", after: before)] {
        #expect(answer.headers["content-type"]?.hasPrefix("text/plain") == true)
        #expect(answer.body == error.explanation + "\n")
      }
    }
  }

  @Test("R-005: no second call hides behind a body whose end is in doubt, and lengths and chunks in order are taken")
  func smuggling() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana")
    let ana = server.caller(members[0])
    let body = HTTPCaller.message("no.such")
    let length = body.utf8.count
    let hidden = ana.request(HTTPCaller.message("notes.add", ["room": .string(room), "text": "hidden"]))
    let chunk = "\(String(length, radix: 16))\r\n\(body)\r\n0\r\n\r\n"
    let chunked = ["Content-Length": nil, "Transfer-Encoding": "chunked"] as [String: String?]
    func alone(_ changes: [String: String?], _ body: String, also lines: [String] = []) -> String {
      let caller = HTTPCaller(port: server.port, token: ana.token, headers: lines)
      return caller.request("", changes.merging(["Connection": nil]) { $1 }) + body
    }
    let refused: [(Int, String)] = [
      (400, alone(["Content-Length": "\(length)"], body, also: ["Content-Length: 0"])),
      (400, alone(["Content-Length": "\(length)"], body, also: ["Content-Length: \(length)"])),
      (400, alone(["Content-Length": "\(length), \(length)"], body)),
      (400, alone(["Content-Length": "+\(length)"], body)),
      (400, alone(["Content-Length": "\(length)", "Transfer-Encoding": "chunked"], chunk)),
      (501, alone(chunked.merging(["Transfer-Encoding": "xchunked"]) { $1 }, chunk)),
      (501, alone(chunked.merging(["Transfer-Encoding": "chunked, chunked"]) { $1 }, chunk)),
      (400, alone(chunked, "00000000000000000\r\n\r\n")), (400, alone(chunked, "0x0\r\n\r\n")),
      (400, alone(chunked, "0\n\n")), (411, alone(["Content-Length": nil], "")),
      (417, alone(["Content-Length": "0", "Expect": "miracles"], "")),
      (400, alone(["Content-Length": "0"], "", also: ["X : y"])),
      (400, alone(["Content-Length": "0"], "", also: ["X: y\nZ: z"])),
    ]
    for (status, text) in refused {
      let answers = try HTTPAnswer.all(in: try await HTTPExchange.send(text + hidden, to: server.port))
      #expect(answers.map(\.status) == [status], "\(text)")
    }
    let trailer = "\(String(length, radix: 16));a=b\r\n\(body)\r\n0\r\nX: y\r\n\r\n"
    let taken = [
      alone(["Content-Length": " \(length) "], body), alone(["Content-Length": "00\(length)"], body),
      alone(chunked, chunk), alone(chunked.merging(["Transfer-Encoding": "CHUNKED"]) { $1 }, chunk),
      alone(chunked, trailer), alone(chunked.merging(["Expect": "100-continue"]) { $1 }, chunk),
    ]
    for text in taken {
      let last = ana.request(HTTPCaller.message("rpc.discover"))
      let answers = try HTTPAnswer.all(in: try await HTTPExchange.send(text + last, to: server.port))
      #expect(answers.map(\.status).filter { $0 != 100 } == [200, 200], "\(text)")
    }
    #expect(try await members[0].watch(room)["notes"].isEmpty, "the hidden note never appears")
  }

  @Test("a body may have 64 KiB, or 4 KiB without a token, chunked or not")
  func size() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let member = try await server.member("Ana")
    for (caller, limit) in [(server.caller(member), 65_536), (server.caller(), 4096)] {
      for (size, status) in [(limit - 1, 200), (limit, 200), (limit + 1, 413)] {
        let text = HTTPCaller.message("rpc.discover")
        let body = text + String(repeating: " ", count: size - text.utf8.count)
        let answer = try await caller.send(body)
        #expect(answer.status == status, "\(size)")
        let half = body.utf8.count / 2
        let chunks = [body.prefix(half), body.dropFirst(half)].map { part in
          "\(String(part.utf8.count, radix: 16))\r\n\(part)\r\n"
        }
        let head = caller.request("", ["Content-Length": nil, "Transfer-Encoding": "chunked"])
        let chunked = try await HTTPExchange.send(head + chunks.joined() + "0\r\n\r\n", to: server.port)
        #expect(chunked.hasPrefix("HTTP/1.1 \(status) "), "\(size) in chunks")
      }
    }
  }

  @Test("a connection carries several requests, also pipelined, each answered in order")
  func keepAlive() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo")
    let ana = server.caller(members[0])
    let bo = server.caller(members[1])
    var text = ""
    for number in 1...20 {
      let caller = number % 2 == 0 ? ana : bo
      let message = HTTPCaller.message(
        "notes.add", ["room": .string(room), "text": "\(number)"], id: .number(JSON.Number(number)))
      text += caller.request(message, ["Connection": number == 20 ? "close" : nil, "Expect": "100-continue"])
    }
    let answers = try HTTPAnswer.all(in: try await HTTPExchange.send(text, to: server.port)).filter { $0.status != 100 }
    #expect(answers.map(\.status) == Array(repeating: 200, count: 20))
    #expect(answers.compactMap { $0.json?["id"]?.int } == Array(1...20))
    let copy = try await members[0].watch(room)
    let authors = copy["notes"].values.reduce(into: [String: Int]()) { $0[$1["author"]?.string ?? "", default: 0] += 1 }
    #expect(authors == [members[0].id: 10, members[1].id: 10], "each call uses its own token")
    // An invalid request ends the connection; requests after it are not carried out.
    let bad = ana.request("{", ["Connection": nil]) + ana.request(HTTPCaller.message("rpc.discover"))
    #expect(try HTTPAnswer.all(in: try await HTTPExchange.send(bad, to: server.port)).map(\.status) == [400])
    let mixed = ana.request(HTTPCaller.message("rpc.discover"), ["Connection": nil]) + HTTPCaller.last("/healthz")
    #expect(try HTTPAnswer.all(in: try await HTTPExchange.send(mixed, to: server.port)).map(\.status) == [200, 200])
  }

  @Test("a slow body is abandoned, and an idle connection is closed")
  func slow() async throws {
    let server = try await TestServer.start {
      // The two limits differ widely: an idle connection is closed without an answer.
      $0.configuration.helloTimeout = .seconds(3)
      $0.configuration.silenceLimit = .seconds(8)
    }
    defer { server.end() }
    let stranger = server.caller()
    let late = try await stranger.send("{", ["Content-Length": "40"])
    #expect(late.status == 408)
    let idle = try await stranger.send(HTTPCaller.message("rpc.discover"), ["Connection": nil])
    #expect(idle.status == 200 && idle.headers["connection"] == nil)
  }

  @Test("R-004: a page may call only from an allowed origin, which a preflight reports, without cookies (F5, SEC-12)")
  func origins() async throws {
    let server = try await TestServer.start { $0.configuration.allowedOrigins = originSet("https://home.example:443") }
    defer { server.end() }
    let member = try await server.member("Ana")
    let ana = server.caller(member)
    let body = HTTPCaller.message("no.such")
    let asking: [String: String?] = [
      "Access-Control-Request-Method": "POST", "Content-Type": nil, "Content-Length": nil,
    ]
    for origin in [
      "https://evil.example", "null", "file://", "", "https://home.example.evil.example", "http://home.example",
    ] {
      for (method, text) in [("POST", body), ("OPTIONS", "")] {
        let answer = try await ana.send(
          text, method: method, (method == "POST" ? [:] : asking).merging(["Origin": origin]) { $1 })
        #expect(answer.status == 403 && answer.headers["access-control-allow-origin"] == nil, "\(method) \(origin)")
      }
    }
    let twice = HTTPCaller(port: server.port, token: member.token, headers: ["Origin: https://evil.example"])
    let page = ["Origin": "https://home.example"]
    #expect(try await twice.send(body, page).status == 403)
    // Browsers compare the answer with what they sent.
    let loud = try await ana.send(body, ["Origin": "HTTPS://HOME.example"])
    #expect(loud.status == 200 && loud.headers["access-control-allow-origin"] == "HTTPS://HOME.example")
    let asked = try await ana.send("", method: "OPTIONS", asking.merging(page) { $1 })
    #expect(asked.status == 204 && asked.headers["access-control-allow-origin"] == "https://home.example")
    #expect(asked.headers["access-control-allow-methods"] == "POST" && asked.headers["vary"] == "Origin")
    #expect(asked.headers["access-control-allow-headers"]?.contains("Authorization") == true)
    #expect(asked.headers["access-control-allow-credentials"] == nil)
    let called = try await ana.send(body, page)
    #expect(called.status == 200 && called.headers["access-control-allow-origin"] == "https://home.example")
    let refused = try await ana.send("{", page)
    #expect(refused.status == 400 && refused.headers["access-control-allow-origin"] == "https://home.example")
  }

  @Test("SYN-4: a failed commit is reported to the call, and sending it again has one effect")
  func failures() async throws {
    let gate = Gate()
    let server = try await TestServer.start { $0.wrap = { gate.wrap($0) } }
    defer { server.end() }
    let (room, members) = try await server.household("Ana")
    let ana = server.caller(members[0])
    let message = HTTPCaller.message("notes.add", ["room": .string(room), "text": "x"])
    for (failure, status) in [(.full, 200), (.failed("unknown"), 503)] as [(StoreError, Int)] {
      gate.failOnce(in: room, with: failure)
      let key = ["Idempotency-Key": "\(status)"]
      let refused = try await ana.send(message, key)
      #expect(refused.status == status && refused.error?["code"] == 7, "\(refused.body)")
      #expect(refused.error?["data"]?["temporary"] == true)
      let again = try await ana.call("notes.add", ["room": .string(room), "text": "x"], headers: key)
      #expect(try await ana.call("notes.add", ["room": .string(room), "text": "x"], headers: key) == again)
    }
    let later = try await members[0].again(on: server)
    #expect(try await later.watch(room)["notes"].count == 2)
  }

  @Test("OPS-2: the server reports ready while its disk accepts writes, and otherwise the reason")
  func readiness() async throws {
    let gate = Gate()
    let server = try await TestServer.start { $0.wrap = { gate.wrap($0) } }
    defer { server.end() }
    let (room, members) = try await server.household("Ana")
    let stranger = server.caller()
    func ready(_ method: String = "GET") async throws -> HTTPAnswer {
      try await stranger.send("", method: method, path: "/readyz", ["Content-Length": nil, "Content-Type": nil])
    }
    let before = try await ready()
    #expect(before.status == 200 && before.body == "ready\n")
    #expect(try await ready("POST").status == 405)
    gate.failOnce(in: room)
    #expect(try await members[0].refusal("notes.add", in: room, ["text": "x"]).code == 7)
    let full = try await ready()
    #expect(full.status == 503 && full.body == "commits fail\n")
    try await members[0].call("notes.add", in: room, ["text": "x"])
    #expect(try await ready().status == 200, "a successful commit restores readiness")
  }
}
