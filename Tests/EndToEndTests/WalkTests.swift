import Foundation
import JSON
import Testing

@testable import HearthCommand

@Suite("hearth walk, and hearth shares")
struct WalkTests {
  /// Writes a track of some 400 m and so many seconds.
  private static func track(seconds: Int) throws -> URL {
    let file = FileManager.default.temporaryDirectory.appending(path: "hearth-\(UUID()).gpx")
    let points = [0, seconds / 2, seconds].enumerated().map { index, second in
      let time = Date(timeIntervalSince1970: 1_777_000_000 + Double(second)).formatted(.iso8601)
      return "<trkpt lat=\"52.\(51 + index)\" lon=\"13.4\"><time>\(time)</time></trkpt>"
    }
    let text = "<gpx version=\"1.1\"><trk><trkseg>\n\(points.joined(separator: "\n"))\n</trkseg></trk></gpx>\n"
    try Data(text.utf8).write(to: file)
    return file
  }

  @Test("LOC-1, LOC-22: a walk is shared with people by their names, and they list it with distance and directions")
  func walkAndList() async throws {
    let track = try Self.track(seconds: 100)
    defer { try? FileManager.default.removeItem(at: track) }
    let server = try await TestServer.start()
    defer { server.end() }
    let (_, members) = try await server.household("Ana", "Bo", "Cy")
    let url = "ws://127.0.0.1:\(server.port)/sync"
    func hearth(_ who: Int, _ arguments: String...) async throws -> Program.Outcome {
      try await Program.run(arguments + ["--url", url], token: members[who].token)
    }

    #expect(
      try await hearth(1, "shares").output == "Nobody shares a position with you, and you share yours with nobody.\n")
    let alone = try await hearth(0, "walk", track.path)
    #expect(alone.status == 1 && alone.output.isEmpty)
    #expect(alone.errors.contains("  hearth walk \(track.path) --with NAME --for 1h\n"), "\(alone)")
    #expect(try await hearth(0, "walk", track.path, "--with", "Dan").errors.contains("You know Bo, Cy."))

    let walk = try await hearth(
      0, "walk", track.path, "--with", "bo,\(members[2].id)", "--until-end", "--speed", "100", "--interval", "1")
    #expect(walk.status == 0 && walk.errors.isEmpty, "\(walk)")
    let share = try #require(walk.output.firstMatch(of: /share\/[0-9a-f-]{36}/)).0
    let lines = walk.output.split(separator: "\n")
    #expect(lines.count == 4 && lines[1].contains("  52.51000, 13.40000  walked 0 m  1 fix  1 share  interval 1s"))
    #expect(lines[2].contains("  52.53000, 13.40000  walked 2.22 km  "), "\(walk.output)")
    #expect(lines[3] == "The walk is over, after 2.22 km (1.38 mi).")
    let seen = try await members[2].watch(String(share)).answer
    #expect(seen["live"]?["position"]?["lat"] == 52.53 && seen["live"]?["position"]?["accuracy"] == 10)

    // Both of two shares come at once.
    let own = try await members[1].share(with: members[0])
    let table = try await hearth(1, "shares", "--here", "52.52,13.4")
    #expect(table.status == 0 && table.errors.isEmpty, "\(table)")
    let row = try #require(table.output.split(separator: "\n").first { $0.contains(share) })
    #expect(row.hasPrefix("receiver  Ana  active  in 14 min ") || row.hasPrefix("receiver  Ana  active  in 15 min "))
    #expect(row.contains("  1.11   0.69        \(share)  "))
    #expect(row.hasSuffix("https://www.openstreetmap.org/directions?from=52.52000,13.40000&to=52.53000,13.40000"))
    let listed = try await hearth(1, "shares", "--here=-52.52,13.4", "--json").output.split(separator: "\n")
      .map { try JSON.parse(String($0)) }
    #expect(listed.map { $0["room"]?.string } == [String(share), own])
    #expect(listed.map { $0["role"] } == ["receiver", "sharer"] && listed[0]["lat"] == 52.53)
    #expect(listed[0]["bearing"] == 0 && listed[1]["lat"] == nil)

