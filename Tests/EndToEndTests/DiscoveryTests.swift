import Foundation
import JSON
import Testing

@testable import HearthCommand
@testable import Home
@testable import Rooms
@testable import Server

/// NFR-3: the description is complete enough to generate clients from, and cannot differ from the server's behaviour.
@Suite("rpc.discover")
struct DiscoveryTests {
  static let document = Discovery.make(MethodTable(), Configuration())
  static var methods: [JSON] { document["methods"]?.array ?? [] }

  @Test("NFR-3: every method is described exactly once, with and without a token")
  func all() async throws {
    let names = Self.methods.compactMap { $0["name"]?.string }
    #expect(Set(names) == Set(MethodTable().entries.map(\.name)))
    #expect(Set(names).count == names.count)
    let server = try await TestServer.start()
    defer { server.end() }
    let stranger = try await server.connect()
    #expect(try await stranger.call("rpc.discover") == Self.document)
    let ana = try await server.member("Ana")
    #expect(try await ana.call("rpc.discover") == Self.document)
    #expect(try await ana.refusal("rpc.discover", ["room": "me"]).fields?["room"] != nil)
  }

  @Test("NFR-3: the description has the form of OpenRPC 1.3, and every reference resolves")
  func shape() throws {
    #expect(Self.document["openrpc"]?.string?.hasPrefix("1.") == true)
    #expect(Self.document["info"]?["title"]?.string != nil && Self.document["info"]?["version"]?.string != nil)
    let errors = try #require(Self.document["components"]?["errors"]?.object)
    #expect(Set(errors.values.compactMap { $0["code"]?.int }) == Set(Refusal.Code.allCases.map(\.rawValue)))
    for method in Self.methods {
      let name = try #require(method["name"]?.string)
      #expect(method["summary"]?.string?.isEmpty == false, "\(name) has no summary")
      #expect(method["paramStructure"] == "by-name")
      let parameters = try #require(method["params"]?.array)
      #expect(Set(parameters.map { $0["name"] }).count == parameters.count)
      for parameter in parameters {
        let path = "\(name) \(parameter["name"]?.text ?? "")"
        #expect(parameter["required"]?.bool != nil, "\(path)")
        try Self.check(schema: #require(parameter["schema"]), "\(path)")
      }
      #expect(method["result"]?["name"]?.string != nil)
      try Self.check(schema: #require(method["result"]?["schema"]), "the result of \(name)")
      for error in try #require(method["errors"]?.array) {
        let parts = error["$ref"]?.string?.split(separator: "/").map(String.init) ?? []
        #expect(parts.prefix(3) == ["#", "components", "errors"] && errors[parts.last ?? ""] != nil, "\(name)")
      }
    }
  }

  @Test("NFR-3: the notifications that the server sends, and no others, are described and stand in protocol.md")
  func notifications() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let sources = try #require(
      FileManager.default.enumerator(at: root.appending(path: "Sources/Server"), includingPropertiesForKeys: nil))
    var sent: Set<String> = []
    for case let file as URL in sources where file.pathExtension == "swift" {
      let text = try String(contentsOf: file, encoding: .utf8)
      for match in text.matches(of: #/notify\([^"\n]*"(\w+\.\w+)"/#) { sent.insert(String(match.1)) }
    }
    let described = Self.document["x-notifications"]?.array ?? []
    #expect(sent.count > 4 && Set(described.compactMap { $0["name"]?.string }) == sent)
    let text = try String(contentsOf: root.appending(path: "protocol.md"), encoding: .utf8)
    for notification in described {
      let name = try #require(notification["name"]?.string)
      #expect(notification["summary"]?.string?.isEmpty == false && text.contains("`\(name)"), "\(name)")
      for field in try #require(notification["params"]?.array) {
        try Self.check(schema: #require(field["schema"]), "\(name) \(field["name"]?.text ?? "")")
      }
    }
  }

  @Test("NFR-3: the documents of all kinds of room are described, without what clients never see")
  func documents() throws {
    let schemas = try #require(Self.document["components"]?["schemas"]?.object)
    #expect(Set(schemas.keys) == Set(HomeRooms.kinds.map(\.name.rawValue)))
    for (name, schema) in schemas { try Self.check(schema: schema, name) }
    let household = schemas["household"]?["properties"]
    #expect(household?["state"]?["properties"]?["members"]?["additionalProperties"]?["properties"]?["role"] != nil)
    #expect(household?["live"]?["properties"]?["presence"] != nil)
    #expect(!schemas.values.contains { $0.text.contains("codeHashes") || $0.text.contains("_sent") })
  }

