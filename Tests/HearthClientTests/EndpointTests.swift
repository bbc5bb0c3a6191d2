import HearthClient
import Testing

@Suite("Endpoints")
struct EndpointTests {
  @Test(
    "a WebSocket URL is parsed into an endpoint",
    arguments: [
      ("ws://127.0.0.1:7400/sync", Endpoint(host: "127.0.0.1", port: 7400, path: "/sync")),
      ("WS://home.example", Endpoint(host: "home.example", port: 80, path: "/sync")),
      ("ws://home.example/", Endpoint(host: "home.example", port: 80, path: "/sync")),
      ("ws://[::1]:7400/a/b?c=d", Endpoint(host: "::1", port: 7400, path: "/a/b?c=d")),
      ("wss://home.example", Endpoint(host: "home.example", port: 443, path: "/sync", isSecure: true)),
      ("WSS://h:7400/", Endpoint(host: "h", port: 7400, path: "/sync", isSecure: true)),
      ("ws://h:65535?q", Endpoint(host: "h", port: 65535, path: "/sync?q")),
    ])
  func url(text: String, endpoint: Endpoint) {
    #expect(Endpoint(url: text) == endpoint)
  }

  @Test(
    "any other text is rejected",
    arguments: [
      "", "ws://", "wss://", "wss:/h/sync", "wsss://h/", "http://h/sync", "h:7400", "ws://:7400/sync", "ws://h:0/",
      "ws://h:65536/",
      "ws://h:+80/", "ws://h:/", "ws://h/a b", "ws://h/#top", "ws://[::1/", "ws://[h]/", "ws://[::1]80/", "ws://u@h/",
      "ws://h\r\nX: y/",
    ])
  func refusal(text: String) {
    #expect(Endpoint(url: text) == nil)
  }

  @Test("the Host header has brackets and port where HTTP requires them")
  func hostHeader() {
    #expect(Endpoint(host: "::1").hostHeader == "[::1]:7400")
    #expect(Endpoint(host: "h", port: 80).hostHeader == "h")
    #expect(Endpoint(host: "h", port: 443).hostHeader == "h:443")
    #expect(Endpoint(host: "h", port: 443, isSecure: true).hostHeader == "h")
    #expect(Endpoint(host: "h", hostHeader: "home.example").hostHeader == "home.example")
  }
}