    // Another log-in reports now.
    try await members[0].logIn(on: server).0.call("shares.takeOver")
    let other = try await hearth(0, "walk", track.path)
    #expect(other.status == 1 && other.errors.contains("`hearth call shares.takeOver`"), "\(other)")
  }

  @Test("LOC-32: a walker whose server is gone keeps the fixes, and sends them in one report when it is back")
  func interrupted() async throws {
    let track = try Self.track(seconds: 100)
    defer { try? FileManager.default.removeItem(at: track) }
    let server = try await TestServer.start()
    defer { server.end() }
    let (_, members) = try await server.household("Ana", "Bo")
    _ = try await members[0].share(with: members[1])
    let port = server.port
    let walk = try Program(
      ["walk", track.path, "--loop", "--interval", "1", "--url", "ws://127.0.0.1:\(port)/sync"],
      token: members[0].token)
    _ = try #require(try await walk.line { $0.contains("1 fix") })
    await server.stop()
    while try !walk.errors.contains("2 fixes are kept for later.") { try await Task.sleep(for: .milliseconds(20)) }
    try await server.restart { $0.port = port }
    let line = try #require(try await walk.line { !$0.contains("1 fix ") })
    let count = try #require(line.firstMatch(of: /(\d+) fixes  1 share  interval 1s/).flatMap { Int($0.1) })
    #expect(count >= 2, "\(line)")
    walk.interrupt()
    #expect(await walk.wait() == 0, "Ctrl-C is a regular end")
  }

  @Test("LOC-7: in a terminal a watched share is a map, with the way from here")
  func map() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (_, members) = try await server.household("Ana", "Bo")
    let share = try await members[0].share(with: members[1])
    // A line ends where `\n` stands alone.
    let spawn = "import os, pty, sys; pty.spawn(sys.argv[1:], lambda it: os.read(it, 4096).replace(b'\\r', b' '))"
    let python = ProcessInfo.processInfo.environment["HEARTH_PYTHON"] ?? "python3"
    let watch = try Program(
      ["watch", share, "--here", "52.52,13.4", "--url", "ws://127.0.0.1:\(server.port)/sync"],
      token: members[1].token,
      through: ["/usr/bin/env", "TERM=xterm", "NO_COLOR=1", python, "-c", spawn])
    _ = try #require(try await watch.line { $0.contains("no position yet") })
    try await members[0].report(fix(52.53, 13.4))
    _ = try #require(try await watch.line { $0.contains("  from here 1.11 km (0.69 mi), 0° N") })
    _ = try #require(try await watch.line { $0.contains("@") && !$0.contains("scale") })
    _ = try #require(try await watch.line { $0.contains("x") && !$0.contains("scale") })
    _ = try #require(try await watch.line { $0.contains("scale 200 m |") && $0.contains("|  x here  @ Ana") })
    // The end of the session ends the program, and gives the terminal back.
    try await members[1].call("auth.logOut")
    while try await watch.line({ _ in false }) != nil {}
    _ = await watch.wait()
  }

  @Test(
    "a walk with wrong arguments, or of a file that is none, is refused before anything is sent",
    arguments: [
      (["walk"], 64, "Missing expected argument '<file>'"),
      (["walk", "x", "--speed", "0"], 64, "--speed must be 0.01 to 1000."),
      (["walk", "x", "--interval", "0"], 64, "--interval must be 1 to 3600 seconds."),
      (["walk", "x", "--interval", "3601"], 64, "--interval must be 1 to 3600 seconds."),
      (["walk", "x", "--accuracy", "50001"], 64, "--accuracy must be 0 to 50000 metres."),
      (["walk", "x", "--for", "1h"], 64, "need --with"),
      (["walk", "x", "--with", "Bo", "--for", "1h", "--until-end"], 64, "exclude each other"),
      (["walk", "x", "--with", "Bo", "--for", "14m"], 64, "--for must be a time from 15m to 24h, not '14m'."),
      (["walk", "x", "--with", "Bo", "--until-end", "--loop"], 64, "A walk with --loop has no end"),
      (["walk", "/no/such/file"], 1, "/no/such/file cannot be read: "),
      (["shares", "--here", "91,0"], 64, "91,0"),
      (["watch", "me", "--here", "x"], 64, "'x'"),
    ] as [([String], Int32, String)])
  func usage(arguments: [String], status: Int32, message: String) async throws {
    let outcome = try await Program.run(arguments, token: "t")
    #expect(outcome.status == status && outcome.output.isEmpty)
    #expect(outcome.errors.contains(message), "\(outcome)")
  }
}
