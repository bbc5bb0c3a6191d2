import JSON
import Platform
import Rooms

/// Watching a room: the whole state or what was missed, then every change in order (SYN-1, SYN-2).
extension Shard {
  struct SubscribeParameters: Record {
    var room = ""
    var epoch: String?
    var version: Int?
    static func fields(_ field: inout some FieldVisitor<Self>) {
      field("room", \.room, 1...128)
      field("epoch", \.epoch, 1...64)
      field("version", \.version, 0...Int(WireLimits.clientNumber))
    }
  }

  struct RoomParameters: Record {
    var room = ""
    static func fields(_ field: inout some FieldVisitor<Self>) { field("room", \.room, 1...128) }
  }

  func subscribe(_ parameters: SubscribeParameters, _ caller: Caller) {
    guard let person = caller.session.person else { return refuse(caller, .unauthorized) }
    guard let id = RoomID(name: parameters.room, caller: person) else {
      return refuse(caller, .invalid("room", "must be the name of a room"))
    }
    let session = caller.session
    if session.origin == nil {
      session.watchCount += 1
      session.watchesEnough = session.watchCount > WireLimits.subscriptions
    }
    guard !session.watchesEnough || session.subscription(to: id) != nil else {
      neighbours.noteUnwatched(session)
      let text = "A connection watches at most \(WireLimits.subscriptions) rooms."
      return refuse(caller, Refusal(.tooLarge, "subscriptions", text))
    }
    let resume = Resume(caller, epoch: parameters.epoch, version: parameters.version.map(Int64.init), self)
    rooms.withSeat(id) { [unowned self] seat in
      guard let person = session.person, let room = seat.room, room.isOpen(to: person) else {
        neighbours.noteUnwatched(session)
        return refuse(caller, .noRoom(seat))
      }
      // A second subscription replaces the first: the client has lost its place and names its version.
      unwatch(session, seat)
      resume.begin(in: seat, room)
    }
  }

  func unsubscribe(_ parameters: RoomParameters, _ caller: Caller) {
    guard let person = caller.session.person, let id = RoomID(name: parameters.room, caller: person) else {
      return refuse(caller, .invalid("room", "must be the name of a room"))
    }
    if let seat = rooms.seat(of: id) {
      unwatch(caller.session, seat)
      for resume in seat.resumes where resume.session === caller.session { resume.withdraw() }
    }
    answer(caller) { _ in }
  }

  /// Ends a session's subscription of a room, if there is one.
  func unwatch(_ session: Session, _ seat: Seat) {
    guard session.subscriptions.contains(where: { $0.seat === seat }) else { return }
    seat.subscriptions.removeAll { $0.session === session }
    session.subscriptions.removeAll { $0.seat === seat }
    neighbours.noteUnwatched(session)
    notePresence(of: session.person, in: seat)
  }
}
