import Foundation
import JSON
import Platform
import TestSupport
import Testing

@testable import Gateways

/// ACC-10, ACC-16: mail is sent to a real mail server, on loopback.
@Suite("Sending mail")
struct SMTPGatewayTests {
  @Test("a mail server gets the mail exactly as it was written")
  func exact() async throws {
    let peer = try await Peer.mail()
    let text =
      "Grüße aus Köln\n.begins with a dot\n.\n..two dots\n\n" + String(repeating: "lang ä ", count: 500) + "\n."
    let mail = Mail(
      id: "share/1:7", to: "bo+home@x.example", subject: "קוד האימות שלך הוא 123456, עם טקסט ארוך מאוד מאוד",
      text: text,
      html: "<p>\n.\n\(text)</p>")
    let gateway = try SMTPGateway.make(.peer(peer.port))
    try #require(await gateway.send(mail) == .sent)
    let got = try #require(try await peer.next())
    #expect(got["sender"] == "home@hearth.example" && got["recipients"] == ["bo+home@x.example"])
    #expect(got["host"] == "hearth.example")
    let read = try #require(got["mail"])
    #expect(read["text"]?.string == text.replacing("\n", with: "\r\n"))
    #expect(read["html"]?.string == mail.html.replacing("\n", with: "\r\n"))
    #expect(read["headers"]?["Subject"]?.string == mail.subject)
    #expect(read["headers"]?["Message-ID"]?.string == "<share%2F1%3A7@hearth.example>")
    #expect(read["defects"] == [] && read["bare"] == false && read["date"] == 1_795_763_486)
    let message = MailMessage(mail, from: "home@hearth.example", name: "Hearth", date: SMTPGateway.date)
    #expect(read["content"]?.string == Data(message.bytes).base64EncodedString())
    // The same mail sent again is the same, and several go at the same time.
    async let first = gateway.send(mail)
    async let second = gateway.send(mail)
    async let third = gateway.send(mail)
    #expect(await [first, second, third] == [.sent, .sent, .sent])
    for _ in 0..<3 { #expect(try await peer.next()?["mail"] == read) }
    #expect(try await peer.end() == [])
  }

  @Test("STARTTLS comes before the log-in and the mail")
  func startTLS() async throws {
    let made = try await Certified()
    let peer = try await Peer("smtp_peer.py", made.arguments + ["--starttls", "--password", "correct horse"])
    let gateway = try SMTPGateway.make(
      .peer(peer.port, .startTLS, trusting: made.certificate, password: "correct horse"))
    try #require(await gateway.send(.plain) == .sent)
    #expect(try await peer.next() == ["logIn": "PLAIN", "user": "hearth", "isRight": true])
    let got = try #require(try await peer.next())
    #expect(got["tls"] == "TLSv1.3" && got["isLoggedIn"] == true)

    // A wrong password is a matter of the settings.
    let wrong = try SMTPGateway.make(.peer(peer.port, .startTLS, trusting: made.certificate, password: "wrong"))
    #expect(await wrong.send(.plain) == .deferred("the mail server answered AUTH with 535 5.7.8"))
    #expect(try await peer.next()?["isRight"] == false)
    // So is none.
    let none = try SMTPGateway.make(.peer(peer.port, .startTLS, trusting: made.certificate))
    #expect(await none.send(.plain) == .deferred("the mail server answered MAIL with 530 5.7.0"))
    #expect(try await peer.end() == [])
  }

  @Test("TLS from the first byte")
  func implicit() async throws {
    let made = try await Certified()
    let peer = try await Peer("smtp_peer.py", made.arguments + ["--implicit", "--password", "p"])
    let gateway = try SMTPGateway.make(.peer(peer.port, .implicit, trusting: made.certificate, password: "p"))
    try #require(await gateway.send(.plain) == .sent)
    #expect(try await peer.next()?["isRight"] == true)
    #expect(try await peer.next()?["tls"] == "TLSv1.3")
  }

  @Test("without STARTTLS nothing is sent: neither the password nor the mail")
  func neverInTheClear() async throws {
    let made = try await Certified()
    let peer = try await Peer.mail("--password", "p")
    let gateway = try SMTPGateway.make(.peer(peer.port, .startTLS, trusting: made.certificate, password: "p"))
    let outcome = await gateway.send(.plain)
    #expect(Self.reason(outcome).contains("EHLO"), "\(outcome)")
    #expect(try await peer.end() == [])
  }

  @Test("a certificate that nobody vouches for, or of another host, is not accepted", arguments: [false, true])
  func wrongCertificate(isImplicit: Bool) async throws {
    let (made, other) = (try await Certified(), try await Certified())
    let peer = try await Peer(
      "smtp_peer.py", made.arguments + ["--password", "p"] + (isImplicit ? ["--implicit"] : ["--starttls"]))
    let encryption = isImplicit ? SMTPOptions.Encryption.implicit : .startTLS
    var options = SMTPOptions.peer(peer.port, encryption, trusting: other.certificate, password: "p")
    let mistrusted = await (try SMTPGateway.make(options)).send(.plain)
    #expect(Self.reason(mistrusted).contains("certificate"), "\(mistrusted)")
    options.authorities = nil
    let unknown = await (try SMTPGateway.make(options)).send(.plain)
    #expect(Self.reason(unknown).contains("certificate"), "\(unknown)")
    // The certificate is for localhost and 127.0.0.1.
    options.authorities = made.certificate.file.path
    options.host = "127.0.0.2"
    if isImplicit {
      let foreign = await (try SMTPGateway.make(options)).send(.plain)
      #expect(!Self.reason(foreign).isEmpty, "\(foreign)")
    }
    #expect(try await peer.end() == [])
  }

  private static func reason(_ outcome: MailOutcome) -> String {
    if case .deferred(let reason) = outcome { return reason }
    return ""
  }

  @Test(
    "answers to the mail itself are for good if they are 5xx; all others may change",
    arguments: [
      ("RCPT=550 5.1.1 <bo@x.example> is unknown", MailOutcome.refused("the mail server answered RCPT with 550 5.1.1")),
      ("DATA=554 5.7.1 Spam: The code is 123456.", .refused("the mail server answered DATA with 554 5.7.1")),
      ("MAIL=550 5.1.0 no", .deferred("the mail server answered MAIL with 550 5.1.0")),
      ("RCPT=451 4.7.1 later", .deferred("the mail server answered RCPT with 451 4.7.1")),
      ("DATA=452 4.3.1 full", .deferred("the mail server answered DATA with 452 4.3.1")),
      ("MAIL=421 4.3.0 closing", .deferred("the mail server answered MAIL with 421 4.3.0")),
    ])
  func answers(answer: String, outcome: MailOutcome) async throws {
    let peer = try await Peer.mail("--answer", answer)
    let gateway = try SMTPGateway.make(.peer(peer.port))
    #expect(await gateway.send(.plain) == outcome)
    #expect(try await peer.end() == [])
  }

  @Test("a mail server that stalls is left after a time", arguments: ["connection", "EHLO", "RCPT", "DATA"])
  func stalls(at command: String) async throws {
    let peer = try await Peer.mail("--stall", command)
    var options = SMTPOptions.peer(peer.port)
    options.connectLimit = .milliseconds(300)
    options.timeLimit = .milliseconds(600)
    let gateway = try SMTPGateway.make(options)
    let outcome = await gateway.send(.plain)
    let reason = Self.reason(outcome)
    #expect(reason.contains("timed out") || reason.contains("imeout"), "\(outcome)")
    #expect(command == "connection" || reason.hasSuffix(", after \(command)"), "\(outcome)")
    #expect(try await peer.end() == [])
  }

  @Test("a mail server that never answers to QUIT holds nobody up for long")
  func stallsAtTheEnd() async throws {
    let peer = try await Peer.mail("--stall", "QUIT")
    let gateway = try SMTPGateway.make(.peer(peer.port))
    let start = ContinuousClock.now
    try #require(await gateway.send(.plain) == .sent)
    // Without a limit of its own it would take a minute.
    #expect(ContinuousClock.now - start < .seconds(20))
    #expect(try await peer.end().count == 1)
  }

  @Test("a mail server that disconnects in the midst of a mail has not taken it")
  func disconnects() async throws {
    let peer = try await Peer.mail("--disconnect")
    let gateway = try SMTPGateway.make(.peer(peer.port))
    let outcome = await gateway.send(.plain)
    #expect(Self.reason(outcome).hasSuffix(", after DATA"), "\(outcome)")
    #expect(try await peer.end() == [])
  }

  @Test("nobody listens: the log says so once, and once when mail works again")
  func nobody() async throws {
    let port = try UnusedPort()
    let events = Locked<[String]>([])
    let log = Logger(from: .debug) { event in events.withLock { $0.append("\(event.level) \(event.name)") } }
    let gateway = try SMTPGateway.make(.peer(port.number), log: log)
    let outcome = await gateway.send(.plain)
    #expect(Self.reason(outcome).contains("connect"), "\(outcome)")
    _ = await gateway.send(.plain)
    #expect(events.withLock { $0 } == ["warning mail.failing"])

    let peer = try await Peer.mail("--answer", "RCPT=451 later", "--times", "2")
    let other = try SMTPGateway.make(.peer(peer.port), log: log)
    for expected in [false, false, true, true] { #expect(await other.send(.plain) == .sent || !expected) }
    #expect(events.withLock { $0 } == ["warning mail.failing", "warning mail.failing", "info mail.working"])
    #expect(try await peer.end().count == 2)
  }

  @Test("an address that is none is refused, and too many mails are deferred, before anybody is asked")
  func atOnce() async throws {
    let gateway = try SMTPGateway.make(.peer(1))
    var mail = Mail.plain
    for address in ["bo@x.example\r\nRCPT TO:<eve@x.example>", "bo", "a@b>,<c@d"] {
      mail.to = address
      #expect(await gateway.send(mail) == .refused("the recipient's address cannot be used"))
    }
    mail = .plain
    mail.text = String(repeating: "x", count: 256 << 10)
    #expect(await gateway.send(mail) == .refused("the mail is too long"))
    let full = try SMTPGateway(.peer(1), workers: Busy(), log: .none) { SMTPGateway.date }
    #expect(await full.send(.plain) == .deferred("too many mails are waiting"))
  }

  @Test("a password goes to another machine only encrypted")
  func passwords() throws {
    for (host, isAllowed) in [
      ("localhost", true), ("127.0.0.1", true), ("[::1]", true), ("mail.example", false), ("10.0.0.1", false),
      ("127.0.0.1.example", false), ("localhost.example", false),
    ] {
      var options = SMTPOptions(host: host, port: 587, encryption: .none, from: "a@b")
      _ = try SMTPGateway.make(options)
      options.logIn = SMTPOptions.LogIn(user: "u", password: "p")
      if isAllowed {
        _ = try SMTPGateway.make(options)
      } else {
        #expect(
          throws: GatewayError(description: "The password of the mail server would go to \(host) unencrypted.")
        ) { try SMTPGateway.make(options) }
      }
      options.encryption = .startTLS
      _ = try SMTPGateway.make(options)
    }
    for (host, from) in [("a b", "a@b"), ("a/b", "a@b"), ("u@h", "a@b"), ("h", "b"), ("h", "a@b\r\n")] {
      #expect(throws: GatewayError.self) {
        try SMTPGateway.make(SMTPOptions(host: host, port: 587, encryption: .startTLS, from: from))
      }
    }
  }

