internal import CCurl
public import Platform
public import Rooms

/// Where and how mail is sent.
public struct SMTPOptions: Sendable {
  /// When a connection becomes encrypted.
  public enum Encryption: Sendable, Equatable {
    /// Never; for loopback, or without a log-in.
    case none
    /// By STARTTLS (RFC 3207), without which nothing is sent.
    case startTLS
    /// From the first byte (RFC 8314 §3).
    case implicit
  }

  /// A user of the mail server.
  public struct LogIn: Sendable, Equatable {
    public var user: String
    public var password: String

    public init(user: String, password: String) {
      self.user = user
      self.password = password
    }
  }

  /// A name, an IPv4 address, or an IPv6 address in brackets.
  public var host: String
  public var port: Int
  public var encryption: Encryption
  public var logIn: LogIn?
  /// The address of the sender.
  public var from: String
  /// The sender's name.
  public var name = "Hearth"
  /// A PEM file with the authorities that are trusted, instead of those of the operating system.
  public var authorities: String?
  /// The longest time to a log-in that is answered.
  public var connectLimit = Duration.seconds(10)
  /// The longest time of the whole.
  public var timeLimit = Duration.seconds(60)

  public init(host: String, port: Int, encryption: Encryption, from: String) {
    self.host = host
    self.port = port
    self.encryption = encryption
    self.from = from
  }

  /// Reads `smtp://HOST[:PORT]` or `smtps://HOST[:PORT]`; `nil` for any other text.
  ///
  /// `smtps` is TLS from the first byte, port 465. `smtp` is STARTTLS, port 587, but plain text to a loopback host.
  public init?(server: String, from: String) {
    guard let address = WebAddress(server), address.isBare else { return nil }
    if let port = address.port, !(1...65_535).contains(port) { return nil }
    switch address.scheme {
    case "smtp":
      self.init(
        host: address.host, port: address.port ?? 587, encryption: address.isLoopback ? .none : .startTLS, from: from)
    case "smtps": self.init(host: address.host, port: address.port ?? 465, encryption: .implicit, from: from)
    default: return nil
    }
  }

  /// Whether `text` can be the address of a sender or a recipient.
  public static func isAddress(_ text: String) -> Bool { MailMessage.isAddress(text) }

  fileprivate var url: String {
    // The path is the name that EHLO gives: the sender's domain, since this machine may have none.
    "\(encryption == .implicit ? "smtps" : "smtp")://\(host):\(port)/\(MailMessage.domain(of: from))"
  }
}

/// The reason why a gateway cannot be set up, as a sentence.
public struct GatewayError: Error, Sendable, Equatable, CustomStringConvertible {
  public var description: String
}

/// Sends mail through a mail server, each on a connection of its own (RFC 5321, RFC 6409).
///
/// It may be used from any thread. The process must ignore broken pipes.
public final class SMTPGateway: MailGateway {
  private let options: SMTPOptions
  private let workers: any Workers
  private let log: Logger
  private let now: @Sendable () -> Instant
  private let isFailing = Locked(false)

  /// Seconds for the answer to QUIT.
  private static let closingLimit = 2
  /// Bytes of one mail's subject, text and HTML, before they are encoded.
  private static let contentLimit = 256 << 10

  /// Sends on `workers`, which bound how many mails are under way and how many wait. `now` dates the mails.
  ///
  /// The log says `mail.failing` for the first mail that is deferred, and `mail.working` for the next that is sent.
  public init(
    _ options: SMTPOptions, workers: any Workers, log: Logger, now: @escaping @Sendable () -> Instant
  ) throws(GatewayError) {
    guard MailMessage.isAddress(options.from), let address = WebAddress(options.url), address.host == options.host
    else { throw GatewayError(description: "Mail cannot be sent from \(options.from) by \(options.host).") }
    guard options.encryption != .none || options.logIn == nil || address.isLoopback else {
      throw GatewayError(description: "The password of the mail server would go to \(options.host) unencrypted.")
    }
    self.options = options
    self.workers = workers
    self.log = log
    self.now = now
  }

  public func send(_ mail: Mail, reply: Reply<MailOutcome>) {
    let work: @Sendable () -> MailOutcome = { [self] in
      let outcome = deliver(mail)
      note(outcome)
      return outcome
    }
    workers.run(
      work, in: WorkLane(owner: mail.to),
      reply: Reply(on: reply.poster) { reply($0 ?? .deferred("too many mails are waiting")) })
  }

  private func deliver(_ mail: Mail) -> MailOutcome {
    guard MailMessage.isAddress(mail.to) else { return .refused("the recipient's address cannot be used") }
    guard mail.subject.utf8.count + mail.text.utf8.count + mail.html.utf8.count <= Self.contentLimit else {
      return .refused("the mail is too long")
    }
    let message = MailMessage(mail, from: options.from, name: options.name, date: now())
    var transfer = Transfer(
      options.url, limit: 0, connectLimit: options.connectLimit, timeLimit: options.timeLimit,
      authorities: options.authorities)
    transfer.set(CURLOPT_PROTOCOLS_STR, options.encryption == .implicit ? "smtps" : "smtp")
    transfer.set(
      CURLOPT_USE_SSL, Int((options.encryption == .none ? CURLUSESSL_NONE : CURLUSESSL_ALL).rawValue))
    if let logIn = options.logIn {
      transfer.set(CURLOPT_USERNAME, logIn.user)
      transfer.set(CURLOPT_PASSWORD, logIn.password)
      // Others need more than a password, or hash it in ways that are broken.
      transfer.set(CURLOPT_LOGIN_OPTIONS, "AUTH=PLAIN;AUTH=LOGIN")
    }
    transfer.set(CURLOPT_MAIL_FROM, options.from)
    transfer.send(message.bytes, to: mail.to, closingLimit: Self.closingLimit)
    let ending = transfer.perform()
    return transfer.conversation.outcome(ending.isGood ? nil : ending.text)
  }

  /// Says once when mail begins to fail, and once when it works again.
  private func note(_ outcome: MailOutcome) {
    switch outcome {
    case .sent:
      let isNews = isFailing.withLock { isFailing in
        defer { isFailing = false }
        return isFailing
      }
      if isNews { log(.info, "mail.working") }
    case .deferred(let why):
      let isNews = isFailing.withLock { isFailing in
        defer { isFailing = true }
        return !isFailing
      }
      if isNews { log(.warning, "mail.failing", ["why": "\(why)"]) }
    case .refused: break
    }
  }
}
