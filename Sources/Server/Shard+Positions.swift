import Home
import JSON
import Platform
import Rooms

/// A device's report of where it is, taken to every share of its person (LOC-20).
extension Shard {
  /// `positions.report`: one report feeds every share of the caller that is running (LOC-20). His own room decides
  /// whether this device may tell (LOC-35).
  func report(_ parameters: View, _ caller: Caller) {
    guard let person = caller.session.person else { return }
    if let seat = loadedSeat(.person(person)) { return report(parameters, of: person, in: seat, caller) }
    // The view dies with its message: what has to wait keeps the bytes.
    let copy = parameters.copied
    withSeat(.person(person)) { [unowned self] seat in
      guard let view = try? pendingTape.parse(copy.span) else { return refuse(caller, .unavailable) }
      report(view, of: person, in: seat, caller)
    }
  }

  private func report(_ parameters: View, of person: ID<Person>, in seat: Seat, _ caller: Caller) {
    guard let me = seat.room, let method = reportMethod(.me) else { return refuse(caller, .noRoom(seat)) }
    let client = caller.session.client
    problems.clear()
    members.clear()
    let version = me.version
    switch method.run(me, parameters, Turn(caller: person, client: client, now: loop.now), problems, members) {
    case .invalid: return refuseInvalid(caller)
    case .refused(let refusal): return say(refusal, in: seat, caller)
    case .done: if me.version > version { noteChange(of: seat, by: person) }
    }
    spread(parameters, of: person, client, over: HomeRooms.ownActiveShares(of: me)) { [unowned self] taken in
      answerReport(taken, in: seat, caller)
    }
  }

  /// What became of a report in one share.
  private struct Taken: Sendable {
    let share: ID<Share>
    let isAlreadyInside: Bool
  }

  /// Takes a report to several shares, wherever they live, and goes on when all have answered.
  private func spread(
    _ parameters: View, of person: ID<Person>, _ client: ID<Client>, over shares: [ID<Share>],
    then done: @escaping ([Taken]) -> Void
  ) {
    var waiting = shares.count
    var taken: [Taken] = []
    if shares.isEmpty { return done([]) }
    let note: (Taken?) -> Void = { answer in
      if let answer { taken.append(answer) }
      waiting -= 1
      if waiting == 0 { done(taken) }
    }
    for share in shares {
      if let seat = loadedSeat(.share(share)) {
        report(parameters, of: person, client, to: share, in: seat, done: note)
        continue
      }
      let home = self.shards.home(of: .share(share))
      let copy = parameters.copied
      if home == index {
        report(copy, of: person, client, to: share, done: note)
      } else {
        let reply = Reply(on: loop.poster, note)
        self.shards.post(to: home) { $0.report(copy, of: person, client, to: share) { reply($0) } }
      }
    }
  }

  private func answerReport(_ taken: [Taken], in seat: Seat, _ caller: Caller) {
    scratch.clear()
    scratch.key("result")
    scratch.openObject()
    scratch.key("shares")
    scratch.int(taken.count)
    scratch.key("intervalSeconds")
    scratch.int(Int(Limits.reportInterval.components.seconds))
    let inside = taken.filter(\.isAlreadyInside).map(\.share).sorted()
    if !inside.isEmpty {
      scratch.key("alreadyInside")
      scratch.openArray()
      for share in inside { share.write(to: scratch) }
      scratch.closeArray()
    }
    scratch.closeObject()
    let member = scratch.bytes()
    if let group = seat.pendingGroup { group.answer(caller, member) } else { deliver(caller, member: member) }
  }

  /// Reports to a share that may have to be loaded first.
  private func report(
    _ parameters: [UInt8], of person: ID<Person>, _ client: ID<Client>, to share: ID<Share>,
    done: @escaping (Taken?) -> Void
  ) {
    withSeat(.share(share)) { [unowned self] seat in
      guard let view = try? pendingTape.parse(parameters.span) else { return done(nil) }
      report(view, of: person, client, to: share, in: seat, done: done)
    }
  }

  /// Reports to one share. Who asked goes on when all that it has caused is on disk; with `nil` if it was not taken.
  private func report(
    _ parameters: View, of person: ID<Person>, _ client: ID<Client>, to share: ID<Share>, in seat: Seat,
    done: @escaping (Taken?) -> Void
  ) {
    // The person's own room learns a little later that a share is over.
    guard let room = seat.room, admits(person, to: room), let method = reportMethod(.share) else { return done(nil) }
    problems.clear()
    members.clear()
    let version = room.version
    let turn = Turn(caller: person, client: client, now: loop.now)
    guard case .done = method.run(room, parameters, turn, problems, members) else { return done(nil) }
    if room.version > version { noteChange(of: seat, by: nil) }
    if room.isLiveTouched { noteLiveChange(of: seat) }
    // What is live moves due times without a commit. Later ones are noticed when the timer fires.
    if let due = room.nextDue, seat.timedDue.map({ due < $0 }) ?? true { scheduleDue(seat) }
    let taken = Taken(share: share, isAlreadyInside: HomeRooms.isAlreadyInside(room))
    if let group = seat.pendingGroup {
      group.followers.append { done($0 ? taken : nil) }
    } else {
      done(taken)
    }
  }

  private func reportMethod(_ kind: RoomKindName) -> Method? { methods["positions.report"]?[kind] }
}
