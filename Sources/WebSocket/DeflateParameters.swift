/// A client's offer of permessage-deflate (RFC 7692 §7.1).
public struct DeflateOffer: Hashable, Sendable {
  /// Whether the server must compress each message independently.
  public var serverNoContextTakeover: Bool
  /// Whether the client will compress each message independently.
  public var clientNoContextTakeover: Bool
  /// The largest window that the server may compress with, 8 to 15; `nil` for no limit.
  public var serverMaxWindowBits: Int?
  /// The largest window that the server may demand of the client, 8 to 15; `nil` if the client cannot be limited.
  public var clientMaxWindowBits: Int?

  public init(
    serverNoContextTakeover: Bool = true, clientNoContextTakeover: Bool = true,
    serverMaxWindowBits: Int? = nil, clientMaxWindowBits: Int? = nil
  ) {
    self.serverNoContextTakeover = serverNoContextTakeover
    self.clientNoContextTakeover = clientNoContextTakeover
    self.serverMaxWindowBits = serverMaxWindowBits
    self.clientMaxWindowBits = clientMaxWindowBits
  }

  /// Parses an offer. `nil` for another extension, or if a parameter is unknown, repeated or invalid: such an offer
  /// must be declined (RFC 7692 §7.1).
  public init?(_ offered: ExtensionHeader.Extension) {
    guard let words = DeflateWords(offered) else { return nil }
    self.init(
      serverNoContextTakeover: words.serverNoContextTakeover, clientNoContextTakeover: words.clientNoContextTakeover,
      serverMaxWindowBits: words.serverMaxWindowBits,
      clientMaxWindowBits: words.clientMaxWindowBits ?? (words.hasBareClientMaxWindowBits ? 15 : nil))
  }

  /// The offer as an extension of the header.
  public var `extension`: ExtensionHeader.Extension {
    var words = DeflateWords()
    words.serverNoContextTakeover = serverNoContextTakeover
    words.clientNoContextTakeover = clientNoContextTakeover
    words.serverMaxWindowBits = serverMaxWindowBits
    words.clientMaxWindowBits = clientMaxWindowBits == 15 ? nil : clientMaxWindowBits
    words.hasBareClientMaxWindowBits = clientMaxWindowBits == 15
    return words.extension
  }
}

/// The negotiated parameters of permessage-deflate.
public struct DeflateParameters: Hashable, Sendable {
  /// Whether the server compresses each message independently.
  public var serverNoContextTakeover: Bool
  /// Whether the client compresses each message independently.
  public var clientNoContextTakeover: Bool
  /// The largest window that the server compresses with, 9 to 15; `nil` means 15 and is not written.
  public var serverMaxWindowBits: Int?
  /// The largest window that the client compresses with, 9 to 15; `nil` means 15 and is not written.
  public var clientMaxWindowBits: Int?

  public init(
    serverNoContextTakeover: Bool, clientNoContextTakeover: Bool, serverMaxWindowBits: Int? = nil,
    clientMaxWindowBits: Int? = nil
  ) {
    self.serverNoContextTakeover = serverNoContextTakeover
    self.clientNoContextTakeover = clientNoContextTakeover
    self.serverMaxWindowBits = serverMaxWindowBits
    self.clientMaxWindowBits = clientMaxWindowBits
  }

  /// Parses the server's answer to `offer`. `nil` if the client must fail the connection (RFC 7692 §7.1).
  public init?(_ answered: ExtensionHeader.Extension, to offer: DeflateOffer) {
    guard let words = DeflateWords(answered), !words.hasBareClientMaxWindowBits else { return nil }
    if offer.serverNoContextTakeover && !words.serverNoContextTakeover { return nil }
    if let limit = offer.serverMaxWindowBits {
      guard let bits = words.serverMaxWindowBits, bits <= limit else { return nil }
    }
    if let bits = words.clientMaxWindowBits {
      // zlib cannot compress with a window of 8.
      guard let limit = offer.clientMaxWindowBits, bits <= limit, bits > 8 else { return nil }
    }
    self.init(
      serverNoContextTakeover: words.serverNoContextTakeover,
      clientNoContextTakeover: words.clientNoContextTakeover || offer.clientNoContextTakeover,
      serverMaxWindowBits: words.serverMaxWindowBits, clientMaxWindowBits: words.clientMaxWindowBits)
  }

