import Crypto
import HTTP
import Home
import Platform
import Rooms

/// A document of a household that a secret link leads to.
enum LinkedDocument: Sendable {
  /// The content of a dismissed household (HH-11).
  case export
  /// The calendar of a member (CHO-27).
  case calendar
}

/// Links whose secret is all that it takes: they belong to no page of an account, and work where nobody is logged in.
///
/// Wrong secrets, malformed and revoked ones get the same answer. None can be guessed: a secret has 256 bits.
enum SecretLinks {
  /// Longer secrets lead nowhere.
  private static let secretLength = 64

  /// Answers a request with the document behind a secret.
  ///
  /// - Parameter secret: `nil` if the path is malformed.
  static func serve(
    _ document: LinkedDocument, _ secret: Substring?, _ exchange: HTTPExchange, by shard: Shard,
    _ respond: @escaping (RoomID, [UInt8]) -> Void
  ) {
    guard let secret, secret.utf8.count <= secretLength else { return refuse(exchange) }
    let hash = SHA256.hash(Array(secret.utf8))
    shard.services.store.rooms(
      secret: hash, limit: 1,
      reply: Reply(on: shard.loop.poster) { [unowned shard] result in
        switch result.map(\.first) {
        case .success(.household(let id)?):
          let room = RoomID.household(id)
          let question = ShardQuestion.linked(document, secretHash: hash, of: room)
          shard.neighbours.ask(question, of: shard.shards.home(of: room)) { answer in
            guard case .linked(let bytes) = answer else { return }
            if let bytes { respond(room, bytes) } else { refuse(exchange) }
          }
        case .success: refuse(exchange)
        case .failure: exchange.respond(.serviceUnavailable, "The server cannot do this at the moment.\n")
        }
      })
  }

  private static func refuse(_ exchange: HTTPExchange) {
    exchange.respond(.notFound, "This link leads nowhere, or no longer.\n")
  }
}

extension Shard {
  /// A document of a household of this shard for the owner of a secret.
  func linked(_ document: LinkedDocument, secretHash: [UInt8], of room: RoomID, _ done: @escaping ([UInt8]?) -> Void) {
    rooms.withSeat(room) { [unowned self] seat in
      done(
        seat.room.flatMap {
          switch document {
          case .export: HomeRooms.export(secretHash: secretHash, of: $0, at: loop.now)
          case .calendar: HomeRooms.calendar(secretHash: secretHash, of: $0, at: loop.now)
          }
        })
    }
  }
}
