import JSON
import Rooms

/// The name of an IANA time zone, such as `Europe/Berlin`; kept as it was sent, old names too (HH-1).
struct TimeZoneName: Field {
  var text = ""

  static func read(_ view: View?, _ problems: Problems) -> Self? {
    guard let text = String.read(view, problems) else { return nil }
    // The bytes too: to Swift, a Kelvin sign is equal to a K.
    guard text.utf8.allSatisfy({ $0 < 0x80 }), all.contains(text) else {
      problems.note("must be a time zone such as Europe/Berlin")
      return nil
    }
    return TimeZoneName(text: text)
  }

  func write(to writer: Writer) { text.write(to: writer) }

  static func schema(_ limit: ClosedRange<Int>?) -> JSON {
    // From `GB` to `America/Argentina/ComodRivadavia`.
    ["type": "string", "minLength": 2, "maxLength": 32, "description": "The name of an IANA time zone."]
  }
}
