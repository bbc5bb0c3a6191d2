import Testing

@testable import HTTP

/// Whom a request comes from that a proxy passes on (SEC-12, R-027).
@Suite("Addresses and trusted proxies")
struct TrustedProxiesTests {
  @Test(
    "SEC-12: an IPv6 network of 64 bits counts as one address, and a mapped IPv4 address as IPv4",
    arguments: [
      ("192.0.2.1", "192.0.2.1"), ("0.0.0.0", "0.0.0.0"), ("255.255.255.255", "255.255.255.255"),
      ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"), ("2001:DB8:1:2::1", "2001:db8:1:2::/64"),
      ("2001:db8::1", "2001:db8:0:0::/64"), ("::1", "0:0:0:0::/64"), ("::", "0:0:0:0::/64"),
      ("fe80::", "fe80:0:0:0::/64"), ("::ffff:192.0.2.1", "192.0.2.1"), ("::ffff:c000:201", "192.0.2.1"),
      ("64:ff9b::192.0.2.1", "64:ff9b:0:0::/64"), ("1:2:3:4:5:6:192.0.2.1", "1:2:3:4::/64"),
    ])
  func networks(text: String, network: String) throws {
    #expect(try #require(IPAddress(text)).network == network)
  }

  @Test(
    "a text that is not a literal address is none",
    arguments: [
      "", "a", "192.0.2", "192.0.2.1.1", "192.0.2.256", "192.0.02.1", "192.0.2.+1", "192.0.2.1:80", " 192.0.2.1",
      ":", ":::", "1:::2", "1::2::3", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7::8", "::12345", "::g",
      "192.0.2.1::", "[::1]", "::1%eth0", "::+1", "unknown", "1:2:3:4:5:6:7:192.0.2.1", "٣.0.0.1",
    ])
  func noAddress(text: String) { #expect(IPAddress(text) == nil) }

  @Test(
    "SEC-10: loopback is 127.0.0.0/8 and ::1, in whatever form, and nothing beside them",
    arguments: [
      ("127.0.0.1", true), ("127.255.255.255", true), ("::1", true), ("::ffff:127.0.0.1", true), ("126.0.0.1", false),
      ("128.0.0.1", false), ("::", false), ("::2", false), ("::127.0.0.1", false), ("1::1", false), ("0.0.0.1", false),
      ("1::ffff:127.0.0.1", false), ("::ffff:0:0", false),
    ])
  func loopback(text: String, isLoopback: Bool) throws {
    #expect(try #require(IPAddress(text)).isLoopback == isLoopback)
  }

  @Test("a network contains the addresses that begin alike, of its own family")
  func contains() throws {
    let rows: [(network: String, inside: [String], outside: [String])] = [
      ("10.0.0.0/8", ["10.0.0.0", "10.255.255.255", "::ffff:10.1.2.3"], ["11.0.0.0", "9.255.255.255", "::1"]),
      ("192.0.2.4/31", ["192.0.2.4", "192.0.2.5"], ["192.0.2.3", "192.0.2.6"]),
      ("192.0.2.4", ["192.0.2.4"], ["192.0.2.5"]), ("192.0.2.4/32", ["192.0.2.4"], ["192.0.2.5"]),
      ("0.0.0.0/0", ["0.0.0.0", "255.1.2.3"], ["::", "2001:db8::1"]),
      ("::/0", ["::1", "2001:db8::1"], ["192.0.2.1"]),
      ("2001:db8::/32", ["2001:db8:ffff::1"], ["2001:db9::", "32.1.13.184"]),
      ("2001:db8:0:0:8000::/65", ["2001:db8:0:0:8000::1"], ["2001:db8:0:0:7fff::1"]),
      ("::1", ["::1"], ["::2", "127.0.0.1"]), ("::ffff:10.0.0.0/104", ["10.2.3.4"], ["11.0.0.0"]),
    ]
    for row in rows {
      let network = try #require(IPNetwork(row.network))
      for text in row.inside { #expect(network.contains(try #require(IPAddress(text))), "\(row.network) \(text)") }
      for text in row.outside { #expect(!network.contains(try #require(IPAddress(text))), "\(row.network) \(text)") }
    }
    for text in [
      "", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/8/8", "10.0.0.1/8", "::/129", "::1/64", "host/8",
      "10.0.0.0/+8", "10.0.0.0/0008",
    ] {
      #expect(IPNetwork(text) == nil, "\(text)")
    }
  }

  // MARK: headers

  private static let proxies = TrustedProxies(["10.0.0.0/8", "::1", "2001:db8:1::/48"].compactMap { IPNetwork($0) })

  private func client(_ headers: Headers, from peer: String = "10.0.0.1") throws -> String {
    Self.proxies.client(of: headers, from: try #require(IPAddress(peer))).network
  }

  @Test(
    "RFC 7239: for= is read with quotes, brackets, ports, any case, and beside other pairs",
    arguments: [
      ("for=192.0.2.60", "192.0.2.60"), ("For=\"192.0.2.60\"", "192.0.2.60"), ("for=\"192.0.2.60:4711\"", "192.0.2.60"),
      ("for=192.0.2.60:4711", "192.0.2.60"), ("for=\"192.0.2.60:_p\"", "192.0.2.60"),
      ("FOR=\"[2001:db8:cafe::17]\"", "2001:db8:cafe:0::/64"),
      ("for=\"[2001:db8:cafe::17]:4711\"", "2001:db8:cafe:0::/64"),
      ("for=192.0.2.60;proto=http;by=203.0.113.43", "192.0.2.60"), ("by=_x ; for=192.0.2.60", "192.0.2.60"),
      ("host=\"a;for=1.2.3.4,\\\"\";for=192.0.2.60", "192.0.2.60"), ("for=\"192.\\0.2.60\"", "192.0.2.60"),
      (";for=192.0.2.60;", "192.0.2.60"), ("for=\"[::ffff:192.0.2.60]\"", "192.0.2.60"),
    ])
  func forwarded(value: String, address: String) throws {
    #expect(try client(["Forwarded": value]) == address)
    // Of whoever is not trusted it counts for nothing.
    #expect(try client(["Forwarded": value], from: "198.51.100.1") == "198.51.100.1")
  }

  @Test(
    "RFC 7239: a hop without an address, or one that cannot be read, counts as the proxy itself",
    arguments: [
      "for=unknown", "for=_hidden", "for=\"_hidden:_x\"", "proto=https", "", "for=", "for", "for=\"\"",
      "for=\"192.0.2.60", "for=192.0.2.60\"", "for=\"192.0.2.60\"x", "for=192.0.2.60;for=192.0.2.61",
      "for=2001:db8::1", "for=\"2001:db8::1\"", "for=\"[192.0.2.60]\"", "for=\"[2001:db8::1\"", "for=192.0.2.60:",
      "for=192.0.2.60:123456", "for=192.0.2.60:x", "for =192.0.2.60", "for= 192.0.2.60", "for=192.0.2.999",
      "for=192.0.2.60;=", "for=192.0.2.7, for=\", for=192.0.2.60",
    ])
  func malformed(value: String) throws {
    #expect(try client(["Forwarded": value]) == "10.0.0.1")
    #expect(try client(["Forwarded": "for=192.0.2.1, \(value), for=192.0.2.2"]) == "192.0.2.2" || value.contains("\""))
  }

  @Test(
    "X-Forwarded-For is read with and without ports and brackets",
    arguments: [
      ("192.0.2.60", "192.0.2.60"), (" 192.0.2.60 ", "192.0.2.60"), ("192.0.2.60:80", "192.0.2.60"),
      ("2001:db8:cafe::17", "2001:db8:cafe:0::/64"), ("[2001:db8:cafe::17]:80", "2001:db8:cafe:0::/64"),
      ("::ffff:192.0.2.60", "192.0.2.60"), ("\", 192.0.2.60", "192.0.2.60"),
      ("unknown", "10.0.0.1"), ("", "10.0.0.1"), ("192.0.2.60,", "10.0.0.1"), ("192.0.2.60, x", "10.0.0.1"),
      ("\"192.0.2.60\"", "10.0.0.1"),
    ])
  func forwardedFor(value: String, address: String) throws {
    #expect(try client(["X-Forwarded-For": value]) == address)
  }

  @Test("R-027: of a chain the last address counts that is no trusted proxy's, whatever the client has put before it")
  func chains() throws {
    for (chain, address) in [
      (["192.0.2.1", "192.0.2.2"], "192.0.2.2"), (["192.0.2.1", "10.9.9.9"], "192.0.2.1"),
      (["203.0.113.9", "192.0.2.1", "10.9.9.9", "10.8.8.8"], "192.0.2.1"),
      (["192.0.2.1", "unknown", "10.9.9.9"], "10.9.9.9"), (["10.7.7.7", "10.8.8.8"], "10.7.7.7"),
      (["10.0.0.1", "192.0.2.1"], "192.0.2.1"),
    ] {
      #expect(try client(["Forwarded": chain.map { "for=\($0)" }.joined(separator: ", ")]) == address)
      #expect(try client(["X-Forwarded-For": chain.joined(separator: ",")]) == address)
      // Several lines are one list.
      var lines: Headers = [:]
      for hop in chain { lines.add("x-forwarded-for", hop) }
      #expect(try client(lines) == address)
    }
  }

  @Test("R-027: where both headers are there and contradict each other, one may be forged: the proxy itself counts")
  func both() throws {
    #expect(try client(["Forwarded": "for=192.0.2.1", "X-Forwarded-For": "192.0.2.1"]) == "192.0.2.1")
    #expect(try client(["Forwarded": "for=203.0.113.5", "X-Forwarded-For": "192.0.2.1"]) == "10.0.0.1")
    #expect(try client(["Forwarded": "for=_x", "X-Forwarded-For": "192.0.2.1"]) == "10.0.0.1")
    #expect(try client([:]) == "10.0.0.1")
    #expect(TrustedProxies.isForwarded(["forwarded": ""]) && TrustedProxies.isForwarded(["X-Forwarded-For": "x"]))
    #expect(!TrustedProxies.isForwarded(["Via": "x"]))
  }
}
