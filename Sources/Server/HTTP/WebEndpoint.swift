import HTTP
import Platform

/// The page, at every path that nothing else has.
enum WebEndpoint {
  static func serve(_ exchange: HTTPExchange, by shard: Shard) {
    let head = exchange.head
    guard let app = shard.services.web?() else {
      return exchange.respond(.notFound, "WebSocket clients connect to /sync, calls are POSTed to /rpc.\n")
    }
    guard shard.isAddressed(head) else {
      return exchange.respond(
        Response(
          .misdirectedRequest, headers: ["Cache-Control": "no-store"],
          text: "This is not a name of this server: open it by its address, or start it with --public-url.\n"))
    }
    guard let response = app.response(to: head, isSecure: exchange.peer?.isInClear == false) else {
      return exchange.respond(.notFound, "There is no such file.\n")
    }
    exchange.respond(response)
  }
}
