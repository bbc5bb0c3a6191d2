/// The reason why a text is rejected. Offsets count bytes from the start of the text.
public enum JSONError: Error, Equatable, Sendable {
  /// A byte that the grammar does not allow here, including bytes after the value.
  case unexpected(offset: Int)
  /// The text ends inside a value.
  case endOfInput
  /// Arrays and objects are nested deeper than the limit.
  case tooDeep
  /// The text has more values and keys than the limit.
  case tooManyNodes
  /// The text has more bytes than the limit.
  case tooLong
  /// An object repeats a key, compared without escapes. The offset is that of the later key.
  case duplicateKey(offset: Int)
  /// A byte that is not part of a valid UTF-8 sequence (RFC 3629): overlong, surrogate, above U+10FFFF, or cut off.
  case invalidUTF8(offset: Int)
  /// An unknown escape, a malformed `\u`, or half a surrogate pair. The offset is that of the backslash.
  case invalidEscape(offset: Int)
  /// A number that RFC 8259 §6 does not allow. The offset is that of the first wrong byte.
  case invalidNumber(offset: Int)
  /// A byte below 0x20 inside a string.
  case controlCharacter(offset: Int)
}
