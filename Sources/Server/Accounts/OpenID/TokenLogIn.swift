import Crypto
import Home
import JSON
import Platform
import Rooms

/// Logging in with an ID token (ACC-4). The first log-in makes an account, without address and password. It never
/// leads to an account that somebody has made in another way: an address in a token is not looked at.
extension AccountDesk {
  struct TokenLogInParameters: Record {
    var provider = ""
    var idToken = ""
    var name: String?
    var birthday: String?
    var device: String?
    static func fields(_ field: inout some FieldVisitor<Self>) {
      field("provider", \.provider, OpenIDProvider.nameLength)
      field("idToken", \.idToken, IDToken.length)
      field("name", \.name, 1...256)
      field("birthday", \.birthday)
      field("device", \.device)
    }
  }

  func logInWithToken(_ view: View, _ caller: Caller) {
    let read = shard.read(for: caller) { problems in
      let parameters = TokenLogInParameters.read(view, problems)
      checkProfile(view, problems)
      return problems.isEmpty ? parameters : nil
    }
    guard let parameters = read else { return }
    shard.inSteps(caller) { finish in
      prove(parameters.idToken, by: parameters.provider) { [unowned self] result in
        switch result {
        case .failure(let refusal): finish(.refused(refusal))
        case .success(let token): logIn(by: token, parameters, caller, finish)
        }
      }
    }
  }

  private func logIn(
    by token: ProvenToken, _ parameters: TokenLogInParameters, _ caller: Caller,
    _ finish: @escaping (Outcome) -> Void
  ) {
    services.directory.account(
      by: .identity(token.proof.identity),
      reply: Reply(on: loop.poster) { [unowned self] result in
        switch result {
        case .success(let account?):
          openSession(
            of: account, nil, named: parameters.device, with: [.spend(token.proof.nonce, at: timeOfUse)], caller,
            finish)
        case .success: signUp(by: token, parameters, caller, finish)
        case .failure: finish(.refused(.unavailable))
        }
      })
  }

  private func signUp(
    by token: ProvenToken, _ parameters: TokenLogInParameters, _ caller: Caller,
    _ finish: @escaping (Outcome) -> Void
  ) {
    guard let name = parameters.name ?? token.name.flatMap(goodName) else {
      return finish(.refused(.invalid("name", "missing: the provider tells none that could be yours")))
    }
    var person = SignUpParameters()
    person.name = name
    person.birthday = parameters.birthday
    person.device = parameters.device
    let attempt = signUpAttempt(of: caller)
    begin(attempt) { [unowned self] wait in
      if let wait { return finish(.refused(.signUps(wait))) }
      createAccount(person, email: nil, hash: nil, by: token.proof, caller, finish)
    }
  }

  /// The name that a provider has for a person, if it may be a person's name here.
  private func goodName(_ name: String) -> String? {
    shard.work.problems.lend { problems in
      HomeRooms.check(name: name, birthday: nil, at: loop.now, problems)
      return problems.isEmpty ? name : nil
    }
  }
}
