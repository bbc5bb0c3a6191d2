import Home
import JSON
import Platform
import Rooms

/// Needs of rules and questions outside their room's document: they are fetched before these run.
extension Shard {
  /// Fetches what a call needs, then carries it out. The session's later messages wait, so that its numbers reach the
  /// room in order.
  ///
  /// - Parameter call: The call, if it has a number.
  func fetch(
    _ needs: [Need], for method: Method, _ parameters: View, _ seat: Seat, _ caller: Caller, _ call: CallKey?
  ) {
    let copy = parameters.copied
    let guess = guess(needs, caller)
    inSteps(caller) { finish in
      checkPuzzle(in: needs, caller, call, finish) { [unowned self] in
        begin(guess) { [unowned self] wait in
          if let wait { return finish(.refused(.attempts(wait))) }
          carryOut(method, copy, behind: needs, guess, in: seat.id, caller, tries: Self.fetchTries, finish)
        }
      }
    }
  }

  /// Checks the puzzle that a call needs, once, however often its other needs are fetched.
  private func checkPuzzle(
    in needs: [Need], _ caller: Caller, _ call: CallKey?, _ finish: @escaping (Outcome) -> Void,
    then done: @escaping () -> Void
  ) {
    for case .puzzle(let solution) in needs {
      return accounts.puzzles.check(solution, caller.session, of: call, finish, then: done)
    }
    done()
  }

  /// How often the history that a rule needs is read because the room has changed meanwhile.
  private static let fetchTries = 4

  private func carryOut(
    _ method: Method, _ parameters: [UInt8], behind needs: [Need], _ guess: AccountDesk.Attempt?, in room: RoomID,
    _ caller: Caller, tries: Int, _ finish: @escaping (Outcome) -> Void
  ) {
    let needsHistory = needs.contains(where: \.isOfHistory)
    // The store has the records of a change when it is committed.
    whenCommitted(room, ifNeeded: needsHistory) { [unowned self] in
      let version = rooms.seat(of: room)?.room?.version
      fetch(needs[...], of: room, for: caller, into: [:]) { [unowned self] fetched in
        // A rule decides by all of the history. A page may be one change older than the room.
        let isStale = needsHistory && method.kind == .mutation && rooms.seat(of: room)?.room?.version != version
        if isStale, tries > 1 {
          return carryOut(method, parameters, behind: needs, guess, in: room, caller, tries: tries - 1, finish)
        }
        // Right ones forgive no wrong ones: whoever guesses may have a code of their own.
        if let guess { accounts.end(guess, fetched?.values.contains(.room(nil)) == true ? .failed : .withdrawn) }
        guard let fetched, !isStale else { return finish(.refused(.unavailable)) }
        carryOut(method, copied: parameters, in: room, caller, fetched: fetched) { finish(.settled) }
      }
    }
  }

  /// Goes on when everything that a room contains now is on disk, or has been given up.
  private func whenCommitted(_ room: RoomID, ifNeeded isNeeded: Bool, _ body: @escaping () -> Void) {
    guard isNeeded else { return body() }
    rooms.withSeat(room) { seat in
      guard let group = seat.pendingGroup else { return body() }
      group.followers.append { _ in body() }
    }
  }

  /// A call that names secrets: too many that lead nowhere are guesses.
  private func guess(_ needs: [Need], _ caller: Caller) -> AccountDesk.Attempt? {
    guard needs.contains(where: \.isSecret), let person = caller.session.person else { return nil }
    return .joinCode(.joinCode(by: person, from: caller.session.network))
  }

  private func begin(_ guess: AccountDesk.Attempt?, _ done: @escaping (Duration?) -> Void) {
    if let guess { accounts.begin(guess, done) } else { done(nil) }
  }

  private func fetch(
    _ needs: ArraySlice<Need>, of room: RoomID, for caller: Caller, into found: [Need: Fetched],
    _ done: @escaping ([Need: Fetched]?) -> Void
  ) {
    guard let need = needs.first else { return done(found) }
    func goOn(with answer: Fetched) {
      fetch(needs.dropFirst(), of: room, for: caller, into: found.merging([need: answer]) { $1 }, done)
    }
    switch need {
    case .account(let email):
      services.directory.account(
        by: .email(email),
        reply: Reply(on: loop.poster) { result in
          if case .success(let account) = result { goOn(with: .person(account?.person)) } else { done(nil) }
        })
    case .room(let secretHash):
      services.store.rooms(
        secret: secretHash, limit: 1,
        reply: Reply(on: loop.poster) { result in
          if case .success(let targets) = result { goOn(with: .room(targets.first)) } else { done(nil) }
        })
    case .history(let query):
      services.store.history(
        of: room, query,
        reply: Reply(on: loop.poster) { result in
          if case .success(let records) = result { goOn(with: .history(records)) } else { done(nil) }
        })
    case .confirmation:
      guard let person = caller.session.person, let device = caller.session.device else {
        return goOn(with: .confirmation(nil))
      }
      accounts.confirmation(of: device, of: person) { answer in
        if case .success(let confirmation) = answer { goOn(with: .confirmation(confirmation)) } else { done(nil) }
      }
    case .puzzle: goOn(with: .puzzle)
    }
  }
}

extension Need {
  fileprivate var isSecret: Bool { if case .room = self { true } else { false } }
  fileprivate var isOfHistory: Bool { if case .history = self { true } else { false } }
}
