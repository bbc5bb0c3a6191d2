/// What the first bytes of a connection are, looked at before anything is spent on it: a peer that never finishes its
/// hello costs no more memory than it has sent.
enum TLSHello {
  /// Bytes that a hello may have (RFC 8446 §4.1.2); those of browsers have 2,000.
  static let sizeLimit = 16 << 10

  enum Verdict {
    /// The first record is not whole yet.
    case incomplete
    /// For OpenSSL, which refuses what is no TLS after all.
    case whole
    /// An HTTP request in clear text.
    case plainText
    /// Longer than a hello may be, or in pieces such as nobody sends.
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
      // OpenSSL takes memory for as much as the hello claims to have.
      let helloSize = Int(bytes[6]) << 16 | Int(bytes[7]) << 8 | Int(bytes[8])
      guard helloSize <= sizeLimit else { return .refused }
    }
    return bytes.count >= 5 + recordSize ? .whole : .incomplete
  }

  /// Told to whoever speaks HTTP without TLS.
  static let answerToPlainText: [UInt8] = {
    let text = "This port speaks TLS: use https:// or wss://.\n"
    let head = [
      "HTTP/1.1 400 Bad Request", "Connection: close", "Content-Type: text/plain; charset=utf-8",
      "Content-Length: \(text.utf8.count)", "", "",
    ]
    return Array((head.joined(separator: "\r\n") + text).utf8)
  }()
}
