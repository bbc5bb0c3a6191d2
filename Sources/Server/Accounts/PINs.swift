import Crypto
import Home
import JSON
import Platform
import Rooms

/// PINs, and the confirmation that a person is there, which some rules want (BIL-8, SEC-3).
extension AccountDesk {
  /// Four to eight digits.
  struct PIN: Field {
    private(set) var bytes: [UInt8] = []

    static func read(_ view: View?, _ problems: Problems) -> Self? {
      guard let text = String.read(view, problems) else { return nil }
      let bytes = Array(text.utf8)
      guard AccountDesk.pinLength.contains(bytes.count), bytes.allSatisfy({ (0x30...0x39).contains($0) }) else {
        problems.note("must be 4 to 8 digits")
        return nil
      }
      return PIN(bytes: bytes)
    }

    func write(to writer: Writer) { String(decoding: bytes, as: UTF8.self).write(to: writer) }

    static func schema(_ limit: ClosedRange<Int>?) -> JSON { ["type": "string", "pattern": "^[0-9]{4,8}$"] }
  }

  static let pinLength = 4...8
  /// Wrong PINs of one session within `wrongPINTime` that end it.
  static let wrongPINs = 5
  static let wrongPINTime = Duration.seconds(15 * 60)

  struct ConfirmParameters: Record {
    var pin: PIN?
    var password: Password?
    static func fields(_ field: inout some FieldVisitor<Self>) {
      field("pin", \.pin)
      field("password", \.password, 1...1024)
    }
  }

  struct SetPINParameters: Record {
    var pin = PIN()
    var password = Password()
    static func fields(_ field: inout some FieldVisitor<Self>) {
      field("pin", \.pin)
      field("password", \.password, 1...1024)
    }
  }

  struct RemovePINParameters: Record {
    var pin = PIN()
    static func fields(_ field: inout some FieldVisitor<Self>) { field("pin", \.pin) }
  }

  // MARK: confirming

  /// Notes on the caller's session that its person is there, for a few minutes.
  func confirm(_ parameters: ConfirmParameters, _ caller: Caller) {
    guard (parameters.pin == nil) != (parameters.password == nil) else {
      return shard.refuse(caller, .invalid("pin", "or password must be given, not both"))
    }
    withAccount(of: caller) { [unowned self] account, own, finish in
      if let pin = parameters.pin {
        check(pin, of: account, own, caller, finish) { [unowned self] in note(.pin, own, account.person, finish) }
      } else if let password = parameters.password {
        check(password, of: account, own, caller, finish) { [unowned self] in
          note(.password, own, account.person, finish)
        }
      }
    }
  }

  private func note(
    _ confirmation: Confirmation, _ own: ID<Rooms.Session>, _ person: ID<Person>,
    _ finish: @escaping (Outcome) -> Void
  ) {
    let now = timeOfUse
    services.directory.change(
      person, expecting: nil, [.confirm(own, by: confirmation, at: now)],
      reply: Reply(on: loop.poster) { result in
        guard case .success = result else { return finish(.refused(.unavailable)) }
        finish(
          .answered { writer in
            writer.key("until")
            (now + Limits.confirmationAge).write(to: writer)
          })
      })
  }

  /// What a session has confirmed with in the last minutes; `nil` if nothing.
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

  // MARK: the PIN

  /// Gives the account a PIN, or another one.
  func setPIN(_ parameters: SetPINParameters, _ caller: Caller) {
    withAccount(of: caller) { [unowned self] account, own, finish in
      let attempt = attempt(of: own, account.person)
      begin(attempt) { [unowned self] wait in
        if let wait { return finish(.refused(.attempts(wait))) }
        hash(parameters.pin.bytes, knowing: parameters.password, of: account, attempt, caller) {
          [unowned self] hash in
          replacePIN(hash, of: account, finish)
        } orElse: {
          finish(.refused($0))
        }
      }
    }
  }

