import Foundation
import HTTP
import JSON
import Server
import TestSupport
import Testing

@testable import HearthCommand

/// The page over real sockets: versions, caches, compression, protection, names and origins.
@Suite("The page, served")
struct WebTests {
  private static let files = [
    WebFile(path: "index.html", bytes: Array("<!doctype html><script type=module src=/app/VERSION/app.js>".utf8)),
    WebFile(path: "insecure.html", bytes: Array("<!doctype html><p>Use TLS.".utf8)),
    WebFile(path: "sw.js", bytes: Array("fetch(\"/app/VERSION/all.json\");".utf8)),
    WebFile(path: "manifest.webmanifest", bytes: Array("{}".utf8)),
    WebFile(path: "app.js", bytes: Array(String(repeating: "export default 1;", count: 100).utf8)),
    WebFile(path: "parts/small.js", bytes: Array("1".utf8)),
  ]
  private static let app = WebApp(files: files)

  private func start() async throws -> (TestServer, HTTPCaller) {
    let server = try await TestServer.start { $0.web = { Self.app } }
    return (server, HTTPCaller(port: server.port))
  }

  private func get(
    _ path: String, from caller: HTTPCaller, method: String = "GET", _ headers: [String: String?] = [:]
  ) async throws -> HTTPAnswer {
    let plain: [String: String?] = ["Content-Type": nil, "Content-Length": nil]
    return try await caller.send("", method: method, path: path, plain.merging(headers) { $1 })
  }

  @Test("the start page names the version, is asked for each time, and stands at every place of the page")
  func startPage() async throws {
    let (server, caller) = try await start()
    defer { server.end() }
    let page = try await get("/", from: caller)
    #expect(page.status == 200 && page.headers["content-type"] == "text/html; charset=utf-8")
    #expect(page.headers["cache-control"] == "no-cache")
    #expect(page.body == "<!doctype html><script type=module src=/app/\(Self.app.version)/app.js>")
    #expect(try await get("/shopping/item/17?show=all", from: caller).body == page.body)
    for path in ["/nothing.js", "/app/\(Self.app.version)/no.js", "/app/0123456789ab/app.js", "/app/x"] {
      #expect(try await get(path, from: caller).status == 404, "\(path)")
    }
    let tag = try #require(page.headers["etag"])
    for (copy, status) in [(tag, 304), ("W/\(tag)", 304), ("\"x\", \(tag)", 304), ("*", 304), ("\"x\"", 200)] {
      let answer = try await get("/", from: caller, ["If-None-Match": copy])
      #expect(answer.status == status && answer.headers["etag"] == tag, "\(copy)")
      #expect(answer.body.isEmpty == (status == 304))
    }
    let head = try await get("/", from: caller, method: "HEAD")
    #expect(head.status == 200 && head.headers["content-length"] == "\(page.body.utf8.count)")
    let wrong = try await get("/healthz", from: caller, method: "DELETE")
    #expect(wrong.status == 405 && wrong.headers["allow"] == "GET, HEAD")
  }

  @Test("the start page names the words of the client's language, so that they are there with the scripts")
  func language() async throws {
    var files = Self.files
    files[0].bytes = Array("<link rel=modulepreload href=/app/VERSION/strings/LANGUAGE.js>".utf8)
    files += ["en", "de"].map { WebFile(path: "strings/\($0).js", bytes: []) }
    let app = WebApp(files: files)
    let server = try await TestServer.start { $0.web = { app } }
    defer { server.end() }
    for (wanted, language) in [("de-AT, en;q=0.8", "de"), ("fr", "en"), (nil, "en")] {
      let page = try await get("/me", from: HTTPCaller(port: server.port), ["Accept-Language": wanted])
      #expect(page.body == "<link rel=modulepreload href=/app/\(app.version)/strings/\(language).js>")
      #expect(page.headers["vary"]?.contains("Accept-Language") == true)
    }
  }

  @Test("files stand under the version for ever, and the service worker knows all of them")
  func versions() async throws {
    let (server, caller) = try await start()
    defer { server.end() }
    let folder = "/app/\(Self.app.version)/"
    let script = try await get(folder + "app.js", from: caller)
    #expect(script.headers["cache-control"] == "public, max-age=31536000, immutable")
    #expect(script.headers["content-type"] == "text/javascript; charset=utf-8")
    #expect(Array(script.body.utf8) == Self.files[4].bytes)
    let worker = try await get("/sw.js", from: caller)
    #expect(worker.headers["cache-control"] == "no-cache")
    #expect(worker.body == "fetch(\"\(folder)all.json\");")
    let archive = try #require(try await get("\(folder)all.json", from: caller).json)
    let type: JSON = "text/javascript; charset=utf-8"
    #expect(archive == ["\(folder)app.js": [type, .string(script.body)], "\(folder)parts/small.js": [type, "1"]])
    var files = Self.files
    files[4].bytes.append(0x21)
    #expect(WebApp(files: files).version != Self.app.version)
    #expect(WebApp(files: files.reversed()).version == WebApp(files: files).version)
  }

