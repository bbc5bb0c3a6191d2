import JSON
import Rooms

/// The name of a part of a client, such as a tab: 1 to 32 ASCII letters, digits, dots and hyphens.
struct TabName: MapKey {
  var text = ""

  init?(key: View) {
    guard let text = key.string else { return nil }
    self.init(text)
  }

  init?(_ text: String) {
    func isAllowed(_ byte: UInt8) -> Bool {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"):
        true
      default: false
      }
    }
    guard (1...32).contains(text.utf8.count), text.utf8.allSatisfy(isAllowed) else { return nil }
    self.text = text
  }

  func writeKey(to writer: Writer) { writer.key(text) }

  static func < (left: TabName, right: TabName) -> Bool { left.text < right.text }
}
