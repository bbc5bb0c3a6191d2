import Foundation
import JSON
import TestSupport
import Testing

@testable import HearthCommand
@testable import Server

/// R-027 with a real proxy, configured as docs/operating.md says (SEC-12, ACC-3).
@Suite("Behind nginx", .enabled(if: Nginx.isAvailable, "needs nginx(8) and curl(1)"))
struct NginxTests {
  @Test("R-027: behind an unknown proxy one person mistypes without an end, and the others log in at once")
  func oneAddress() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let nginx = try await Nginx.start(before: server)
    let eve = try await server.member("Eve")
    let attack = Task {
      let caller = HTTPCaller(port: nginx.port)
      var reasons: [String: Int] = [:]
      while !Task.isCancelled {
        let wrong: [String: JSON] = ["email": .string(eve.email), "password": "wrong horse"]
        reasons[try await caller.refusal("auth.logIn", wrong).reason ?? "", default: 0] += 1
      }
      return reasons
    }
    for number in 0..<30 {
      let person = try await server.member("Person\(number)")
      let client = try await TestClient.connect(port: nginx.port)
      let login = try await client.call(
        "auth.logIn", ["email": .string(person.email), "password": .string(TestServer.password)])
      try await client.call("hello", ["token": try #require(login["token"]), "client": .string(client.id)])
      client.drop()
    }
    attack.cancel()
    let reasons = try await attack.value
    #expect(reasons["login", default: 0] >= 5 && reasons["attempts", default: 0] > 0, "\(reasons)")
  }

  @Test("R-027: behind a trusted proxy each client counts by their own address, whatever headers they send")
  func trusted() async throws {
    let server = try await TestServer.start {
      $0.configuration.trustedProxies = ["127.0.0.1/32"]
      $0.configuration.signUpsPerHour = 1
    }
    defer { server.end() }
    let nginx = try await Nginx.start(before: server)
    func signUp(
      _ name: String, from address: String, _ headers: [String] = [], to port: UInt16? = nil
    ) throws -> JSON {
      let parameters: [String: JSON] = [
        "email": .string("\(name)@example.org"), "password": "correct horse", "name": .string(name),
      ]
      let call = HTTPCaller.message("auth.signUp", parameters)
      return try Nginx.post(call, to: port ?? nginx.port, from: address, headers)
    }
    #expect(try signUp("ana", from: "127.0.0.2")["result"]?["me"] != nil)
    for headers in [
      [], ["X-Forwarded-For: 203.0.113.7"], ["Forwarded: for=203.0.113.7"],
      ["X-Forwarded-For: 127.0.0.1", "Forwarded: for=\"[2001:db8::1]\""],
    ] {
      let answer = try signUp("eve", from: "127.0.0.2", headers)
      #expect(answer["error"]?["data"]?["reason"] == "signUps", "\(headers): \(answer.text)")
    }
    #expect(try signUp("bo", from: "127.0.0.3", ["X-Forwarded-For: 127.0.0.2"])["result"]?["me"] != nil)
    // Sent to the server itself, the header counts for nothing.
    let direct = try signUp("cy", from: "127.0.0.4", ["X-Forwarded-For: 127.0.0.2"], to: server.port)
    #expect(direct["result"]?["me"] != nil)
  }
}

/// nginx(8) in front of a server, in a folder of its own.
private final class Nginx {
  private static let path = "/usr/sbin/nginx"

  static let isAvailable = [path, Curl.path].allSatisfy { FileManager.default.isExecutableFile(atPath: $0) }

  let port: UInt16
  private let folder: URL
  private let process: ChildProcess

  private init(port: UInt16, folder: URL, process: ChildProcess) {
    self.port = port
    self.folder = folder
    self.process = process
  }

  deinit {
    // It may have inherited a mask from the thread that started it, so no other signal is sure to reach it.
    process.send(SIGKILL)
    try? FileManager.default.removeItem(at: folder)
  }

  static func start(before server: TestServer) async throws -> Nginx {
    let folder = FileManager.default.temporaryDirectory.appending(path: "hearth-nginx-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    // A port that was free a moment ago.
    let other = try await TestServer.start()
    let port = other.port
    await other.stop()
    let location = try #require(try ReadmeTests.blocks("nginx", of: "docs/operating.md").first)
    let file = folder.appending(path: "nginx.conf")
    try configuration(
      port: port, folder: folder, location: location.replacing("127.0.0.1:7400", with: "127.0.0.1:\(server.port)")
    ).write(to: file, atomically: true, encoding: .utf8)
    let process = try ChildProcess(
      [path, "-p", folder.path, "-e", "stderr", "-c", file.path], errors: .output)
    var text = ""
    // Said once it listens.
    while !text.contains("event method") {
      let piece = await process.nextOutput()
      guard !piece.isEmpty else { throw Unexpected("nginx does not start: \(text)") }
      text += piece
    }
    return Nginx(port: port, folder: folder, process: process)
  }

  private static func configuration(port: UInt16, folder: URL, location: String) -> String {
    let folders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
      "\($0)_temp_path \(folder.path)/\($0);"
    }
    return """
      daemon off;
      master_process off;
      pid \(folder.path)/pid;
      error_log stderr notice;
      events {}
      http {
        access_log off;
        \(folders.joined(separator: "\n"))
        server {
          listen 127.0.0.1:\(port);
          \(location)
        }
      }

      """
  }

  /// Posts a call from an address of this machine.
  static func post(_ body: String, to port: UInt16, from address: String, _ headers: [String]) throws -> JSON {
    let fields = (headers + ["Content-Type: application/json"]).flatMap { ["-H", $0] }
    let (output, _) = try ChildProcess.run(
      Curl.command + ["--interface", address] + fields + [
        "-d", body, "http://127.0.0.1:\(port)/rpc",
      ])
    return try JSON.parse(output)
  }
}
