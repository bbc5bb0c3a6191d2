/// Why a text is not the JSON that is accepted here. Offsets count bytes from the start of the text.
public enum JSONError: Error, Equatable, Sendable {
  /// A byte that cannot stand where it stands, trailing bytes behind the value included.
  case unexpected(offset: Int)
  /// The text ends inside a value.
  case endOfInput
  /// More arrays and objects inside one another than the limit.
  case tooDeep
  /// More values and keys than the limit.
  case tooManyNodes
  /// More bytes than the limit.
  case tooLong
  /// A key that its object already has, however either is escaped. The offset is that of the later one.
  case duplicateKey(offset: Int)
  /// A byte that continues no UTF-8 sequence of RFC 3629: overlong, a surrogate, above U+10FFFF, or cut off.
  case invalidUTF8(offset: Int)
  /// An unknown escape, a malformed `\u`, or half of a surrogate pair. The offset is that of the backslash.
  case invalidEscape(offset: Int)
  /// A number outside the grammar of RFC 8259 §6. The offset is that of the first wrong byte.
  case invalidNumber(offset: Int)
  /// A byte below 0x20 inside a string.
  case controlCharacter(offset: Int)
}
