import Testing
import WebSocket

/// Offers of permessage-deflate and their answers (RFC 7692 §7.1, RELIABILITY A3).
@Suite("Offers of permessage-deflate")
struct OfferTests {
  enum Answer: Equatable, Sendable {
    /// Valid, but no extension is negotiated: messages stay uncompressed.
    case declined
    /// Violates the grammar: the request is rejected.
    case malformed
    case accepted(String)

    init(_ offer: String, _ policy: DeflatePolicy) {
      guard let header = ExtensionHeader(offer) else {
        self = .malformed
        return
      }
      self = policy.accept(header).map { .accepted($0.extension.text) } ?? .declined
    }
  }

  static let name = "permessage-deflate"
  static let stateless = "permessage-deflate; server_no_context_takeover; client_no_context_takeover"

  /// Each offer with the answer of a policy that keeps no context, and of one that grants the offer unchanged.
  @Test(
    "R-002: a valid offer is answered by the policy",
    arguments: [
      (name, stateless, name),
      ("\(name); server_no_context_takeover", stateless, "\(name); server_no_context_takeover"),
      ("\(name); client_no_context_takeover", stateless, "\(name); client_no_context_takeover"),
      ("\(name); server_no_context_takeover; client_no_context_takeover", stateless, stateless),
      ("\(name); client_no_context_takeover; server_no_context_takeover", stateless, stateless),
      ("\(name);server_no_context_takeover;client_no_context_takeover", stateless, stateless),
      ("  \(name)  ;\tserver_no_context_takeover  ", stateless, "\(name); server_no_context_takeover"),
      ("\(name); client_max_window_bits", stateless, name),
      ("\(name); client_max_window_bits=8", stateless, name),
      ("\(name); client_max_window_bits=9", stateless, name),
      ("\(name); client_max_window_bits=12", stateless, name),
      ("\(name); client_max_window_bits=15", stateless, name),
      ("\(name); client_max_window_bits=\"10\"", stateless, name),
      (
        "\(name); server_max_window_bits=9", "\(stateless); server_max_window_bits=9",
        "\(name); server_max_window_bits=9"
      ),
      (
        "\(name); server_max_window_bits=10", "\(stateless); server_max_window_bits=10",
        "\(name); server_max_window_bits=10"
      ),
      (
        "\(name); server_max_window_bits=11", "\(stateless); server_max_window_bits=11",
        "\(name); server_max_window_bits=11"
      ),
      (
        "\(name); server_max_window_bits=12", "\(stateless); server_max_window_bits=12",
        "\(name); server_max_window_bits=12"
      ),
      (
        "\(name); server_max_window_bits=13", "\(stateless); server_max_window_bits=13",
        "\(name); server_max_window_bits=13"
      ),
      (
        "\(name); server_max_window_bits=14", "\(stateless); server_max_window_bits=14",
        "\(name); server_max_window_bits=14"
      ),
      (
        "\(name); server_max_window_bits=15", "\(stateless); server_max_window_bits=15",
        "\(name); server_max_window_bits=15"
      ),
      (
        "\(name); server_max_window_bits = \"1\\0\"", "\(stateless); server_max_window_bits=10",
        "\(name); server_max_window_bits=10"
      ),
      (
        "\(name); client_max_window_bits=9; server_max_window_bits=9; client_no_context_takeover",
        "\(stateless); server_max_window_bits=9", "\(name); client_no_context_takeover; server_max_window_bits=9"
      ),
      // Lists: the first acceptable offer wins.
      ("\(name); server_max_window_bits=8, \(name)", stateless, name),
      ("\(name); mystery, \(name); server_no_context_takeover", stateless, "\(name); server_no_context_takeover"),
      ("permessage-bzip2, \(name); client_max_window_bits", stateless, name),
      ("x; y=\"z\", \(name)", stateless, name),
      (
        "\(name); server_max_window_bits=9, \(name)", "\(stateless); server_max_window_bits=9",
        "\(name); server_max_window_bits=9"
      ),
      ("\(name), \(name); server_max_window_bits=9", stateless, name),
      (",, \(name) ,,", stateless, name),
    ])
  func accepted(offer: String, stateless: String, asOffered: String) {
    #expect(Answer(offer, .stateless) == .accepted(stateless))
    #expect(Answer(offer, .asOffered) == .accepted(asOffered))
  }

  @Test(
    "R-002: an offer with an unknown, repeated or invalid parameter, or an 8-bit window, is declined for the next one",
    arguments: [
      "server_max_window_bits", "server_max_window_bits=7", "server_max_window_bits=8", "server_max_window_bits=16",
      "server_max_window_bits=0", "server_max_window_bits=09", "server_max_window_bits=010",
      "server_max_window_bits=+9", "server_max_window_bits=-9", "server_max_window_bits=9.0",
      "server_max_window_bits=08", "server_max_window_bits=\"8\"", "server_max_window_bits=\"08\"",
      "server_max_window_bits=0x9", "server_max_window_bits=99999999999999999999", "server_max_window_bits=a",
      "client_max_window_bits=7", "client_max_window_bits=16", "client_max_window_bits=0", "client_max_window_bits=08",
      "server_no_context_takeover=1", "client_no_context_takeover=true", "server_no_context_takeover=\"x\"",
      "server_no_context_takeover; server_no_context_takeover",
      "client_no_context_takeover; client_no_context_takeover",
      "server_max_window_bits=10; server_max_window_bits=10", "client_max_window_bits; client_max_window_bits",
      "client_max_window_bits; client_max_window_bits=10", "client_max_window_bits=10; client_max_window_bits=10",
      "mystery", "mystery=1", "Server_no_context_takeover",
    ])
  func declined(parameters: String) {
    #expect(Answer("\(Self.name); \(parameters)", .stateless) == .declined)
    #expect(Answer("\(Self.name); \(parameters)", .asOffered) == .declined)
    #expect(Answer("\(Self.name); \(parameters), \(Self.name)", .asOffered) == .accepted(Self.name))
  }

