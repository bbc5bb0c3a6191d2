import Crypto
import Foundation
import Home
import JSON
import Platform
import Rooms
import Testing

@testable import HearthCommand
@testable import Server

/// Accounts created directly in the directory: signing up costs 0.3 s of scrypt and has its own tests.
extension TestServer {
  static let password = "correct horse"

  /// A hash at the lowest cost, so that tests can log in.
  private static let passwordHash: String = {
    let cost = Scrypt.Cost(logN: 4, r: 8, p: 1)
    let hash = cost.flatMap {
      try? PasswordHash.make(password: Array(password.utf8), salt: SystemRandom.bytes(16), cost: $0)
    }
    return hash?.text ?? ""
  }()

  /// Creates a person with an account and says hello.
  func member(_ name: String, email: String? = nil) async throws -> Member {
    let address = email ?? "\(name.lowercased())-\(UUID().uuidString.prefix(8).lowercased())@example.org"
    let person = try #require(ID<Person>(UUID().uuidString))
    let token = Base64.url.encode(SystemRandom.bytes(32))
    try await makeAccount(of: person, named: name, email: address, token: token)
    let member = Member(
      client: try await connect(), name: name, email: address, id: person.description, token: token)
    try await member.hello()
    return member
  }

  private func makeAccount(of person: ID<Person>, named name: String, email: String, token: String) async throws {
    let now = Instant.now
    let kind = try #require(HomeRooms.kinds.first { $0.name == .me })
    let room = kind.make(.person(person))
    room.open(random: SystemRandom.bytes(16), key: SystemRandom.bytes(32))
    let session = SessionRecord(
      id: try #require(ID(UUID().uuidString)), person: person, tokenHash: SHA256.hash(Array(token.utf8)), name: "test",
      createdAt: now, lastUsedAt: now)
    try HomeRooms.openPerson(
      room, name: name, birthday: nil, devices: [session.id: HomeRooms.ListedDevice(session)],
      account: HomeRooms.KnownAccount(email: email, hasPassword: true), turn: Turn(caller: person, now: now))
    let commit = RoomCommit(of: room.seal(at: now, by: person, to: Writer()), room, isNew: true)
    let account = Account(person: person, email: email, passwordHash: Self.passwordHash, createdAt: now)
    let directory = try #require(directory)
    let result = await withCheckedContinuation { continuation in
      directory.createAccount(
        account, room: commit, session: session,
        reply: Reply(on: SpotPoster()) { continuation.resume(returning: $0) })
    }
    #expect(try result.get() == .created)
  }
}

extension Instant {
  /// The clock of this machine, which the server shares.
  static var now: Instant { Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) }

  /// The instant as on the wire.
  var json: JSON { .string(description) }

  /// Parses an instant as on the wire.
  init?(_ json: JSON?) {
    guard let text = json?.string, let instant = Instant(text) else { return nil }
    self = instant
  }
}

func newID() -> String { UUID().uuidString.lowercased() }
