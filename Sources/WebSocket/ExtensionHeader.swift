import HTTP

/// The header `Sec-WebSocket-Extensions` of a request or response (RFC 6455 §9.1).
///
///     extension-list = 1#extension
///     extension      = token *( ";" token [ "=" (token | quoted-string) ] )
///
/// A quoted value must be a token after removing quotes and escapes.
public struct ExtensionHeader: Equatable, Sendable {
  /// A parameter of an extension, with an optional value.
  public struct Parameter: Equatable, Sendable {
    public var name: String
    public var value: String?

    public init(_ name: String, _ value: String? = nil) {
      self.name = name
      self.value = value
    }
  }

  /// An extension with its parameters, in order.
  public struct Extension: Equatable, Sendable {
    public var name: String
    public var parameters: [Parameter]

    public init(_ name: String, _ parameters: [Parameter] = []) {
      self.name = name
      self.parameters = parameters
    }

    /// The extension as written in the header.
    public var text: String {
      parameters.reduce(name) { text, parameter in
        "\(text); \(parameter.name)" + (parameter.value.map { "=\($0)" } ?? "")
      }
    }
  }

  /// The most extensions in a header, and the most parameters of an extension.
  static let countLimit = 16

  /// The extensions in the sender's order of preference.
  public let extensions: [Extension]

  /// Parses all lines of the header, joined by commas. `nil` if they do not match the grammar or pass `countLimit`.
  public init?(_ text: String) {
    var scanner = Scanner(rest: Array(text.utf8)[...])
    var extensions: [Extension] = []
    while true {
      // A list may have empty elements (RFC 9110 §5.6.1).
      while scanner.skip(.comma) {}
      if scanner.isAtEnd { break }
      guard extensions.count < Self.countLimit, let next = scanner.readExtension() else { return nil }
      extensions.append(next)
      guard scanner.isAtEnd || scanner.skip(.comma) else { return nil }
    }
    guard !extensions.isEmpty else { return nil }
    self.extensions = extensions
  }
}

/// Reads tokens from the front and skips blanks before them.
private struct Scanner {
  var rest: ArraySlice<UInt8>

  var isAtEnd: Bool { rest.allSatisfy(\.isBlank) }

  mutating func skip(_ byte: UInt8) -> Bool {
    rest = rest.drop(while: \.isBlank)
    guard rest.first == byte else { return false }
    rest.removeFirst()
    return true
  }

  mutating func readExtension() -> ExtensionHeader.Extension? {
    guard let name = readToken() else { return nil }
    var parameters: [ExtensionHeader.Parameter] = []
    while skip(UInt8(ascii: ";")) {
      guard parameters.count < ExtensionHeader.countLimit, let name = readToken() else { return nil }
      guard skip(UInt8(ascii: "=")) else {
        parameters.append(.init(name))
        continue
      }
      guard let value = readValue() else { return nil }
      parameters.append(.init(name, value))
    }
    return .init(name, parameters)
  }

  private mutating func readToken() -> String? {
    rest = rest.drop(while: \.isBlank)
    let token = rest.prefix(while: \.isTokenCharacter)
    guard !token.isEmpty else { return nil }
    rest = rest.dropFirst(token.count)
    return String(decoding: token, as: UTF8.self)
  }

  private mutating func readValue() -> String? {
    guard skip(.quote) else { return readToken() }
    var bytes: [UInt8] = []
    while let byte = rest.popFirst() {
      if byte == .quote {
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
      }
      guard let character = byte == .backslash ? rest.popFirst() : byte, character.isTokenCharacter else { return nil }
      bytes.append(character)
    }
    return nil
  }
}
