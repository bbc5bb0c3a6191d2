import Crypto
import Home
import JSON
import Platform
import Rooms

/// The codes that are mailed to people: eight digits, as phones fill them in.
struct MailedCode {
  static let digits = 8
  /// Codes of one kind that a person may ask for in an hour (ACC-16).
  static let perHour = 3
  static let addressLife = Duration.seconds(24 * 3600)
  static let resetLife = Duration.seconds(30 * 60)

  /// As people read it, in two groups.
  let text: String
  let code: AccountCode

  init(
    _ purpose: AccountCode.Purpose, for person: ID<Person>, to email: String, at now: Instant,
    _ randomness: any Randomness
  ) {
    // 2^64 is so much larger than 10^8 that all codes are as likely as each other.
    let number = randomness.bytes(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } % 100_000_000
    let digits = String("\(100_000_000 + number)".dropFirst())
    text = "\(digits.prefix(4)) \(digits.suffix(4))"
    let life = purpose == .address ? Self.addressLife : Self.resetLife
    code = AccountCode(
      purpose, hash: Self.hash(digits, purpose, of: person), email: email, at: now, until: now + life)
  }

  static func hash(_ digits: String, _ purpose: AccountCode.Purpose, of person: ID<Person>) -> [UInt8] {
    SHA256.hash(Array("\(purpose.rawValue) \(person) \(digits)".utf8))
  }
}

/// A mailed code as a client sends it back: eight digits; spaces and hyphens between them do not count.
struct TypedCode: Field {
  private(set) var digits = ""

  static func read(_ view: View?, _ problems: Problems) -> Self? {
    guard let text = String.read(view, problems) else { return nil }
    let digits = text.utf8.count > 64 ? "" : text.filter { $0 != " " && $0 != "-" }
    guard digits.utf8.count == MailedCode.digits, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      problems.note("must be the 8 digits of the mail")
      return nil
    }
    return TypedCode(digits: digits)
  }

  func write(to writer: Writer) { digits.write(to: writer) }

  static func schema(_ limit: ClosedRange<Int>?) -> JSON { ["type": "string", "pattern": "^([0-9][ -]?){8}$"] }
}

extension AccountDesk {
  /// A code for an address, and the changes that put it on its way.
  func addressCode(for account: Account, to email: String, _ name: String) -> [AccountChange] {
    let mailed = MailedCode(.address, for: account.person, to: email, at: loop.now, services.randomness)
    let letter = Letter(.addressCode, to: email, name: name, code: mailed.text)
    return [
      .setCode(mailed.code, limit: MailedCode.perHour), .deliver(delivery(letter, until: mailed.code.until)),
    ]
  }

  func delivery(_ letter: Letter, until: Instant) -> Delivery {
    letter.delivery(shard.randomID() as ID<Letter>, at: loop.now, until: until)
  }

  /// The directory has something to deliver to a person.
  func noteDelivery(to person: ID<Person>) {
    shard.neighbours.send(.serveDeliveries, to: shard.shards.home(of: person))
  }
}

extension Refusal {
  static var noMail: Refusal {
    Refusal(.conflict, "noMail", "This server sends no mail, and so no codes.")
  }
  static var wrongCode: Refusal {
    Refusal(.forbidden, "code", "The code is wrong, or too old, or there is a newer one.")
  }
  static func codes(_ wait: Duration) -> Refusal {
    let text = "\(MailedCode.perHour) codes have been sent within an hour: wait for the last one, or try again later."
    return Refusal(.rateLimited, "codes", text).temporary(after: wait)
  }
}
