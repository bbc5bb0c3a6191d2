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
    problems.clear()
    guard let report = Report(parameters, problems) else { return refuseInvalid(caller) }
    withSeat(.person(person)) { [unowned self] in spread(report, of: person, from: $0, caller) }
  }

  private func spread(_ report: Report, of person: ID<Person>, from seat: Seat, _ caller: Caller) {
    guard let me = seat.room else { return refuse(caller, .noRoom(seat)) }
    let client = caller.session.client
    let version = me.version
    do throws(Refusal) {
      try report.run(in: me, Turn(caller: person, client: client, now: loop.now))
    } catch {
      return say(error, in: seat, caller)
    }
    if me.version > version { noteChange(of: seat, by: person) }
    spread(report, of: person, client, over: HomeRooms.ownActiveShares(of: me)) { [unowned self] taken in
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
    _ report: Report, of person: ID<Person>, _ client: ID<Client>, over shares: [ID<Share>],
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
      let home = self.shards.home(of: .share(share))
      if home == index {
        take(report, of: person, client, to: share, done: note)
      } else {
        let reply = Reply(on: loop.poster, note)
        self.shards.post(to: home) { $0.take(report, of: person, client, to: share) { reply($0) } }
      }
    }
  }

  private static let intervalSeconds = Int(Limits.reportInterval.components.seconds)

  private func answerReport(_ taken: [Taken], in seat: Seat, _ caller: Caller) {
    scratch.clear()
    scratch.key("result")
    scratch.openObject()
    scratch.key("shares")
    scratch.int(taken.count)
    scratch.key("intervalSeconds")
    scratch.int(Self.intervalSeconds)
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

  /// Takes a report to one share. Who asked goes on when all that it has caused is on disk; with `nil` if it was not
  /// taken.
  private func take(
    _ report: Report, of person: ID<Person>, _ client: ID<Client>, to share: ID<Share>,
    done: @escaping (Taken?) -> Void
  ) {
    withSeat(.share(share)) { [unowned self] seat in
      // The person's own room learns a little later that a share is over.
      guard let room = seat.room, admits(person, to: room) else { return done(nil) }
      let version = room.version
      do throws(Refusal) {
        try report.run(in: room, Turn(caller: person, client: client, now: loop.now))
      } catch {
        return done(nil)
      }
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
  }
}
