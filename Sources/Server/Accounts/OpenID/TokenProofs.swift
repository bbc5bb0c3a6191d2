import Crypto
import Home
import JSON
import Platform
import Rooms

/// A token whose every part has been checked, and that logs in once.
struct ProvenToken {
  var proof: IdentityProof
  /// The provider's name for the person, if it tells one.
  var name: String?
  var isFresh: Bool
}

/// Nonces for ID tokens, and the check of a token (ACC-4).
extension AccountDesk {
  /// Answers a nonce, which the client hands to the provider.
  func giveNonce(_ caller: Caller) {
    shard.inSteps(caller) { finish in
      withNonce { nonce in
        guard let nonce else { return finish(.refused(.unavailable)) }
        finish(
          .answered { writer in
            writer.key("nonce")
            writer.string(nonce.text)
            writer.key("expiresAt")
            nonce.end.write(to: writer)
          })
      }
    }
  }

  /// Makes a nonce; `nil` while the store does not answer.
  func withNonce(_ done: @escaping ((text: String, end: Instant)?) -> Void) {
    keys.with(.nonces) { [unowned self] key in
      done(key.map { TokenNonce.make(at: timeOfUse, key: $0, services.randomness) })
    }
  }

  /// Checks a token of a provider that clients call by this name. Keys are asked for last: tokens that cannot count
  /// make the server fetch nothing.
  func prove(_ text: String, by name: String, _ done: @escaping (Result<ProvenToken, Refusal>) -> Void) {
    guard let provider = configuration.openID.first(where: { $0.name == name }) else {
      return done(.failure(.noProvider))
    }
    keys.with(.nonces) { [unowned self] key in
      guard let key else { return done(.failure(.unavailable)) }
      do throws(TokenFlaw) {
        let token = try IDToken(text)
        let identity = try token.identity(for: provider, at: loop.now)
        guard let nonce = token.nonce.flatMap({ TokenNonce.read($0, at: timeOfUse, key: key) }) else { throw .nonce }
        let proven = ProvenToken(
          proof: IdentityProof(identity: identity, nonce: nonce), name: token.name,
          isFresh: token.isFresh(at: loop.now))
        checkSignature(of: token, from: provider) { done($0.map { proven }) }
      } catch {
        done(.failure(refusal(error, by: name)))
      }
    }
  }

  private func checkSignature(
    of token: IDToken, from provider: OpenIDProvider, _ done: @escaping (Result<Void, Refusal>) -> Void
  ) {
    let question = ShardQuestion.providerKeys(of: provider.name, id: token.keyID, token.algorithm)
    shard.neighbours.ask(question, of: Self.first) { [unowned self] answer in
      guard case .providerKeys(let keys?) = answer else { return done(.failure(.providerUnreachable)) }
      do throws(TokenFlaw) {
        try token.checkSignature(by: keys.keys(named: token.keyID, for: token.algorithm))
        done(.success(()))
      } catch {
        done(.failure(refusal(error, by: provider.name)))
      }
    }
  }

  private func refusal(_ flaw: TokenFlaw, by provider: String) -> Refusal {
    services.log(.debug, "openid.refused", ["provider": "\(provider)", "flaw": "\(flaw.rawValue)"])
    return .token(flaw)
  }

  // MARK: in place of a password

  /// A password, or an ID token where the account has none (ACC-17).
  struct OwnerSecret {
    var password: Password?
    var provider: String?
    var idToken: String?

    /// Notes that a call gives neither a password nor a token, or both, unless it is wrong in its parts already.
    ///
    /// - Parameter other: A further field that may stand in their place.
    static func check(_ view: View, orElse other: StaticString? = nil, _ problems: Problems) {
      func has(_ name: String) -> Bool { view[key: name].map { !$0.isNull } ?? false }
      let names = ["password", "provider", "idToken"] + (other.map { ["\($0)"] } ?? [])
      if problems.list.contains(where: { names.contains($0.path) }) { return }
      let isToken = has("provider") && has("idToken")
      let isPart = has("provider") != has("idToken")
      let given = [has("password"), isToken, other.map { has("\($0)") } ?? false].count { $0 }
      if given == 1, !isPart { return }
      if let other {
        problems.note("\(other)", "or password, or provider and idToken must be given, and only one of them")
      } else {
        problems.note("password", "or provider and idToken must be given, not both")
      }
    }
  }

  /// Reads parameters with an owner's secret among them; whatever is wrong is named together.
  func read<Parameters: Record>(
    _ view: View, for caller: Caller, orElse other: StaticString? = nil, _ check: (Problems) -> Void = { _ in }
  ) -> Parameters? {
    shard.read(for: caller) { problems in
      let parameters = Parameters.read(view, problems)
      check(problems)
      OwnerSecret.check(view, orElse: other, problems)
      return problems.isEmpty ? parameters : nil
    }
  }

  /// Checks that somebody who is logged in owns the account. Goes on with the changes that must be made together with
  /// theirs: a token counts once.
  func check(
    _ secret: OwnerSecret, of account: Account, _ own: ID<Rooms.Session>, _ caller: Caller,
    _ finish: @escaping (Outcome) -> Void, then done: @escaping ([AccountChange]) -> Void
  ) {
    if let password = secret.password { return check(password, of: account, own, caller, finish) { done([]) } }
    guard let provider = secret.provider, let text = secret.idToken else { return }
    guard account.passwordHash == nil else { return finish(.refused(.passwordNeeded)) }
    prove(text, by: provider) { [unowned self] result in
      switch result {
      case .failure(let refusal): finish(.refused(refusal.asForbidden))
      case .success(let token):
        guard token.isFresh else { return finish(.refused(refusal(.age, by: provider).asForbidden)) }
        services.directory.account(
          by: .identity(token.proof.identity),
          reply: Reply(on: loop.poster) { [unowned self] result in
            switch result {
            case .success(let owner?) where owner.person == account.person:
              done([.spend(token.proof.nonce, at: timeOfUse)])
            case .success: finish(.refused(.otherPerson))
            case .failure: finish(.refused(.unavailable))
            }
          })
      }
    }
  }
}

extension Refusal {
  static func token(_ flaw: TokenFlaw) -> Refusal {
    Refusal(.unauthorized, flaw == .nonce ? "nonce" : "idToken", flaw.text)
  }

  /// Another call has used the token meanwhile.
  static var spentToken: Refusal { token(.nonce).asForbidden }

  /// The same for somebody who is logged in, and stays so.
  fileprivate var asForbidden: Refusal {
    guard code == .unauthorized else { return self }
    var refusal = self
    refusal.code = .forbidden
    return refusal
  }

  static var noProvider: Refusal {
    Refusal(.notFound, "provider", "This server knows no provider of this name; hello lists them.")
  }
  static var providerUnreachable: Refusal {
    Refusal(.unavailable, "provider", "The provider's keys cannot be had at the moment.").temporary()
  }
  fileprivate static var passwordNeeded: Refusal {
    Refusal(.forbidden, "password", "You have a password: an ID token does not stand for it.")
  }
  fileprivate static var otherPerson: Refusal {
    Refusal(.forbidden, "idToken", "The ID token is another person's.")
  }
}
