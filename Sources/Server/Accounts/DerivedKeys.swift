import Crypto
import Platform
import Rooms

/// The keys that follow from the store's secret, one for each purpose, so that no key serves two.
final class DerivedKeys {
  /// The text from which a key follows; another text makes another key.
  enum Purpose: String {
    /// Signs the puzzles of proof of work (SEC-10).
    case puzzles
    /// Authenticates the nonces for ID tokens (ACC-4).
    case nonces = "hearth OpenID nonce"
  }

  private let directory: any Directory
  private let loop: any Loop
  private var keys: [Purpose: [UInt8]] = [:]

  init(_ link: ShardLink) {
    directory = link.services.directory
    loop = link.loop
  }

  /// Goes on with the key of a purpose; `nil` if the store cannot be read.
  func with(_ purpose: Purpose, _ body: @escaping ([UInt8]?) -> Void) {
    if let key = keys[purpose] { return body(key) }
    directory.secret(
      reply: Reply(on: loop.poster) { [unowned self] result in
        if case .success(let secret) = result { keys[purpose] = Self.key(purpose, of: secret) }
        body(keys[purpose])
      })
  }

  static func key(_ purpose: Purpose, of secret: [UInt8]) -> [UInt8] {
    HMACSHA256.authenticate(key: secret, Array(purpose.rawValue.utf8))
  }
}
