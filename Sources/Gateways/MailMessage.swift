internal import Crypto
internal import Platform
internal import Rooms

/// A mail as the bytes that go over the wire (RFC 5322, RFC 2045, RFC 2046), with lines that end in CRLF.
struct MailMessage {
  let bytes: [UInt8]

  /// Composes `mail` from the address `sender`, whose owner is called `name`. The addresses must be allowed ones.
  init(_ mail: Mail, from sender: String, name: String, date: Instant) {
    var headers = [
      "From: \(Self.encoded(name, limit: 60)) <\(sender)>",
      "To: \(mail.to)",
      "Subject: \(Self.encoded(mail.subject, limit: 66))",
      "Date: \(Self.text(date))",
      "Message-ID: <\(Self.identifier(mail.id))@\(Self.domain(of: sender))>",
    ]
    headers += [
      // No reader's machine answers it (RFC 3834 §5).
      "Auto-Submitted: auto-generated",
      "MIME-Version: 1.0",
      "Content-Type: multipart/alternative; boundary=\"\(Self.boundary)\"",
    ]
    var lines = headers + [""]
    // The last part is the one that readers prefer (RFC 2046 §5.1.4).
    for (kind, text) in [("plain", mail.text), ("html", mail.html)] {
      lines += [
        "--\(Self.boundary)", "Content-Type: text/\(kind); charset=utf-8",
        "Content-Transfer-Encoding: quoted-printable", "", Self.quotedPrintable(text),
      ]
    }
    lines += ["--\(Self.boundary)--", ""]
    bytes = Array(lines.joined(separator: "\r\n").utf8)
  }

  /// Quoted-printable text never contains `=_`, so no part contains this (RFC 2045 §6.7).
  private static let boundary = "=_hearth"

  // MARK: addresses

  /// Whether `text` can stand in a command and a header as it is: one `@`, at most 254 bytes (RFC 5321 §4.5.3.1.3), and
  /// no space, control character, quotation mark, bracket, comma or semicolon.
  static func isAddress(_ text: String) -> Bool {
    guard text.utf8.count <= 254 else { return false }
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }) else { return false }
    return text.unicodeScalars.allSatisfy { !$0.isControl && !$0.properties.isWhitespace && !special.contains($0) }
  }

  private static let special: Set<Unicode.Scalar> = ["<", ">", "(", ")", "[", "]", "\"", "\\", ",", ";", ":"]

  static func domain(of address: String) -> Substring {
    address.lastIndex(of: "@").map { address[address.index(after: $0)...] } ?? ""
  }

  // MARK: headers

  /// The left side of `Message-ID` (RFC 5322 §3.6.4). Two ids have two texts.
  static func identifier(_ id: String) -> String {
    id.utf8.map { byte in
      let isPlain = byte.isASCIILetterOrDigit || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
      return isPlain ? String(UnicodeScalar(byte)) : "%" + hex(byte)
    }.joined()
  }

  /// A text of a header: as it is, or as encoded words (RFC 2047) if it is longer than `limit` or not plain ASCII.
  /// Control characters become spaces, so no text begins another header.
  static func encoded(_ text: String, limit: Int) -> String {
    var clean = String.UnicodeScalarView()
    clean.append(contentsOf: text.unicodeScalars.map { $0.isControl ? " " : $0 })
    let isPlain =
      clean.count <= limit && clean.allSatisfy { $0.isASCII && !"=?\"<>,;:@()[]\\".unicodeScalars.contains($0) }
      && clean.first != " " && clean.last != " "
    return isPlain ? String(clean) : encodedWords(clean)
  }

  /// Base64 of at most 39 bytes a word: with `Subject: ` in front, a line has at most 76 characters.
  private static func encodedWords(_ text: String.UnicodeScalarView) -> String {
    var words: [[UInt8]] = [[]]
    for scalar in text {
      let bytes = Array(String(scalar).utf8)
      // A word holds whole characters (RFC 2047 §5).
      if words[words.count - 1].count + bytes.count > 39 { words.append([]) }
      words[words.count - 1] += bytes
    }
    return words.map { "=?utf-8?B?\(Base64.standard.encode($0))?=" }.joined(separator: "\r\n ")
  }

  /// Such as `Fri, 27 Nov 2026 07:11:26 +0000` (RFC 5322 §3.3).
  static func text(_ date: Instant) -> String {
    let written = date.description
    let fields = written.split { "-T.".contains($0) }
    guard fields.count >= 4, let month = Int(fields[1]), (1...12).contains(month) else { return written }
    // 1970-01-01 was a Thursday.
    let days = Int((Double(date.milliseconds) / 86_400_000).rounded(.down))
    let weekday = weekdays[((days % 7) + 7) % 7]
    return "\(weekday), \(fields[2]) \(months[month - 1]) \(fields[0]) \(fields[3]) +0000"
  }

  private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  // MARK: bodies

  /// Lines of at most 76 characters (RFC 2045 §6.7). Each kind of line break becomes CRLF.
  static func quotedPrintable(_ text: String) -> String {
    // CR and LF together are one character.
    text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" || $0 == "\r" }
      .map(quotedLine).joined(separator: "\r\n")
  }

  private static func quotedLine(_ line: Substring) -> String {
    var text = ""
    var column = 0
    var rest = Substring.UnicodeScalarView(line.unicodeScalars)
    while let scalar = rest.popFirst() {
      let size = quoted(scalar, isFirst: column == 0, isLast: rest.isEmpty).utf8.count
      // The last column is for the `=` of a soft line break, unless the line ends here.
      if column + size > (rest.isEmpty ? 76 : 75) {
        text += "=\r\n"
        column = 0
      }
      let token = quoted(scalar, isFirst: column == 0, isLast: rest.isEmpty)
      text += token
      column += token.utf8.count
    }
    return text
  }

  private static func quoted(_ scalar: Unicode.Scalar, isFirst: Bool, isLast: Bool) -> String {
    // Mail servers may remove white space at the end of a line.
    let isSpace = (scalar == " " || scalar == "\t") && !isLast
    // A dot at the beginning of a line means something to SMTP (RFC 5321 §4.5.2): encoded, no mail server can lose it.
    let isPlain = (0x21...0x7E).contains(scalar.value) && scalar != "=" && !(isFirst && scalar == ".")
    return isSpace || isPlain ? String(scalar) : String(scalar).utf8.map { "=" + hex($0) }.joined()
  }

  private static func hex(_ byte: UInt8) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true) }
}

extension Unicode.Scalar {
  /// Control characters, and what some readers take for the end of a line.
  fileprivate var isControl: Bool {
    properties.generalCategory == .control || self == "\u{2028}" || self == "\u{2029}"
  }
}

extension UInt8 {
  fileprivate var isASCIILetterOrDigit: Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
      || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20)
  }
}
