import HTTP
import Home

/// The content of a dismissed household for a member, by the link in the member's inbox (HH-11).
enum ExportEndpoint {
  static let path = HomeRooms.exportPath

  static func serve(_ exchange: HTTPExchange, by shard: Shard) {
    SecretLinks.serve(.export, exchange.head.target.path.dropFirst(path.count), exchange, by: shard) { document in
      let headers: Headers = [
        "Content-Type": "application/json", "Content-Disposition": "attachment; filename=\"household.json\"",
        "Cache-Control": "no-store",
      ]
      exchange.respond(Response(.ok, headers: headers, body: document))
    }
  }
}
