import JSON

/// The numbers of messages to and from other rooms, the room's secret key, and why it has ended (DESIGN, "Effects
/// between rooms"). Hidden.
struct MessageNumbers {
  struct Count: Record {
    var number = 0
    /// The sender has ended: its next message comes from another life.
    var isLast: Bool?

    static func fields(_ field: inout some FieldVisitor<Self>) {
      field("n", \.number)
      field("last", \.isLast)
    }

    /// Bits for numbers within one life. The higher bits hold the number of the message that made the room, so numbers
    /// grow from life to life although the room remembers nothing. Rooms with one life begin at 1.
    static let bitsPerLife = 24

    /// Whether a message comes directly after the last one taken: the next of the same life, or the first of a later
    /// life.
    static func isNext(_ number: Int, after last: Self?) -> Bool {
      let isFirstOfLife = number & (1 << bitsPerLife - 1) == 1
      guard let last else { return isFirstOfLife }
      if last.isLast == true { return isFirstOfLife && number > last.number }
      return number == last.number + 1
    }
  }

  struct Key: Record {
    /// Hexadecimal.
    var text = ""
    static func fields(_ field: inout some FieldVisitor<Self>) { field("key", \.text) }
  }

  struct Ending: Record {
    /// The reason for the room's end; empty before the end.
    var reason = ""
    static func fields(_ field: inout some FieldVisitor<Self>) { field("reason", \.reason) }
  }

  var ending = Single<Ending>()
  var sent = Table<RoomID, Count>()
  var taken = Table<RoomID, Count>()
  var key = Single<Key>()
  /// The key's bytes, read once.
  var keyBytes: [UInt8] = []

  var isTouched: Bool { sent.isTouched || taken.isTouched || key.isTouched || ending.isTouched }

  mutating func seal(to writer: Writer) {
    sent.seal("_sent", to: writer)
    taken.seal("_taken", to: writer)
    key.seal("_key", to: writer)
    ending.seal("_ending", to: writer)
  }

  func writeState(to writer: Writer) {
    sent.writeState("_sent", to: writer)
    taken.writeState("_taken", to: writer)
    key.writeState("_key", to: writer)
    ending.writeState("_ending", to: writer)
  }

  mutating func merge(_ patch: View, _ problems: Problems) {
    if let change = patch[key: "_sent"] { sent.merge(change, problems) }
    if let change = patch[key: "_taken"] { taken.merge(change, problems) }
    if let change = patch[key: "_ending"] { ending.merge(change, problems) }
    if let change = patch[key: "_key"] {
      key.merge(change, problems)
      keyBytes = Array(key.value.text.utf8)
    }
  }
}
