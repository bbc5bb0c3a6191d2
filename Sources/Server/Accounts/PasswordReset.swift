import Crypto
import Home
import JSON
import Platform
import Rooms

/// Replacing a forgotten password by a code (ACC-10).
extension AccountDesk {
  struct ForgottenParameters: Record {
    var email = ""
    static func fields(_ field: inout some FieldVisitor<Self>) { field("email", \.email, 3...254) }
  }

  struct ResetParameters: Record {
    var email = ""
    var code = TypedCode()
    var newPassword = Password()
    var device: String?
    static func fields(_ field: inout some FieldVisitor<Self>) {
      field("email", \.email, 3...254)
      field("code", \.code)
      field("newPassword", \.newPassword, AccountDesk.passwordLength)
      field("device", \.device)
    }
  }

  /// Mails a code to the address, if there is an account with it. The answer and its time are the same if there is
  /// none.
  func forgotPassword(_ parameters: ForgottenParameters, _ caller: Caller) {
    guard services.mail != nil else { return shard.refuse(caller, .noMail) }
    let network = caller.session.network
    let email = HomeRooms.normalisedEmail(parameters.email)
    shard.inSteps(caller) { finish in
      begin(.password(.password(for: "reset \(parameters.email)", from: network))) { [unowned self] wait in
        if let wait { return finish(.refused(.attempts(wait))) }
        // Asking counts as a guess that failed: it slows the next one of the same address down.
        end(.password(.password(for: "reset \(parameters.email)", from: network)), .failed)
        finish(.answered { _ in })
        if let email { mailReset(to: email) }
      }
    }
  }

  private func mailReset(to email: String) {
    services.directory.account(
      by: .email(email),
      reply: Reply(on: loop.poster) { [unowned self] result in
        guard case .success(let account?) = result else { return }
        withName(of: account.person) { [unowned self] name in
          let mailed = MailedCode(.reset, for: account.person, to: email, at: loop.now, services.randomness)
          let letter = Letter(.resetCode, to: email, name: name, code: mailed.text)
          let changes: [AccountChange] = [
            .setCode(mailed.code, limit: MailedCode.perHour), .deliver(delivery(letter, until: mailed.code.until)),
          ]
          change(account.person, nil, changes, { _ in }, then: {})
        }
      })
  }

  /// Gives an account another password by a mailed code, ends all its sessions, and logs in.
  func resetPassword(_ view: View, _ caller: Caller) {
    let read = shard.read(for: caller) { problems in
      let parameters = ResetParameters.read(view, problems)
      checkCommon("newPassword", of: view, problems)
      if let device = view[key: "device"]?.string { _ = HomeRooms.deviceName(device, "device", problems) }
      return problems.isEmpty ? parameters : nil
    }
    guard let parameters = read else { return }
    guard let email = HomeRooms.normalisedEmail(parameters.email) else { return shard.refuse(caller, .wrongCode) }
    shard.inSteps(caller) { finish in
      let attempt = Attempt.password(.password(for: email, from: caller.session.network))
      begin(attempt) { [unowned self] wait in
        if let wait { return finish(.refused(.attempts(wait))) }
        let salt = services.randomness.bytes(16)
        let password = parameters.newPassword.bytes
        services.workers.run(
          { try? PasswordHash.make(password: password, salt: salt).text },
          in: WorkLane(owner: caller.session.network, urgency: .usual),
          reply: Reply(on: loop.poster) { [unowned self] hash in
            guard let hash = hash.flatMap(\.self) else {
              end(attempt, .withdrawn)
              return finish(.refused(.unavailable))
            }
            services.directory.account(
              by: .email(email),
              reply: Reply(on: loop.poster) { [unowned self] result in
                guard case .success(let account) = result else {
                  end(attempt, .withdrawn)
                  return finish(.refused(.unavailable))
                }
                reset(account, parameters, hash, attempt, caller, finish)
              })
          })
      }
    }
  }

  private func reset(
    _ account: Account?, _ parameters: ResetParameters, _ hash: String, _ attempt: Attempt, _ caller: Caller,
    _ finish: @escaping (Outcome) -> Void
  ) {
    guard let person = account?.person else {
      end(attempt, .failed)
      return finish(.refused(.wrongCode))
    }
    let now = loop.now
    let code = MailedCode.hash(parameters.code.digits, .reset, of: person)
    let (record, token) = newSession(of: person, device: parameters.device)
    // The reader of the mail has the address.
    let changes: [AccountChange] = [
      .useCode(.reset, hash: code, at: now), .setPasswordHash(hash), .endOtherSessions(than: nil),
      .verifyAddress(at: now), .addSession(record, limit: Limits.sessions),
    ]
    services.directory.change(
      person, expecting: nil, changes,
      reply: Reply(on: loop.poster) { [unowned self] result in
        switch result {
        case .success(.changed(let ended)):
          end(attempt, .succeeded)
          endConnections(of: person, Dictionary(ended.map { ($0, "revoked") }) { $1 }) { [unowned self] in
            answer(caller, record, token, DeviceToken(record.id.cast(), at: now), passwordHash: hash)
            finish(.settled)
            mirror.update(of: person)
          }
        case .success(.wrongCode):
          end(attempt, .failed)
          finish(.refused(.wrongCode))
        default:
          end(attempt, .withdrawn)
          finish(.refused(.unavailable))
        }
      })
  }
}
