import Crypto
import Home
import JSON
import Platform
import Rooms

/// Confirming, before what needs it, that the owner of an account is there (BIL-8, SEC-3).
extension AccountDesk {
  struct ConfirmParameters: Record {
    var pin: PIN?
    var password: Password?
    var provider: String?
    var idToken: String?
    static func fields(_ field: inout some FieldVisitor<Self>) {
      field("pin", \.pin)
      field("password", \.password, 1...1024)
      field("provider", \.provider, OpenIDProvider.nameLength)
      field("idToken", \.idToken, IDToken.length)
    }

    var secret: OwnerSecret { OwnerSecret(password: password, provider: provider, idToken: idToken) }
  }

  /// Notes on the caller's session that its person is there, for a few minutes.
  func confirm(_ view: View, _ caller: Caller) {
    guard let parameters: ConfirmParameters = read(view, for: caller, orElse: "pin") else { return }
    withAccount(of: caller) { [unowned self] account, own, finish in
      if let pin = parameters.pin {
        check(pin, of: account, own, caller, finish) { [unowned self] in note(.pin, [], own, account.person, finish) }
      } else {
        check(parameters.secret, of: account, own, caller, finish) { [unowned self] changes in
          note(.password, changes, own, account.person, finish)
        }
      }
    }
  }

  private func note(
    _ confirmation: Confirmation, _ changes: [AccountChange], _ own: ID<Rooms.Session>, _ person: ID<Person>,
    _ finish: @escaping (Outcome) -> Void
  ) {
    let now = timeOfUse
    services.directory.change(
      person, expecting: nil, changes + [.confirm(own, by: confirmation, at: now)],
      reply: Reply(on: loop.poster) { result in
        if case .success(.nonceSpent) = result { return finish(.refused(.spentToken)) }
        guard case .success = result else { return finish(.refused(.unavailable)) }
        finish(
          .answered { writer in
            writer.key("until")
            (now + Limits.confirmationAge).write(to: writer)
          })
      })
  }

  /// The way in which a session has confirmed in the last minutes; `nil` if it has not.
  func confirmation(
    of session: ID<Rooms.Session>, of person: ID<Person>, _ done: @escaping (Result<Confirmation?, StoreError>) -> Void
  ) {
    services.directory.sessions(
      of: person,
      reply: Reply(on: loop.poster) { [unowned self] result in
        done(
          result.map { all in
            let confirmed = all.first { $0.id == session }?.confirmed
            // A clock that is set back makes nothing last longer.
            return confirmed.flatMap { timeOfUse - $0.at < Limits.confirmationAge ? $0.by : nil }
          })
      })
  }

  // MARK: checks of somebody who is logged in

  /// Reads the caller's account, and goes on with it and the caller's session.
  func withAccount(
    of caller: Caller,
    _ body: @escaping (Account, ID<Rooms.Session>, _ finish: @escaping (Outcome) -> Void) -> Void
  ) {
    guard let person = caller.session.person, let own = caller.session.sessionID else {
      return shard.refuse(caller, .unauthorized)
    }
    shard.inSteps(caller) { finish in
      services.directory.account(
        by: .person(person),
        reply: Reply(on: loop.poster) { result in
          guard case .success(let account?) = result else { return finish(.refused(.unavailable)) }
          body(account, own, finish)
        })
    }
  }

  func check(
    _ password: Password, of account: Account, _ own: ID<Rooms.Session>, _ caller: Caller,
    _ finish: @escaping (Outcome) -> Void, then done: @escaping () -> Void
  ) {
    check(password.bytes, account.passwordHash, of: account.person, own, caller, finish) {
      finish(.refused(.wrongPassword))
    } orElse: {
      done()
    }
  }

  /// Checks a secret of somebody who is logged in. Guesses slow their own session down, and no other; those at the same
  /// time count before they are verified.
  func check(
    _ secret: [UInt8], _ hash: String?, of person: ID<Person>, _ own: ID<Rooms.Session>, _ caller: Caller,
    _ finish: @escaping (Outcome) -> Void, ifWrong refuse: @escaping () -> Void, orElse done: @escaping () -> Void
  ) {
    let attempt = Attempt.password(.password(for: "\(person)", device: own.cast()))
    begin(attempt) { [unowned self] wait in
      if let wait { return finish(.refused(.attempts(wait))) }
      services.workers.run(
        { hash.flatMap { PasswordHash($0) }.flatMap { try? $0.verify(password: secret) } ?? false },
        in: WorkLane(owner: caller.session.network, urgency: .high),
        reply: Reply(on: loop.poster) { [unowned self] isRight in
          end(attempt, isRight.map { $0 ? .succeeded : .failed } ?? .withdrawn)
          switch isRight {
          case true?: done()
          case false?: refuse()
          case nil: finish(.refused(.unavailable))
          }
        })
    }
  }
}
