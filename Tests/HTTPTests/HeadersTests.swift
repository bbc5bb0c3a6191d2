import HTTP
import Testing

@Suite("Headers and targets")
struct HeadersTests {
  @Test("a list header is one list over all its lines")
  func lists() {
    var headers: Headers = ["Connection": "keep-alive, Upgrade", "A": "b"]
    headers.add("connection", " x ,, \"y,z\" , \"q\\\"r,s\"")
    #expect(headers.list("CONNECTION") == ["keep-alive", "Upgrade", "x", "\"y,z\"", "\"q\\\"r,s\""])
    #expect(headers.list("Connection", contains: "upgrade"))
    #expect(!headers.list("Connection", contains: "grade"))
    #expect(headers.list("none").isEmpty)
    #expect(headers.joined("none") == nil)
    #expect(headers.values(of: "connection").count == 2)
    #expect(headers["connection"] == nil)
    #expect(headers["a"] == "b")
    #expect(headers.contains("a"))
  }

  @Test("case is ignored for ASCII letters only")
  func cases() {
    let headers: Headers = ["A-Z": "1", "[x]": "2", "`": "3"]
    #expect(headers["a-z"] == "1")
    #expect(headers["@"] == nil)
    #expect(!headers.contains("[x]"))
  }

  @Test("path segments are percent-decoded one by one")
  func segments() {
    #expect(Target("/a/b%20c/%C3%A9")?.segments == ["a", "b c", "é"])
    #expect(Target("/")?.segments == [""])
    #expect(Target("/a//b/")?.segments == ["a", "", "b", ""])
    for path in ["/%", "/%4", "/%zz", "/%ff", "/a%2Fb", "/%00", "/%c3"] {
      #expect(Target(path)?.segments == nil, "\(path)")
    }
  }

  @Test("the query is the text after the first question mark")
  func query() {
    #expect(Target("/x?a=1&b=%26?c")?.query == "a=1&b=%26?c")
    #expect(Target("/x?")?.query == "")
    #expect(Target("/x")?.query == nil)
  }

  @Test(
    "a text that is not in origin form is no target", arguments: ["", "a", "*", "http://a/", "/ ", "/\n", "/#", "/é"])
  func noTarget(text: String) {
    #expect(Target(text) == nil)
  }
}
