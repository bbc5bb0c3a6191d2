import HTTP
import Platform

/// The client for which a proxy speaks.
final class Proxied: Sendable {
  /// The network of the client if the proxy is trusted, else its own.
  let network: String
  let isTrusted: Bool
  /// Whether that client is on this machine, by the word of a trusted proxy.
  let isLoopback: Bool

  init(_ client: IPAddress, isTrusted: Bool) {
    network = client.network
    self.isTrusted = isTrusted
    isLoopback = isTrusted && client.isLoopback
  }
}

extension Session {
  /// The network that its client comes from, as addresses are counted (SEC-12).
  var network: String { proxied?.network ?? AddressGate.network(of: stream?.peer.host ?? "") }

  /// Whether its client is on this machine, and no trusted proxy speaks for another one.
  var isLocal: Bool { stream?.peer.isLoopback == true && proxied?.isTrusted != true }
}
