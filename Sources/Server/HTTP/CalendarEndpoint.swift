import Crypto
import HTTP
import Home

/// The calendar of a member for programs that subscribe to it, by its secret link (CHO-27).
enum CalendarEndpoint {
  static let path = HomeRooms.calendarPath

  static func serve(_ exchange: HTTPExchange, by shard: Shard) {
    let head = exchange.head
    SecretLinks.serve(.calendar, secret(in: head.target.path), exchange, by: shard) { _, calendar in
      let tag = "\"\(Base64.url.encode(Array(SHA256.hash(calendar).prefix(12))))\""
      // It is one person's, and each time the server is asked whether the link is still valid.
      var headers: Headers = ["ETag": tag, "Cache-Control": "private, no-cache"]
      if head.hasCopy(tagged: tag) { return exchange.respond(Response(.notModified, headers: headers)) }
      headers.add("Content-Type", "text/calendar; charset=utf-8")
      // Without a name the file would be named by its secret.
      headers.add("Content-Disposition", "attachment; filename=\"calendar.ics\"")
      exchange.respond(Response(.ok, headers: headers, body: calendar))
    }
  }

  private static func secret(in path: String) -> Substring? {
    guard path.hasSuffix(HomeRooms.calendarEnding) else { return nil }
    return path.dropFirst(self.path.count).dropLast(HomeRooms.calendarEnding.count)
  }
}
