import Foundation
import JSON
import TestSupport
import Testing

@testable import HearthCommand
@testable import Server

/// OPS-4 with the real program: the server, and `hearth admin` beside it.
@Suite("Administration")
struct AdminTests {
  /// A server with a folder of its own.
  private struct Running {
    let folder: URL
    let server: ServerProcess

    static func start(_ arguments: [String] = [], through: [String] = []) async throws -> Running {
      let folder = FileManager.default.temporaryDirectory.appending(path: "hearth-admin-\(UUID())")
      let server = try await ServerProcess.start(data: folder, arguments: arguments, through: through)
      return Running(folder: folder, server: server)
    }

    /// The program's outcome.
    func admin(_ arguments: String..., data: String? = nil) async throws -> Program.Outcome {
      try await Program.run(["admin"] + arguments + ["--data", data ?? folder.path])
    }

    /// The objects that the program prints for programs.
    func objects(_ arguments: String...) async throws -> [JSON] {
      let outcome = try await Program.run(["admin"] + arguments + ["--json", "--data", folder.path])
      #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
      return try outcome.output.split(separator: "\n").map { try JSON.parse(String($0)) }
    }

    var socket: AdminSocket { AdminSocket(folder: folder.path) }

    /// The rights of the socket's file; `nil` if there is none.
    var rights: Int? {
      let attributes = try? FileManager.default.attributesOfItem(atPath: socket.path)
      return (attributes?[.posixPermissions] as? NSNumber)?.intValue
    }

    /// Signs a person up, and connects them.
    func signUp(_ name: String) async throws -> Person {
      let answer = try await HTTPCaller(port: server.port).call(
        "auth.signUp",
        [
          "email": .string("\(name)@x.example"), "password": "correct horse battery", "name": .string(name),
          "device": .string("\(name)'s phone"),
        ])
      return try await connect(answer)
    }

    /// Connects with the session that an answer to signing up, or to logging in, has.
    func connect(_ answer: JSON) async throws -> Person {
      let client = try await TestClient.connect(port: server.port)
      let person = Person(
        client: client, id: try #require(answer["me"]?.string), session: try #require(answer["session"]?.string),
        token: try #require(answer["token"]?.string))
      try await client.call("hello", ["token": .string(person.token), "client": .string(client.id)])
      return person
    }

    func remove() { try? FileManager.default.removeItem(at: folder) }
  }

  private struct Person {
    let client: TestClient
    let id: String
    let session: String
    let token: String
  }

