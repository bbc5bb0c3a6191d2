import Foundation
import Home
import JSON
import Testing

@testable import Server

/// RELIABILITY E7: each parameter of each method in protocol.md, with values of each wrong type.
@Suite("Parameters of wrong types")
struct EveryParameterTests {
  struct Row: Sendable {
    var method: String
    var room: String
    var parameters: [String]
  }

  /// The tables of methods in protocol.md, so that the documented methods are the tested ones.
  static let rows: [Row] = {
    let text = (try? String(contentsOf: ReadmeTests.root.appending(path: "protocol.md"), encoding: .utf8)) ?? ""
    var rows: [Row] = []
    var head: [String] = []
    for line in text.components(separatedBy: "\n") {
      let cells = line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
        .map { $0.trimmingCharacters(in: .whitespaces) }
      if cells.first == "method" { head = cells }
      if cells.isEmpty { head = [] }
      guard let column = head.firstIndex(of: "parameters"), cells.count > column,
        let name = cells[0].wholeMatch(of: /`([a-zA-Z]+(\.[a-zA-Z]+)?)`/)
      else { continue }
      // Names in braces are members of a parameter, not parameters.
      let plain = cells[column].replacing(/\{[^}]*\}/, with: "").replacing(/\([^)]*\)/, with: "")
      let parameters = plain.matches(of: /`([a-zA-Z]+)\??(: true)?`/).map { String($0.1) }
      let room = head.firstIndex(of: "room").map { cells[$0] } ?? ""
      rows.append(Row(method: String(name.1), room: room, parameters: parameters))
    }
    return rows
  }()

  @Test("protocol.md has a row for each method")
  func complete() {
    let known = Set(HomeRooms.kinds.flatMap(\.methods).map(\.name)).union(ServerMethod.all.keys)
    let told = Set(Self.rows.map(\.method)).union(["room.subscribe", "room.unsubscribe"])
    #expect(known.subtracting(told).isEmpty, "missing in the tables: \(known.subtracting(told).sorted())")
    #expect(told.subtracting(known).isEmpty, "unknown in the tables: \(told.subtracting(known).sorted())")
    #expect(Self.rows.count > 20)
  }

  @Test("E7: each parameter with a wrong type gives one −32602 that names it, and changes nothing")
  func wrongKinds() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (household, members) = try await server.household("Ana", "Bo")
    let ana = members[0]
    let share = try await ana.share(with: members[1])
    var before: [String: JSON] = [:]
    for room in ["me", household, household + "/mine", share] { before[room] = try await ana.watch(room).state }
    var values: [JSON] = [.null, .bool(true), -1.5, "\u{1}", [[:]], ["zz": 1]]
    values.append(.string(String(repeating: "x", count: 20_000)))
    var tried = 0
    for row in Self.rows {
      let isOwn = row.room.isEmpty || row.room == "`me`"
      let isCorner = row.room.contains("mine") && !row.room.contains("household")
      let room = row.room.contains("share") ? share : isOwn ? nil : isCorner ? household + "/mine" : household
      for parameter in row.parameters {
        var refused = 0
        for value in values {
          // An unknown parameter keeps the call from taking effect if the value happens to be valid.
          var parameters: [String: JSON] = [parameter: value, "neverAParameter": 1]
          if let room { parameters["room"] = .string(room) }
          let error = try await ana.client.refusal(row.method, parameters)
          let fields = error.fields?.object ?? [:]
          #expect(error.code == -32602, "\(row.method) \(parameter) \(value.text.prefix(40)): \(error)")
          let names = fields.keys.filter {
            $0 == parameter || $0.hasPrefix(parameter + ".") || $0.hasPrefix(parameter + "[")
          }
          if !names.isEmpty { refused += 1 }
          #expect(fields["neverAParameter"] != nil || ["seq", "room"].contains(parameter), "\(row.method) \(error)")
          tried += 1
        }
        // Some of the values may be valid: a string for a string, null for an optional value.
        #expect(refused >= values.count - 3, "\(row.method) accepts too many types for \(parameter): \(refused)")
      }
    }
    #expect(tried > 300, "\(tried)")
    print("\(tried) wrong values in \(Self.rows.count) methods")
    for (room, state) in before { #expect(try await ana.watch(room).state == state, "\(room)") }
  }
}
