import Crypto
import JSON
import Rooms

/// One installation that has logged in, as its device token names it.
enum Device {}

/// A secret that a device keeps from its first log-in: failures of others then do not slow its log-ins down (ACC-3).
///
/// The server stores nothing of it. It is a name and a time, authenticated under the account's password hash, which has
/// a salt of its own and never leaves the server. A new password ends all tokens of its account.
struct DeviceToken: Equatable {
  /// A token counts for so long after the log-in that it is from.
  static let life = Duration.seconds(400 * 24 * 3600)

  let device: ID<Device>
  let issuedAt: Instant

  init(_ device: ID<Device>, at now: Instant) {
    self.device = device
    issuedAt = now
  }

  /// Reads a token; `nil` if it is none of this account, or too old.
  init?(_ text: String, of person: ID<Person>, passwordHash: String, at now: Instant) {
    guard let bytes = Base64.url.decode(text), bytes.count == Self.size, let device = ID<Device>(bytes: bytes[..<16])
    else { return nil }
    let time = bytes[16..<24].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    issuedAt = Instant(milliseconds: Int64(bitPattern: time))
    self.device = device
    let code = Array(bytes[24...])
    guard constantTimeEqual(code, Self.code(Array(bytes[..<24]), person, passwordHash)),
      now - issuedAt < Self.life
    else { return nil }
  }

  /// The token as its device keeps it.
  func text(of person: ID<Person>, passwordHash: String) -> String {
    let time = UInt64(bitPattern: issuedAt.milliseconds)
    let name = device.bytes + (0..<8).map { UInt8(truncatingIfNeeded: time >> UInt64(56 - 8 * $0)) }
    return Base64.url.encode(name + Self.code(name, person, passwordHash))
  }

  private static let size = 16 + 8 + 32

  private static func code(_ name: [UInt8], _ person: ID<Person>, _ passwordHash: String) -> [UInt8] {
    HMACSHA256.authenticate(key: Array(passwordHash.utf8), Array("hearth device".utf8) + person.bytes + name)
  }
}
