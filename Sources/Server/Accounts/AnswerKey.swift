import Crypto
import JSON
import Platform

/// Seals answers with secrets to the session that was given them: derived from its token, never on disk.
///
/// Its bytes lie in the session itself: an array of them would be more than twice as large.
struct AnswerKey: Sendable {
  private let bytes: InlineArray<32, UInt8>

  init(token: [UInt8]) {
    let code = HMACSHA256.authenticate(key: token, Array("answers".utf8))
    bytes = InlineArray { code[$0] }
  }

  /// An answer with a secret in it, as it may stand on disk: only this session's token opens it.
  func sealed(_ answer: [UInt8], _ randomness: any Randomness) -> [UInt8] {
    let nonce = randomness.bytes(AESGCM.nonceSize)
    guard let box = try? AESGCM.seal(answer, key: bytes.span.copied, nonce: nonce) else { return Self.mark }
    return Self.mark + Array(Base64.url.encode(nonce + box).utf8) + [UInt8(ascii: "\"")]
  }

  /// Opens what `sealed` made; `nil` where that was for another session.
  func opened(_ answer: [UInt8]) -> [UInt8]? {
    let text = answer.dropFirst(Self.mark.count).dropLast()
    guard let box = Base64.url.decode(String(decoding: text, as: UTF8.self)), box.count > AESGCM.nonceSize else {
      return nil
    }
    let nonce = Array(box.prefix(AESGCM.nonceSize))
    return try? AESGCM.open(Array(box.dropFirst(AESGCM.nonceSize)), key: bytes.span.copied, nonce: nonce)
  }

  /// The beginning of a sealed answer.
  static let mark = Array("\"sealed\":\"".utf8)
}
