import Home
import JSON
import Platform
import Rooms

/// The address of an account: proving that it is its owner's, and changing it (ACC-16).
extension AccountDesk {
  struct VerifyParameters: Record {
    var code = TypedCode()
    static func fields(_ field: inout some FieldVisitor<Self>) { field("code", \.code) }
  }

  struct AddressParameters: Record {
    var email = ""
    var password: Password?
    var provider: String?
    var idToken: String?
    static func fields(_ field: inout some FieldVisitor<Self>) {
      field("email", \.email, 3...254)
      field("password", \.password, 1...1024)
      field("provider", \.provider, OpenIDProvider.nameLength)
      field("idToken", \.idToken, IDToken.length)
    }

    var secret: OwnerSecret { OwnerSecret(password: password, provider: provider, idToken: idToken) }
  }

  /// Mails another code to the address that the account has, or shall have.
  func sendCode(_ caller: Caller) {
    guard services.mail != nil else { return shard.refuse(caller, .noMail) }
    withAccount(of: caller) { [unowned self] account, _, finish in
      let unverified = account.verifiedAt == nil ? account.email : nil
      guard let email = account.pendingEmail ?? unverified else { return finish(.refused(.verified)) }
      withName(of: account.person) { [unowned self] name in
        change(account.person, nil, addressCode(for: account, to: email, name), finish) { finish(.answered { _ in }) }
      }
    }
  }

  /// Takes the code of a mail: its address is the account's from now on, and the one before is told.
  func verify(_ parameters: VerifyParameters, _ caller: Caller) {
    withAccount(of: caller) { [unowned self] account, _, finish in
      let now = loop.now
      let hash = MailedCode.hash(parameters.code.digits, .address, of: account.person)
      var changes: [AccountChange] = [.useCode(.address, hash: hash, at: now)]
      withName(of: account.person) { [unowned self] name in
        if services.mail != nil, let old = account.email, let new = account.pendingEmail, old != new {
          changes.append(
            .deliver(delivery(Letter(.addressChanged, to: old, name: name), until: now + MailedCode.addressLife)))
        }
        change(account.person, account.revision, changes, finish) { [unowned self] in
          finish(.answered { _ in })
          mirror.update(of: account.person)
        }
      }
    }
  }

  /// Changes the address: at once where no mail is sent, else when its code comes back.
  ///
  /// Nobody learns whether another account has the address: its owner is told by mail.
  func changeAddress(_ view: View, _ caller: Caller) {
    let read: AddressParameters? = read(view, for: caller) { problems in
      if !problems.list.contains(where: { $0.path == "email" }), let email = view[key: "email"]?.string {
        HomeRooms.check(email: email, problems)
      }
    }
    guard let parameters = read, let email = HomeRooms.normalisedEmail(parameters.email) else { return }
    withAccount(of: caller) { [unowned self] account, own, finish in
      check(parameters.secret, of: account, own, caller, finish) { [unowned self] proved in
        guard services.mail != nil else {
          return change(account.person, account.revision, proved + [.setEmail(email)], finish) { [unowned self] in
            finish(.answered { _ in })
            mirror.update(of: account.person)
          }
        }
        services.directory.account(
          by: .email(email),
          reply: Reply(on: loop.poster) { [unowned self] result in
            guard case .success(let other) = result else { return finish(.refused(.unavailable)) }
            send(to: email, of: other, for: account, proved, finish)
          })
      }
    }
  }

  private func send(
    to email: String, of other: Account?, for account: Account, _ proved: [AccountChange],
    _ finish: @escaping (Outcome) -> Void
  ) {
    withName(of: account.person) { [unowned self] name in
      var changes = addressCode(for: account, to: email, name)
      if let other, other.person != account.person {
        changes.removeLast()
        let letter = Letter(.addressTaken, to: email, name: name)
        changes.append(.deliver(delivery(letter, until: loop.now + MailedCode.addressLife)))
      }
      change(account.person, account.revision, proved + changes, finish) { [unowned self] in
        finish(.answered { _ in })
        mirror.update(of: account.person)
      }
    }
  }

  /// Changes an account, goes on if that was done, and refuses otherwise.
  func change(
    _ person: ID<Person>, _ revision: Revision?, _ changes: [AccountChange], _ finish: @escaping (Outcome) -> Void,
    then done: @escaping () -> Void
  ) {
    services.directory.change(
      person, expecting: revision, changes,
      reply: Reply(on: loop.poster) { [unowned self] result in
        switch result {
        case .success(.changed):
          noteDelivery(to: person)
          done()
        case .success(.wrongCode): finish(.refused(.wrongCode))
        case .success(.nonceSpent): finish(.refused(.spentToken))
        case .success(.emailTaken): finish(.refused(.emailTaken))
        case .success(.tooManyCodes(let until)): finish(.refused(.codes(max(.seconds(1), until - loop.now))))
        case .success(.outdated), .failure: finish(.refused(.unavailable))
        }
      })
  }

  /// The name of a person, as their own room has it.
  func withName(of person: ID<Person>, _ body: @escaping (String) -> Void) {
    shard.neighbours.ask(.name(of: person), of: shard.shards.home(of: person)) { answer in
      if case .name(let name) = answer { body(name) }
    }
  }
}

extension Refusal {
  static var emailTaken: Refusal { Refusal(.conflict, "exists", "There is an account with this email address.") }
  fileprivate static var verified: Refusal { Refusal(.conflict, "verified", "Your address is verified already.") }
}
