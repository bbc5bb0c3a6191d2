/// Sends mail to one address at a time.
public protocol MailGateway: Sendable {
  /// Sends a mail. The reply follows once; a gateway that cannot be reached replies `deferred`.
  func send(_ mail: Mail, reply: Reply<MailOutcome>)
}

/// One mail as a person reads it, as plain text and as HTML.
public struct Mail: Sendable, Equatable {
  /// The id of its cause, from which `Message-ID` is made (RFC 5322 §3.6.4): a mail sent again is the same mail.
  public var id: String
  /// The address of its one recipient.
  public var to: String
  public var subject: String
  /// Paragraphs of plain text, in UTF-8.
  public var text: String
  /// The same as a whole HTML document.
  public var html: String

  public init(id: String, to: String, subject: String, text: String, html: String) {
    self.id = id
    self.to = to
    self.subject = subject
    self.text = text
    self.html = html
  }
}

/// How sending a mail ended. The reasons are for the log: they name no secret and no text of the mail.
public enum MailOutcome: Sendable, Equatable {
  /// The mail server has taken responsibility for it.
  case sent
  /// It may work later: no connection, a time-out, an answer 4xx (RFC 5321 §4.2.1).
  case deferred(String)
  /// It will not work for this mail: an answer 5xx.
  case refused(String)
}

/// Fetches documents over HTTPS, such as the keys of an OpenID provider.
public protocol HTTPSGateway: Sendable {
  /// Fetches a document of at most `limit` bytes. The reply follows once.
  func fetch(_ url: String, limit: Int, reply: Reply<Result<[UInt8], FetchError>>)
  /// Posts a form (`application/x-www-form-urlencoded`) and answers with the document that comes back, also where the
  /// form is refused with 400 or 401. The reply follows once.
  func post(_ form: [UInt8], to url: String, limit: Int, reply: Reply<Result<[UInt8], FetchError>>)
}

/// The reason why a document could not be fetched, in words for the log.
public struct FetchError: Error, Sendable, Equatable, CustomStringConvertible {
  public var description: String

  public init(_ description: String) { self.description = description }
}