  @Test("what shrinks is compressed for clients that take gzip, and each representation has its own tag")
  func compressed() async throws {
    let (server, caller) = try await start()
    defer { server.end() }
    let path = "/app/\(Self.app.version)/app.js"
    let plain = try await get(path, from: caller)
    #expect(plain.headers["content-encoding"] == nil && plain.headers["vary"] == "Accept-Encoding")
    let raw = try await RawConnection.open(port: server.port)
    let request = "GET \(path) HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: br, gzip\r\nConnection: close\r\n\r\n"
    raw.send(Array(request.utf8))
    let answer = Data(try await raw.end())
    let end = try #require(answer.range(of: Data("\r\n\r\n".utf8)))
    let head = String(decoding: answer[..<end.lowerBound], as: UTF8.self)
    #expect(head.contains("Content-Encoding: gzip") && head.contains("-gzip\""))
    #expect(answer.count < plain.body.utf8.count / 2)
    #expect(try Self.gunzip(Data(answer[end.upperBound...])) == plain.body)
    for (codings, isCompressed) in [("gzip;q=0", false), ("*", true), ("*;q=0.0", false), ("identity, *;q=0", false)] {
      let head = try await get(path, from: caller, method: "HEAD", ["Accept-Encoding": codings])
      #expect((head.headers["content-encoding"] == "gzip") == isCompressed, "\(codings)")
    }
    #expect(try await get("/app/\(Self.app.version)/parts/small.js", from: caller).headers["vary"] == nil)
  }

  private static func gunzip(_ bytes: Data) throws -> String {
    let file = FileManager.default.temporaryDirectory.appending(path: "page-\(newID()).gz")
    try bytes.write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    return try ChildProcess.run(["/usr/bin/env", "gzip", "-dc", file.path]).output
  }

  @Test("SEC-12: every answer of the page protects itself from other pages")
  func protection() async throws {
    let (server, caller) = try await start()
    defer { server.end() }
    let script = "/app/\(Self.app.version)/app.js"
    for (path, isPage) in [
      ("/", true), ("/sw.js", true), (script, true), ("/nothing.js", false), ("/healthz", false), ("/rpc", false),
    ] {
      let headers = try await get(path, from: caller).headers
      let policy = headers["content-security-policy"] ?? ""
      #expect(policy.hasPrefix("default-src 'none'; \(isPage ? "script-src 'self';" : "frame-")"), "\(path)")
      #expect(policy.contains("require-trusted-types-for 'script'; trusted-types hearth") == isPage)
      #expect(!policy.contains("http") && !policy.contains("unsafe") && headers["x-content-type-options"] == "nosniff")
      #expect(headers["referrer-policy"] == "no-referrer" && headers["cross-origin-opener-policy"] == "same-origin")
      #expect(headers["cross-origin-resource-policy"] == "same-origin" && headers["permissions-policy"] != nil)
    }
  }

  @Test("one connection serves the whole page, and calls between")
  func keepAlive() async throws {
    let (server, _) = try await start()
    defer { server.end() }
    let raw = try await RawConnection.open(port: server.port)
    let call = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"rpc.discover\"}"
    let requests = [
      "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
      HTTPCaller(port: server.port).request(call, ["Connection": nil]),
      "GET /sw.js HTTP/1.1\r\nHost: localhost\r\n\r\n", HTTPCaller.last("/none.js"),
    ].joined()
    raw.send(Array(requests.utf8))
    let answers = try HTTPAnswer.all(in: String(decoding: try await raw.end(), as: UTF8.self))
    #expect(answers.map(\.status) == [200, 200, 200, 200, 404])
    #expect(answers[1].body == "ok\n" && answers[2].json?["result"]?["methods"] != nil)
  }

