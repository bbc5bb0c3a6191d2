import Rooms

/// Notices that all clients come from one address: a proxy that the server does not know.
final class OneAddressWatch {
  /// The number of different persons in a row from one address.
  static let persons = 20

  private var network = ""
  private var persons: Set<ID<Person>> = []
  private var isOver = false

  /// Counts the log-in of a person. Returns `true` once, when the log should name the address.
  func note(_ person: ID<Person>, from network: String) -> Bool {
    guard !isOver else { return false }
    if self.network != network {
      self.network = network
      persons = []
    }
    persons.insert(person)
    isOver = persons.count >= Self.persons
    if isOver { persons = [] }
    return isOver
  }
}
