import Crypto
import Home
import JSON
import Platform
import Rooms

/// Signing up and logging in (ACC-1, ACC-2, ACC-3).
extension AccountDesk {
  /// Unicode scalars of a password, as `Password` has it (RELIABILITY F1); it is never cut off.
  static let passwordLength = 8...128

  struct SignUpParameters: Record {
    var email = ""
    var password = Password()
    var name = ""
    var birthday: String?
    var device: String?
    var puzzle: String?
    static func fields(_ field: inout some FieldVisitor<Self>) {
      field("email", \.email, 3...254)
      field("password", \.password, AccountDesk.passwordLength)
      field("name", \.name, 1...256)
      field("birthday", \.birthday)
      field("device", \.device)
      field("puzzle", \.puzzle, Limits.puzzle)
    }
  }

  struct LogInParameters: Record {
    var email = ""
    var password = Password()
    var device: String?
    var deviceToken: String?
    var puzzle: String?
    static func fields(_ field: inout some FieldVisitor<Self>) {
      field("email", \.email, 1...254)
      field("password", \.password, 1...1024)
      field("device", \.device)
      field("deviceToken", \.deviceToken, 1...128)
      field("puzzle", \.puzzle, Limits.puzzle)
    }
  }

  func signUp(_ view: View, _ caller: Caller) {
    let read = shard.read(for: caller) { problems in
      let parameters = SignUpParameters.read(view, problems)
      checkSignUp(view, problems)
      return problems.isEmpty ? parameters : nil
    }
    guard let parameters = read, let email = HomeRooms.normalisedEmail(parameters.email) else { return }
    let salt = services.randomness.bytes(16)
    let password = parameters.password.bytes
    let attempt = signUpAttempt(of: caller)
    let lane = WorkLane(owner: caller.session.network, urgency: .low)
    shard.inSteps(caller) { finish in
      puzzles.check(parameters.puzzle, caller.session, finish) { [unowned self] in
        begin(attempt) { [unowned self] wait in
          if let wait { return finish(.refused(.signUps(wait))) }
          services.workers.run(
            { try? PasswordHash.make(password: password, salt: salt) }, in: lane,
            reply: Reply(on: loop.poster) { [unowned self] hash in
              guard let hash = hash.flatMap(\.self) else {
                end(attempt, .withdrawn)
                return finish(.refused(.unavailable))
              }
              createAccount(parameters, email: email, hash: hash.text, caller, finish)
            })
        }
      }
    }
  }

  func signUpAttempt(of caller: Caller) -> Attempt {
    let session = caller.session
    return .signUp(from: session.isLocal && !configuration.limitsLoopback ? nil : session.network)
  }

  /// Rules over what each field says, noted with all else that is wrong.
  private func checkSignUp(_ view: View, _ problems: Problems) {
    func isClean(_ name: String) -> Bool { !problems.list.contains { $0.path == name } }
    if isClean("email"), let email = view[key: "email"]?.string { HomeRooms.check(email: email, problems) }
    checkCommon("password", of: view, problems)
    checkProfile(view, problems)
  }

  /// The same for the name, the birthday and the device of somebody new.
  func checkProfile(_ view: View, _ problems: Problems) {
    func isClean(_ name: String) -> Bool { !problems.list.contains { $0.path == name } }
    // Each by itself: a bad name must not hide a bad date (ACC-2).
    let name = isClean("name") ? view[key: "name"]?.string : nil
    let birthday = isClean("birthday") ? view[key: "birthday"]?.string : nil
    HomeRooms.check(name: name, birthday: birthday, at: loop.now, problems)
    if isClean("device"), let device = view[key: "device"]?.string {
      _ = HomeRooms.deviceName(device, "device", problems)
    }
  }

  /// Notes that a new password is a common one, if it is well-formed.
  func checkCommon(_ field: String, of view: View, _ problems: Problems) {
    guard !problems.list.contains(where: { $0.path == field }),
      let password = view[key: field]?.string.flatMap({ Password($0) }), CommonPasswords.contains(password.text)
    else { return }
    problems.note(field, "is one of the commonest passwords")
  }

