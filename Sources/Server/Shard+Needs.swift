import Home
import JSON
import Platform
import Rooms

/// What a rule needs from outside its room: fetched before it runs.
extension Shard {
  /// Fetches what a rule needs from outside, then runs it. The session's later messages wait, so that its numbers
  /// reach the room in order.
  func fetch(_ needs: [Need], for method: Method, _ parameters: View, _ seat: Seat, _ caller: Caller) {
    let copy = parameters.copied
    let session = caller.session
    session.hold()
    checkGuessing(needs, caller) { [unowned self] wait in
      if let wait {
        refuse(caller, .attempts(wait))
        return session.release()
      }
      run(method, copy, needs, seat.id, caller)
    }
  }

  private func run(_ method: Method, _ parameters: [UInt8], _ needs: [Need], _ room: RoomID, _ caller: Caller) {
    fetch(needs[...], into: [:]) { [unowned self] fetched in
      guard let fetched else {
        refuse(caller, .unavailable)
        return caller.session.release()
      }
      if fetched.values.contains(.room(nil)) { noteGuess(caller) }
      mutate(method, parameters, room, caller, fetched: fetched) { caller.session.release() }
    }
  }

  /// Whoever names secrets that lead nowhere may be guessing: answers how long he has to wait.
  private func checkGuessing(_ needs: [Need], _ caller: Caller, _ done: @escaping (Duration?) -> Void) {
    guard needs.contains(where: \.isSecret) else { return done(nil) }
    let (person, host) = (caller.session.person?.description ?? "", caller.session.stream?.peer.host ?? "")
    ask(Self.desk, { $0.codeThrottle.wait(subject: person, address: host, at: $0.loop.uptime) }, then: done)
  }

  private func noteGuess(_ caller: Caller) {
    let (person, host) = (caller.session.person?.description ?? "", caller.session.stream?.peer.host ?? "")
    tell(Self.desk) { desk in
      guard desk.codeThrottle.noteFailure(subject: person, address: host, at: desk.loop.uptime) else { return }
      desk.services.log(.warning, "guessing.slowed", ["what": "join code", "address": "\(host)"])
    }
  }

  private func fetch(
    _ needs: ArraySlice<Need>, into found: [Need: Fetched], _ done: @escaping ([Need: Fetched]?) -> Void
  ) {
    guard let need = needs.first else { return done(found) }
    let rest = needs.dropFirst()
    switch need {
    case .account(let email):
      services.directory.account(
        email: email,
        reply: Reply(on: loop.poster) { [unowned self] result in
          guard case .success(let account) = result else { return done(nil) }
          fetch(rest, into: found.merging([need: .person(account?.person)]) { $1 }, done)
        })
    case .room(let secretHash):
      services.store.room(
        secret: secretHash,
        reply: Reply(on: loop.poster) { [unowned self] result in
          guard case .success(let room) = result else { return done(nil) }
          fetch(rest, into: found.merging([need: .room(room)]) { $1 }, done)
        })
    }
  }
}

extension Need {
  fileprivate var isSecret: Bool { if case .room = self { true } else { false } }
}