  func removePIN(_ parameters: RemovePINParameters, _ caller: Caller) {
    withAccount(of: caller) { [unowned self] account, own, finish in
      check(parameters.pin, of: account, own, caller, finish) { [unowned self] in
        replacePIN(nil, of: account, finish)
      }
    }
  }

  private func replacePIN(_ hash: String?, of account: Account, _ finish: @escaping (Outcome) -> Void) {
    services.directory.change(
      account.person, expecting: account.revision, [.setPINHash(hash)],
      reply: Reply(on: loop.poster) { result in
        guard case .success(.changed) = result else { return finish(.refused(.unavailable)) }
        finish(.answered { _ in })
      })
  }

  // MARK: checks

  /// Reads the caller's account, and goes on with it and the caller's session.
  private func withAccount(
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

  /// A password that somebody gives who is logged in: guesses slow their own session down only.
  func attempt(of session: ID<Rooms.Session>, _ person: ID<Person>) -> Attempt {
    .password(.password(for: "\(person)", device: session.cast()))
  }

  private func check(
    _ password: Password, of account: Account, _ own: ID<Rooms.Session>, _ caller: Caller,
    _ finish: @escaping (Outcome) -> Void, then done: @escaping () -> Void
  ) {
    let attempt = attempt(of: own, account.person)
    begin(attempt) { [unowned self] wait in
      if let wait { return finish(.refused(.attempts(wait))) }
      verify(password.bytes, account.passwordHash, caller) { [unowned self] isRight in
        switch isRight {
        case true?:
          end(attempt, .succeeded)
          done()
        case false?:
          end(attempt, .failed)
          finish(.refused(.wrongPassword))
        case nil:
          end(attempt, .withdrawn)
          finish(.refused(.unavailable))
        }
      }
    }
  }

  private func check(
    _ pin: PIN, of account: Account, _ own: ID<Rooms.Session>, _ caller: Caller,
    _ finish: @escaping (Outcome) -> Void, then done: @escaping () -> Void
  ) {
    guard let hash = account.pinHash else { return finish(.refused(.noPIN)) }
    verify(pin.bytes, hash, caller) { [unowned self] isRight in
      switch isRight {
      case true?: done()
      case false?: noteWrongPIN(of: own, account.person, finish)
      case nil: finish(.refused(.unavailable))
      }
    }
  }

  /// Counts a wrong PIN; one too many ends the session, since it may be in other hands.
  private func noteWrongPIN(
    of own: ID<Rooms.Session>, _ person: ID<Person>, _ finish: @escaping (Outcome) -> Void
  ) {
    let change = AccountChange.noteWrongPIN(
      own, at: timeOfUse, limit: Self.wrongPINs, within: Self.wrongPINTime)
    services.directory.change(
      person, expecting: nil, [change],
      reply: Reply(on: loop.poster) { [unowned self] result in
        guard case .success(.changed(let ended)) = result else { return finish(.refused(.unavailable)) }
        finish(.refused(.wrongPIN))
        guard !ended.isEmpty else { return }
        endConnections(of: person, [own: "revoked"]) { [unowned self] in devices.list(of: person) }
      })
  }

  /// Answers `nil` if the server has no time for it.
  private func verify(
    _ secret: [UInt8], _ hash: String?, _ caller: Caller, _ done: @escaping (Bool?) -> Void
  ) {
    services.workers.run(
      { hash.flatMap { PasswordHash($0) }.flatMap { try? $0.verify(password: secret) } ?? false },
      in: WorkLane(owner: caller.session.network, urgency: .high), reply: Reply(on: loop.poster, done))
  }
}

extension Refusal {
  fileprivate static var wrongPIN: Refusal { Refusal(.forbidden, "pin", "The PIN is wrong.") }
  fileprivate static var noPIN: Refusal {
    Refusal(.conflict, "noPin", "You have no PIN: set one with auth.setPin.")
  }
}