  /// Makes an account and logs in to it, by an address with a password's hash or by a proof of an identity.
  func createAccount(
    _ parameters: SignUpParameters, email: String?, hash: String?, by identity: IdentityProof? = nil, _ caller: Caller,
    _ finish: @escaping (Outcome) -> Void
  ) {
    let person: ID<Person> = shard.randomID()
    let id = RoomID.person(person)
    let room = shard.methods.makeRoom(id, configuration)
    room.open(random: services.randomness.bytes(16), key: services.randomness.bytes(32))
    let (record, token) = newSession(of: person, device: parameters.device)
    let claim = email.flatMap { self.claim($0, of: person, named: parameters.name) }
    let account = Account(
      person: person, email: claim == nil ? email : nil, pendingEmail: claim?.code.email, passwordHash: hash,
      createdAt: loop.now)
    do throws(Refusal) {
      try HomeRooms.openPerson(
        room, name: parameters.name, birthday: parameters.birthday,
        devices: [record.id: HomeRooms.ListedDevice(record)], account: mirror.known(account),
        turn: Turn(caller: person, now: loop.now))
    } catch {
      return finish(.refused(error))
    }
    let sealed = shard.work.members.lend { room.seal(at: loop.now, by: person, to: $0) }
    let commit = RoomCommit(of: sealed, room, isNew: true)
    let proof = claim.map { AccountProof.claim($0) } ?? identity.map { .identity($0) } ?? .none
    services.directory.createAccount(
      account, by: proof, room: commit, session: record,
      reply: Reply(on: loop.poster) { [unowned self] result in
        switch result {
        case .success(.created):
          answer(caller, record, token, DeviceToken(record.id.cast(), at: loop.now), passwordHash: hash)
          finish(.settled)
          noteDelivery(to: person)
          mirror.update(of: person)
        case .success(.emailTaken): finish(.refused(.emailTaken))
        case .success(.nonceSpent): finish(.refused(.token(.nonce)))
        // Another token of the same person has just made it: the next try logs in.
        case .success(.identityTaken): finish(.refused(.unavailable))
        case .failure: finish(.refused(.unavailable))
        }
      })
  }

  /// Where the server sends mail, an account gets its address when a code comes back from there. So the answer is the
  /// same if another account has the address: its owner is told by mail.
  private func claim(_ email: String, of person: ID<Person>, named name: String) -> AddressClaim? {
    guard services.mail != nil else { return nil }
    let mailed = MailedCode(.address, for: person, to: email, at: loop.now, services.randomness)
    return AddressClaim(
      code: mailed.code,
      letter: delivery(Letter(.addressCode, to: email, name: name, code: mailed.text), until: mailed.code.until),
      warning: delivery(Letter(.addressTaken, to: email, name: name), until: mailed.code.until))
  }

  // MARK: log in

  func logIn(_ parameters: LogInParameters, _ caller: Caller) {
    if let device = parameters.device,
      shard.read(for: caller, { HomeRooms.deviceName(device, "device", $0) }) == nil
    {
      return
    }
    guard let email = HomeRooms.normalisedEmail(parameters.email) else { return shard.refuse(caller, .wrongLogin) }
    shard.inSteps(caller) { finish in
      services.directory.account(
        by: .email(email),
        reply: Reply(on: loop.poster) { [unowned self] result in
          guard case .success(let account) = result else { return finish(.refused(.unavailable)) }
          if let device = knownDevice(parameters.deviceToken, of: account) {
            let guess = Guess.password(for: email, device: device.device)
            return verify(parameters, guess, device, account, caller, finish)
          }
          puzzles.check(parameters.puzzle, caller.session, finish) { [unowned self] in
            let guess = Guess.password(for: email, from: caller.session.network)
            verify(parameters, guess, nil, account, caller, finish)
          }
        })
    }
  }

  /// The device that a token names, if it has logged in to this account before (ACC-3).
  private func knownDevice(_ token: String?, of account: Account?) -> DeviceToken? {
    guard let token, let account, let hash = account.passwordHash else { return nil }
    return DeviceToken(token, of: account.person, passwordHash: hash, at: loop.now)
  }