  /// The server's answer.
  public var `extension`: ExtensionHeader.Extension {
    var words = DeflateWords()
    words.serverNoContextTakeover = serverNoContextTakeover
    words.clientNoContextTakeover = clientNoContextTakeover
    words.serverMaxWindowBits = serverMaxWindowBits
    words.clientMaxWindowBits = clientMaxWindowBits
    return words.extension
  }
}

/// The parameters of permessage-deflate that a server grants.
public struct DeflatePolicy: Hashable, Sendable {
  /// Whether the server keeps a compression context, unless the client forbids it.
  public var serverMayKeepContext: Bool
  /// Whether a client may require the server to keep a decompression context.
  public var clientMayKeepContext: Bool

  public init(serverMayKeepContext: Bool, clientMayKeepContext: Bool) {
    self.serverMayKeepContext = serverMayKeepContext
    self.clientMayKeepContext = clientMayKeepContext
  }

  /// Each message is compressed independently: an idle connection holds no zlib memory.
  public static let stateless = DeflatePolicy(serverMayKeepContext: false, clientMayKeepContext: false)
  /// Grants the offer unchanged: some 300 KiB per connection.
  public static let asOffered = DeflatePolicy(serverMayKeepContext: true, clientMayKeepContext: true)

  /// Accepts the first offer that the server can keep; `nil` if there is none, and messages stay uncompressed.
  public func accept(_ header: ExtensionHeader) -> DeflateParameters? {
    for offered in header.extensions {
      // zlib refuses raw windows of 8 bits, so this offer is declined, as RFC 7692 §7.1.2.1 allows.
      guard let offer = DeflateOffer(offered), offer.serverMaxWindowBits != 8 else { continue }
      return DeflateParameters(
        serverNoContextTakeover: offer.serverNoContextTakeover || !serverMayKeepContext,
        clientNoContextTakeover: offer.clientNoContextTakeover || !clientMayKeepContext,
        serverMaxWindowBits: offer.serverMaxWindowBits)
    }
    return nil
  }
}

/// The four parameters as written in offers and answers.
private struct DeflateWords {
  static let name = "permessage-deflate"

  var serverNoContextTakeover = false
  var clientNoContextTakeover = false
  var serverMaxWindowBits: Int?
  var clientMaxWindowBits: Int?
  /// `client_max_window_bits` without a value, which only an offer may have.
  var hasBareClientMaxWindowBits = false

  init() {}

  init?(_ text: ExtensionHeader.Extension) {
    guard text.name == Self.name else { return nil }
    for parameter in text.parameters {
      let isTaken: Bool
      switch (parameter.name, parameter.value) {
      case ("server_no_context_takeover", nil):
        isTaken = serverNoContextTakeover
        serverNoContextTakeover = true
      case ("client_no_context_takeover", nil):
        isTaken = clientNoContextTakeover
        clientNoContextTakeover = true
      case ("client_max_window_bits", nil):
        isTaken = hasBareClientMaxWindowBits || clientMaxWindowBits != nil
        hasBareClientMaxWindowBits = true
      case ("client_max_window_bits", let value?):
        isTaken = hasBareClientMaxWindowBits || clientMaxWindowBits != nil
        guard let bits = Self.windowBits(value) else { return nil }
        clientMaxWindowBits = bits
      case ("server_max_window_bits", let value?):
        isTaken = serverMaxWindowBits != nil
        guard let bits = Self.windowBits(value) else { return nil }
        serverMaxWindowBits = bits
      default: return nil
      }
      if isTaken { return nil }
    }
  }

  /// "A decimal integer without leading zeroes between 8 to 15" (RFC 7692 §7.1.2).
  private static func windowBits(_ text: String) -> Int? {
    (8...15).first { String($0) == text }
  }

  var `extension`: ExtensionHeader.Extension {
    var parameters: [ExtensionHeader.Parameter] = []
    if serverNoContextTakeover { parameters.append(.init("server_no_context_takeover")) }
    if clientNoContextTakeover { parameters.append(.init("client_no_context_takeover")) }
    if let bits = serverMaxWindowBits { parameters.append(.init("server_max_window_bits", String(bits))) }
    if let bits = clientMaxWindowBits { parameters.append(.init("client_max_window_bits", String(bits))) }
    if hasBareClientMaxWindowBits { parameters.append(.init("client_max_window_bits")) }
    return .init(Self.name, parameters)
  }
}