  @Test("smtp is STARTTLS, but plain text to loopback; smtps is TLS from the first byte")
  func servers() {
    for (text, host, port, encryption) in [
      ("smtp://mail.example", "mail.example", 587, SMTPOptions.Encryption.startTLS),
      ("smtp://mail.example:25", "mail.example", 25, .startTLS),
      ("smtps://mail.example", "mail.example", 465, .implicit),
      ("smtp://127.0.0.1:2525", "127.0.0.1", 2525, .none), ("smtp://localhost:25", "localhost", 25, .none),
      ("smtp://[::1]:25", "[::1]", 25, .none), ("smtps://localhost:465", "localhost", 465, .implicit),
      ("smtp://[2001:db8::1]:25", "[2001:db8::1]", 25, .startTLS),
    ] {
      let options = SMTPOptions(server: text, from: "a@b")
      #expect(options?.host == host && options?.port == port && options?.encryption == encryption, "\(text)")
    }
    for text in [
      "", "mail.example", "http://mail.example", "smtp://", "smtp://u:p@mail.example", "smtp://mail.example/path",
      "smtp://mail.example?x", "smtp://mail.example:0", "smtp://mail.example:99999", "smtp://a b",
    ] { #expect(SMTPOptions(server: text, from: "a@b") == nil, "\(text)") }
  }
}

/// Workers that have no place left.
private struct Busy: Workers {
  func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value, in lane: WorkLane, reply: Reply<Value?>) {
    reply(nil)
  }
}

/// A port that nobody else gets, and on which nobody listens.
private final class UnusedPort {
  let number: Int
  private let socket: Int32

  init() throws {
    let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, size) == 0 && getsockname(socket, $0, &size) == 0
      }
    }
    try #require(isBound)
    number = Int(UInt16(bigEndian: address.sin_port))
    self.socket = socket
  }

  deinit { close(socket) }
}
