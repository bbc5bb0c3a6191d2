/// A check of a connection's first bytes, before OpenSSL gets them. A peer that never finishes its hello costs no more
/// memory than it has sent.
enum TLSHello {
  /// The most bytes of a hello (RFC 8446 §4.1.2). Those of browsers have 2,000.
  static let sizeLimit = 16 << 10

  enum Verdict {
    /// The first record is not complete yet.
    case incomplete
    /// The bytes go to OpenSSL, which refuses them if they are no TLS.
    case whole
    /// An HTTP request in clear text.
    case plainText
    /// The hello is too long, or in fragments such as no client sends.
    case refused
  }

  static func look(at bytes: [UInt8]) -> Verdict {
    guard let first = bytes.first else { return .incomplete }
    // Methods are capital letters; a handshake record begins with 22 (RFC 8446 §5.1).
    if (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(first) { return .plainText }
    guard first == 22 else { return .whole }
    guard bytes.count >= 5 else { return .incomplete }
    let recordSize = Int(bytes[3]) << 8 | Int(bytes[4])
    guard recordSize >= 4, recordSize <= sizeLimit else { return .refused }
    if bytes.count >= 9 {
      // OpenSSL allocates the length that the hello claims.
      let helloSize = Int(bytes[6]) << 16 | Int(bytes[7]) << 8 | Int(bytes[8])
      guard helloSize <= sizeLimit else { return .refused }
    }
    return bytes.count >= 5 + recordSize ? .whole : .incomplete
  }

  /// The answer to an HTTP request without TLS.
  static let answerToPlainText: [UInt8] = {
    let text = "This port speaks TLS: use https:// or wss://.\n"
    let head = [
      "HTTP/1.1 400 Bad Request", "Connection: close", "Content-Type: text/plain; charset=utf-8",
      "Content-Length: \(text.utf8.count)", "", "",
    ]
    return Array((head.joined(separator: "\r\n") + text).utf8)
  }()
}
