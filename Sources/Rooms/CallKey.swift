/// The permanent name of one call: its person, their client, and the number that the client gave it (SYN-3).
public struct CallKey: Hashable, Sendable {
  public var person: ID<Person>
  public var client: ID<Client>
  public var number: Int64

  public init(person: ID<Person>, client: ID<Client>, number: Int64) {
    self.person = person
    self.client = client
    self.number = number
  }
}
