import Foundation
import JSON
import TestSupport
import Testing
import WebSocket

@testable import HearthCommand
@testable import Home
@testable import Rooms
@testable import Server

/// protocol.md is correct: its examples are executed in order, and its tables are compared with the code.
@Suite("protocol.md")
struct ProtocolDocumentTests {
  static let text: String = {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return (try? String(contentsOf: root.appending(path: "protocol.md"), encoding: .utf8)) ?? ""
  }()

  @Test("every example in protocol.md runs as written")
  func examples() async throws {
    // A stranger comes from another machine, by the word of a proxy.
    let server = try await TestServer.start { $0.configuration.trustedProxies = ["127.0.0.1"] }
    defer { server.end() }
    var script = ExampleRunner(server: server)
    var isInside = false
    var exchange: [String]?
    var count = 0
    for (index, line) in Self.text.components(separatedBy: "\n").enumerated() {
      if line.hasPrefix("```") {
        isInside = line == "```wire"
        if let lines = exchange {
          count += 1
          do {
            try await script.run(exchange: lines)
          } catch {
            throw Unexpected("protocol.md:\(index + 1): \(error)\n\(lines.joined(separator: "\n"))")
          }
        }
        exchange = line == "```http" ? [] : nil
      } else if exchange != nil {
        exchange?.append(line)
      } else if isInside {
        count += 1
        do {
          try await script.run(line)
        } catch {
          throw Unexpected("protocol.md:\(index + 1): \(error)\n\(line)")
        }
      }
    }
    #expect(count > 80)
  }

  /// Executes the lines of the examples. Names keep their values between lines.
  struct ExampleRunner {
    let server: TestServer
    var clients: [String: TestClient] = [:]
    var names: [String: String] = [:]

    mutating func run(_ line: String) async throws {
      let parts = line.split(separator: " ", maxSplits: 2).map(String.init)
      guard parts.count >= 2 else { throw Unexpected("not a line of an example") }
      switch parts[1] {
      case "connects":
        let headers = parts[0] == "stranger" ? ["X-Forwarded-For": "192.0.2.1"] : [:]
        clients[parts[0]] = try await TestClient.connect(port: server.port, headers: headers)
        try client(parts[0]).hearPresence()
      case "drops": try client(parts[0]).drop()
      case "closes":
        let code = try await client(parts[0]).closeCode()
        if code.map(String.init) != parts.last { throw Unexpected("closed with \(String(describing: code))") }
      case "→": try client(parts[0]).send(filled(parts[2]))
      case "←": try await expect(parts[2], from: client(parts[0]))
      default: throw Unexpected("unknown direction \(parts[1])")
      }
    }

    /// Executes a request with its headers and body, and compares the status and body of the response.
    mutating func run(exchange lines: [String]) async throws {
      guard lines.count >= 3, let status = Int(lines[lines.count - 2]) else { throw Unexpected("not an exchange") }
      let start = lines[0].split(separator: " ").map(String.init)
      var changes: [String: String?] = [:]
      for line in lines[1..<(lines.count - 3)] {
        let parts = filled(line).split(separator: ": ", maxSplits: 1).map(String.init)
        changes[parts[0]] = parts[1]
      }
      let caller = HTTPCaller(port: server.port)
      let answer = try await caller.send(filled(lines[lines.count - 3]), method: start[0], path: start[1], changes)
      let pattern = try Self.pattern(lines[lines.count - 1])
      guard answer.status == status, let known = Self.match(pattern, answer.json ?? .null, names) else {
        throw Unexpected("\(answer.status) \(answer.body)")
      }
      names = known
    }

