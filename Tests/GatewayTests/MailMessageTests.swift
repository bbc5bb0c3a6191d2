import Foundation
import JSON
import Platform
import Rooms
import TestSupport
import Testing

@testable import Gateways

@Suite("The form of a mail")
struct MailMessageTests {
  private static func compose(
    subject: String = "Your code", text: String = "Hello\n", html: String = "<p>Hello</p>\n", id: String = "1"
  ) -> String {
    let mail = Mail(id: id, to: "bo@x.example", subject: subject, text: text, html: html)
    let message = MailMessage(mail, from: "home@hearth.example", name: "Hearth", date: SMTPGateway.date)
    return String(decoding: message.bytes, as: UTF8.self)
  }

  @Test("a mail is text and HTML, with the headers that readers and mail servers expect")
  func whole() {
    let expected = """
      From: Hearth <home@hearth.example>
      To: bo@x.example
      Subject: Your code
      Date: Fri, 27 Nov 2026 07:11:26 +0000
      Message-ID: <deliveries%2F1%3A2@hearth.example>
      Auto-Submitted: auto-generated
      MIME-Version: 1.0
      Content-Type: multipart/alternative; boundary="=_hearth"

      --=_hearth
      Content-Type: text/plain; charset=utf-8
      Content-Transfer-Encoding: quoted-printable

      Hello

      --=_hearth
      Content-Type: text/html; charset=utf-8
      Content-Transfer-Encoding: quoted-printable

      <p>Hello</p>

      --=_hearth--

      """
    #expect(Self.compose(id: "deliveries/1:2") == expected.replacing("\n", with: "\r\n"))
  }

