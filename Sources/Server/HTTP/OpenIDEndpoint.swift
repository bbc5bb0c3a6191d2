import Crypto
import HTTP
import JSON
import Platform
import Rooms

/// Logging in with a provider of OpenID from a browser: the authorization code flow (OpenID Connect Core 1.0 §3.1) with
/// a proof key (RFC 7636).
///
/// The browser keeps the state and the proof key, so the server keeps nothing between the steps. The page gets an ID
/// token in the end, and logs in with it as an app does, by `auth.logInWithToken`.
enum OpenIDEndpoint {
  static let path = "/openid/"
  static let callback = "/openid/callback"
  static let tokenPath = "/openid/token"
  private static let bodyLimit = 8 << 10
  private static let answerLimit = 64 << 10

  // MARK: to the provider

  /// Answers `GET /openid/NAME?challenge=…&state=…` with the way to the provider.
  static func serve(_ exchange: HTTPExchange, by shard: Shard) {
    let head = exchange.head
    let name = String(head.target.path.dropFirst(path.utf8.count))
    guard let provider = shard.configuration.openID.first(where: { $0.name == name }) else {
      return exchange.respond(.notFound, "This server knows no such provider.\n")
    }
    let query = Form(query: head.target.query)
    guard let challenge = query["challenge"], let state = query["state"], isText(challenge, 43...43),
      isText(state, 22...128), let origin = shard.ownOrigin(of: exchange)
    else { return exchange.respond(.badRequest, "Begin at the page's log-in form.\n") }
    shard.accounts.withNonce { [unowned shard] nonce in
      shard.accounts.endpoints(of: provider).find { addresses in
        guard let addresses, let nonce else {
          return exchange.respond(.serviceUnavailable, "\(name) cannot be reached at the moment.\n")
        }
        let request = Form([
          ("response_type", "code"), ("client_id", provider.clientID), ("redirect_uri", origin + callback),
          ("scope", "openid profile"), ("state", state), ("nonce", nonce.text), ("code_challenge", challenge),
          ("code_challenge_method", "S256"),
        ])
        let separator = addresses.authorization.contains("?") ? "&" : "?"
        let headers: Headers = [
          "Location": addresses.authorization + separator + request.encoded, "Cache-Control": "no-store",
        ]
        exchange.respond(Response(.found, headers: headers, text: ""))
      }
    }
  }

  /// Whether a text is of letters that need no escape.
  private static func isText(_ text: String, _ length: ClosedRange<Int>) -> Bool {
    length.contains(text.utf8.count)
      && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-._~".contains($0)) }
  }

  // MARK: back from it

  private struct CodeParameters: Record {
    var provider = ""
    var code = ""
    var verifier = ""

    static func fields(_ field: inout some FieldVisitor<Self>) {
      field("provider", \.provider, OpenIDProvider.nameLength)
      field("code", \.code, 1...2048)
      field("verifier", \.verifier, 43...128)
    }
  }

  /// Answers `POST /openid/token` with the ID token that the provider gives for a code.
  static func exchangeCode(_ exchange: HTTPExchange, by shard: Shard) {
    exchange.refusal = { $0.response([:]) }
    // Pages of others have no business here.
    guard shard.isOwn(exchange.head), exchange.head.headers["Content-Type"].map(HTTPRequest.isJSON) == true else {
      return exchange.refuse(HTTPProblem(.forbidden, .forbidden, "origin", "Only the server's own page may ask this."))
    }
    exchange.collectBody(upTo: bodyLimit) { body in
      let problems = Problems()
      guard let view = try? shard.work.parse(body.span), view.kind == .object else {
        return exchange.refuse(.invalid("The body must be a JSON object."))
      }
      guard let asked = CodeParameters.read(view, problems), problems.isEmpty else {
        return exchange.respond(HTTPProblem(.badRequest, .invalid(problems)).response([:]))
      }
      guard let provider = shard.configuration.openID.first(where: { $0.name == asked.provider }),
        let origin = shard.ownOrigin(of: exchange)
      else { return exchange.respond(HTTPProblem(.notFound, .noProvider).response([:])) }
      fetchToken(for: asked, from: provider, origin, exchange, shard)
    }
  }

  private static func fetchToken(
    for asked: CodeParameters, from provider: OpenIDProvider, _ origin: String, _ exchange: HTTPExchange, _ shard: Shard
  ) {
    let unreachable = HTTPProblem(.serviceUnavailable, .providerUnreachable).response([:])
    shard.accounts.endpoints(of: provider).find { addresses in
      guard let addresses, let documents = shard.services.documents else { return exchange.respond(unreachable) }
      var form = Form([
        ("grant_type", "authorization_code"), ("code", asked.code), ("redirect_uri", origin + callback),
        ("client_id", provider.clientID), ("code_verifier", asked.verifier),
      ])
      if let secret = shard.configuration.openIDSecrets[provider.name] {
        form.fields.append((name: "client_secret", value: secret))
      }
      documents.post(
        Array(form.encoded.utf8), to: addresses.token, limit: answerLimit,
        reply: Reply(on: shard.loop.poster) { result in
          let bytes: [UInt8]
          do { bytes = try result.get() } catch {
            shard.services.log(.warning, "openid.unreachable", ["provider": "\(provider.name)", "why": "\(error)"])
            return exchange.respond(unreachable)
          }
          // A code that it does not take is answered with an error object (RFC 6749 §5.2).
          guard let token = try? JSON.parse(bytes, nodeLimit: 1000)["id_token"]?.string else {
            return exchange.respond(HTTPProblem(.forbidden, .codeRefused).response([:]))
          }
          let headers: Headers = ["Cache-Control": "no-store", "Content-Type": "application/json"]
          exchange.respond(Response(.ok, headers: headers, body: JSON.object(["idToken": .string(token)]).bytes))
        })
    }
  }
}

extension Refusal {
  static var codeRefused: Refusal {
    Refusal(.forbidden, "code", "The provider does not take this code: log in with it once more.")
  }
}