    /// Parses a pattern, in which `<…>` without quotes may stand for a number.
    private static func pattern(_ text: String) throws -> JSON {
      try JSON.parse(text.replacing(#/([:\[,])<…>/#) { "\($0.output.1)\"<…>\"" })
    }

    private func client(_ name: String) throws -> TestClient {
      guard let client = clients[name] else { throw Unexpected("\(name) is not connected") }
      return client
    }

    private mutating func expect(_ text: String, from client: TestClient) async throws {
      let pattern = try Self.pattern(text)
      let known = names
      let message = try await client.next { Self.match(pattern, $0, known) != nil }
      names = Self.match(pattern, message, known) ?? known
    }

    /// A message to send: names are replaced by their values, and `<now+2h>` by a time.
    private func filled(_ text: String) -> String {
      var text = text
      for (name, value) in names { text = text.replacingOccurrences(of: "<\(name)>", with: value) }
      return text.replacing(#/<now(?:\+(\d+)h)?>/#) { match in
        let hours = match.output.1.flatMap { Double($0) } ?? 0
        return Date().addingTimeInterval(hours * 3600).ISO8601Format(.init(includingFractionalSeconds: true))
      }
    }

    /// The names with new values if `value` matches `pattern`, else `nil`.
    static func match(_ pattern: JSON, _ value: JSON, _ names: [String: String]) -> [String: String]? {
      if case .string("<…>") = pattern { return names }
      switch (pattern, value) {
      case (.string(let text), .string(let found)) where text.hasPrefix("<") && text.hasSuffix(">"):
        let name = String(text.dropFirst().dropLast())
        if let known = names[name] { return known == found ? names : nil }
        return names.merging([name: found]) { $1 }
      case (.array(let patterns), .array(let values)):
        guard patterns.count == values.count else { return nil }
        return zip(patterns, values).reduce(names) { known, pair in known.flatMap { match(pair.0, pair.1, $0) } }
      case (.object(let members), .object(let found)): return match(members, found, names)
      default: return pattern == value ? names : nil
      }
    }

    private static func match(_ members: [String: JSON], _ found: [String: JSON], _ names: [String: String])
      -> [String: String]?
    {
      let isOpen = members["…"] != nil
      var known = names
      var seen = 0
      for (key, pattern) in members where key != "…" {
        let name = key.hasPrefix("<") ? names[String(key.dropFirst().dropLast())] ?? key : key
        guard let value = found[name], let more = match(pattern, value, known) else { return nil }
        known = more
        seen += 1
      }
      return isOpen || seen == found.count ? known : nil
    }
  }

  @Test("the tables of protocol.md list exactly the server's methods")
  func methods() {
    let rows = Self.text.matches(of: #/\n\| `([a-z]+[A-Za-z]*(?:\.[A-Za-z]+)?)` \| /#).map { String($0.output.1) }
    let documented = Set(rows.filter { $0.contains(".") || $0 == "hello" })
    let known = Set(MethodTable().entries.map(\.name))
      .subtracting(["room.subscribe", "room.unsubscribe"])
    #expect(documented == known)
    #expect(Self.text.contains("`room.subscribe {") && Self.text.contains("`room.unsubscribe {"))
  }

  @Test("each limit in protocol.md has the published value")
  func limits() {
    let published = Dictionary(uniqueKeysWithValues: PublishedLimits.all())
    let rows = Self.text.matches(of: #/\n\| `(\w+)` \| (\d+) \| /#)
    #expect(rows.count >= 18)
    for row in rows { #expect(published[String(row.output.1)] == Int(row.output.2), "\(row.output.1)") }
  }

  @Test("protocol.md explains every error code and close code")
  func codes() {
    for code in Refusal.Code.allCases { #expect(Self.text.contains("\n| \(code.rawValue) | \(code) |")) }
    for code in CloseCode.ours { #expect(Self.text.contains("\n| \(code.rawValue) | ")) }
  }

  @Test("protocol.md names every kind and word that a document may contain")
  func words() {
    let words =
      NotificationKind.allCases.map(\.rawValue) + ActivityKind.allCases.map(\.rawValue)
      + Colour.allCases.map(\.rawValue)
    for word in words { #expect(Self.text.contains("`\(word)`"), "\(word)") }
  }

  @Test("protocol.md names every reason of an error")
  func reasons() throws {
    let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Sources")
    var reasons: Set<String> = []
    for target in ["Home", "Rooms", "Server"] {
      let files = FileManager.default.enumerator(at: sources.appending(path: target), includingPropertiesForKeys: nil)
      for case let file as URL in try #require(files) where file.pathExtension == "swift" {
        let text = try String(contentsOf: file, encoding: .utf8)
        for match in text.matches(of: #/(?:Refusal\(\s*\.\w+,|\.full\()\s*"(\w+)"/#) { reasons.insert(String(match.1)) }
      }
    }
    #expect(reasons.count > 35)
    for reason in reasons.sorted() { #expect(Self.text.contains("`\(reason)`"), "\(reason)") }
  }

  @Test("protocol.md lists exactly the fields of each document, and every word that they may hold")
  func fields() throws {
    let state = try DocumentedState()
    let documented = DocumentedState.tables(in: Self.text)
    #expect(state.tables.count > 25)
    for (name, fields) in state.tables {
      let table = String(name.split { " .".contains($0) }.last ?? "")
      let found = documented[table] ?? []
      #expect(found.contains { fields.matches($0) }, "\(name): \(fields), but protocol.md has \(found)")
    }
    for word in state.words.sorted() { #expect(Self.text.contains("`\(word)`"), "\(word)") }
  }
}