  @Test("lines are short, and what is not plain is encoded")
  func quotedPrintable() {
    for (text, encoded) in [
      ("", ""), ("a=b", "a=3Db"), ("é", "=C3=A9"), ("end ", "end=20"), ("end\t\nnext", "end=09\r\nnext"),
      ("a b", "a b"), (".dot.", "=2Edot."), ("a\n.", "a\r\n=2E"), ("..", "=2E."), ("a\r\nb\rc\nd", "a\r\nb\r\nc\r\nd"),
      ("\u{0}", "=00"),
      (String(repeating: "x", count: 76), String(repeating: "x", count: 76)),
      (String(repeating: "x", count: 77), String(repeating: "x", count: 75) + "=\r\nxx"),
      (String(repeating: "x", count: 75) + "..", String(repeating: "x", count: 75) + "=\r\n=2E."),
      // A character stays whole.
      (String(repeating: "x", count: 72) + "éz", String(repeating: "x", count: 72) + "=\r\n=C3=A9z"),
    ] { #expect(MailMessage.quotedPrintable(text) == encoded, "\(text.debugDescription)") }
  }

  @Test("no subject begins another header")
  func injection() {
    for end in ["\r\n", "\n", "\r", "\u{2028}", "\u{85}", "\u{0}"] {
      let message = Self.compose(subject: "Hello\(end)Bcc: eve@x.example\(end)\(end)<p>")
      let head = message.components(separatedBy: "\r\n\r\n")[0].components(separatedBy: "\r\n")
      #expect(head.count { !$0.hasPrefix(" ") } == 8 && !message.contains("\nBcc"), "\(head)")
      #expect(!head.contains { $0.contains("\n") || $0.contains("\r") })
    }
    #expect(MailMessage.encoded("a\r\nb", limit: 60) == "a  b")
  }

  @Test("subjects are plain, or encoded words of at most 75 characters with whole letters")
  func subjects() {
    for plain in ["Your code", "", "A - b_c! 100%", String(repeating: "x", count: 60)] {
      #expect(MailMessage.encoded(plain, limit: 60) == plain)
    }
    for text in [
      "é", " a", "a ", "=?utf-8?B?eA==?=", String(repeating: "x", count: 61), String(repeating: "é", count: 100),
      "קוד האימות שלך: 123456", "👩‍👩‍👧‍👦 at home",
    ] {
      let words = MailMessage.encoded(text, limit: 60).components(separatedBy: "\r\n ")
      var bytes = Data()
      for (index, word) in words.enumerated() {
        #expect(word.hasPrefix("=?utf-8?B?") && word.hasSuffix("?="))
        #expect(word.count + (index == 0 ? "Subject: ".count : 1) <= 76)
        let piece = Data(base64Encoded: String(word.dropFirst(10).dropLast(2))) ?? Data()
        #expect(String(validating: piece, as: UTF8.self) != nil, "a letter is cut in \(word)")
        bytes += piece
      }
      #expect(String(decoding: bytes, as: UTF8.self) == text)
    }
  }

  @Test("ids of mails that differ have different message ids, which are always well-formed")
  func identifiers() {
    let ids = ["a/b", "a:b", "a%2Fb", "a.b", "a b", "a>b\r\n", "ab", "é", "e"]
    let texts = ids.map(MailMessage.identifier)
    #expect(Set(texts).count == ids.count)
    #expect(texts.allSatisfy { $0.wholeMatch(of: /[A-Za-z0-9_%-]+/) != nil }, "\(texts)")
  }

  @Test("dates are in Universal Time with the day of the week")
  func dates() {
    for (written, text) in [
      ("1970-01-01T00:00:00.000Z", "Thu, 01 Jan 1970 00:00:00 +0000"),
      ("1969-12-31T23:59:59.999Z", "Wed, 31 Dec 1969 23:59:59 +0000"),
      ("2000-02-29T12:00:00.000Z", "Tue, 29 Feb 2000 12:00:00 +0000"),
      ("2027-03-14T23:59:59.999Z", "Sun, 14 Mar 2027 23:59:59 +0000"),
    ] { #expect(Instant(written).map(MailMessage.text) == text) }
  }

  @Test("only what can stand in a command and a header is an address")
  func addresses() {
    for good in [
      "a@b", "ana.b+tag@x.example", "o'neil@x.example", "é@x.example", String(repeating: "a", count: 252) + "@b",
    ] {
      #expect(SMTPOptions.isAddress(good), "\(good)")
    }
    for bad in [
      "", "a", "@b", "a@", "a@b@c", "a b@c", "a@b\r\nRCPT TO:<eve@x.example>", "a@b\n", "<a@b>", "a,b@c", "\"a\"@b",
      "a@b>", "a;b@c", "a@[1]", "a\u{0}@b", "a\u{A0}@b", "a\u{2028}@b", String(repeating: "a", count: 253) + "@b",
    ] { #expect(!SMTPOptions.isAddress(bad), "\(bad.debugDescription)") }
  }

  @Test("Python's parser reads exactly what was written")
  func python() throws {
    let text =
      "Grüße aus Köln\n.begins with a dot\n..two\n\nFrom here =C3 on \u{1F3E0}\t \n"
      + String(repeating: "ä", count: 2000)
    let subject = "קוד האימות שלך, " + String(repeating: "مرحبا ", count: 20) + "!"
    let message = Self.compose(subject: subject, text: text, html: "<p dir=\"rtl\">\(text)</p>")
    let file = FileManager.default.temporaryDirectory.appending(path: "hearth-mail-\(UUID())")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(message.utf8).write(to: file)
    let run = try ChildProcess.run([
      "/usr/bin/env", Peer.interpreter, Peer.folder.appending(path: "read_mail.py").path, file.path,
    ])
    try #require(run.end == .exited(0), "\(run.output)")
    let mail = try JSON.parse(Array(run.output.utf8))
    #expect(mail["headers"]?["Subject"]?.string == subject)
    #expect(mail["text"]?.string == text.replacing("\n", with: "\r\n"))
    #expect(mail["html"]?.string == "<p dir=\"rtl\">\(text)</p>".replacing("\n", with: "\r\n"))
    #expect(mail["kinds"] == ["multipart/alternative", "text/plain", "text/html"])
    #expect(mail["from"] == [["Hearth", "home@hearth.example"]] && mail["to"] == ["bo@x.example"])
    #expect(mail["date"] == 1_795_763_486)
    #expect(mail["defects"] == [] && mail["bare"] == false, "\(run.output)")
    #expect(mail["longest"]?.int ?? 1000 <= 78)
  }
}