  @Test(
    "offers of other extensions are declined", arguments: ["permessage-bzip2", "x-webkit-deflate-frame", "a, b; c=d"])
  func others(offer: String) {
    #expect(Answer(offer, .asOffered) == .declined)
  }

  @Test(
    "an offer that violates the grammar is malformed",
    arguments: [
      "", " ", ",", ";", "=", "\(name);", "\(name); ;", "\(name); =1", "\(name); a=", "\(name); a==b", "\(name) a",
      "\(name); a b", "\(name); a=\"b", "\(name); a=\"b c\"", "\(name); a=\"\"", "\(name); a=\"b\"c",
      "\(name); a=\"b\\", "permessage deflate", "(\(name))", "\(name), (", "\"\(name)\"", "\(name); é",
      Array(repeating: "a", count: 17).joined(separator: ","), "a" + String(repeating: "; b", count: 17),
    ])
  func malformed(offer: String) {
    #expect(Answer(offer, .asOffered) == .malformed)
  }

  @Test("a header may have sixteen extensions with sixteen parameters each")
  func counts() {
    let one = "a" + String(repeating: "; b=c", count: 16)
    #expect(ExtensionHeader(Array(repeating: one, count: 16).joined(separator: ", "))?.extensions.count == 16)
  }

  @Test("the client writes its offer as expected and reads it back")
  func written() throws {
    let offers: [(DeflateOffer, String)] = [
      (DeflateOffer(), Self.stateless),
      (DeflateOffer(serverNoContextTakeover: false, clientNoContextTakeover: false), Self.name),
      (
        DeflateOffer(
          serverNoContextTakeover: false, clientNoContextTakeover: false, serverMaxWindowBits: 9,
          clientMaxWindowBits: 15),
        "\(Self.name); server_max_window_bits=9; client_max_window_bits"
      ),
      (DeflateOffer(clientMaxWindowBits: 10), "\(Self.stateless); client_max_window_bits=10"),
    ]
    for (offer, text) in offers {
      #expect(offer.extension.text == text)
      let read = try #require(ExtensionHeader(text)?.extensions.first)
      #expect(DeflateOffer(read) == offer)
    }
  }

  /// Offer, answer, and whether the client may accept the answer (RFC 7692 §7.1).
  @Test(
    "the client accepts only an answer that matches its offer",
    arguments: [
      (DeflateOffer(), "", false),
      (DeflateOffer(), "; server_no_context_takeover", true),
      (DeflateOffer(), "; server_no_context_takeover; client_no_context_takeover", true),
      (DeflateOffer(), "; client_no_context_takeover", false),
      (DeflateOffer(), "; server_no_context_takeover; server_max_window_bits=9", true),
      (DeflateOffer(), "; server_no_context_takeover; client_max_window_bits=9", false),
      (DeflateOffer(), "; server_no_context_takeover; mystery", false),
      (DeflateOffer(), "; server_no_context_takeover; server_no_context_takeover", false),
      (DeflateOffer(serverNoContextTakeover: false), "", true),
      (DeflateOffer(serverNoContextTakeover: false), "; server_max_window_bits=16", false),
      (DeflateOffer(serverNoContextTakeover: false), "; server_max_window_bits", false),
      (DeflateOffer(serverNoContextTakeover: false, serverMaxWindowBits: 10), "", false),
      (DeflateOffer(serverNoContextTakeover: false, serverMaxWindowBits: 10), "; server_max_window_bits=11", false),
      (DeflateOffer(serverNoContextTakeover: false, serverMaxWindowBits: 10), "; server_max_window_bits=10", true),
      (DeflateOffer(serverNoContextTakeover: false, serverMaxWindowBits: 10), "; server_max_window_bits=8", true),
      (DeflateOffer(serverNoContextTakeover: false, clientMaxWindowBits: 15), "; client_max_window_bits=9", true),
      (DeflateOffer(serverNoContextTakeover: false, clientMaxWindowBits: 15), "; client_max_window_bits=8", false),
      (DeflateOffer(serverNoContextTakeover: false, clientMaxWindowBits: 15), "; client_max_window_bits", false),
      (DeflateOffer(serverNoContextTakeover: false, clientMaxWindowBits: 10), "; client_max_window_bits=11", false),
      (DeflateOffer(serverNoContextTakeover: false, clientMaxWindowBits: 10), "", true),
    ])
  func answers(offer: DeflateOffer, answer: String, isAcceptable: Bool) throws {
    let answered = try #require(ExtensionHeader(Self.name + answer)?.extensions.first)
    #expect((DeflateParameters(answered, to: offer) != nil) == isAcceptable)
  }

  @Test("the client keeps its own promise of no context takeover when the server does not demand it")
  func ownPromise() throws {
    let answered = try #require(ExtensionHeader("\(Self.name); server_max_window_bits=9")?.extensions.first)
    let parameters = DeflateParameters(answered, to: DeflateOffer(serverNoContextTakeover: false))
    #expect(
      parameters
        == DeflateParameters(serverNoContextTakeover: false, clientNoContextTakeover: true, serverMaxWindowBits: 9))
  }
}
