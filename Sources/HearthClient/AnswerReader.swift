import JSON
import Rooms

/// Reads the members of an object from the server and throws `malformed` if one is not as protocol.md demands.
struct AnswerReader {
  private let members: [String: JSON]
  private let owner: String

  init(_ value: JSON, of owner: String) throws(ClientError) {
    guard let members = value.object else { throw .malformed("\(owner) is not an object") }
    self.members = members
    self.owner = owner
  }

  var names: [String] { Array(members.keys) }

  func string(_ name: String) throws(ClientError) -> String { try require(name, members[name]?.string) }

  func stringIfPresent(_ name: String) throws(ClientError) -> String? { try read(name) { $0.string } }

  /// A whole number, negative only in error codes.
  func integer(_ name: String) throws(ClientError) -> Int64 { try require(name, members[name]?.int.map(Int64.init)) }

  func integerIfPresent(_ name: String) throws(ClientError) -> Int64? { try read(name) { $0.int.map(Int64.init) } }

  func object(_ name: String) throws(ClientError) -> JSON { try require(name, try objectIfPresent(name)) }

  func objectIfPresent(_ name: String) throws(ClientError) -> JSON? {
    try read(name) { $0.object == nil ? nil : $0 }
  }

  func instant(_ name: String) throws(ClientError) -> Instant { try require(name, try instantIfPresent(name)) }

  func instantIfPresent(_ name: String) throws(ClientError) -> Instant? {
    try read(name) { $0.string.flatMap { Instant($0) } }
  }

  func id<Of>(_ name: String) throws(ClientError) -> ID<Of> { try require(name, try idIfPresent(name)) }

  func idIfPresent<Of>(_ name: String) throws(ClientError) -> ID<Of>? {
    try read(name) { $0.string.flatMap { ID($0) } }
  }

  func stringsIfPresent(_ name: String) throws(ClientError) -> [String]? {
    try read(name) { value in
      guard let items = value.array else { return nil }
      let strings = items.compactMap(\.string)
      return strings.count == items.count ? strings : nil
    }
  }

  /// Returns `nil` if the member is absent or null.
  private func read<Value>(_ name: String, _ read: (JSON) -> Value?) throws(ClientError) -> Value? {
    guard let member = members[name], !member.isNull else { return nil }
    return try require(name, read(member))
  }

  private func require<Value>(_ name: String, _ value: Value?) throws(ClientError) -> Value {
    guard let value else { throw .malformed("\(name) of \(owner) is missing or wrong") }
    return value
  }
}