  @Test("OPS-4: the owner lists accounts, sessions and rooms of all loops, and reads the statistics")
  func lists() async throws {
    let running = try await Running.start(["--loops", "3"])
    defer { running.remove() }
    let ana = try await running.signUp("ana")
    let ben = try await running.signUp("ben")
    let made = try await ana.client.call(
      "households.create", ["name": "Ours", "timeZone": "Europe/Amsterdam", "currency": "EUR", "seq": 1])
    let household = "household/\(try #require(made["household"]?.string))"
    try await ana.client.call("room.subscribe", ["room": .string(household)])

    let accounts = try await running.objects("accounts")
    #expect(Set(accounts.compactMap { $0["email"]?.string }) == ["ana@x.example", "ben@x.example"])
    #expect(accounts.allSatisfy { $0["sessions"] == 1 && $0["createdAt"] != nil && $0["lastUsedAt"] != nil })
    let text = accounts.map(\.text).joined()
    #expect(!text.contains("scrypt") && !text.contains(ana.token), "no hash and no token")
    for name in ["ana@x.example", " Ana@X.example", ana.id] {
      #expect(try await running.objects("accounts", name).map { $0["person"] } == [.string(ana.id)], "\(name)")
    }
    let table = try await running.admin("accounts").output.split(separator: "\n")
    #expect(table.count == 3 && table[0].hasPrefix("E-MAIL") && table[1...].allSatisfy { $0.contains("@x.example  ") })

    let sessions = try await running.objects("sessions", "ana@x.example")
    #expect(sessions.count == 1 && sessions[0]["session"] == .string(ana.session))
    #expect(sessions[0]["device"] == "ana's phone" && sessions[0]["connections"] == 1)
    #expect(try await running.admin("sessions", ben.id).output.contains("ben's phone  \(ben.session)"))

    let rooms = try await running.objects("rooms")
    let names = rooms.compactMap { $0["room"]?.string }
    #expect(Set(names).isSuperset(of: ["person/\(ana.id)", "person/\(ben.id)", household]))
    let listed = try #require(rooms.first { $0["room"]?.string == household })
    #expect(listed["kind"] == "household" && listed["subscribers"] == 1 && listed["version"] == 1)
    #expect((listed["bytes"]?.int ?? 0) > 100)
    // By pages of one, each exactly once, and in the same order.
    var paged: [String] = []
    var cursor: [String: JSON] = [:]
    while paged.count <= names.count {
      let page = try running.socket.call("admin.rooms", ["limit": 1].merging(cursor) { $1 })
      paged += page["rooms"]?.array?.compactMap { $0["room"]?.string } ?? []
      guard let next = page["next"] else { break }
      cursor = ["after": next]
    }
    #expect(paged == names)
    let first = try running.socket.call("admin.accounts", ["limit": 1])
    let second = try running.socket.call("admin.accounts", ["limit": 1, "after": try #require(first["next"])])
    // The time of the last use goes on meanwhile.
    func withoutUse(_ account: JSON) -> JSON { .object((account.object ?? [:]).filter { $0.key != "lastUsedAt" }) }
    #expect([first, second].compactMap { $0["accounts"]?.array?.first.map(withoutUse) } == accounts.map(withoutUse))

    let statistics = try #require(try await running.objects("stats").first)
    #expect(statistics["accounts"] == 2 && statistics["sessions"] == 2 && statistics["members"] == 2)
    #expect(statistics["loops"] == 3 && statistics["subscriptions"] == 1 && statistics["failedCommits"] == 0)
    #expect((statistics["storedRooms"]?.int ?? 0) >= 3 && (statistics["storedBytes"]?.int ?? 0) > 4096)
    #expect(try await running.admin("stats").output.contains("\nAccounts       2 with 2 sessions\n"))
    await running.server.stop()
  }

  @Test("OPS-4, ACC-15: a revoked session is told and closed, and its token is dead; the others go on")
  func revoke() async throws {
    let running = try await Running.start()
    defer { running.remove() }
    let phone = try await running.signUp("ana")
    let login = try await HTTPCaller(port: running.server.port).call(
      "auth.logIn", ["email": "ana@x.example", "password": "correct horse battery", "device": "tablet"])
    let tablet = try await running.connect(login)

    let one = try await running.admin("revoke", "--session", phone.session)
    #expect(one.status == 0 && one.output == "1 session has ended.\n", "\(one)")
    #expect(try await phone.client.notification("session.ended") == ["reason": "revoked"])
    #expect(try await phone.client.closeCode() != nil)
    func status(_ person: Person) async throws -> Int {
      try await HTTPCaller(port: running.server.port, token: person.token).send(HTTPCaller.message("rpc.discover"))
        .status
    }
    #expect(try await status(phone) == 401)
    #expect(try await status(tablet) == 200)
    try await tablet.client.fence()

    let again = try await running.admin("revoke", "--session", phone.session)
    #expect(again.status == 1 && again.errors == "There is no such session, or no longer.\n", "\(again)")
    #expect(try await running.objects("revoke", "ana@x.example").first?["ended"] == 1)
    #expect(try await tablet.client.notification("session.ended") == ["reason": "revoked"])
    #expect(try await status(tablet) == 401)
    #expect(try await running.objects("sessions", "ana@x.example").isEmpty)
    await running.server.stop()
  }

  @Test("OPS-4, ACC-10: the owner makes a code, and with it a person replaces a forgotten password without any mail")
  func resetCode() async throws {
    let running = try await Running.start()
    defer { running.remove() }
    let ana = try await running.signUp("ana")
    let made = try #require(try await running.objects("reset-code", " Ana@x.example").first)
    #expect(made["person"] == .string(ana.id) && made["email"] == "ana@x.example" && made["until"] != nil)
    let printed = try await running.admin("reset-code", ana.id)
    let code = String(printed.output.prefix(9))
    #expect(printed.output.hasPrefix("\(code) for ana@x.example, until 2") && printed.output.hasSuffix(" UTC.\n"))
    let caller = HTTPCaller(port: running.server.port)
    func reset(_ code: String) async throws -> String? {
      let parameters: [String: JSON] = [
        "email": "ana@x.example", "code": .string(code), "newPassword": "another horse battery",
      ]
      return try await caller.send(HTTPCaller.message("auth.resetPassword", parameters)).reason
    }
    #expect(try await reset(made["code"]?.string ?? "") == "code", "a newer code ends it")
    #expect(try await reset(code) == nil)
    #expect(try await ana.client.notification("session.ended") == ["reason": "revoked"])
    #expect(try await reset(code) == "code")
    await running.server.stop()
  }

  @Test("OPS-4, SYN-10: `drain` stops the server in order; without a server, the program says what to do")
  func drain() async throws {
    let running = try await Running.start()
    defer { running.remove() }
    let ana = try await running.signUp("ana")
    let outcome = try await running.admin("drain")
    #expect(outcome.status == 0 && outcome.output == "The server is stopping.\n", "\(outcome)")
    #expect(try await ana.client.notification("server.leaving")["reconnectAfter"] != nil)
    #expect(try await ana.client.closeCode() != nil)
    #expect(await running.server.exitStatus == 0)
    #expect(running.rights == nil, "a server that stops removes its socket")

    for folder in [running.folder.path, "/no/such/folder"] {
      let late = try await running.admin("stats", data: folder)
      #expect(late.status == 1 && late.output.isEmpty)
      #expect(late.errors.hasPrefix("No server is running on the folder \(folder). `hearth serve"), "\(late)")
    }
  }

  @Test("OPS-4: only the owner can open the socket, whatever the umask; a killed server's one is replaced")
  func socket() async throws {
    let running = try await Running.start(through: ["/bin/sh", "-c", #"umask 0; exec "$@""#, "sh"])
    defer { running.remove() }
    #expect(running.rights == 0o600)
    await #expect(throws: ServerProcess.NotStarted.self) {
      try await ServerProcess.start(data: running.folder, errors: .output)
    }
    #expect(try await running.admin("stats").status == 0, "the second server has left the socket alone")

    await running.server.kill()
    #expect(running.rights == 0o600, "a killed server removes nothing")
    #expect(try await running.admin("stats").errors.hasPrefix("No server is running"))
    let next = try await ServerProcess.start(data: running.folder)
    #expect(try await running.admin("stats").status == 0)
    #expect(running.rights == 0o600)
    await next.stop()
  }

  @Test("OPS-4: another user is refused by the file's rights, and by the server", .enabled(if: geteuid() == 0))
  func others() async throws {
    let running = try await Running.start()
    defer { running.remove() }
    // A copy where anybody can reach it. A process that was open for writing here could not be run.
    let program = running.folder.appending(path: "hearth")
    #expect(try ChildProcess.run(["/bin/cp", ServerProcess.program.path, program.path]).end == .exited(0))
    func asNobody() throws -> String {
      let nobody = ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
      let command = nobody + [program.path, "admin", "stats", "--data", running.folder.path]
      let (output, end) = try ChildProcess.run(command)
      #expect(end == .exited(1), "\(output)")
      return output
    }
    try FileManager.default.setAttributes([.posixPermissions: 0o711], ofItemAtPath: running.folder.path)
    #expect(try asNobody().hasPrefix("Only root and root may open \(running.socket.path)."))
    // With rights on the file, the server itself refuses whom the kernel names.
    try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: running.socket.path)
    #expect(try asNobody().contains("does not answer ("))
    #expect(try await running.admin("stats").status == 0)
    await running.server.stop()
  }

  @Test("OPS-4: on the ordinary port there is no method of administration, whatever a request claims")
  func elsewhere() async throws {
    let running = try await Running.start()
    defer { running.remove() }
    let ana = try await running.signUp("ana")
    let names = ServerMethod.admin.keys.filter { $0.hasPrefix("admin.") }
    #expect(names.count == 7)
    let claims: [[String: String?]] = [
      [:], ["Host": "admin.sock"], ["Forwarded": "for=unix;host=admin.sock"], ["X-Forwarded-For": "127.0.0.1"],
      ["X-Real-IP": "unix:"], ["Authorization": "Bearer root"],
    ]
    for name in names {
      for claim in claims {
        for token in [nil, ana.token] {
          let answer = try await HTTPCaller(port: running.server.port, token: token)
            .send(HTTPCaller.message(name), claim)
          let isKnown = token != nil && claim["Authorization"] == nil
          #expect(answer.status == (isKnown ? 200 : 401), "\(name) \(claim)")
          if isKnown { #expect(answer.reason == "methodNotFound", "\(answer.body)") }
          #expect(answer.json?["result"] == nil)
        }
      }
      #expect(try await ana.client.refusal(name).reason == "methodNotFound")
      let stranger = try await TestClient.connect(port: running.server.port)
      #expect(try await stranger.refusal(name).reason == "unauthorized")
    }
    #expect(try await !ana.client.call("rpc.discover").text.contains("admin."))

    // And the other way round: the socket knows only these.
    let described = try running.socket.call("rpc.discover")["methods"]?.array?.compactMap { $0["name"]?.string } ?? []
    #expect(Set(described) == Set(names + ["rpc.discover"]))
    for name in ["hello", "auth.logIn", "auth.signUp", "notes.add", "room.subscribe", "no.such"] {
      #expect(throws: AdminSocket.Failure.refused(message: "There is no method \(name).", fields: [])) {
        try running.socket.call(name)
      }
    }
    await running.server.stop()
  }

  @Test("OPS-4: parameters that are wrong are all named, and nothing changes")
  func wrong() async throws {
    let running = try await Running.start()
    defer { running.remove() }
    let ana = try await running.signUp("ana")
    let wrong: [(String, [String: JSON], String)] = [
      ("admin.accounts", ["limit": 0], "limit"), ("admin.accounts", ["limit": 501], "limit"),
      ("admin.accounts", ["email": "a@x.example", "after": .string(ana.id)], "after"),
      ("admin.accounts", ["email": "x"], "email"), ("admin.rooms", ["after": "me"], "after"),
      ("admin.rooms", ["limit": 501], "limit"), ("admin.sessions", [:], "person"),
      ("admin.sessions", ["person": .string(ana.id), "email": "ana@x.example"], "person"),
      ("admin.revoke", [:], "person"), ("admin.stats", ["x": 1], "x"),
      ("admin.revoke", ["session": .string(ana.session), "person": .string(ana.id)], "session"),
    ]
    for (method, parameters, field) in wrong {
      do throws(AdminSocket.Failure) {
        let answer = try running.socket.call(method, parameters)
        Issue.record("\(method) \(parameters): \(answer.text)")
      } catch {
        guard case .refused(_, let fields) = error else {
          Issue.record("\(error)")
          continue
        }
        #expect(fields.count == 1 && fields[0].hasPrefix("\(field): "), "\(method) \(parameters): \(fields)")
      }
    }
    try await ana.client.fence()
    let nobody = try await running.admin("sessions", "nobody@x.example")
    #expect(nobody.status == 1 && nobody.errors == "There is no such account, or no longer.\n")
    for arguments in [["revoke"], ["revoke", "a@x.example", "--session", ana.session], ["sessions"], ["nonsense"]] {
      #expect(try await Program.run(["admin"] + arguments).status == 64, "\(arguments)")
    }
    await running.server.stop()
  }
}
