import Foundation
import JSON
import Testing

@Suite("hearth login")
struct LoginTests {
  @Test("NFR-2: a kept log-in serves all commands, is readable by its user only, and ends with `logout`")
  func keptLogin() async throws {
    let settings = FileManager.default.temporaryDirectory.appending(path: "hearth-settings-\(UUID())")
    defer { try? FileManager.default.removeItem(at: settings) }
    let file = settings.appending(path: "hearth/logins.json")
    let server = try await TestServer.start()
    defer { server.end() }
    let ana = try await server.member("Ana")
    let room = try await ana.makeHousehold()
    let url = "ws://127.0.0.1:\(server.port)/sync"
    func hearth(_ arguments: String..., input: String = "") async throws -> Program.Outcome {
      try await Program.run(arguments, input: input, settings: settings)
    }

    let early = try await hearth("whoami", "--url", url)
    #expect(early.status == 64 && early.errors.contains("`hearth login` does that"), "\(early)")
    let wrong = try await hearth("login", ana.email, "--url", url, input: "not mine\n")
    #expect(wrong.status == 1 && wrong.errors.contains("wrong"), "\(wrong)")
    #expect(!FileManager.default.fileExists(atPath: file.path))

    let login = try await hearth("login", "--url", url, input: "\(ana.email)\n\(TestServer.password)\n")
    #expect(login.status == 0, "\(login)")
    #expect(login.output == "You are logged in to \(url) as Ana <\(ana.email)>.\n")
    let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    // The address is that of the last log-in.
    let who = try await hearth("whoami")
    #expect(who.status == 0 && who.output == "Ana <\(ana.email)> at \(url)\n\(room)  Elm Street (host)\n", "\(who)")
    let machine = try JSON.parse((try await hearth("whoami", "--json")).output)
    #expect(machine["name"] == "Ana" && machine["email"]?.string == ana.email && machine["me"]?.string == ana.id)
    let note = try await hearth("call", "notes.add", #"{"text":"Hi"}"#, "--room", room)
    #expect(note.status == 0, "\(note)")

    // Another log-in takes the place of the first, whose session ends.
    #expect(try await hearth("login", ana.email, input: "\(TestServer.password)\n").status == 0)
    try await ana.watch("me").follow { $0["devices"]?.object?.count == 2 }
    let out = try await hearth("logout")
    #expect(out.status == 0 && out.output == "You are logged out of \(url).\n" && out.errors.isEmpty, "\(out)")
    #expect(try await hearth("logout", "--url", url).status == 64)
    #expect(try !String(contentsOf: file, encoding: .utf8).contains("token\""))
  }

  @Test("NFR-2: a token that has ended, and a file that cannot be read, say what to do next")
  func whatNext() async throws {
    let settings = FileManager.default.temporaryDirectory.appending(path: "hearth-settings-\(UUID())")
    defer { try? FileManager.default.removeItem(at: settings) }
    let file = settings.appending(path: "hearth/logins.json")
    let server = try await TestServer.start()
    let ana = try await server.member("Ana")
    let url = "ws://127.0.0.1:\(server.port)/sync"
    func hearth(_ arguments: String..., input: String = "") async throws -> Program.Outcome {
      try await Program.run(arguments, input: input, settings: settings)
    }
    #expect(try await hearth("login", ana.email, "--url", url, input: "\(TestServer.password)\n").status == 0)
    try await ana.call("devices.revoke", ["others": true])
    let ended = try await hearth("whoami")
    #expect(ended.status == 1 && ended.errors.contains("`hearth login` logs in"), "\(ended)")

    // Without a server the kept token still goes.
    await server.stop()
    let out = try await hearth("logout")
    #expect(out.status == 0 && out.errors.contains("could not be told"), "\(out)")

    try Data("{".utf8).write(to: file)
    let damaged = try await hearth("whoami")
    #expect(damaged.status == 1 && damaged.errors.contains("remove it, and log in again"), "\(damaged)")
  }
}
