import HTTP
import Testing

/// Preferences of a client (RFC 9110 §12.4 and §12.5).
@Suite("Preferences of requests")
struct PreferenceTests {
  private func head(_ name: String, _ value: String?) throws -> RequestHead {
    var headers = Headers()
    if let value { headers.add(name, value) }
    return RequestHead(method: "GET", target: try #require(Target("/")), headers: headers)
  }

  @Test(
    "a client gets the language that it wants most",
    arguments: [
      ("de", "de"), ("DE-at", "de"), ("en-GB, de;q=0.9", "en"), ("fr, de;q=0.3, en;q=0.2", "de"), ("de;q=0, en", "en"),
      ("en;q=0.5, de", "de"), ("fr, *", nil), ("", nil), (nil, nil), ("de;q=x", nil), (" ;q=1, de ; q=0.1", "de"),
    ])
  func language(wanted: String?, language: String?) throws {
    #expect(try head("Accept-Language", wanted).preferredLanguage(of: ["en", "de"]) == language)
  }
}
