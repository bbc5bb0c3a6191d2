import JSON
import Rooms

/// One emoji, as people choose it: a single character, which may consist of several scalars (UTS #51).
struct Emoji: MapKey, Field {
  var text = ""

  init() {}

  /// `nil` for anything but a single emoji of at most 32 bytes in UTF-8.
  init?(_ text: String) {
    let scalars = text.unicodeScalars
    guard text.utf8.count <= Self.byteLimit, text.count == 1, let first = scalars.first, first.properties.isEmoji,
      scalars.contains(where: \.showsEmoji)
    else { return nil }
    self.text = text
  }

  private static let byteLimit = 32

  static func read(_ view: View?, _ problems: Problems) -> Self? {
    guard let text = String.read(view, problems) else { return nil }
    guard let emoji = Emoji(text) else {
      problems.note("must be one emoji")
      return nil
    }
    return emoji
  }

  func write(to writer: Writer) { text.write(to: writer) }

  static func schema(_ limit: ClosedRange<Int>?) -> JSON {
    ["type": "string", "format": "emoji", "minLength": 1]
  }

  // MARK: as a key

  init?(key: View) {
    guard let text = key.string else { return nil }
    self.init(text)
  }

  func writeKey(to writer: Writer) { writer.key(text) }

  static func < (left: Emoji, right: Emoji) -> Bool { left.text < right.text }
}

extension Unicode.Scalar {
  /// Whether this shows an emoji by itself, or says that the scalar before it does: digits are emoji only with that.
  fileprivate var showsEmoji: Bool { value == 0xFE0F || properties.isEmojiPresentation }
}

/// The reactions of people to something: by emoji, then by person.
///
/// An emoji without persons stays: to remove it and add it again would not compose (DESIGN, "When composition is
/// exact").
typealias Reactions = SmallMap<Emoji, SmallMap<ID<Person>, Bool>>

extension Reactions {
  /// Adds or removes a person's reaction.
  mutating func set(_ emoji: Emoji, _ isOn: Bool, by person: ID<Person>) throws(Refusal) {
    guard isOn else {
      self[emoji]?[person] = nil
      return
    }
    if self[emoji] == nil {
      if count >= Limits.reactions {
        throw .full("reactions", "At most \(Limits.reactions) different emoji may stand on one thing.")
      }
      self[emoji] = [:]
    }
    self[emoji]?[person] = true
  }
}