  @Test("RELIABILITY F5: pages of the server's own origin may call, if the name is the server's own")
  func ownOrigin() async throws {
    let server = try await TestServer.start {
      $0.web = { Self.app }
      $0.configuration.names = ["home.example"]
    }
    defer { server.end() }
    let caller = HTTPCaller(port: server.port)
    let call = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"rpc.discover\"}"
    for (host, origin, isAllowed) in [
      ("127.0.0.1:7400", "http://127.0.0.1:7400", true), ("[::1]:7400", "http://[::1]:7400", true),
      ("localhost", "http://localhost", true), ("HOME.example", "https://home.example", true),
      ("home.example:80", "http://home.example", true),
      ("127.0.0.1:7400", "http://127.0.0.1:7401", false), ("localhost", "http://127.0.0.1", false),
      // A page that has bent its name to this machine (DNS rebinding).
      ("evil.example:7400", "http://evil.example:7400", false),
      ("127.0.0.1.evil.example", "http://127.0.0.1.evil.example", false),
      ("home.example", "null", false),
    ] {
      let answer = try await caller.send(call, ["Host": host, "Origin": origin])
      #expect(answer.status == (isAllowed ? 200 : 403), "\(origin) at \(host)")
      let page = try await get("/", from: caller, ["Host": host])
      let isOwn = !host.contains("evil")
      #expect(page.status == (isOwn ? 200 : 421), "\(host)")
    }
  }

  @Test("the library stands under an address that stays, and pictures are served byte by byte")
  func library() async throws {
    let files = [
      WebFile(path: "hearth.js", bytes: Array("export * from \"/app/VERSION/hearth/hearth.js\";".utf8)),
      WebFile(path: "picture.png", bytes: Array("  // VERSION".utf8)),
    ]
    let app = WebApp(files: files)
    let server = try await TestServer.start { $0.web = { app } }
    defer { server.end() }
    let caller = HTTPCaller(port: server.port)
    let library = try await get("/hearth.js", from: caller)
    #expect(library.body == "export*from\"/app/\(app.version)/hearth/hearth.js\";")
    #expect(try await get("/app/\(app.version)/picture.png", from: caller).body == "  // VERSION")
  }

  @Test("LOC-23: no picture comes from elsewhere, unless the operator has chosen a server of map tiles")
  func mapTiles() async throws {
    let template = "https://tiles.home:8443/{z}/{x}/{y}.png"
    let tiles = try #require(MapTiles(template))
    let app = WebApp(files: Self.files, mapTiles: tiles)
    #expect(app.version != Self.app.version)
    let server = try await TestServer.start { $0.web = { app } }
    defer { server.end() }
    let policy = try await get("/", from: HTTPCaller(port: server.port)).headers["content-security-policy"] ?? ""
    #expect(policy.contains("img-src 'self' blob: data: https://tiles.home:8443; connect-src 'self';"))
    let (_, members) = try await server.household("Ana")
    let client = try await TestClient.connect(port: server.port)
    let greeting = try await client.call("hello", ["token": .string(members[0].token), "client": .string(newID())])
    #expect(greeting["page"] == ["version": .string(app.version), "mapTiles": .string(template)])
    for wrong in [
      "", "https://tiles.home/{z}/{x}.png", "http://tiles.home/{z}/{x}/{y}", "https://{z}/{x}/{y}", "//a/{z}/{x}/{y}",
      "https://a b/{z}/{x}/{y}", "https://a/{z}/{x}/{y}; script-src *", "javascript:{z}/{x}/{y}",
    ] { #expect(MapTiles(wrong) == nil, "\(wrong)") }
    #expect(MapTiles("http://127.0.0.1:9000/{z}/{x}/{y}.png") != nil)
  }

  @Test("a link logs a browser of this machine in, once")
  func loginLink() async throws {
    let links = LoginLinks()
    let server = try await TestServer.start {
      $0.web = { Self.app }
      $0.loginLinks = links
    }
    defer { server.end() }
    let caller = HTTPCaller(port: server.port)
    func make() -> String { links.add(email: "ana@example.org", password: "a long password", SystemRandomness()) }
    let path = make()
    #expect(try await get(path, from: caller).body == get("/", from: caller).body, "looking is not using")
    for headers in [["Origin": "http://evil.example"], ["Host": "evil.example"]] {
      #expect(try await get(path, from: caller, method: "POST", headers.mapValues { $0 }).status == 404)
    }
    let answer = try await get(path, from: caller, method: "POST", ["Origin": "http://localhost"])
    #expect(answer.status == 200 && answer.headers["cache-control"] == "no-store")
    #expect(answer.json == ["email": "ana@example.org", "password": "a long password"])
    #expect(try await get(path, from: caller, method: "POST").status == 404)
    #expect(try await get("/login/", from: caller, method: "POST").status == 404)
  }
}
