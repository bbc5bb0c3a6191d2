import Crypto
import HTTP
import Home
import Platform
import Rooms

/// The content of a dismissed household for a member, by the link in the member's inbox (HH-11).
extension Shard {
  /// Longer secrets lead nowhere.
  private static let exportSecretLength = 64

  /// Serves a request for the household behind a secret link. The link is all that it takes: it is no page of an
  /// account, and works where nobody is logged in.
  func serveExport(_ request: RequestHead, _ session: Session) {
    guard isQuestion(request, session) else { return }
    let secret = Array(request.target.path.utf8.dropFirst(HomeRooms.exportPath.utf8.count))
    guard secret.count <= Self.exportSecretLength else { return respond(export: nil, to: request, session) }
    let hash = SHA256.hash(secret)
    services.store.rooms(
      secret: hash, limit: 1,
      reply: Reply(on: loop.poster) { [unowned self] result in
        switch result.map(\.first) {
        case .success(.household(let id)?):
          let room = RoomID.household(id)
          neighbours.ask(.export(secretHash: hash, of: room), of: shards.home(of: room)) { [unowned self] answer in
            guard case .export(let document) = answer else { return }
            respond(export: document, to: request, session)
          }
        case .success: respond(export: nil, to: request, session)
        case .failure: respond(to: request, .serviceUnavailable, "The server cannot do this at the moment.\n", session)
        }
      })
  }

  /// The content of a household of this shard for the owner of a secret.
  func export(secretHash: [UInt8], of room: RoomID, _ done: @escaping ([UInt8]?) -> Void) {
    rooms.withSeat(room) { [unowned self] seat in
      done(seat.room.flatMap { HomeRooms.export(secretHash: secretHash, of: $0, at: loop.now) })
    }
  }

  private func respond(export document: [UInt8]?, to request: RequestHead, _ session: Session) {
    guard let document else {
      return respond(to: request, .notFound, "This link leads nowhere, or no longer.\n", session)
    }
    let headers: Headers = [
      "Content-Type": "application/json", "Content-Disposition": "attachment; filename=\"household.json\"",
      "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
    ]
    respond(Response(.ok, headers: headers, body: document), session, method: request.method)
  }
}
