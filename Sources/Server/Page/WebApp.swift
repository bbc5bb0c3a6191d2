import Crypto
import HTTP
import JSON
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
  private static let insecureStyle = "insecure.css"
  /// All that the page needs offline in one file, for the service worker: scripts, styles and pictures with their
  /// types, by path. It is a third smaller than they are one by one, and one answer instead of seventy.
  private static let archive = "all.json"

  /// A hash of all that is served, in Base64.
  public let version: String
  /// Where tiles of a map come from; `nil` for a map without tiles.
  let mapTiles: MapTiles?
  private let assets: [String: Asset]
  /// The start page for each language that there are words in; it names the words that the page will need first.
  private let starts: [String: Asset]
  private let protection: Headers

  /// The server puts the version in place of the word `VERSION` in files under a stable path, and in the start page the
  /// client's language in place of `LANGUAGE`.
  public init(files: [WebFile], mapTiles: MapTiles? = nil) {
    self.mapTiles = mapTiles
    protection = Protection.ofPage(images: mapTiles.map { [$0.origin] } ?? [])
    let text = PageText(files)
    let paths = files.map(\.path).sorted()
    var all = Array((mapTiles?.template ?? "").utf8)
    for path in paths { all += SHA256.hash(Array(path.utf8)) + SHA256.hash(text.bytes[path] ?? []) }
    let version = Base64.url.encode(Array(SHA256.hash(all).prefix(9)))
    self.version = version
    var assets: [String: Asset] = [:]
    var kept: [String: JSON] = [:]
    for path in paths {
      var bytes = text.bytes[path] ?? []
      if let name = Self.named[path] {
        bytes = Array(String(decoding: bytes, as: UTF8.self).replacing("VERSION", with: version).utf8)
        assets[name] = Asset(bytes, type: Self.type(of: path), isImmutable: false)
        continue
      }
      let place = "/app/\(version)/\(path)"
      // Of what is linked, only the client library is for others to load.
      let isLinked = text.linked.contains(path)
      if !isLinked || path.hasPrefix("hearth/") {
        assets[place] = Asset(bytes, type: Self.type(of: path), isImmutable: true)
      }
      // Over an unsafe connection there is no worker.
      guard !isLinked, path != Self.insecureStyle, ["js", "css", "svg"].contains(path.split(separator: ".").last) else {
        continue
      }
      kept[place] = [.string(Self.type(of: path)), .string(String(decoding: bytes, as: UTF8.self))]
    }
    assets["/app/\(version)/\(Self.archive)"] = Asset(
      JSON.object(kept).bytes, type: Self.type(of: Self.archive), isImmutable: true)
    self.assets = assets
    let languages = paths.compactMap { $0.wholeMatch(of: #/strings/([a-z]+)\.js/#).map { String($0.1) } }
    starts = Self.starts(of: String(decoding: assets["/"]?.bytes ?? [], as: UTF8.self), in: languages)
  }

  private static func starts(of page: String, in languages: [String]) -> [String: Asset] {
    Dictionary(
      languages.map { language in
        let text = Array(page.replacing("LANGUAGE", with: language).utf8)
        return (language, Asset(text, type: Self.type(of: "index.html"), isImmutable: false))
      }
    ) { $1 }
  }

  /// The answer to a request for a file or a place of the page; `nil` for a file that is not there.
  ///
  /// - Parameter isSecure: Whether browsers trust the connection: over another one the page cannot work, and says so.
  func response(to head: RequestHead, isSecure: Bool) -> Response? {
    let path = head.target.path
    if !isSecure, let page = assets[Self.insecurePath], path == "/" || Self.isPlace(path) {
      return page.response(to: head, protection)
    }
    // A place in the page, such as `/shopping`, is made by the page itself.
    if path == "/" || assets[path] == nil, Self.isPlace(path) { return start(for: head) }
    if let asset = assets[path] {
      var response = asset.response(to: head, protection)
      // Deno looks there, and editors that use it.
      if path == "/hearth.js" { response.headers.add("X-TypeScript-Types", "/hearth.d.ts") }
      return response
    }
    return nil
  }

  /// The start page in the client's language, else in English.
  private func start(for head: RequestHead) -> Response? {
    let language = head.preferredLanguage(of: starts.keys.sorted()) ?? "en"
    guard let page = starts[language] ?? assets["/"] else { return nil }
    var response = page.response(to: head, protection)
    response.headers.add("Vary", "Accept-Language")
    return response
  }

  private static func isPlace(_ path: String) -> Bool { !path.hasPrefix("/app/") && !path.contains(".") }
}

extension WebApp.Asset {
  fileprivate init(_ bytes: [UInt8], type: String, isImmutable: Bool) {
    self.bytes = bytes
    self.isImmutable = isImmutable
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
  private static func type(of path: String) -> String {
    path.split(separator: ".").last.flatMap { types[String($0)] } ?? "application/octet-stream"
  }

  private static let types = [
    "html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8",
    "svg": "image/svg+xml", "webmanifest": "application/manifest+json", "json": "application/json",
    "png": "image/png", "ts": "text/plain; charset=utf-8",
  ]
}
