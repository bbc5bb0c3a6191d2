import HTTP

/// A server of map tiles that the operator has chosen, in place of a map without tiles (LOC-23).
///
/// Phones ask it for the places that they show, so it learns where people are: it should be the household's own.
public struct MapTiles: Sendable {
  /// A URL with `{z}`, `{x}` and `{y}`: Web Mercator tiles of 256 pixels.
  public let template: String
  let origin: Origin

  /// - Returns: `nil` unless it is an `https` URL, or an `http` URL of this machine, that has all three placeholders.
  public init?(_ template: String) {
    guard let scheme = template.firstRange(of: "://") else { return nil }
    let rest = template[scheme.upperBound...]
    guard let end = rest.firstIndex(of: "/"), let origin = Origin(String(template[..<end])) else { return nil }
    let path = rest[end...]
    guard ["{z}", "{x}", "{y}"].allSatisfy(path.contains), path.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
      return nil
    }
    let isLocal = ["http://127.0.0.1", "http://localhost"].contains { local in
      origin.description == local || origin.description.hasPrefix("\(local):")
    }
    guard origin.description.hasPrefix("https://") || isLocal else { return nil }
    self.template = template
    self.origin = origin
  }
}
