import Crypto
import Home
import JSON
import Platform
import Rooms

/// The PIN of an account, apart from its password (BIL-8, SEC-3).
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

  struct SetPINParameters: Record {
    var pin = PIN()
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

  struct RemovePINParameters: Record {
    var pin = PIN()
    static func fields(_ field: inout some FieldVisitor<Self>) { field("pin", \.pin) }
  }

  /// Gives the account a PIN, or another one.
  func setPIN(_ view: View, _ caller: Caller) {
    guard let parameters: SetPINParameters = read(view, for: caller) else { return }
    withAccount(of: caller) { [unowned self] account, own, finish in
      hash(parameters.pin.bytes, knowing: parameters.secret, of: account, own, caller, finish) {
        [unowned self] hash, changes in
        replacePIN(hash, changes, of: account, finish)
      }
    }
  }

  func removePIN(_ parameters: RemovePINParameters, _ caller: Caller) {
    withAccount(of: caller) { [unowned self] account, own, finish in
      check(parameters.pin, of: account, own, caller, finish) { [unowned self] in
        replacePIN(nil, [], of: account, finish)
      }
    }
  }

  private func replacePIN(
    _ hash: String?, _ changes: [AccountChange], of account: Account, _ finish: @escaping (Outcome) -> Void
  ) {
    services.directory.change(
      account.person, expecting: account.revision, changes + [.setPINHash(hash)],
      reply: Reply(on: loop.poster) { [unowned self] result in
        if case .success(.nonceSpent) = result { return finish(.refused(.spentToken)) }
        guard case .success(.changed) = result else { return finish(.refused(.unavailable)) }
        finish(.answered { _ in })
        mirror.update(of: account.person)
      })
  }

  func check(
    _ pin: PIN, of account: Account, _ own: ID<Rooms.Session>, _ caller: Caller,
    _ finish: @escaping (Outcome) -> Void, then done: @escaping () -> Void
  ) {
    guard let hash = account.pinHash else { return finish(.refused(.noPIN)) }
    check(pin.bytes, hash, of: account.person, own, caller, finish) { [unowned self] in
      noteWrongPIN(of: own, account.person, finish)
    } orElse: {
      done()
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
        endConnections(of: person, [own: "revoked"]) { [unowned self] in mirror.update(of: person) }
      })
  }
}

extension Refusal {
  fileprivate static var wrongPIN: Refusal { Refusal(.forbidden, "pin", "The PIN is wrong.") }
  fileprivate static var noPIN: Refusal {
    Refusal(.conflict, "noPin", "You have no PIN: set one with auth.setPin.")
  }
}
