import Crypto
import JSON
import Platform
import Rooms

/// Loads the keys of one provider when they are needed. Lives on the first shard, so that all share one attempt.
final class ProviderKeys {
  private static let descriptionLimit = 64 << 10

  private let provider: OpenIDProvider
  private let loop: any Loop
  private let documents: (any HTTPSGateway)?
  private let log: Logger
  private var ring: KeyRing
  /// The callers that wait for the attempt in progress; `nil` if there is none.
  private var waiting: [(WebKeys?) -> Void]?
  private var hasFailed = false

  init(_ provider: OpenIDProvider, _ loop: any Loop, _ documents: (any HTTPSGateway)?, _ log: Logger) {
    self.provider = provider
    self.loop = loop
    self.documents = documents
    self.log = log
    ring = if case .file = provider.keys { KeyRing(.file) } else { KeyRing(.url) }
  }

  /// Answers the provider's keys, after loading them if that is due; `nil` if there are none.
  func find(_ id: String?, _ algorithm: SignatureAlgorithm, _ done: @escaping (WebKeys?) -> Void) {
    if waiting != nil {
      waiting?.append(done)
    } else if ring.mustLoad(for: id, algorithm, at: loop.uptime) {
      waiting = [done]
      load()
    } else {
      done(ring.usable(at: loop.uptime))
    }
  }

  private func load() {
    ring.began(at: loop.uptime)
    switch provider.keys {
    case .url(let url): loadKeys(from: url)
    case .file(let path): loadKeys(from: "file:\(path)")
    case .discovery:
      fetch(provider.discoveryURL, limit: Self.descriptionLimit) { [unowned self] bytes in
        guard let description = try? JSON.parse(bytes, nodeLimit: 10_000), let url = description["jwks_uri"]?.string,
          description["issuer"] == .string(provider.issuer), OpenIDProvider.isSecure(url)
        else { return failed("its description does not name this issuer and an https URL of its keys") }
        loadKeys(from: url)
      }
    }
  }

  private func loadKeys(from place: String) {
    fetch(place, limit: WebKeys.byteLimit) { [unowned self] bytes in
      guard let keys = WebKeys(bytes) else { return failed("there is no key for RS256 or ES256 in its JWK Set") }
      hasFailed = false
      ring.loaded(keys, at: loop.uptime)
      log(.debug, "openid.keys", ["provider": "\(provider.name)", "keys": .number(keys.list.count)])
      settle()
    }
  }

  private func fetch(_ place: String, limit: Int, _ done: @escaping ([UInt8]) -> Void) {
    guard let documents else { return failed("this server cannot fetch documents") }
    documents.fetch(
      place, limit: limit,
      reply: Reply(on: loop.poster) { [unowned self] result in
        switch result {
        case .success(let bytes) where bytes.count <= limit: done(bytes)
        case .success: failed("its document is too long")
        case .failure(let error): failed(error.description)
        }
      })
  }

  private func failed(_ why: String) {
    // Once, since clients can bring each attempt about.
    if !hasFailed { log(.warning, "openid.unreachable", ["provider": "\(provider.name)", "why": "\(why)"]) }
    hasFailed = true
    settle()
  }

  private func settle() {
    let all = waiting ?? []
    waiting = nil
    for done in all { done(ring.usable(at: loop.uptime)) }
  }
}
