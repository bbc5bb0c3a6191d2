import Home
import JSON
import Platform
import Rooms

/// A device's report of where it is, taken to every share of its person (LOC-20).
extension Shard {
  /// `positions.report`: one report feeds every running share of the caller (LOC-20). The caller's own room decides
  /// whether this device may report (LOC-35).
  func report(_ parameters: View, _ caller: Caller) {
    guard let person = caller.session.person else { return }
    guard let report = read(for: caller, { Report(parameters, $0) }) else { return }
    // Reports are frequent, and a closure costs as much as the rule: it is made only if the room must be loaded.
    if let seat = rooms.loadedSeat(.person(person)) { return spread(report, of: person, from: seat, caller) }
    rooms.withSeat(.person(person)) { [unowned self] in spread(report, of: person, from: $0, caller) }
  }

  /// A report on its way to the shares of its person.
  private final class Spread {
    let caller: Caller
    /// The person's own room.
    let seat: Seat
    let refused: [RefusedFix]
    var waiting: Int
    /// How many shares have taken it, and which of them begin where they are to end.
    var takenCount = 0
    var inside: [ID<Share>] = []
    /// The shortest interval that any of them asks for (LOC-6).
    var interval = Limits.reportInterval

    init(of report: Report, over count: Int, from seat: Seat, _ caller: Caller) {
      self.caller = caller
      self.seat = seat
      refused = report.refused
      waiting = count
    }
  }

  /// Takes a report to the shares of its person, wherever they live, and answers when all have answered.
  private func spread(_ report: Report, of person: ID<Person>, from seat: Seat, _ caller: Caller) {
    guard let me = seat.room, !me.isEnded else { return refuse(caller, .noRoom(seat)) }
    let device = caller.session.device
    let version = me.version
    do throws(Refusal) {
      try report.run(
        in: me, Turn(caller: person, client: caller.session.client, session: device, now: loop.now))
    } catch {
      return refuse(caller, behind: seat, error)
    }
    if me.version > version { commits.noteChange(of: seat, by: person) }
    let shares = HomeRooms.ownActiveShares(of: me)
    let spread = Spread(of: report, over: shares.count, from: seat, caller)
    if shares.isEmpty { return answer(spread) }
    for share in shares {
      let home = self.shards.home(of: .share(share))
      if home != index {
        neighbours.ask(.report(report, of: person, device, to: share), of: home) { [unowned self] answer in
          if case .taken(let taken) = answer { note(taken, in: spread) }
        }
      } else if let place = rooms.loadedSeat(.share(share)) {
        let taken = take(report, of: person, device, in: place)
        if place.pendingGroup == nil {
          note(taken, in: spread)
        } else {
          pass(taken, behind: place) { [unowned self] in note($0, in: spread) }
        }
      } else {
        take(report, of: person, device, to: share) { [unowned self] in note($0, in: spread) }
      }
    }
  }

  private func note(_ taken: TakenReport?, in spread: Spread) {
    if let taken {
      spread.takenCount += 1
      spread.interval = min(spread.interval, taken.interval)
      if taken.isAlreadyInside { spread.inside.append(taken.share) }
    }
    spread.waiting -= 1
    if spread.waiting == 0 { answer(spread) }
  }

  private func answer(_ spread: Spread) {
    answer(spread.caller, behind: spread.seat) { writer in
      writer.key("shares")
      writer.int(spread.takenCount)
      writer.key("intervalSeconds")
      writer.int(Int(spread.interval.components.seconds))
      if !spread.inside.isEmpty {
        writer.key("alreadyInside")
        writer.openArray()
        for share in spread.inside.sorted() { share.write(to: writer) }
        writer.closeArray()
      }
      if !spread.refused.isEmpty {
        writer.key("refused")
        spread.refused.write(to: writer)
      }
    }
  }

  /// Takes a report to one share, which may have to be loaded, and goes on when all that it has caused is on disk.
  func take(
    _ report: Report, of person: ID<Person>, _ device: ID<Rooms.Session>?, to share: ID<Share>,
    done: @escaping (TakenReport?) -> Void
  ) {
    rooms.withSeat(.share(share)) { [unowned self] in
      pass(take(report, of: person, device, in: $0), behind: $0, to: done)
    }
  }

  /// Passes on what became of a report when all that it has caused is on disk; `nil` if it was not taken.
  private func pass(_ taken: TakenReport?, behind seat: Seat, to done: @escaping (TakenReport?) -> Void) {
    guard let taken, let group = seat.pendingGroup else { return done(taken) }
    group.followers.append { done($0 ? taken : nil) }
  }

  /// Takes a report to the share in `seat`; `nil` where it does not take it.
  private func take(_ report: Report, of person: ID<Person>, _ device: ID<Rooms.Session>?, in seat: Seat)
    -> TakenReport?
  {
    // The person's own room learns a little later that a share is over.
    guard case .share(let share) = seat.id, let room = seat.room, room.isOpen(to: person) else { return nil }
    let version = room.version
    do throws(Refusal) {
      try report.run(in: room, Turn(caller: person, session: device, now: time(in: seat)))
    } catch {
      return nil
    }
    if room.version > version { commits.noteChange(of: seat, by: nil) }
    if room.isLiveTouched { teller.live.note(seat) }
    // Live changes move due times without a commit. Later ones are noticed when the timer fires.
    if let due = room.nextDue, seat.timedDue.map({ due < $0 }) ?? true { rooms.scheduleDue(seat) }
    return TakenReport(
      share: share, isAlreadyInside: HomeRooms.isAlreadyInside(room), interval: HomeRooms.reportInterval(of: room))
  }
}
