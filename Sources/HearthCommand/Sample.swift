import Foundation
import HearthClient
import JSON
import Rehearsal
import Rooms
import Server

/// A sample household: four people, the chores, dinners and drinks of a month, notes, a shopping list, and one person
/// walking home.
///
/// It is created through the protocol, as any client would. Its tokens are stored beside the database for the next
/// start.
struct Sample: Codable {
  struct Person: Codable {
    var name: String
    var email: String
    var token: String
    var id: String
  }

  var household: String
  var people: [Person]

  static let password = "sample household"

  /// The sample in `folder`; created if missing.
  static func prepare(in folder: URL, port: UInt16) async throws -> Sample {
    let file = folder.appending(path: "sample.json")
    if let data = try? Data(contentsOf: file) { return try JSONDecoder().decode(Sample.self, from: data) }
    let sample = try await make(port: port)
    let data = try JSONEncoder().encode(sample)
    guard
      FileManager.default.createFile(
        atPath: file.path, contents: data, attributes: [.posixPermissions: 0o600])
    else { throw CocoaError(.fileWriteUnknown) }
    return sample
  }

  private static func make(port: UInt16) async throws -> Sample {
    var people: [Person] = []
    var clients: [ServerConnection] = []
    for (name, birthday) in [
      ("Ana", "1998-02-28"), ("Bo", "1997-06-03"), ("Cleo", "1999-11-20"), ("Dan", "1996-09-01"),
    ] {
      let client = try await connect(port: port)
      // On a busy machine the hash of a password can take longer than a stranger may be silent.
      _ = try await client.hello()
      let email = "\(name.lowercased())@example.org"
      let login = try await client.signUp(email: email, password: password, name: name, birthday: birthday)
      _ = try await client.hello(token: login.token)
      people.append(Person(name: name, email: email, token: login.token, id: login.me.description))
      clients.append(client)
    }
    let created = try await clients[0].call(
      "households.create", ["name": "Elm Street", "timeZone": "Europe/Berlin", "currency": "EUR"])
    let household = "household/\(created["household"]?.string ?? "")"
    let code = try await clients[0].call("joinCodes.create", room: household)
    for client in clients.dropFirst() { _ = try await client.call("households.join", ["code": code["code"] ?? .null]) }
    try await live(clients, people, in: household)
    let notes: [(Int, JSON)] = [
      (0, ["text": "The plumber comes on Thursday at nine.", "colour": "yellow", "place": ["x": 0.1, "y": 0.2]]),
      (1, ["text": "Whose bicycle stands in the hall?", "colour": "pink", "place": ["x": 0.6, "y": 0.3]]),
      (2, ["text": "House meeting on Sunday, I cook.", "colour": "green", "keep": true]),
    ]
    for (author, note) in notes { _ = try await clients[author].call("notes.add", note, room: household) }
    let groceries: [(Int, JSON)] = [
      (0, ["name": "Milk", "quantity": 2, "unit": "l"]), (1, ["name": "Eggs", "quantity": 6]),
      (2, ["name": "eggs", "quantity": 4, "note": "free range"]),
      (3, ["name": "Coffee", "quantity": 500, "unit": "g", "personal": true]),
    ]
    for (buyer, item) in groceries { _ = try await clients[buyer].call("groceries.add", item, room: household) }
    _ = try await clients[1].call("groceries.add", ["name": "Birthday candles"], room: "\(household)/mine")
    try await talk(clients, in: household)
    for client in clients { await client.close() }
    return Sample(household: household, people: people)
  }

  /// The month before.
  private static func live(_ clients: [ServerConnection], _ people: [Person], in household: String) async throws {
    let ids = people.compactMap { ID<Rooms.Person>($0.id) }
    var month = SampleMonth(endingAt: MachineClock.now, people: ids, followsClock: false)
    while let call = month.next() {
      let room = call.isOwn ? "me" : household
      month.note(try await clients[call.by].call(call.method, call.parameters, room: room))
    }
  }

  /// A chat, a reaction, and an absence with a stand-in.
  private static func talk(_ clients: [ServerConnection], in household: String) async throws {
    let question = try await clients[0].call("chat.send", ["text": "Who is home for dinner?"], room: household)
    _ = try await clients[1].call("chat.send", ["text": "I am, and I cook."], room: household)
    let thanks: JSON = ["id": question["id"] ?? .null, "emoji": "🎉", "on": true]
    _ = try await clients[2].call("chat.react", thanks, room: household)
    let today = MachineClock.now
    let days = [3, 6].map { JSON.string(String((today + .seconds(86_400 * $0)).description.prefix(10))) }
    _ = try await clients[2].call("members.away", ["from": days[0], "to": days[1]], room: household)
  }

  static func connect(port: UInt16) async throws -> ServerConnection {
    let installation = ID<Client>(bytes: (0..<16).map { _ in UInt8.random(in: 0...255) }) ?? ID()
    return try await ServerConnection.connect(to: Endpoint(host: "127.0.0.1", port: port), client: installation)
  }

  /// For each person a link that logs a browser in, once.
  func loginLinks(_ links: LoginLinks, port: UInt16) -> [String] {
    people.map { person in
      let path = links.add(email: person.email, password: Self.password, SystemRandomness())
      return "http://127.0.0.1:\(port)\(path)"
    }
  }

  /// The commands to try next, ready to paste.
  func introduction(port: UInt16, share: String?, links: [String]?) -> String {
    let program = CommandLine.arguments[0]
    let column = { (name: String) in name.padding(toLength: 5, withPad: " ", startingAt: 0) }
    let tokens = people.map { "  \(column($0.name)) \($0.token)" }
    let logins = links.map { links in
      """

      The page, logged in as one of them; each link works once, on this machine:
      \(zip(people, links).map { "  \(column($0.name)) \($1)" }.joined(separator: "\n"))

      """
    }
    let url = port == 7400 ? "" : " --url ws://127.0.0.1:\(port)/sync"
    return """
      \(logins ?? "")
      The sample household's people and their tokens (password: \(Self.password)):
      \(tokens.joined(separator: "\n"))

      In a second terminal, watch it as Ana:

        export HEARTH_TOKEN=\(people[0].token)
        \(program) watch\(url) \(household)

      and in a third one change it:

        export HEARTH_TOKEN=\(people[1].token)
        \(program) call\(url) notes.add '{"text": "Milk is out"}' --room \(household)

      Who has done which chores in the last month:

        \(program) stats\(url) --token \(people[0].token)

      Dan is walking home, and Ana receives the position. The first of these is a live map in a terminal:

        \(program) watch\(url) \(share ?? "share/…") --token \(people[0].token)
        \(program) shares\(url) --token \(people[0].token)

      Ctrl-C stops the server; the next start finds everything as it was.
      """
  }
}
