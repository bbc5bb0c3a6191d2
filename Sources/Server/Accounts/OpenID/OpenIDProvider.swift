/// A provider of OpenID Connect whose ID tokens log people in, as the operator names it (ACC-4).
public struct OpenIDProvider: Sendable, Hashable, CustomStringConvertible {
  /// The source of the keys that sign its tokens.
  public enum KeySource: Sendable, Hashable {
    /// The provider's own description says where they are (OpenID Connect Discovery 1.0 §4).
    case discovery
    case url(String)
    case file(String)
  }

  /// The name by which clients call it: up to 32 small letters, digits and hyphens.
  public let name: String
  /// Its own name: an `https` URL, compared letter by letter.
  public let issuer: String
  /// The name of the clients of this server at the provider.
  public let clientID: String
  public let keys: KeySource

  static let nameLength = 1...32
  static let textLength = 1...255

  /// Reads `NAME=ISSUER,CLIENT_ID`, or `NAME=ISSUER,CLIENT_ID,JWKS` with the URL or the path of its keys.
  public init?(_ text: String) {
    let sides = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard sides.count == 2, Self.nameLength.contains(sides[0].utf8.count),
      sides[0].utf8.allSatisfy({ (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D })
    else { return nil }
    let parts = sides[1].split(separator: ",", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
    guard parts.count >= 2, Self.isSecure(parts[0]), !parts[0].contains(where: { $0 == "?" || $0 == "#" }),
      Self.isText(parts[1])
    else { return nil }
    switch parts.count > 2 ? parts[2] : nil {
    case nil: keys = .discovery
    case let url? where Self.isSecure(url): keys = .url(url)
    case let path? where !path.isEmpty && !path.contains("://"): keys = .file(path)
    default: return nil
    }
    name = sides[0]
    issuer = parts[0]
    clientID = parts[1]
  }

  /// As `init` reads it.
  public var description: String {
    switch keys {
    case .discovery: "\(name)=\(issuer),\(clientID)"
    case .url(let place), .file(let place): "\(name)=\(issuer),\(clientID),\(place)"
    }
  }

  /// Whether a text is an `https` URL with a host, in short.
  static func isSecure(_ text: String) -> Bool {
    let scheme = "https://"
    guard isText(text), text.hasPrefix(scheme), let first = text.dropFirst(scheme.count).first else { return false }
    return first != "/" && first != "?" && first != "#" && !text.contains("@")
  }

  private static func isText(_ text: String) -> Bool {
    textLength.contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
  }

  /// The place of the provider's description (OpenID Connect Discovery 1.0 §4.1).
  var discoveryURL: String {
    (issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer) + "/.well-known/openid-configuration"
  }
}