  /// Checks that a schema is not empty and does not contradict itself.
  private static func check(schema: JSON, _ path: String) throws {
    if let choices = schema["anyOf"]?.array {
      for choice in choices { try check(schema: choice, path) }
      return
    }
    let types = schema["type"]?.array ?? schema["type"].map { [$0] } ?? []
    #expect(!types.isEmpty, "\(path) has no type")
    for type in types {
      #expect(["string", "integer", "number", "boolean", "array", "object", "null"].contains(type.string), "\(path)")
    }
    for (least, most) in [("minLength", "maxLength"), ("minimum", "maximum"), ("minItems", "maxItems")] {
      if let low = schema[least]?.int, let high = schema[most]?.int { #expect(low <= high, "\(path)") }
    }
    if let pattern = schema["pattern"]?.string { _ = try Regex(pattern) }
    let properties = schema["properties"]?.object ?? [:]
    for name in schema["required"]?.array ?? [] { #expect(properties[name.string ?? ""] != nil, "\(path)") }
    for (name, inner) in properties { try check(schema: inner, "\(path).\(name)") }
    if let items = schema["items"] { try check(schema: items, "\(path) items") }
  }

  @Test("NFR-3: at every limit of every parameter, the server accepts what the schema allows and refuses the rest")
  func limits() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo")
    let ana = members[0]
    let share = try await ana.share(with: members[1])
    // Formats that an arbitrary text does not match; their lengths have their own tests.
    let formed: Set<String> = [
      "households.create timeZone", "households.update timeZone", "settings.edit timeZone",
      "households.join code",
      // Of the main list, which the absence of an id means, they cannot be changed.
      "lists.edit name", "lists.edit store",
      // Its fields limit each other.
      "events.add repeats", "events.edit repeats", "chores.add chore", "chores.edit chore", "bills.add bill",
      "bills.edit bill", "trips.complete lines",
    ]
    var count = 0
    for method in Self.methods {
      let name = try #require(method["name"]?.string)
      for form in method["x-rooms"]?.array ?? [.null] {
        for parameter in method["params"]?.array ?? [] {
          let field = try #require(parameter["name"]?.string)
          if field == "room" || formed.contains("\(name) \(field)") { continue }
          if let rooms = parameter["x-rooms"]?.array, !rooms.contains(form) { continue }
          for sample in SchemaSamples.cases(try #require(parameter["schema"]), at: field) {
            // An unknown field keeps every call from taking effect, while all invalid fields are still reported.
            var parameters: [String: JSON] = [field: sample.value, "nobody": 1]
            if field == "answered" { parameters["seq"] = .number(JSON.Number(Int(WireLimits.clientNumber - 1))) }
            switch form.string {
            case "household/ID": parameters["room"] = .string(room)
            case "household/ID/mine": parameters["room"] = .string(room + "/mine")
            case "share/ID": parameters["room"] = .string(share)
            default: break
            }
            let refusal = try await ana.refusal(name, parameters)
            let isRefused = refusal.fields?[sample.path] != nil
            let text = "\(name) \(sample.path) \(sample.limit) \(sample.value.text.prefix(80)) \(refusal)"
            #expect(isRefused != sample.isAllowed, "\(text)")
            count += 1
          }
        }
      }
    }
    #expect(count > 200, "\(count)")
  }

  @Test("NFR-3: a parameter is marked as required exactly if the server reports it as missing")
  func required() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo")
    let share = try await members[0].share(with: members[1])
    for method in Self.methods {
      let name = try #require(method["name"]?.string)
      for form in method["x-rooms"]?.array ?? [.null] {
        var parameters: [String: JSON] = ["nobody": 1]
        switch form.string {
        case "household/ID": parameters["room"] = .string(room)
        case "household/ID/mine": parameters["room"] = .string(room + "/mine")
        case "share/ID": parameters["room"] = .string(share)
        default: break
        }
        let refusal = try await members[0].refusal(name, parameters)
        let missing = refusal.fields?.object?.filter { $0.value == "missing" }.keys.sorted()
        let required = method["params"]?.array?.filter { $0["required"] == true }.compactMap { $0["name"]?.string }
        #expect(missing == required?.filter { parameters[$0] == nil }.sorted(), "\(name)")
      }
    }
  }

  @Test("NFR-3: protocol.md names every parameter of every method")
  func documented() throws {
    for method in Self.methods {
      let name = try #require(method["name"]?.string)
      let text = ProtocolDocumentTests.text
      let line = text.components(separatedBy: "\n").first { $0.hasPrefix("| `\(name)` |") || $0.contains("`\(name) {") }
      guard let line else {
        Issue.record("\(name) is not in protocol.md")
        continue
      }
      for parameter in method["params"]?.array?.compactMap({ $0["name"]?.string }) ?? [] {
        if ["room", "seq", "answered"].contains(parameter) { continue }
        let isNamed = line.firstRange(of: try Regex("\\b\(parameter)\\b")) != nil || line.contains("| the same |")
        #expect(isNamed, "\(name) \(parameter)")
      }
    }
  }
}
