import Crypto
import Foundation
import HTTP
import Platform
import TestSupport
import Testing

@testable import HearthCommand
@testable import Server

/// Endpoints of the kinds that will follow, driven by curl: a large upload, an event stream and a feed.
@Suite("HTTP endpoints that stream", .enabled(if: Curl.isAvailable, "needs curl(1)"))
struct StreamedRouteTests {
  private func server(_ route: Routes.Route, helloTimeout: Duration? = nil) async throws -> TestServer {
    try await TestServer.start { options in
      options.routes.all.insert(route, at: 0)
      if let helloTimeout { options.configuration.helloTimeout = helloTimeout }
    }
  }

  private func fetch(_ arguments: String...) throws -> String { try ChildProcess.run(Curl.command + arguments).output }

  private func file(of count: Int) throws -> URL {
    let file = FileManager.default.temporaryDirectory.appending(path: "upload-\(newID())")
    try Data(repeating: 0x61, count: count).write(to: file)
    return file
  }

  @Test("an upload of 8 MiB is read piece by piece, waits while its endpoint is busy, and may be no larger")
  func upload() async throws {
    let limit = 8 << 20
    let pieces = Locked((count: 0, largest: 0, early: 0))
    let route = Routes.Route(path: .exact("/upload"), methods: ["PUT"]) { exchange, shard in
      var body: [UInt8] = []
      exchange.streamBody(upTo: limit) { piece, isLast in
        body += piece
        pieces.withLock { pieces in
          pieces.count += piece.count
          pieces.largest = max(pieces.largest, piece.count)
          if exchange.isBodyPaused { pieces.early += 1 }
        }
        if isLast { return exchange.respond(.ok, Hex.encode(SHA256.hash(body))) }
        exchange.isBodyPaused = true
        shard.loop.schedule(after: .milliseconds(1)) { exchange.isBodyPaused = false }
      }
    }
    let server = try await server(route)
    defer { server.end() }
    let url = "http://127.0.0.1:\(server.port)/upload"
    let whole = try file(of: limit)
    let tooMuch = try file(of: limit + 1)
    defer { for file in [whole, tooMuch] { try? FileManager.default.removeItem(at: file) } }
    let sum = Hex.encode(SHA256.hash([UInt8](repeating: 0x61, count: limit)))
    // Twice over one connection, then chunked.
    let twice = try fetch("-T", whole.path, "-w", "%{num_connects} ", url, "-T", whole.path, url)
    #expect(twice == "\(sum)1 \(sum)0 ")
    #expect(try fetch("-T", whole.path, "-H", "Transfer-Encoding: chunked", url) == sum)
    let seen = pieces.withLock { $0 }
    #expect(seen.count == 3 * limit && seen.largest <= 2 * WireLimits.message && seen.early == 0)
    #expect(try fetch("-T", tooMuch.path, "-o", "/dev/null", "-w", "%{http_code}", url) == "413")
    #expect(try fetch("-d", "x", "-o", "/dev/null", "-w", "%{http_code}", url) == "405")
  }

  @Test("an upload that its endpoint lets wait for long is not refused as slow")
  func longPause() async throws {
    let route = Routes.Route(path: .exact("/upload"), methods: ["PUT"]) { exchange, shard in
      var count = 0
      exchange.streamBody(upTo: 1 << 20) { piece, isLast in
        let isFirst = count == 0
        count += piece.count
        if isLast { return exchange.respond(.ok, "\(count)") }
        guard isFirst else { return }
        exchange.isBodyPaused = true
        shard.loop.schedule(after: .seconds(4)) { exchange.isBodyPaused = false }
      }
    }
    let server = try await server(route, helloTimeout: .milliseconds(1500))
    defer { server.end() }
    let whole = try file(of: 1 << 20)
    defer { try? FileManager.default.removeItem(at: whole) }
    #expect(try fetch("-T", whole.path, "http://127.0.0.1:\(server.port)/upload") == "\(1 << 20)")
  }

  @Test("a long answer is streamed as fast as its client takes it, and the connection goes on")
  func download() async throws {
    let piece = [UInt8](repeating: 0x62, count: 64 << 10)
    let pieceCount = 512
    let route = Routes.Route.get(.exact("/long")) { exchange, shard in
      var sent = 0
      exchange.begin(.ok, headers: ["Content-Type": "application/octet-stream"])
      exchange.drained = {
        while !exchange.isFull, sent < pieceCount {
          exchange.send(piece.span)
          sent += 1
        }
        if sent == pieceCount { exchange.finish() }
      }
      exchange.drained?()
    }
    let server = try await server(route)
    defer { server.end() }
    let url = "http://127.0.0.1:\(server.port)/long"
    let count = pieceCount * piece.count
    let told = try fetch(
      "-o", "/dev/null", "-w", "%{http_code} %{size_download} %{num_connects}\n", url, "-o", "/dev/null", url)
    #expect(told == "200 \(count) 1\n200 \(count) 0\n")
    #expect(try fetch("--http1.0", "-o", "/dev/null", "-w", "%{size_download}", url) == "\(count)")
    #expect(try fetch("-I", "-o", "/dev/null", "-w", "%{http_code} %{size_download}", url).hasSuffix(" 0"))
  }

  @Test("an event stream tells as it goes, and its endpoint learns when the client has gone")
  func events() async throws {
    let (ends, end) = AsyncStream<Void>.makeStream()
    let route = Routes.Route.get(.exact("/events")) { exchange, shard in
      exchange.begin(.ok, headers: ["Content-Type": "text/event-stream", "Cache-Control": "no-store"])
      exchange.ended = { end.yield() }
      for number in 1...3 {
        shard.loop.schedule(after: .milliseconds(20 * number)) { exchange.send(Array("data: \(number)\n\n".utf8).span) }
      }
    }
    let server = try await server(route)
    defer { server.end() }
    let client = try ChildProcess(Curl.command + ["-N", "http://127.0.0.1:\(server.port)/events"])
    var text = ""
    while !text.hasSuffix("data: 3\n\n") {
      let more = await client.nextOutput()
      try #require(!more.isEmpty)
      text += more
    }
    #expect(text == "data: 1\n\ndata: 2\n\ndata: 3\n\n")
    client.send(SIGKILL)
    _ = await ends.first { true }
  }

  @Test("a feed is sent once, and then only when it has changed")
  func feed() async throws {
    let content = Locked("one")
    let route = Routes.Route.get(.under("/feed/")) { exchange, _ in
      let text = content.withLock { $0 }
      let headers: Headers = ["ETag": "\"\(text)\"", "Cache-Control": "no-cache"]
      let isThere = exchange.head.hasCopy(tagged: "\"\(text)\"")
      exchange.respond(Response(isThere ? .notModified : .ok, headers: headers, text: isThere ? "" : text))
    }
    let server = try await server(route)
    defer { server.end() }
    let folder = FileManager.default.temporaryDirectory.appending(path: "feed-\(newID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let tag = folder.appending(path: "tag").path
    let again = ["--etag-compare", tag, "--etag-save", tag, "-w", " %{http_code}"]
    let url = "http://127.0.0.1:\(server.port)/feed/secret.ics"
    func read() throws -> String { try ChildProcess.run(Curl.command + again + [url]).output }
    #expect(try read() == "one 200")
    #expect(try read() == " 304")
    content.withLock { $0 = "two" }
    #expect(try read() == "two 200")
  }
}

/// A client that we did not write.
enum Curl {
  static let path = "/usr/bin/curl"
  static let command = [path, "-sS", "--noproxy", "*"]
  static var isAvailable: Bool { FileManager.default.isExecutableFile(atPath: path) }
}
