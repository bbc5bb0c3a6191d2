import JSON
import Platform

/// Where browsers ask a provider for a code, and where the server exchanges it (OpenID Connect Discovery 1.0 §3).
struct ProviderAddresses: Sendable, Equatable {
  var authorization: String
  var token: String

  /// Reads a provider's description; `nil` unless it is of this issuer, and both are `https` URLs.
  init?(_ description: JSON?, of provider: OpenIDProvider) {
    guard description?["issuer"] == .string(provider.issuer),
      let authorization = description?["authorization_endpoint"]?.string, OpenIDProvider.isSecure(authorization),
      !authorization.contains("#"), let token = description?["token_endpoint"]?.string, OpenIDProvider.isSecure(token)
    else { return nil }
    self.authorization = authorization
    self.token = token
  }
}

/// Finds the addresses of one provider when they are needed, and keeps them for an hour.
final class ProviderEndpoints {
  private static let life = Duration.seconds(3600)
  /// The least time from one failed attempt to the next.
  private static let pause = Duration.seconds(10)
  private static let descriptionLimit = 64 << 10

  private let provider: OpenIDProvider
  private let loop: any Loop
  private let services: Services
  private var found: ProviderAddresses?
  /// The end of what was found, or of the pause after a failure.
  private var validUntil = Duration.zero
  /// The callers that wait for the attempt in progress; `nil` if there is none.
  private var waiting: [(ProviderAddresses?) -> Void]?

  init(_ provider: OpenIDProvider, _ loop: any Loop, _ services: Services) {
    self.provider = provider
    self.loop = loop
    self.services = services
  }

  func find(_ done: @escaping (ProviderAddresses?) -> Void) {
    if loop.uptime < validUntil { return done(found) }
    if waiting != nil { return waiting?.append(done) ?? () }
    waiting = [done]
    guard let documents = services.documents else { return settle(nil, "this server cannot fetch documents") }
    documents.fetch(
      provider.discoveryURL, limit: Self.descriptionLimit,
      reply: Reply(on: loop.poster) { [unowned self] result in
        switch result {
        case .success(let bytes):
          let addresses = ProviderAddresses(try? JSON.parse(bytes, nodeLimit: 10_000), of: provider)
          settle(addresses, "its description does not name this issuer and https URLs for codes and tokens")
        case .failure(let error): settle(nil, error.description)
        }
      })
  }

  private func settle(_ addresses: ProviderAddresses?, _ why: String) {
    if addresses == nil {
      services.log(.warning, "openid.unreachable", ["provider": "\(provider.name)", "why": "\(why)"])
    }
    found = addresses
    validUntil = loop.uptime + (addresses == nil ? Self.pause : Self.life)
    let all = waiting ?? []
    waiting = nil
    for done in all { done(addresses) }
  }
}
