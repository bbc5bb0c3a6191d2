import Crypto
import Home
import JSON
import Platform
import Rooms

/// Changing one's password (ACC-17).
extension AccountDesk {
  struct PasswordParameters: Record {
    var password = Password()
    var newPassword = Password()
    static func fields(_ field: inout some FieldVisitor<Self>) {
      field("password", \.password, 1...1024)
      field("newPassword", \.newPassword, AccountDesk.passwordLength)
    }
  }

  /// Gives the caller's account another password, and ends all its other sessions: whoever knew the old one is out.
  func changePassword(_ view: View, _ caller: Caller) {
    guard let person = caller.session.person, let own = caller.session.sessionID else {
      return shard.refuse(caller, .unauthorized)
    }
    let read = shard.read(for: caller) { problems in
      let parameters = PasswordParameters.read(view, problems)
      checkCommon("newPassword", of: view, problems)
      return problems.isEmpty ? parameters : nil
    }
    guard let parameters = read else { return }
    let attempt = attempt(of: own, person)
    shard.inSteps(caller) { finish in
      begin(attempt) { [unowned self] wait in
        if let wait { return finish(.refused(.attempts(wait))) }
        services.directory.account(
          by: .person(person),
          reply: Reply(on: loop.poster) { [unowned self] result in
            guard case .success(let account?) = result else {
              end(attempt, .withdrawn)
              return finish(.refused(.unavailable))
            }
            let (old, new) = (parameters.password, parameters.newPassword)
            hash(new.bytes, knowing: old, of: account, attempt, caller) { [unowned self] hash in
              replace(account, hash, own, caller, finish)
            } orElse: {
              finish(.refused($0))
            }
          })
      }
    }
  }

  /// Hashes a new secret, if the password is right.
  func hash(
    _ secret: [UInt8], knowing password: Password, of account: Account, _ attempt: Attempt, _ caller: Caller,
    then done: @escaping (String) -> Void, orElse refuse: @escaping (Refusal) -> Void
  ) {
    let (known, text, salt) = (password.bytes, account.passwordHash, services.randomness.bytes(16))
    services.workers.run(
      { () -> Hashed in
        guard let hash = text.flatMap({ PasswordHash($0) }), (try? hash.verify(password: known)) == true else {
          return .wrong
        }
        return (try? PasswordHash.make(password: secret, salt: salt)).map { .made($0.text) } ?? .failed
      }, in: WorkLane(owner: caller.session.network, urgency: .high),
      reply: Reply(on: loop.poster) { [unowned self] outcome in
        switch outcome {
        case .made(let hash):
          end(attempt, .succeeded)
          done(hash)
        case .wrong:
          end(attempt, .failed)
          refuse(.wrongPassword)
        case .failed, nil:
          end(attempt, .withdrawn)
          refuse(.unavailable)
        }
      })
  }

  private enum Hashed: Sendable {
    case made(String)
    case wrong
    case failed
  }

  /// Stores the new hash, unless the account has changed since it was read, and ends the other sessions with it.
  private func replace(
    _ account: Account, _ hash: String, _ own: ID<Rooms.Session>, _ caller: Caller,
    _ finish: @escaping (Outcome) -> Void
  ) {
    let person = account.person
    services.directory.change(
      person, expecting: account.revision, [.setPasswordHash(hash), .endOtherSessions(than: own)],
      reply: Reply(on: loop.poster) { [unowned self] result in
        guard case .success(.changed(let ended)) = result else { return finish(.refused(.unavailable)) }
        endConnections(of: person, Dictionary(ended.map { ($0, "revoked") }) { $1 }) { [unowned self] in
          // The token of before rests on the old hash.
          let device = DeviceToken(own.cast(), at: loop.now)
          shard.answer(caller, isSecret: true) { writer in
            writer.key("deviceToken")
            writer.string(device.text(of: person, passwordHash: hash))
          }
          finish(.settled)
          devices.list(of: person)
        }
      })
  }
}

extension Refusal {
  /// Not `login`, at which clients forget their token: a mistyped password logs nobody out (ACC-14).
  static var wrongPassword: Refusal { Refusal(.forbidden, "password", "The password is wrong.") }
}
