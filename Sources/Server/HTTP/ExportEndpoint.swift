import Crypto
import HTTP
import Home
import Platform
import Rooms

/// The content of a dismissed household for a member, by the link in the member's inbox (HH-11).
enum ExportEndpoint {
  static let path = HomeRooms.exportPath
  /// Longer secrets lead nowhere.
  private static let secretLength = 64

  /// Serves a request for the household behind a secret link. The link is all that it takes: it is no page of an
  /// account, and works where nobody is logged in.
  static func serve(_ exchange: HTTPExchange, by shard: Shard) {
    let secret = Array(exchange.head.target.path.utf8.dropFirst(path.utf8.count))
    guard secret.count <= secretLength else { return respond(nil, to: exchange) }
    let hash = SHA256.hash(secret)
    shard.services.store.rooms(
      secret: hash, limit: 1,
      reply: Reply(on: shard.loop.poster) { [unowned shard] result in
        switch result.map(\.first) {
        case .success(.household(let id)?):
          let room = RoomID.household(id)
          shard.neighbours.ask(.export(secretHash: hash, of: room), of: shard.shards.home(of: room)) { answer in
            guard case .export(let document) = answer else { return }
            respond(document, to: exchange)
          }
        case .success: respond(nil, to: exchange)
        case .failure: exchange.respond(.serviceUnavailable, "The server cannot do this at the moment.\n")
        }
      })
  }

  private static func respond(_ document: [UInt8]?, to exchange: HTTPExchange) {
    guard let document else { return exchange.respond(.notFound, "This link leads nowhere, or no longer.\n") }
    let headers: Headers = [
      "Content-Type": "application/json", "Content-Disposition": "attachment; filename=\"household.json\"",
      "Cache-Control": "no-store",
    ]
    exchange.respond(Response(.ok, headers: headers, body: document))
  }
}

extension Shard {
  /// The content of a household of this shard for the owner of a secret.
  func export(secretHash: [UInt8], of room: RoomID, _ done: @escaping ([UInt8]?) -> Void) {
    rooms.withSeat(room) { [unowned self] seat in
      done(seat.room.flatMap { HomeRooms.export(secretHash: secretHash, of: $0, at: loop.now) })
    }
  }
}
