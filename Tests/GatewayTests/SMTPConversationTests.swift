import Platform
import Testing

@testable import Gateways

@Suite("How a mail server's answers are understood")
struct SMTPConversationTests {
  /// A conversation in which `>` stands before what is sent.
  private static func outcome(_ lines: String..., failure: String? = "it failed") -> MailOutcome {
    var conversation = SMTPConversation()
    for line in ["220 peer ESMTP"] + lines {
      let bytes = Array((line.drop { $0 == ">" } + "\r\n").utf8)
      if line.hasPrefix(">") { conversation.sent(bytes) } else { conversation.received(bytes) }
    }
    return conversation.outcome(failure)
  }

  @Test("a mail is sent if the answer behind its text is good, whatever happens then")
  func sent() {
    let lines = (">MAIL FROM:<a@b>", "250 OK", ">RCPT TO:<c@d>", "250 OK", ">DATA", "354 Go on", "250 2.0.0 Queued")
    #expect(Self.outcome(lines.0, lines.1, lines.2, lines.3, lines.4, lines.5, lines.6) == .sent)
    #expect(Self.outcome(lines.0, lines.1, lines.2, lines.3, lines.4, lines.5, lines.6, ">QUIT", "500 What?") == .sent)
    #expect(
      Self.outcome(lines.0, lines.1, lines.2, lines.3, lines.4, lines.5) == .deferred("it failed, after DATA"))
    #expect(Self.outcome(failure: nil) == .deferred("the mail server did not take the mail"))
  }

  @Test("only what is refused for this mail is refused for good")
  func permanence() {
    for code in ["550", "552", "554"] {
      for (command, name) in [(">RCPT TO:<c@d>", "RCPT"), (">DATA", "DATA")] {
        #expect(
          Self.outcome(command, "\(code) no", ">QUIT", "221 Bye")
            == .refused("the mail server answered \(name) with \(code)"))
      }
      #expect(Self.outcome(">MAIL FROM:<a@b>", "\(code) no") == .deferred("the mail server answered MAIL with \(code)"))
      #expect(Self.outcome(">EHLO a", "\(code) no") == .deferred("the mail server answered EHLO with \(code)"))
      #expect(Self.outcome("\(code) no") == .deferred("the mail server answered the connection with \(code)"))
    }
    for code in ["421", "450", "451", "452", "530", "535"] {
      #expect(Self.outcome(">RCPT TO:<c@d>", "\(code) no") == .deferred("the mail server answered RCPT with \(code)"))
    }
  }

  @Test("of an answer only its codes are kept")
  func codes() {
    #expect(
      Self.outcome(">RCPT TO:<bo@x.example>", "550-5.1.1 <bo@x.example>", "550 5.1.1 <bo@x.example> is unknown")
        == .refused("the mail server answered RCPT with 550 5.1.1"))
    #expect(
      Self.outcome(">RCPT TO:<c@d>", "550 4.1.1 contradicts itself")
        == .refused("the mail server answered RCPT with 550"))
    #expect(Self.outcome(">RCPT TO:<c@d>", "9550 no", "no", "") == .deferred("it failed, after RCPT"))
  }

  @Test("the secrets of a log-in are not taken for commands")
  func secrets() {
    for secret in ["DATA", "QUIT", "RCPT", "EHLO", "MAIL"] {
      #expect(
        Self.outcome(">EHLO a", "250 OK", ">AUTH LOGIN", "334 VXNlcg==", ">\(secret)", "535 5.7.8 wrong")
          == .deferred("the mail server answered AUTH with 535 5.7.8"))
    }
  }

  @Test("the conversation begins again behind STARTTLS")
  func encryption() {
    #expect(
      Self.outcome(">EHLO a", "250 OK", ">STARTTLS", "220 Go on", ">EHLO a", "502 no")
        == .deferred("the mail server answered EHLO with 502"))
  }
}
