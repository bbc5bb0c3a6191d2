import Crypto
import Home
import JSON
import Platform
import Rooms

/// Changing one's password (ACC-17).
extension AccountDesk {
  struct PasswordParameters: Record {
    var password: Password?
    var newPassword = Password()
    var provider: String?
    var idToken: String?
    static func fields(_ field: inout some FieldVisitor<Self>) {
      field("password", \.password, 1...1024)
      field("newPassword", \.newPassword, AccountDesk.passwordLength)
      field("provider", \.provider, OpenIDProvider.nameLength)
      field("idToken", \.idToken, IDToken.length)
    }

    var secret: OwnerSecret { OwnerSecret(password: password, provider: provider, idToken: idToken) }
  }

  /// Gives the caller's account another password, and ends all its other sessions: whoever knew the old one is out.
  func changePassword(_ view: View, _ caller: Caller) {
    let read: PasswordParameters? = read(view, for: caller) { checkCommon("newPassword", of: view, $0) }
    guard let parameters = read else { return }
    withAccount(of: caller) { [unowned self] account, own, finish in
      hash(parameters.newPassword.bytes, knowing: parameters.secret, of: account, own, caller, finish) {
        [unowned self] hash, changes in
        replace(account, hash, changes, own, caller, finish)
      }
    }
  }

  /// Hashes a new secret, if the password is right. Goes on with the changes that belong to the check.
  func hash(
    _ secret: [UInt8], knowing known: OwnerSecret, of account: Account, _ own: ID<Rooms.Session>, _ caller: Caller,
    _ finish: @escaping (Outcome) -> Void, then done: @escaping (String, [AccountChange]) -> Void
  ) {
    check(known, of: account, own, caller, finish) { [unowned self] changes in
      let salt = services.randomness.bytes(16)
      services.workers.run(
        { try? PasswordHash.make(password: secret, salt: salt).text },
        in: WorkLane(owner: caller.session.network, urgency: .high),
        reply: Reply(on: loop.poster) { hash in
          if let hash = hash.flatMap(\.self) { done(hash, changes) } else { finish(.refused(.unavailable)) }
        })
    }
  }

  /// Stores the new hash, unless the account has changed since it was read, and ends the other sessions with it.
  private func replace(
    _ account: Account, _ hash: String, _ changes: [AccountChange], _ own: ID<Rooms.Session>, _ caller: Caller,
    _ finish: @escaping (Outcome) -> Void
  ) {
    let person = account.person
    services.directory.change(
      person, expecting: account.revision, changes + [.setPasswordHash(hash), .endOtherSessions(than: own)],
      reply: Reply(on: loop.poster) { [unowned self] result in
        if case .success(.nonceSpent) = result { return finish(.refused(.spentToken)) }
        guard case .success(.changed(let ended)) = result else { return finish(.refused(.unavailable)) }
        endConnections(of: person, Dictionary(ended.map { ($0, "revoked") }) { $1 }) { [unowned self] in
          // The token of before rests on the old hash.
          let device = DeviceToken(own.cast(), at: loop.now)
          shard.answer(caller, isSecret: true) { writer in
            writer.key("deviceToken")
            writer.string(device.text(of: person, passwordHash: hash))
          }
          finish(.settled)
          mirror.update(of: person)
        }
      })
  }
}

extension Refusal {
  /// Not `login`, at which clients forget their token: a mistyped password logs nobody out (ACC-14).
  static var wrongPassword: Refusal { Refusal(.forbidden, "password", "The password is wrong.") }
}
