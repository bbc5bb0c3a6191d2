import Foundation
import JSON
import Rooms

/// The name of an IANA time zone, such as `Europe/Berlin`.
struct TimeZoneName: Field {
  var text = ""

  static func read(_ view: View?, _ problems: Problems) -> Self? {
    guard let text = String.read(view, problems) else { return nil }
    // Foundation also takes offsets and abbreviations, which have no summer time.
    guard text.utf8.count <= 64, text == "UTC" || text.contains("/"), TimeZone(identifier: text) != nil else {
      problems.note("must be a time zone such as Europe/Berlin")
      return nil
    }
    return TimeZoneName(text: text)
  }

  func write(to writer: Writer) { text.write(to: writer) }

  static func schema(_ limit: ClosedRange<Int>?) -> JSON {
    ["type": "string", "minLength": 3, "maxLength": 64, "description": "The name of an IANA time zone."]
  }
}
