/// permessage-deflate as offered by a client (RFC 7692 §7.1).
public struct DeflateOffer: Hashable, Sendable {
  /// The server must compress each message alone.
  public var serverNoContextTakeover: Bool
  /// The client will compress each message alone.
  public var clientNoContextTakeover: Bool
  /// The largest window that the server may compress with, 8 to 15; `nil` where the client does not mind.
  public var serverMaxWindowBits: Int?
  /// The largest window that the client may be told to compress with, 8 to 15; `nil` where it cannot be told.
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

  /// `nil` for another extension, and for an offer that must be declined: an unknown, repeated or invalid parameter
  /// (RFC 7692 §7.1).
  public init?(_ offered: ExtensionHeader.Extension) {
    guard let words = DeflateWords(offered) else { return nil }
    self.init(
      serverNoContextTakeover: words.serverNoContextTakeover, clientNoContextTakeover: words.clientNoContextTakeover,
      serverMaxWindowBits: words.serverMaxWindowBits,
      clientMaxWindowBits: words.clientMaxWindowBits ?? (words.hasBareClientMaxWindowBits ? 15 : nil))
  }

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

/// permessage-deflate as agreed on by both sides.
public struct DeflateParameters: Hashable, Sendable {
  public var serverNoContextTakeover: Bool
  public var clientNoContextTakeover: Bool
  /// The largest window that the server compresses with, 9 to 15; `nil` stands for 15, unsaid.
  public var serverMaxWindowBits: Int?
  /// The same for the client.
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

  /// What a server answered, if a client that made `offer` may go on with it (RFC 7692 §7.1); `nil` if it must fail
  /// the connection.
  public init?(_ answered: ExtensionHeader.Extension, to offer: DeflateOffer) {
    guard let words = DeflateWords(answered), !words.hasBareClientMaxWindowBits else { return nil }
    if offer.serverNoContextTakeover && !words.serverNoContextTakeover { return nil }
    if let limit = offer.serverMaxWindowBits {
      guard let bits = words.serverMaxWindowBits, bits <= limit else { return nil }
    }
    if let bits = words.clientMaxWindowBits {
      // A window of 8 is more than zlib can promise.
      guard let limit = offer.clientMaxWindowBits, bits <= limit, bits > 8 else { return nil }
    }
    self.init(
      serverNoContextTakeover: words.serverNoContextTakeover,
      clientNoContextTakeover: words.clientNoContextTakeover || offer.clientNoContextTakeover,
      serverMaxWindowBits: words.serverMaxWindowBits, clientMaxWindowBits: words.clientMaxWindowBits)
  }

  /// What the server answers with.
  public var `extension`: ExtensionHeader.Extension {
    var words = DeflateWords()
    words.serverNoContextTakeover = serverNoContextTakeover
    words.clientNoContextTakeover = clientNoContextTakeover
    words.serverMaxWindowBits = serverMaxWindowBits
    words.clientMaxWindowBits = clientMaxWindowBits
    return words.extension
  }
}

/// What a server grants to those who offer permessage-deflate.
public struct DeflatePolicy: Hashable, Sendable {
  /// Whether we keep a context for a client that does not forbid it.
  public var serverMayKeepContext: Bool
  /// Whether a client may make us keep one.
  public var clientMayKeepContext: Bool

  public init(serverMayKeepContext: Bool, clientMayKeepContext: Bool) {
    self.serverMayKeepContext = serverMayKeepContext
    self.clientMayKeepContext = clientMayKeepContext
  }

  /// Each message stands alone: an idle connection owns no zlib memory.
  public static let stateless = DeflatePolicy(serverMayKeepContext: false, clientMayKeepContext: false)
  /// Whatever the client asks for: some 300 KiB a connection.
  public static let asOffered = DeflatePolicy(serverMayKeepContext: true, clientMayKeepContext: true)

  /// Takes the first offer that can be kept; `nil` where there is none, and messages stay as they are.
  public func accept(_ header: ExtensionHeader) -> DeflateParameters? {
    for offered in header.extensions {
      // zlib refuses raw windows of 8 bits, so that one is declined, as RFC 7692 §7.1.2.1 allows.
      guard let offer = DeflateOffer(offered), offer.serverMaxWindowBits != 8 else { continue }
      return DeflateParameters(
        serverNoContextTakeover: offer.serverNoContextTakeover || !serverMayKeepContext,
        clientNoContextTakeover: offer.clientNoContextTakeover || !clientMayKeepContext,
        serverMaxWindowBits: offer.serverMaxWindowBits)
    }
    return nil
  }
}

/// The four parameters as they are written, in offers and answers alike.
private struct DeflateWords {
  static let name = "permessage-deflate"

  var serverNoContextTakeover = false
  var clientNoContextTakeover = false
  var serverMaxWindowBits: Int?
  var clientMaxWindowBits: Int?
  /// Only an offer may have `client_max_window_bits` without a value.
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
