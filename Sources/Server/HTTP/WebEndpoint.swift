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
    exchange.respond(opened(response, to: head, by: shard))
  }

  /// Lets pages of allowed origins load the library, and with it all that it loads.
  private static func opened(_ response: Response, to head: RequestHead, by shard: Shard) -> Response {
    guard let origin = head.headers["Origin"], let known = Origin(origin),
      shard.configuration.allowedOrigins.contains(known)
    else { return response }
    var headers = Headers()
    for field in response.headers.fields where !field.name.isEqualIgnoringCase("Cross-Origin-Resource-Policy") {
      headers.add(field.name, field.value)
    }
    headers.add("Access-Control-Allow-Origin", origin)
    headers.add("Cross-Origin-Resource-Policy", "cross-origin")
    headers.add("Vary", "Origin")
    return Response(response.status, headers: headers, body: response.body)
  }
}
