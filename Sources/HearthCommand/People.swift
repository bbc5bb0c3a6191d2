import HearthClient
import JSON
import Rooms

/// The people with whom a person may share a position: contacts, and members of the same households.
struct People {
  /// Why a name stands for nobody, or for several.
  struct Failure: Error, Equatable, CustomStringConvertible {
    var description: String
  }

  /// Names by id.
  private var names: [String: String] = [:]

  /// - Parameters:
  ///   - me: the state of the person's own room.
  ///   - households: the states of their households.
  init(me: JSON, households: [JSON], except own: ID<Person>?) {
    for tables in [[me["contacts"]], households.map { $0["members"] }] {
      for (id, entry) in tables.compactMap(\.self).flatMap({ $0.object ?? [:] }) { names[id] = entry["name"]?.string }
    }
    if let own { names[own.description] = nil }
  }

  /// Asks for the rooms that name people.
  static func known(
    to connection: ServerConnection, me: JSON, except own: ID<Person>?
  ) async throws(ClientError) -> People {
    var households: [JSON] = []
    for id in (me["households"]?.object ?? [:]).keys.sorted() {
      let answer = try await connection.call("room.subscribe", room: "household/\(id)")
      if let state = answer["state"] { households.append(state) }
    }
    return People(me: me, households: households, except: own)
  }

  /// The ids of people in a list of names and ids, such as `Bo,Cleo`.
  func ids(in list: String) throws(Failure) -> [String] {
    var ids: [String] = []
    for word in list.split(separator: ",").map({ String($0).trimmed }) where !word.isEmpty {
      if ID<Person>(word) != nil {
        ids.append(word)
        continue
      }
      let found = names.filter { $0.value.lowercased() == word.lowercased() }.keys.sorted()
      guard let id = found.first else {
        let known =
          names.isEmpty ? "You know nobody here yet." : "You know \(names.values.sorted().joined(separator: ", "))."
        throw Failure(description: "Nobody whom you may share with is called \(word). \(known)")
      }
      guard found.count == 1 else {
        throw Failure(
          description: "\(found.count) people are called \(word). Give an id: \(found.joined(separator: ", ")).")
      }
      ids.append(id)
    }
    guard !ids.isEmpty else { throw Failure(description: "--with names nobody.") }
    return ids
  }
}

extension String {
  fileprivate var trimmed: String {
    String(drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
  }
}