  private func verify(
    _ parameters: LogInParameters, _ guess: Guess, _ device: DeviceToken?, _ account: Account?, _ caller: Caller,
    _ finish: @escaping (Outcome) -> Void
  ) {
    let attempt = Attempt.password(guess)
    begin(attempt) { [unowned self] wait in
      if let wait { return finish(.refused(.attempts(wait))) }
      verify(parameters, attempt, device, account, caller, finish)
    }
  }

  /// Takes the same time whether or not there is such an account.
  private func verify(
    _ parameters: LogInParameters, _ attempt: Attempt, _ device: DeviceToken?, _ account: Account?, _ caller: Caller,
    _ finish: @escaping (Outcome) -> Void
  ) {
    let password = parameters.password.bytes
    let text = account?.passwordHash
    let salt = services.randomness.bytes(16)
    services.workers.run(
      {
        guard let hash = text.flatMap({ PasswordHash($0) }) else {
          _ = try? PasswordHash.make(password: password, salt: salt)
          return false
        }
        return (try? hash.verify(password: password)) ?? false
      }, in: WorkLane(owner: caller.session.network, urgency: device == nil ? .usual : .high),
      reply: Reply(on: loop.poster) { [unowned self] isRight in
        guard let isRight else {
          end(attempt, .withdrawn)
          return finish(.refused(.unavailable))
        }
        guard isRight, let account else {
          end(attempt, .failed)
          return finish(.refused(.wrongLogin))
        }
        end(attempt, .succeeded)
        openSession(of: account, device, named: parameters.device, with: [], caller, finish)
      })
  }

  /// Signs in to an account whose password or token was right, unless the account has changed since it was read.
  func openSession(
    of account: Account, _ device: DeviceToken?, named name: String?, with changes: [AccountChange], _ caller: Caller,
    _ finish: @escaping (Outcome) -> Void
  ) {
    let person = account.person
    let (record, token) = newSession(of: person, device: name)
    let known = DeviceToken(device?.device ?? record.id.cast(), at: loop.now)
    services.directory.change(
      person, expecting: account.revision, changes + [.addSession(record, limit: Limits.sessions)],
      reply: Reply(on: loop.poster) { [unowned self] result in
        if case .success(.nonceSpent) = result { return finish(.refused(.token(.nonce))) }
        guard case .success(.changed(let ended)) = result else { return finish(.refused(.unavailable)) }
        defer { finish(.settled) }
        answer(caller, record, token, known, passwordHash: account.passwordHash)
        endConnections(of: person, Dictionary(ended.map { ($0, "revoked") }) { $1 }) { [unowned self] in
          mirror.update(of: person)
        }
      })
  }

  func newSession(of person: ID<Person>, device: String?) -> (SessionRecord, token: String) {
    let token = Base64.url.encode(services.randomness.bytes(32))
    let name = device.flatMap { device in shard.work.problems.lend { HomeRooms.deviceName(device, "device", $0) } }
    let record = SessionRecord(
      id: shard.randomID(), person: person, tokenHash: SHA256.hash(Array(token.utf8)), name: name ?? "",
      createdAt: loop.now, lastUsedAt: loop.now)
    return (record, token)
  }

  func answer(
    _ caller: Caller, _ record: SessionRecord, _ token: String, _ device: DeviceToken, passwordHash: String?
  ) {
    shard.answer(caller, isSecret: true) { writer in
      writer.key("me")
      record.person.write(to: writer)
      writer.key("session")
      record.id.write(to: writer)
      writer.key("token")
      writer.string(token)
      // Without a password nobody's guesses could slow the device down.
      if let passwordHash {
        writer.key("deviceToken")
        writer.string(device.text(of: record.person, passwordHash: passwordHash))
      }
    }
  }
}

extension Refusal {
  /// For too many wrong guesses.
  static func attempts(_ wait: Duration) -> Refusal {
    Refusal(.rateLimited, "attempts", "Too many failed attempts: wait a moment.").temporary(after: wait)
  }
  /// For too many accounts from one address.
  static func signUps(_ wait: Duration) -> Refusal {
    Refusal(.rateLimited, "signUps", "Too many accounts have been made from your address lately.").temporary(
      after: wait)
  }
  /// One error for both, so that it does not reveal which addresses have an account.
  static var wrongLogin: Refusal {
    Refusal(.unauthorized, "login", "The email address or the password is wrong.")
  }
}
