import HTTP
import Testing

/// SEC-12: origins are compared by scheme, host and port, with case and usual ports evened out (RFC 6454 §4, §6).
@Suite("Origins of pages")
struct PageOriginTests {
  @Test(
    "R-004: an origin is read in any case, with or without the usual port, and written as browsers write it (SEC-12)",
    arguments: [
      ("https://app.example", "https://app.example"), ("https://app.example:443", "https://app.example"),
      ("HTTPS://APP.Example", "https://app.example"), ("http://app.example:80", "http://app.example"),
      ("http://app.example:443", "http://app.example:443"), ("https://app.example:80", "https://app.example:80"),
      ("https://app.example:8443", "https://app.example:8443"), ("http://localhost:3000", "http://localhost:3000"),
      ("https://xn--pp-6kc.example", "https://xn--pp-6kc.example"), ("https://app.example.", "https://app.example."),
      ("http://127.0.0.1:0", "http://127.0.0.1:0"), ("http://127.0.0.1:65535", "http://127.0.0.1:65535"),
      ("https://[::1]:8443", "https://[::1]:8443"), ("https://[::1]:443", "https://[::1]"),
      ("https://[2001:DB8::1:0:0:1]", "https://[2001:db8::1:0:0:1]"), ("https://[::]", "https://[::]"),
      ("https://[1:2:3:4:5:6:7:8]", "https://[1:2:3:4:5:6:7:8]"), ("https://[1::]", "https://[1::]"),
      ("https://[1:0:3:4:5:6:7:8]", "https://[1:0:3:4:5:6:7:8]"),
      ("null", "null"), ("file://", "file://"), ("FILE://", "file://"), ("app://", "app://"),
      ("capacitor://localhost", "capacitor://localhost"), ("app://home.example", "app://home.example"),
      ("app://-", "app://-"), ("chrome-extension://abcdef", "chrome-extension://abcdef"),
      ("com.example+x-1://a_b", "com.example+x-1://a_b"), ("app://a:443", "app://a:443"),
    ])
  func read(text: String, written: String) throws {
    let origin = try #require(Origin(text))
    #expect(origin.description == written)
    #expect(origin == Origin(written))
  }

  @Test(
    "R-004: a text that no browser can send as an origin is none (SEC-12)",
    arguments: [
      "", " ", "*", "NULL", "null ", "Null", "app.example", "//app.example", "https:app.example", "https:/app.example",
      "https://", "http://", "https:///app.example", "://app.example", "1a://app", "a b://app", "-a://app",
      "https://app.example/", "https://app.example/x", "https://app.example?x", "https://app.example#x",
      "https://evil.example/https://app.example", "https://user@app.example", "https://u:p@app.example",
      "https://*", "https://*.example", "https://app.example%00", "https://app.example%2eevil.example",
      "https://\u{430}pp.example", "https://app.example https://evil.example",
      "https://app.example, https://evil.example", "https://app.example:", "https://app.example:x",
      "https://app.example:+1", "https://app.example:0443", "https://app.example:65536", "https://app.example:-1",
      "https://app.example:443:443", "https://:443", "file://:1", "wss://app.example", "WS://app.example",
      "https://[::1", "https://::1", "https://[::1]x", "https://[::1]:", "https://[]", "https://[:::]",
      "https://[::1::]",
      "https://[0:0:0:0:0:0:0:1]", "https://[::0001]", "https://[1:2:3:4:5:6:7]", "https://[1:2:3:4:5:6:7:8:9]",
      "https://[1::3:4:5:6:7:8]", "https://[::g]", "https://[::ffff:1.2.3.4]", "https://[fe80::1%25eth0]",
      "https://127.1", "https://127.0.0.01", "https://256.0.0.1", "https://1.2.3.4.5", "https://2130706433",
    ])
  func none(text: String) {
    #expect(Origin(text) == nil)
  }

  @Test("R-004: origins that differ in scheme, host or port differ (SEC-12)")
  func different() {
    let origins = [
      "https://app.example", "http://app.example", "https://app.example:8443", "https://app.example:80",
      "https://app.example.", "https://app.example.evil.org", "https://evil.app.example", "app://app.example",
      "file://", "null",
    ].compactMap { Origin($0) }
    #expect(origins.count == 10 && Set(origins).count == 10)
  }
}
