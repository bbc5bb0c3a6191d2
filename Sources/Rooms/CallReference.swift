/// A call as rooms name it to each other, so that the target room can answer it later (DESIGN "Truth and copies"). A
/// message that a call waits for carries it as `call`.
public struct CallReference: Record {
  public var person = ID<Person>()
  public var client = ID<Client>()
  public var seq = 0

  public init() {}

  /// `nil` means a call that no client waits for.
  public init(_ call: CallKey?) {
    guard let call else { return }
    person = call.person
    client = call.client
    seq = Int(call.number)
  }

  public static func fields(_ field: inout some FieldVisitor<Self>) {
    field("person", \.person)
    field("client", \.client)
    field("seq", \.seq)
  }

  public var key: CallKey { CallKey(person: person, client: client, number: Int64(seq)) }
}
