import HTTP
import Testing

@Suite("Forms")
struct FormTests {
  @Test("a form is written with escapes, and read again")
  func roundTrip() {
    let form = Form([("a b", "1+1=2&c"), ("ü", "~-._"), ("", "")])
    #expect(form.encoded == "a%20b=1%2B1%3D2%26c&%C3%BC=~-._&=")
    #expect(Form(query: form.encoded) == form)
  }

  @Test("a plus is a space, a malformed escape is left out, and a name that stands twice has no value")
  func reading() {
    let form = Form(query: "a=b+c&bad=%zz&twice=1&twice=2&empty")
    #expect(form["a"] == "b c" && form["bad"] == nil && form["twice"] == nil && form["empty"] == "" && form["x"] == nil)
    #expect(Form(query: nil).fields.isEmpty)
  }
}
