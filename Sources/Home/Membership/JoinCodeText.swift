import Crypto
import JSON
import Rooms

/// A join code: ten characters of Crockford's Base32, which are hard to confuse. It is read in either case, with spaces
/// or hyphens, with O for 0 and I or L for 1.
struct JoinCodeText: Field {
  static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
  static let length = 10

  var text = ""

  /// Makes a code from ten bytes, of each its lowest five bits.
  init(random: [UInt8]) {
    text = String(decoding: random.prefix(Self.length).map { Self.alphabet[Int($0 & 31)] }, as: UTF8.self)
  }

  init() {}

  /// Reads a code; `nil` if the text cannot be one.
  init?(_ written: String) {
    guard written.utf8.count <= 64 else { return nil }
    var letters: [UInt8] = []
    for byte in written.uppercased().utf8 {
      switch byte {
      case UInt8(ascii: " "), UInt8(ascii: "-"): continue
      case UInt8(ascii: "O"): letters.append(UInt8(ascii: "0"))
      case UInt8(ascii: "I"), UInt8(ascii: "L"): letters.append(UInt8(ascii: "1"))
      default: letters.append(byte)
      }
    }
    guard letters.count == Self.length, letters.allSatisfy(Self.alphabet.contains) else { return nil }
    text = String(decoding: letters, as: UTF8.self)
  }

  var hash: [UInt8] { SHA256.hash(Array(text.utf8)) }

  static func read(_ view: View?, _ problems: Problems) -> Self? {
    guard let text = String.read(view, problems) else { return nil }
    guard let code = JoinCodeText(text) else {
      problems.note("must be a code of \(length) letters and digits")
      return nil
    }
    return code
  }

  func write(to writer: Writer) { text.write(to: writer) }

  static func schema(_ limit: ClosedRange<Int>?) -> JSON { String.schema(length...64) }
}
