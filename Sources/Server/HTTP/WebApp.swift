import Crypto
import HTTP
import WebSocket

/// A file of the page, by its path in the page's folder, such as `parts/sheet.js`.
public struct WebFile: Sendable {
  public var path: String
  public var bytes: [UInt8]

  public init(path: String, bytes: [UInt8]) {
    self.path = path
    self.bytes = bytes
  }
}

/// The page that the server serves to browsers, and how each of its files is answered.
///
/// The version is a hash of all files and stands in their paths, so that caches may keep them for ever. What names the
/// version is asked for each time: the start page, the service worker, the manifest, and the library's stable address.
public final class WebApp: Sendable {
  fileprivate struct Asset: Sendable {
    let bytes: [UInt8]
    /// Absent if it would be no shorter.
    let compressed: [UInt8]?
    let type: String
    let tag: String
    let isImmutable: Bool
  }

  /// The files that are served under a stable path.
  private static let named = [
    "index.html": "/", "sw.js": "/sw.js", "manifest.webmanifest": "/manifest.webmanifest", "hearth.js": "/hearth.js",
    "hearth.d.ts": "/hearth.d.ts", "insecure.html": insecurePath,
  ]
  private static let insecurePath = "/insecure"

  /// A hash of all that is served, in Base64.
  public let version: String
  /// Where tiles of a map come from; `nil` for a map without tiles.
  let mapTiles: MapTiles?
  private let assets: [String: Asset]
  private let protection: Headers

  /// The server puts the version in place of the word `VERSION`, and the paths of all that the page needs offline in
  /// place of `"FILES"`.
  public init(files: [WebFile], mapTiles: MapTiles? = nil) {
    self.mapTiles = mapTiles
    protection = Protection.ofPage(images: mapTiles.map { [$0.origin] } ?? [])
    let files = files.sorted { $0.path < $1.path }
    var all = Array((mapTiles?.template ?? "").utf8)
    for file in files { all += SHA256.hash(Array(file.path.utf8)) + SHA256.hash(PageText.served(file, [])) }
    let version = Base64.url.encode(Array(SHA256.hash(all).prefix(9)))
    self.version = version
    let paths = files.map { Self.named[$0.path] ?? "/app/\(version)/\($0.path)" }
    let needed = ["/"] + zip(files, paths).filter { Self.isNeededOffline($0.0) }.map(\.1)
    let values = [("VERSION", version), ("\"FILES\"", needed.map { "\"\($0)\"" }.joined(separator: ","))]
    var assets: [String: Asset] = [:]
    for (file, path) in zip(files, paths) {
      let isNamed = Self.named[file.path] != nil
      assets[path] = Asset(PageText.served(file, isNamed ? values : []), of: file.path, isImmutable: !isNamed)
    }
    self.assets = assets
  }

  private static func isNeededOffline(_ file: WebFile) -> Bool {
    named[file.path] == nil && !file.path.hasSuffix(".ts")
  }

  /// The answer to a request for a file or a place of the page; `nil` for a file that is not there.
  ///
  /// - Parameter isSecure: Whether browsers trust the connection: over another one the page cannot work, and says so.
  func response(to head: RequestHead, isSecure: Bool) -> Response? {
    let path = head.target.path
    if !isSecure, let page = assets[Self.insecurePath], path == "/" || Self.isPlace(path) {
      return page.response(to: head, protection)
    }
    if let asset = assets[path] {
      var response = asset.response(to: head, protection)
      // Deno looks there, and editors that use it.
      if path == "/hearth.js" { response.headers.add("X-TypeScript-Types", "/hearth.d.ts") }
      return response
    }
    // A place in the page, such as `/shopping`, is made by the page itself.
    return Self.isPlace(path) ? assets["/"]?.response(to: head, protection) : nil
  }

  private static func isPlace(_ path: String) -> Bool { !path.hasPrefix("/app/") && !path.contains(".") }
}

extension WebApp.Asset {
  fileprivate init(_ bytes: [UInt8], of path: String, isImmutable: Bool) {
    self.bytes = bytes
    self.isImmutable = isImmutable
    let type = path.split(separator: ".").last.flatMap { WebApp.types[String($0)] } ?? "application/octet-stream"
    self.type = type
    let isText = type.contains("charset") || type.contains("svg") || type.contains("json")
    let small = isText ? Gzip.compress(bytes) : bytes
    compressed = small.count < bytes.count ? small : nil
    tag = "\"\(Base64.url.encode(Array(SHA256.hash(bytes).prefix(12))))\""
  }

  fileprivate func response(to head: RequestHead, _ protection: Headers) -> Response {
    let encodes = compressed != nil && head.accepts(coding: "gzip")
    // Another coding is another representation, with a tag of its own (RFC 9110 §8.8.3.3).
    let tag = encodes ? String(self.tag.dropLast()) + "-gzip\"" : self.tag
    var headers = protection
    headers.add("ETag", tag)
    headers.add("Cache-Control", isImmutable ? "public, max-age=31536000, immutable" : "no-cache")
    if compressed != nil { headers.add("Vary", "Accept-Encoding") }
    if head.hasCopy(tagged: tag) { return Response(.notModified, headers: headers) }
    headers.add("Content-Type", type)
    if encodes { headers.add("Content-Encoding", "gzip") }
    return Response(.ok, headers: headers, body: encodes ? compressed ?? bytes : bytes)
  }
}

extension WebApp {
  fileprivate static let types = [
    "html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8",
    "svg": "image/svg+xml", "webmanifest": "application/manifest+json", "json": "application/json",
    "png": "image/png", "ts": "text/plain; charset=utf-8",
  ]
}
