internal import Platform

/// The commands and the replies of sending one mail, which tell how it ended.
///
/// It keeps no line: only the command, the reply code (RFC 5321 §4.2) and the enhanced code (RFC 3463). The rest of a
/// reply often holds the address of the recipient.
struct SMTPConversation: Sendable {
  /// The command that was sent last, in the order of a conversation.
  enum Command: Int, CaseIterable, Comparable, Sendable {
    case connect, hello, encrypt, logIn, sender, recipient, message

    /// The beginning of its line.
    fileprivate var prefix: String {
      switch self {
      case .connect: ""
      case .hello: "EHLO "
      case .encrypt: "STARTTLS"
      case .logIn: "AUTH "
      case .sender: "MAIL FROM:"
      case .recipient: "RCPT TO:"
      case .message: "DATA"
      }
    }

    fileprivate var name: String { self == .connect ? "the connection" : String(prefix.prefix { $0.isLetter }) }

    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
  }

  /// A reply of the server, without its words.
  struct Answer: Equatable, Sendable, CustomStringConvertible {
    var code: Int
    /// Such as `5.1.1`.
    var enhanced: String?

    var description: String { enhanced.map { "\(code) \($0)" } ?? "\(code)" }

    /// Whether it is about authentication, and so about the settings (RFC 4954 §6).
    fileprivate var isAboutSettings: Bool { [530, 534, 535, 538].contains(code) }
  }

  private(set) var command = Command.connect
  /// The last answer to `command`.
  private(set) var answer: Answer?
  private var isOver = false

  /// Whether the server has taken responsibility for the mail.
  var isTaken: Bool { command == .message && (200..<300).contains(answer?.code ?? 0) }

  /// Notes a line that was sent.
  mutating func sent(_ line: some Collection<UInt8>) {
    let text = String(decoding: line.prefix(16), as: UTF8.self)
    if text.hasPrefix("QUIT"), command != .logIn { isOver = true }
    guard !isOver, let next = Command.allCases.dropFirst().first(where: { text.hasPrefix($0.prefix) }) else { return }
    switch (command, next) {
    // The secrets of a log-in may look like a word, but not like these.
    case (.logIn, .logIn), (.logIn, .sender): break
    case (.logIn, _): return
    // Encryption begins a new conversation.
    case (.encrypt, .hello): break
    default: guard next >= command else { return }
    }
    command = next
    answer = nil
  }

  /// Notes a line that was received. All but the last line of a reply have a hyphen behind the code.
  mutating func received(_ line: some Collection<UInt8>) {
    let text = String(decoding: line.prefix(16), as: UTF8.self)
    // 221 is the answer to QUIT.
    guard !isOver, let match = text.prefixMatch(of: /([2-5]\d\d)(?: (\d\.\d{1,3}\.\d{1,3})?|[\r\n])/),
      let code = Int(match.1), code != 221
    else { return }
    let enhanced = match.2.flatMap { $0.first == match.1.first ? String($0) : nil }
    answer = Answer(code: code, enhanced: enhanced)
  }

  /// How the sending of the mail ended. `failure` is libcurl's reason if it has one.
  func outcome(_ failure: String?) -> MailOutcome {
    if isTaken { return .sent }
    if let answer, answer.code >= 400 {
      let reason = "the mail server answered \(command.name) with \(answer)"
      // A refusal before RCPT is one of the settings, and not of this mail.
      let isPermanent = answer.code >= 500 && command >= .recipient && !answer.isAboutSettings
      return isPermanent ? .refused(reason) : .deferred(reason)
    }
    let place = command == .connect ? "" : ", after \(command.name)"
    return .deferred((failure ?? "the mail server did not take the mail") + place)
  }
}
